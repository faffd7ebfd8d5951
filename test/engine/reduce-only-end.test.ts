import { describe, expect, it } from "vitest";
import { Quantity, quantity, subtract, ZERO_QUANTITY } from "../../src/decimal/index.ts";
import type { Exposure, PositionChange } from "../../src/ports/index.ts";
import { filled, fillOf, reported, sentTo } from "../support/scripted-venue.ts";
import { createWorld, SYMBOL, type World, type WorldOptions } from "../support/world.ts";

const EXIT = {
  side: "SELL",
  type: "STOP_MARKET",
  stopPrice: "100",
  quantity: "1",
  reduceOnly: true,
} as const;
const PROFIT = { ...EXIT, type: "TAKE_PROFIT_MARKET", stopPrice: "120" } as const;
const EXPIRED = "EXPIRED EXPIRED";

const hold = (world: World, size: string): void => {
  world.exposure.set({ accountId: 1, symbol: SYMBOL, quantity: Quantity.parseSigned(size) });
};

/** A world with an exit of 1 whose position was closed by hand, and that has triggered. */
async function closedByHand(options: WorldOptions = {}, order: object = EXIT) {
  const world = await createWorld(options);
  hold(world, "1");
  const exit = await world.place(order);
  hold(world, "0");
  await world.quote("99", "100");
  return { world, exit };
}

const reasonOf = async (world: World, order: Parameters<World["order"]>[0]): Promise<string | undefined> =>
  (await world.order(order)).ended?.reason;

describe("a reduce-only order ends with what it reduces", () => {
  it("ends EXPIRED, NOTHING_TO_REDUCE, when two measurements that are exposureLagMs apart find nothing", async () => {
    const { world, exit } = await closedByHand();
    await world.pass(4_999);
    expect(await world.status(exit)).toBe("NEW WAITING");
    await world.pass(1);
    expect(await world.status(exit)).toBe(EXPIRED);
    expect(await reasonOf(world, exit)).toBe("NOTHING_TO_REDUCE");
    hold(world, "1");
    await world.quote("64", "65");
    expect(sentTo(world.venue)).toEqual([]);
  });

  it("the setting exposureLagMs is that time, and a port that declares a longer lag prolongs it", async () => {
    const short = await closedByHand({ settings: { exposureLagMs: 1_000 } });
    await short.world.pass(1_000);
    expect(await short.world.status(short.exit)).toBe(EXPIRED);
    let held = quantity("1");
    const world = await createWorld({ exposure: { lagMs: 9_000, position: () => held } });
    const exit = await world.place(EXIT);
    held = ZERO_QUANTITY;
    await world.quote("99", "100");
    await world.pass(8_999);
    expect(await world.status(exit)).toBe("NEW WAITING");
    await world.pass(1);
    expect(await world.status(exit)).toBe(EXPIRED);
  });

  it("a position that is reported late takes no exit away: one measurement that finds it begins anew", async () => {
    const { world, exit } = await closedByHand();
    await world.pass(3_000);
    hold(world, "0.5");
    await world.quote("99", "100");
    expect(sentTo(world.venue)).toEqual(["SELL 0.5"]);
    expect(await world.status(exit)).toBe("PARTIALLY_FILLED WAITING");
  });

  it("an opposite position is nothing to reduce, and the rest after a smaller position was sold ends too", async () => {
    const world = await createWorld();
    hold(world, "0.4");
    const exit = await world.place(EXIT);
    world.venue.onSubmit = (child) => {
      hold(world, "-0.1");
      return filled(child);
    };
    await world.quote("99", "100");
    expect(sentTo(world.venue)).toEqual(["SELL 0.4"]);
    await world.pass(5_000);
    await world.pass(5_000);
    expect(await world.status(exit)).toBe(EXPIRED);
    expect(await world.executed(exit)).toBe("0.4");
  });

  it.each(["rejects", "hangs", "lies"])("an answer that %s measures nothing", async (how) => {
    let held: unknown = quantity("1");
    const answer = (): unknown => {
      if (held !== undefined) return held;
      if (how === "rejects") return Promise.reject(new Error("down"));
      return how === "hangs" ? new Promise(() => undefined) : Number.NaN;
    };
    const world = await createWorld({ exposure: { lagMs: 0, position: answer as Exposure["position"] } });
    const exit = await world.place(EXIT);
    held = ZERO_QUANTITY;
    await world.quote("99", "100");
    held = undefined;
    for (let n = 0; n < 6; n++) await world.pass(5_000);
    expect(await world.status(exit)).toBe("NEW WAITING");
    held = ZERO_QUANTITY;
    for (let n = 0; n < 3; n++) await world.pass(5_000);
    expect(await world.status(exit)).toBe(EXPIRED);
  });

  it("what other children hold only makes it wait, and so does a child of an opening order", async () => {
    for (const other of [
      { ...EXIT, stopPrice: "101" },
      { side: "SELL", price: "90" },
    ] as const) {
      const world = await createWorld();
      hold(world, "1");
      world.venue.onSubmit = ({ childId }) => reported(childId, "open");
      world.venue.onLookup = ({ childId }) => reported(childId, "open");
      await world.place(other);
      await world.quote("100.5", "101");
      expect(sentTo(world.venue)).toHaveLength(1);
      const exit = await world.place({ ...EXIT, stopPrice: "100" });
      if ("price" in other) hold(world, "0");
      await world.quote("99", "100");
      for (let n = 0; n < 4; n++) await world.pass(5_000);
      expect(await world.status(exit)).toBe("NEW WAITING");
    }
  });

  it("two exits of one position: one fills, the other ends, and not within that time after the execution", async () => {
    const world = await createWorld();
    hold(world, "1");
    world.venue.onSubmit = (child) => {
      hold(world, "0");
      return filled(child);
    };
    const [first, second] = [await world.place(EXIT), await world.place(EXIT)];
    await world.quote("99", "100");
    expect(await world.status(first)).toBe("FILLED FILLED");
    await world.pass(5_000);
    expect(await world.status(second)).toBe("NEW WAITING");
    await world.pass(5_000);
    expect(await world.status(second)).toBe(EXPIRED);
    expect(sentTo(world.venue)).toEqual(["SELL 1"]);
  });

  it("an own execution in between begins anew", async () => {
    const { world, exit } = await closedByHand();
    await world.pass(3_000);
    await world.place({ type: "SYNTHETIC_LIMIT", quantity: "1", price: "200" });
    await world.quote("99", "100");
    expect(sentTo(world.venue)).toEqual(["BUY 1 @ 200"]);
    await world.pass(5_000);
    expect(await world.status(exit)).toBe("NEW WAITING");
    await world.pass(5_000);
    await world.pass(5_000);
    expect(await world.status(exit)).toBe(EXPIRED);
  });

  it("is measured without a fresh quote, in a pause and outside its cap, once it has triggered", async () => {
    const world = await createWorld();
    hold(world, "1");
    const capped = await world.place({ ...EXIT, type: "STOP_LIMIT", price: "98" });
    await world.quote("97", "98");
    expect(await world.status(capped)).toBe("NEW WAITING");
    hold(world, "0");
    for (let n = 0; n < 3; n++) await world.pass(5_000, { heartbeat: false });
    expect(await reasonOf(world, capped)).toBe("NOTHING_TO_REDUCE");
  });

  it("after a restart between the two measurements it is confirmed anew", async () => {
    const { world, exit } = await closedByHand();
    await world.pass(3_000);
    await world.crash();
    await world.pass(4_000);
    expect(await world.status(exit)).toBe("NEW WAITING");
    await world.pass(5_000);
    await world.pass(5_000);
    expect(await world.status(exit)).toBe(EXPIRED);
  });

  it("a limit order whose price is met ends in the same way, and a stop that has not triggered does not", async () => {
    const limit = { ...EXIT, type: "SYNTHETIC_LIMIT", price: "90", stopPrice: undefined } as const;
    const { stopPrice: _, ...order } = limit;
    const { world, exit } = await closedByHand({}, order);
    hold(world, "1");
    const stop = await world.place({ ...EXIT, stopPrice: "50" });
    hold(world, "0");
    for (let n = 0; n < 3; n++) {
      await world.pass(5_000);
      await world.quote("99", "100");
    }
    expect(await world.status(exit)).toBe(EXPIRED);
    expect(await world.status(stop)).toBe("NEW WAITING");
  });

  it("no reduce-only leg of its list goes on: they end CANCELED, and other legs go on", async () => {
    const world = await createWorld();
    hold(world, "1");
    const entry = {
      workingType: "LIMIT",
      workingSide: "BUY",
      workingPrice: "110",
      workingQuantity: "1",
    } as const;
    const above = {
      pendingAboveType: "LIMIT",
      pendingAbovePrice: "120",
      pendingAboveReduceOnly: true,
    } as const;
    const below = { pendingBelowType: "STOP_MARKET", pendingBelowStopPrice: "100" } as const;
    const bracket = { ...entry, pendingSide: "SELL", pendingQuantity: "1", ...above, ...below } as const;
    for (const isOnly of [true, false]) {
      const list = await world.placeList("otoco", { ...bracket, pendingBelowReduceOnly: isOnly });
      await world.quote("109", "110");
      hold(world, "1");
      await world.pass(10_000);
      hold(world, "0");
      // The price of the profit leg is met while nothing is there: it does not win, and finds nothing.
      await world.quote("121", "122");
      for (let n = 0; n < 3; n++) await world.pass(5_000);
      expect(await world.legs(list)).toEqual([
        "FILLED FILLED",
        isOnly ? "CANCELED CANCELED" : "NEW WAITING",
        EXPIRED,
      ]);
    }
  });
});

describe("a host that reports positions as events", () => {
  it("a close starts the confirmation of every order that it leaves without anything, and ends none by itself", async () => {
    let held = quantity("1");
    let received: (change: PositionChange) => void = () => undefined;
    const world = await createWorld({
      exposure: {
        lagMs: 0,
        position: () => held,
        onChange(listener) {
          received = listener;
          return () => undefined;
        },
      },
    });
    const [stop, profit] = [await world.place(EXIT), await world.place(PROFIT)];
    const close = (): void => received({ accountId: 1, symbol: SYMBOL, quantity: ZERO_QUANTITY });
    close();
    for (let n = 0; n < 3; n++) await world.pass(5_000);
    expect(await world.status(stop)).toBe("NEW WAITING");
    held = ZERO_QUANTITY;
    close();
    received({ accountId: 0, symbol: SYMBOL, quantity: Number.NaN as never });
    await world.pass(1);
    expect(await world.status(stop)).toBe("NEW WAITING");
    await world.pass(5_000);
    expect([await world.status(stop), await world.status(profit)]).toEqual([EXPIRED, EXPIRED]);
    expect(world.reported).toContain("host.failed");
  });
});

/** A position that fills change, and that the host shows `lateMs` later. */
function latePosition(lateMs: number, more: Partial<Exposure> = {}) {
  const history: { atMs: number; held: Quantity }[] = [{ atMs: 0, held: quantity("1") }];
  let nowMs = (): number => 0;
  const held = (): Quantity => history[history.length - 1]?.held ?? ZERO_QUANTITY;
  return {
    held,
    move: (size: Quantity): void => void history.push({ atMs: nowMs(), held: subtract(held(), size) }),
    exposure: (clock: { monotonicMs(): number }): Exposure => {
      nowMs = () => clock.monotonicMs();
      history[0] = { atMs: nowMs() - 60_000, held: quantity("1") };
      const shown = (): Quantity =>
        history.filter(({ atMs }) => atMs <= nowMs() - lateMs).at(-1)?.held ?? ZERO_QUANTITY;
      return { ...more, position: shown };
    },
  };
}

describe("own executions that the position does not show yet", () => {
  /** A position of 1 with two exits of this size, at a venue that fills them, as an account knows it that is at rest. */
  async function twoExits(
    lateMs: number,
    size: string,
    more: Partial<Exposure> = {},
    before: (world: World, position: ReturnType<typeof latePosition>) => Promise<void> = async () =>
      undefined,
  ) {
    const position = latePosition(lateMs, more);
    const world = await createWorld({ exposure: position.exposure });
    world.venue.onSubmit = (child) => {
      position.move(child.quantity);
      return filled(child);
    };
    const orders = [
      await world.place({ ...EXIT, quantity: size, stopPrice: "100" }),
      await world.place({ ...EXIT, quantity: size, stopPrice: "90" }),
    ];
    await before(world, position);
    await world.quote("99", "100");
    expect(sentTo(world.venue)).toEqual([`SELL ${size}`]);
    return { world, position, orders };
  }

  it("a position that is one second late lets two exits sell no more than it", async () => {
    const { world, position } = await twoExits(1_000, "1");
    await world.quote("89", "90");
    await world.pass(500);
    await world.quote("89", "90");
    expect(position.held()).toBe(ZERO_QUANTITY);
    await world.pass(10_000);
    await world.quote("89", "90");
    expect(sentTo(world.venue)).toEqual(["SELL 1"]);
  });

  it("the same over a crash, over a reading of a snapshot, and with executions of an order that has ended", async () => {
    const { world, position } = await twoExits(1_000, "1");
    await world.crash();
    await world.quote("89", "90");
    await world.engine.close();
    await world.crash();
    await world.quote("89", "90");
    expect(sentTo(world.venue)).toEqual(["SELL 1"]);
    expect(position.held()).toBe(ZERO_QUANTITY);
  });

  it("a position that shows them is used at once: nothing is taken off twice", async () => {
    const { world } = await twoExits(0, "0.6");
    await world.quote("89", "90");
    expect(sentTo(world.venue)).toEqual(["SELL 0.6", "SELL 0.4"]);
  });

  it("what the account does elsewhere is not taken for them", async () => {
    const { world, position } = await twoExits(1_000, "0.6", {}, async (quiet, late) => {
      late.move(quantity("0.1"));
      await quiet.pass(950);
    });
    // The position shows 0.9: the sale by hand, and not yet the 0.6.
    await world.pass(100);
    await world.quote("89", "90");
    expect(sentTo(world.venue)).toEqual(["SELL 0.6", "SELL 0.3"]);
    expect(position.held()).toBe(ZERO_QUANTITY);
  });

  it("a port that declares that it is 10 s late is taken at its word", async () => {
    const { world, position } = await twoExits(9_999, "1", { lagMs: 10_000 });
    for (let n = 0; n < 12; n++) {
      await world.pass(1_000);
      await world.quote("89", "90");
    }
    expect(position.held()).toBe(ZERO_QUANTITY);
    expect(sentTo(world.venue)).toEqual(["SELL 1"]);
  });

  it.each([
    ["is late", 1_000],
    ["is not", 0],
  ])(
    "executions of eight decimals leave whole steps, rounded down, if the position %s",
    async (_, lateMs) => {
      const position = latePosition(lateMs);
      const world = await createWorld({ exposure: position.exposure });
      // Two times 0.33333333 of a position of 1, which is shown in whole steps.
      const moves = [quantity("0.333334"), quantity("0.333333")];
      world.venue.onSubmit = ({ childId }) => {
        position.move(moves.shift() ?? ZERO_QUANTITY);
        return reported(childId, "closed", [{ ...fillOf({ quantity: "0.333333" }), fine: 330_000_000_000 }]);
      };
      for (const stopPrice of ["100", "100", "90"])
        await world.place({ ...EXIT, quantity: stopPrice === "90" ? "1" : "0.333334", stopPrice });
      await world.quote("99", "100");
      await world.pass(100);
      world.venue.onSubmit = () => "silence";
      await world.quote("89", "90");
      expect(sentTo(world.venue)).toEqual(["SELL 0.333334", "SELL 0.333334", "SELL 0.333333"]);
    },
  );

  it("a position shows them in the order of their execution, also if they become known in another", async () => {
    let shown = quantity("3");
    const world = await createWorld({ exposure: { lagMs: 1_000, position: () => shown } });
    const timed = (childId: string, size: string, timeMs: number) =>
      reported(childId, "closed", [{ ...fillOf({ quantity: size }), timeMs }]);
    const orders = ["1", "0.5", "2"].map((size, n) => ({
      ...EXIT,
      quantity: size,
      stopPrice: String(100 - 10 * n),
    }));
    for (const order of orders) await world.place(order);
    world.venue.onSubmit = () => "silence";
    await world.quote("99", "100");
    const [{ childId = "" } = {}] = world.venue.submitted;
    world.venue.onSubmit = (child) => timed(child.childId, "0.5", 2_000);
    await world.quote("89", "90");
    world.venue.say(timed(childId, "1", 1_000));
    await world.pass(0);
    shown = quantity("2");
    await world.quote("79", "80");
    expect(sentTo(world.venue)).toEqual(["SELL 1", "SELL 0.5", "SELL 1.5"]);
  });

  it.each(["an execution", "a time"])("asOf %s: exactly what came later is taken off", async (kind) => {
    let answer: Awaited<ReturnType<Exposure["position"]>> = quantity("2");
    const world = await createWorld({ exposure: { position: () => answer } });
    const fills = [
      { ...fillOf({ id: "e-1", quantity: "0.5" }), timeMs: 1_000 },
      { ...fillOf({ id: "e-2", quantity: "0.3" }), timeMs: 1_001 },
    ];
    world.venue.onSubmit = ({ childId }) => reported(childId, "closed", fills);
    await world.place({ ...EXIT, quantity: "2" });
    await world.quote("99", "100");
    answer = { quantity: quantity("1.5"), asOf: kind === "an execution" ? "e-1" : 1_000 };
    world.venue.onSubmit = (child) => filled(child);
    await world.pass(100);
    await world.quote("99", "100");
    expect(sentTo(world.venue)).toEqual(["SELL 2", "SELL 1.2"]);
  });
});
