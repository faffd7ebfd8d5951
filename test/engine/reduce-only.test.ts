import { describe, expect, it } from "vitest";
import { type Quantity, quantity, subtract, ZERO_QUANTITY } from "../../src/decimal/index.ts";
import type { Fill } from "../../src/model/index.ts";
import type { Exposure } from "../../src/ports/index.ts";
import { createScriptedVenue, filled, fillOf, reported, sentTo } from "../support/scripted-venue.ts";
import { createWorld, SYMBOL, type World } from "../support/world.ts";

const EXIT = {
  side: "SELL",
  type: "STOP_MARKET",
  stopPrice: "100",
  quantity: "0.134",
  reduceOnly: true,
} as const;

const hold = (world: World, size: string): void => {
  const held = size.startsWith("-") ? subtract(ZERO_QUANTITY, quantity(size.slice(1))) : quantity(size);
  world.exposure.set({ accountId: 1, symbol: SYMBOL, quantity: held });
};

/** Completes all work that depends on nothing outside. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 30; turn++) await Promise.resolve();
}

/** An exposure port that answers on request of the test; the position is read when it answers. */
function slowExposure(
  position: () => Quantity,
): Exposure & { answer(count?: number): Promise<void>; requested: number } {
  const requesting: (() => void)[] = [];
  return {
    requested: 0,
    position() {
      this.requested++;
      const read = position();
      return new Promise((resolve) => requesting.push(() => resolve(read)));
    },
    async answer(count = Number.POSITIVE_INFINITY) {
      await turns();
      for (const each of requesting.splice(0, count)) each();
      await turns();
    },
  };
}

describe("admission", () => {
  it("-2022 without exposure that the side reduces", async () => {
    const world = await createWorld();
    await expect(world.place(EXIT)).rejects.toMatchObject({ code: -2022 });
    hold(world, "0.134");
    await expect(world.place({ ...EXIT, side: "BUY" })).rejects.toMatchObject({ code: -2022 });
    await expect(world.place({ ...EXIT, symbol: "ETH/USD" })).rejects.toMatchObject({ code: -2022 });
    await expect(world.place(EXIT)).resolves.toMatchObject({ accountId: 1 });
  });

  it("needs neither a price nor a quote, and has no minimum", async () => {
    const world = await createWorld();
    hold(world, "5");
    const trail = {
      side: "SELL",
      type: "TRAILING_STOP_MARKET",
      trailingDelta: 100,
      quantity: "0.000001",
    } as const;
    await expect(world.place({ ...trail, reduceOnly: true })).resolves.toMatchObject({ accountId: 1 });
    await expect(world.place(trail)).rejects.toMatchObject({ code: -1112 });
  });
});

describe("children", () => {
  it("complaint 9: position 0.134, two exits of 0.134; after 0.067 was reduced elsewhere, the child is at most 0.067", async () => {
    const world = await createWorld();
    hold(world, "0.134");
    const first = await world.place(EXIT);
    await world.place({ ...EXIT, stopPrice: "90" });
    hold(world, "0.067");
    await world.quote("99", "100");
    expect(sentTo(world.venue)).toEqual(["SELL 0.067"]);
    hold(world, "-0.1");
    for (let n = 0; n < 3; n++) await world.quote("89", "90");
    expect(sentTo(world.venue)).toEqual(["SELL 0.067"]);
    expect(await world.status(first)).toBe("PARTIALLY_FILLED WAITING");
    expect((await world.engine.story(first.orderId))?.waitingFor).toMatch(/exposure/);
  });

  it("two exits on one quote share the exposure: the quantity of one child is not available to the other", async () => {
    const world = await createWorld();
    hold(world, "1");
    world.venue.onSubmit = ({ childId }) => reported(childId, "open");
    world.venue.onLookup = ({ childId }) => reported(childId, "open");
    await world.place({ ...EXIT, quantity: "0.7", stopPrice: "101" });
    const second = await world.place({ ...EXIT, quantity: "0.7" });
    const third = await world.place({ ...EXIT, quantity: "0.7", stopPrice: "99" });
    await world.quote("99", "100");
    expect(sentTo(world.venue)).toEqual(["SELL 0.7", "SELL 0.3"]);
    expect(await world.status(third)).toBe("NEW WAITING");
    world.venue.say(reported(world.venue.submitted[1]?.childId ?? "", "closed"));
    await world.engine.idle();
    await world.quote("99", "100");
    expect(sentTo(world.venue)).toEqual(["SELL 0.7", "SELL 0.3", "SELL 0.3"]);
    expect(await world.status(second)).toBe("NEW WAITING");
  });

  it("I21: an unknown child keeps its reservation, over a crash too", async () => {
    const world = await createWorld();
    hold(world, "1");
    world.venue.onSubmit = () => "silence";
    world.venue.onLookup = () => new Error("no connection");
    await world.place({ ...EXIT, quantity: "0.7", stopPrice: "101" });
    const second = await world.place({ ...EXIT, quantity: "0.7" });
    await world.quote("100.5", "101");
    await world.crash();
    world.venue.onSubmit = ({ childId }) => reported(childId, "open");
    await world.quote("99", "100");
    expect(sentTo(world.venue)).toEqual(["SELL 0.7", "SELL 0.3"]);
    expect(await world.status(second)).toBe("NEW WORKING");
  });

  it("children of the other side, another market or another account reserve nothing", async () => {
    const world = await createWorld();
    hold(world, "1");
    world.exposure.set({ accountId: 2, symbol: SYMBOL, quantity: quantity("1") });
    world.venue.onSubmit = ({ childId }) => reported(childId, "open");
    await world.place({ ...EXIT, quantity: "1" }, 2);
    await world.place({ type: "STOP_MARKET", stopPrice: "90", quantity: "1" });
    await world.place({ ...EXIT, quantity: "1" });
    await world.quote("99", "100");
    expect([...sentTo(world.venue)].sort()).toEqual(["BUY 1", "SELL 1", "SELL 1"]);
  });

  it("exposure that appears later lets a waiting exit continue", async () => {
    const world = await createWorld();
    hold(world, "1");
    const order = await world.place({ ...EXIT, quantity: "1" });
    hold(world, "-1");
    await world.quote("99", "100");
    expect(sentTo(world.venue)).toEqual([]);
    hold(world, "0.4");
    await world.quote("99", "100");
    hold(world, "0.6");
    await world.quote("99", "100");
    expect(sentTo(world.venue)).toEqual(["SELL 0.4", "SELL 0.6"]);
    expect(await world.status(order)).toBe("FILLED FILLED");
  });
});

describe("an exposure port that answers later", () => {
  /** Two exits of 0.7 over a position of 1, which fills reduce. */
  async function slow(): Promise<Readonly<{ world: World; exposure: ReturnType<typeof slowExposure> }>> {
    let held = quantity("1");
    const exposure = slowExposure(() => held);
    const world = await createWorld({ exposure });
    world.venue.onSubmit = (child) => {
      held = subtract(held, child.quantity);
      return filled(child);
    };
    for (const stopPrice of ["101", "99"]) {
      const placing = world.place({ ...EXIT, quantity: "0.7", stopPrice });
      await exposure.answer();
      await placing;
    }
    return { world, exposure };
  }

  it("the child goes out with the answer, measured once per quote", async () => {
    const { world, exposure } = await slow();
    const requested = exposure.requested;
    await world.quote("100", "101");
    await world.quote("100", "101");
    expect(sentTo(world.venue)).toEqual([]);
    await exposure.answer();
    await world.engine.idle();
    expect(sentTo(world.venue)).toEqual(["SELL 0.7"]);
    expect(exposure.requested - requested).toBe(1);
  });

  it("two answers at once share the exposure", async () => {
    const { world, exposure } = await slow();
    await world.quote("98", "99");
    await exposure.answer();
    await world.engine.idle();
    expect(sentTo(world.venue)).toEqual(["SELL 0.7", "SELL 0.3"]);
  });

  it("an answer that was read before a fill is not used: the position is read again", async () => {
    const { world, exposure } = await slow();
    await world.quote("98", "99");
    const requested = exposure.requested;
    await exposure.answer(1);
    await world.engine.idle();
    expect(sentTo(world.venue)).toEqual(["SELL 0.7"]);
    await exposure.answer(1);
    expect([sentTo(world.venue).length, exposure.requested - requested]).toEqual([1, 1]);
    await exposure.answer(1);
    await world.engine.idle();
    expect(sentTo(world.venue)).toEqual(["SELL 0.7", "SELL 0.3"]);
  });

  it("a cancel during the measurement ends the order, and the answer changes nothing", async () => {
    const { world, exposure } = await slow();
    await world.quote("98", "99");
    expect(await world.engine.cancelAll(1)).toMatchObject({ matchedCount: 2, canceledCount: 2 });
    await exposure.answer();
    await world.engine.idle();
    expect(sentTo(world.venue)).toEqual([]);
  });

  it("I62: a port that fails or never answers only delays the child", async () => {
    let fails: "no" | "rejects" | "throws" | "hangs" | "lies" = "no";
    const world = await createWorld({
      exposure: {
        position() {
          if (fails === "throws") throw new Error("down");
          if (fails === "rejects") return Promise.reject(new Error("down"));
          if (fails === "lies") return 0.5 as never;
          return fails === "hangs" ? new Promise(() => undefined) : quantity("1");
        },
      },
    });
    const order = await world.place({ ...EXIT, quantity: "1" });
    for (const mode of ["rejects", "throws", "lies", "hangs"] as const) {
      fails = mode;
      await world.quote("99", "100");
      await world.engine.idle();
      expect(await world.status(order)).toBe("NEW WAITING");
    }
    fails = "no";
    await world.pass(6_000);
    await world.quote("99", "100");
    expect(await world.status(order)).toBe("FILLED FILLED");
  });

  it("a partial fill of the exit itself is measured again for its next child", async () => {
    let held = quantity("1");
    const exposure = slowExposure(() => held);
    const world = await createWorld({ exposure });
    const placing = world.place({ ...EXIT, quantity: "1" });
    await exposure.answer();
    await placing;
    world.venue.onSubmit = ({ childId }) => {
      held = subtract(held, quantity("0.25"));
      return reported(childId, "closed", [fillOf({ quantity: "0.25" })]);
    };
    for (let n = 0; n < 2; n++) {
      await world.quote("99", "100");
      await exposure.answer();
      await world.engine.idle();
    }
    expect(sentTo(world.venue)).toEqual(["SELL 1", "SELL 0.75"]);
  });
});

describe("I13: executions while a reduce-only child waits for the venue's rate", () => {
  const SELLS = { side: "SELL", price: "90" } as const;

  /** A world whose venue is busy with a child of an opening order, behind which an exit of a position of 1 waits. */
  async function waiting(position: string): Promise<World> {
    const world = await createWorld({ venue: createScriptedVenue({ ratePerSecond: 1 }) });
    hold(world, position);
    await world.place(SELLS);
    await world.place({ ...EXIT, quantity: "1" });
    world.venue.onSubmit = ({ childId }) => reported(childId, "closed");
    await world.quote("100", "101");
    expect(sentTo(world.venue)).toEqual(["SELL 1 @ 90"]);
    return world;
  }

  /** The venue tells late that the child of the opening order has executed this, and the position shrinks by it. */
  async function lateFill(world: World, size: string, position: string): Promise<void> {
    hold(world, position);
    world.venue.say(
      reported(world.venue.submitted[0]?.childId ?? "", "closed", [fillOf({ quantity: size })]),
    );
    await world.engine.idle();
  }

  it("a child for more than they leave is not handed over, and the next one is for what is left", async () => {
    const world = await waiting("1");
    await lateFill(world, "0.4", "0.6");
    await world.pass(1_000, { heartbeat: false });
    expect(sentTo(world.venue)).toHaveLength(1);
    world.venue.onSubmit = (child) => filled(child);
    await world.pass(200);
    await world.quote("100", "101");
    await world.pass(1_000);
    expect(sentTo(world.venue)).toContain("SELL 0.6");
    expect(sentTo(world.venue)).not.toContain("SELL 1");
  });

  it("a child goes out if they leave as much as it asks for", async () => {
    const world = await waiting("1.4");
    await lateFill(world, "0.4", "1");
    await world.pass(1_000);
    expect(sentTo(world.venue)).toEqual(["SELL 1 @ 90", "SELL 1"]);
  });

  it("I62: an account that sells and buys all the time gets its exit also at a venue whose rate is used up", async () => {
    const world = await createWorld({ venue: createScriptedVenue({ ratePerSecond: 1 }) });
    hold(world, "1");
    world.venue.onLookup = ({ childId }) => reported(childId, "open");
    world.venue.onSubmit = (child) =>
      child.reduceOnly || child.accountId === 2 ? filled(child) : reported(child.childId, "open");
    await world.place({ ...SELLS, quantity: "100" });
    for (let n = 0; n < 12; n++) await world.place({ type: "STOP_MARKET", stopPrice: "100.5" }, 2);
    await world.quote("200", "201");
    const exit = await world.place({ ...EXIT, quantity: "1" });
    const fills: Fill[] = [];
    for (let n = 0; n < 25; n++) {
      fills.push(fillOf({ quantity: "0.001" }));
      world.venue.say(reported(world.venue.submitted[0]?.childId ?? "", "open", fills));
      await world.quote("99", "101");
      await world.pass(300);
    }
    expect(await world.status(exit)).toBe("FILLED FILLED");
    const exits = world.venue.submitted.filter(({ reduceOnly }) => reduceOnly);
    expect(exits.length).toBeLessThanOrEqual(3);
    expect(exits[0]?.quantity).toBeGreaterThan(quantity("0.98"));
  });

  it("executions of another exit take nothing from a child, because its measurement has left them out", async () => {
    const world = await createWorld({ venue: createScriptedVenue({ ratePerSecond: 1 }) });
    hold(world, "2");
    const exits = [
      await world.place({ ...EXIT, quantity: "1" }),
      await world.place({ ...EXIT, quantity: "1" }),
    ];
    world.venue.onSubmit = (child) => {
      const left = subtract(world.exposure.position(1, SYMBOL), child.quantity);
      world.exposure.set({ accountId: 1, symbol: SYMBOL, quantity: left });
      return filled(child);
    };
    await world.quote("100", "101");
    await world.pass(1_000);
    expect(sentTo(world.venue)).toEqual(["SELL 1", "SELL 1"]);
    for (const exit of exits) expect(await world.status(exit)).toBe("FILLED FILLED");
  });
});
