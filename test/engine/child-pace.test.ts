import { describe, expect, it } from "vitest";
import {
  formatQuantity,
  min,
  type Quantity,
  quantity,
  subtract,
  ZERO_QUANTITY,
} from "../../src/decimal/index.ts";
import { legOf, OTO, OTOCO } from "../support/list-samples.ts";
import { createScriptedVenue, fillOf, reported, sentTo } from "../support/scripted-venue.ts";
import { createWorld, type World, type WorldOptions } from "../support/world.ts";

const STOP = { type: "STOP_MARKET", stopPrice: "100" } as const;

describe("the quantity of a child", () => {
  it("I14: the minimum is compared with the average price of the levels, to the last step", async () => {
    const world = await createWorld();
    await world.place({ price: "150", quantity: "1" });
    await world.quote("98", "100", {
      asks: [
        ["100", "0.05"],
        ["150", "0.066666"],
      ],
    });
    expect(sentTo(world.venue)).toEqual([]);
    await world.quote("98", "100", {
      asks: [
        ["100", "0.05"],
        ["150", "0.066667"],
      ],
    });
    expect(sentTo(world.venue)).toEqual(["BUY 1 @ 150"]);
  });
});

describe("residuals", () => {
  it("a residual below the minimum ends the parent EXPIRED when its child is closed", async () => {
    const world = await createWorld();
    const order = await world.place({ ...STOP, quantity: "1" });
    world.venue.onSubmit = ({ childId }) => reported(childId, "closed", [fillOf({ quantity: "0.9" })]);
    await world.quote("99", "100");
    expect(await world.status(order)).toBe("EXPIRED EXPIRED");
    expect((await world.order(order)).ended?.reason).toBe("RESIDUAL_BELOW_MIN_NOTIONAL");
    expect(await world.executed(order)).toBe("0.9");
  });
});

describe("the pace of attempts", () => {
  it("I25: a child whose market moved away while it waited for the venue is not handed over", async () => {
    const world = await createWorld({ venue: createScriptedVenue({ ratePerSecond: 1 }) });
    const orders = [await world.place({ price: "100" }), await world.place({ price: "100", quantity: "2" })];
    await world.quote("99", "100");
    await world.pass(900);
    await world.quote("100", "101");
    await world.pass(100);
    expect(sentTo(world.venue)).toEqual(["BUY 1 @ 100"]);
    expect(await world.status(orders[1] ?? 0)).toBe("NEW WAITING");
    await world.pass(100);
    await world.quote("99", "100");
    await world.pass(1_000);
    expect(sentTo(world.venue)).toEqual(["BUY 1 @ 100", "BUY 2 @ 100"]);
  });

  it("I25: nor on a quote that has become stale", async () => {
    const world = await createWorld({ venue: createScriptedVenue({ ratePerSecond: 0.1 }) });
    await world.place({ price: "100" });
    const second = await world.place({ price: "100" });
    await world.quote("99", "100");
    await world.pass(10_000, { heartbeat: false });
    expect(sentTo(world.venue)).toHaveLength(1);
    expect(await world.status(second)).toBe("NEW WAITING");
  });

  it("while the venue's rate delays children, reduce-only ones go first and none is dropped", async () => {
    const world = await createWorld({ venue: createScriptedVenue({ ratePerSecond: 2 }) });
    world.exposure.set({ accountId: 2, symbol: "BTC/USD", quantity: subtract(ZERO_QUANTITY, quantity("9")) });
    for (const size of ["1", "2", "3"]) await world.place({ ...STOP, stopPrice: "90", quantity: size });
    for (const size of ["4", "5"]) await world.place({ ...STOP, quantity: size, reduceOnly: true }, 2);
    await world.quote("99", "100");
    for (let n = 0; n < 4; n++) await world.pass(500);
    expect(sentTo(world.venue)).toEqual(["BUY 1", "BUY 4", "BUY 5", "BUY 2", "BUY 3"]);
    expect(world.engine.metrics()).toMatchObject({ openParents: 0, venueQueue: 0, inFlight: 0 });
  });
});

/** Shows sizes, of which the venue executes what it has: of every child as much as the newest quote shows. */
function marketOf(world: World): (bid: string, ask: string, size: string) => Promise<void> {
  let visible: Quantity = quantity("1");
  let at = { BUY: "100", SELL: "100" };
  world.venue.onSubmit = ({ childId, side, quantity: requested }) =>
    reported(childId, "closed", [fillOf({ quantity: min(visible, requested), price: at[side] })]);
  return async (bid, ask, size) => {
    visible = quantity(size);
    at = { BUY: ask, SELL: bid };
    await world.quote(bid, ask, { bid: size, ask: size });
  };
}

describe("the engine's own cut leaves no dust", () => {
  it("an entry of 1 that sees 0.4 and then 0.5 fills whole, and its stop is released", async () => {
    const world = await createWorld();
    const list = await world.placeList("oto", OTO);
    const quote = marketOf(world);
    for (const size of ["0.4", "0.5", "0.5"]) await quote("99", "100", size);
    expect(sentTo(world.venue)).toEqual(["BUY 1 @ 100", "BUY 0.4125 @ 100", "BUY 0.1875 @ 100"]);
    expect(await world.legs(list)).toEqual(["FILLED FILLED", "NEW WAITING"]);
  });

  it("an iceberg of 1 by 0.45 fills whole, no part larger than its display", async () => {
    const world = await createWorld();
    const iceberg = { type: "ICEBERG", quantity: "1", price: "100", icebergQty: "0.45" } as const;
    const order = await world.place(iceberg);
    for (let n = 0; n < 4; n++) await world.quote("99", "100");
    expect(sentTo(world.venue)).toEqual(["BUY 0.45 @ 100", "BUY 0.3625 @ 100", "BUY 0.1875 @ 100"]);
    expect(await world.status(order)).toBe("FILLED FILLED");
  });
});

describe("residualCountsAsFilled", () => {
  /** Places a list whose venue keeps a fee of 0.0002 of its entry. */
  const entered = async (
    settings: object,
  ): Promise<readonly [World, Awaited<ReturnType<World["placeList"]>>]> => {
    const world = await createWorld({ settings });
    const list = await world.placeList("otoco", OTOCO);
    world.venue.onSubmit = ({ childId }) =>
      reported(childId, "closed", [fillOf({ quantity: "0.9998", id: `of ${childId}` })]);
    await world.quote("99", "100");
    return [world, list];
  };

  it("off: what the venue leaves ends the entry and its exits, and the alert names the setting", async () => {
    const [world, list] = await entered({});
    expect(await world.legs(list)).toEqual(["EXPIRED EXPIRED", "CANCELED CANCELED", "CANCELED CANCELED"]);
    expect(world.alerts.map(({ alert, detail }) => [alert, detail])).toEqual([
      [
        "POSITION_UNPROTECTED",
        "executed 0.9998, and no order is left that would close it; the setting residualCountsAsFilled releases the exits of such an entry",
      ],
    ]);
  });

  it("on: the exits are released, the winner sells what was bought and ends EXPIRED with its residual", async () => {
    const [world, list] = await entered({ residualCountsAsFilled: true });
    expect(await world.legs(list)).toEqual(["EXPIRED EXPIRED", "NEW WAITING", "NEW WAITING"]);
    expect(world.alerts).toEqual([]);
    await world.crash();
    await world.quote("90", "91");
    expect(sentTo(world.venue).slice(1)).toEqual(["SELL 0.9998"]);
    expect(await world.legs(list)).toEqual(["EXPIRED EXPIRED", "EXPIRED EXPIRED", "CANCELED CANCELED"]);
    const stop = await world.order(legOf(list, "protective"));
    expect([stop.ended?.reason, formatQuantity(stop.intent.quantity)]).toEqual([
      "RESIDUAL_BELOW_MIN_NOTIONAL",
      "1",
    ]);
  });

  it("on: a late fill of the entry counts for the exits too", async () => {
    const [world, list] = await entered({ residualCountsAsFilled: true });
    const { childId } = world.venue.submitted[0] ?? { childId: "" };
    world.venue.say(
      reported(childId, "closed", [
        fillOf({ quantity: "0.9998", id: `of ${childId}` }),
        fillOf({ quantity: "0.0001" }),
      ]),
    );
    await world.engine.idle();
    world.venue.onSubmit = ({ childId: id, quantity: requested }) =>
      reported(id, "closed", [fillOf({ quantity: requested, price: "90" })]);
    await world.quote("90", "91");
    expect(sentTo(world.venue).slice(1)).toEqual(["SELL 0.9999"]);
    expect(await world.legs(list)).toEqual(["EXPIRED EXPIRED", "EXPIRED EXPIRED", "CANCELED CANCELED"]);
  });

  it("on: an entry that is canceled releases nothing", async () => {
    const world = await createWorld({ settings: { residualCountsAsFilled: true } });
    const list = await world.placeList("oto", OTO);
    await marketOf(world)("99", "100", "0.4");
    await world.cancelList(list);
    expect(await world.legs(list)).toEqual(["CANCELED CANCELED", "CANCELED CANCELED"]);
  });
});

/** An order of 1 of which the venue has executed 0.4 before it closed the child. */
async function closedEarly(options: WorldOptions = {}) {
  const world = await createWorld(options);
  world.venue.onSubmit = ({ childId }) => reported(childId, "closed", [fillOf({ quantity: "0.4" })]);
  const order = await world.place({ quantity: "1", price: "100" });
  return { world, order };
}

/** Time passes with the same market, a quote each second. */
async function resume(world: World, seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second++) {
    await world.pass(1_000);
    await world.quote("99", "100");
  }
}

describe("before the next child, one that closed with less than asked is looked up", () => {
  it("and what it has executed since counts", async () => {
    const { world, order } = await closedEarly();
    world.venue.onClosedLookup = ({ childId }) =>
      reported(childId, "closed", [fillOf({ quantity: "0.6", id: "after the close" })]);
    await world.quote("99", "100");
    await resume(world, 2);
    expect(world.venue.closedLookups).toHaveLength(1);
    expect(sentTo(world.venue)).toEqual(["BUY 1 @ 100"]);
    expect(await world.executed(order)).toBe("1");
    expect(await world.status(order)).toMatch(/^FILLED/);
  });

  it("once, if it has executed nothing since", async () => {
    const { world } = await closedEarly();
    await world.quote("99", "100");
    await world.quote("99", "100");
    const [first] = world.venue.submitted;
    expect(world.venue.closedLookups.filter((id) => id === first?.childId)).toHaveLength(1);
    expect(sentTo(world.venue).slice(0, 2)).toEqual(["BUY 1 @ 100", "BUY 0.6 @ 100"]);
  });

  it("after the time that the venue declares", async () => {
    const { world } = await closedEarly({ venue: createScriptedVenue({ fillsMayFollowCloseMs: 3_000 }) });
    await world.quote("99", "100");
    await resume(world, 2);
    expect(world.venue.closedLookups).toEqual([]);
    expect(sentTo(world.venue)).toHaveLength(1);
    await resume(world, 2);
    expect(world.venue.closedLookups).toHaveLength(1);
    expect(sentTo(world.venue)).toHaveLength(2);
  });

  it("also if the engine stops between the close and the look-up", async () => {
    const { world, order } = await closedEarly({
      venue: createScriptedVenue({ fillsMayFollowCloseMs: 3_000 }),
    });
    await world.quote("99", "100");
    world.venue.onClosedLookup = ({ childId }) =>
      reported(childId, "closed", [fillOf({ quantity: "0.6", id: "while it was down" })]);
    await world.crash();
    await resume(world, 5);
    expect(sentTo(world.venue)).toHaveLength(1);
    expect(await world.executed(order)).toBe("1");
    expect((await world.engine.verify()).equal).toBe(true);
  });

  it("and a look-up that fails delays it by 30 s", async () => {
    const { world } = await closedEarly();
    world.venue.onClosedLookup = () => new Error("busy");
    await world.quote("99", "100");
    await resume(world, 29);
    expect(sentTo(world.venue)).toHaveLength(1);
    await resume(world, 2);
    expect(sentTo(world.venue)).toHaveLength(2);
  });

  it("and nothing is sent while the venue says that it is open again", async () => {
    const { world } = await closedEarly();
    world.venue.onClosedLookup = ({ childId }) => reported(childId, "open");
    await world.quote("99", "100");
    await resume(world, 60);
    expect(sentTo(world.venue)).toHaveLength(1);
  });
});

describe("one late execution raises the wait to as long as it took", () => {
  /** The first child executes 0.1 more, five seconds after it was closed. */
  async function lateByFive() {
    const { world, order } = await closedEarly();
    world.venue.onSubmit = ({ childId }) => reported(childId, "closed", [fillOf({ quantity: "0.1" })]);
    await world.quote("90", "100");
    world.venue.onSubmit = () => "silence";
    const [{ childId = "" } = {}] = world.venue.submitted;
    await world.pass(5_000);
    world.venue.say(reported(childId, "closed", [fillOf({ quantity: "0.1", id: "late" })]));
    await world.pass(0);
    return { world, order };
  }

  it("of every order, at once and after a restart, with an alert", async () => {
    const { world } = await lateByFive();
    expect(world.alerts.map(({ alert, detail }) => [alert, detail.split("; ")[1]])).toContainEqual([
      "LATE_FILL",
      "a child that closes with less than asked is looked up after 5000 ms, before the next one",
    ]);
    await world.crash();
    const before = world.venue.closedLookups.length;
    world.venue.onSubmit = ({ childId }) => reported(childId, "closed", [fillOf({ quantity: "0.1" })]);
    await world.place({ quantity: "1", price: "100" }, 2);
    await world.quote("99", "100");
    const mine = (): number => world.venue.submitted.filter(({ accountId }) => accountId === 2).length;
    expect(mine()).toBe(1);
    await resume(world, 4);
    expect(mine()).toBe(1);
    await resume(world, 2);
    expect(mine()).toBe(2);
    expect(world.venue.closedLookups.length).toBeGreaterThan(before);
  });

  it("and to 30 s at most", async () => {
    const { world, order } = await closedEarly();
    await world.quote("90", "100");
    const [{ childId = "" } = {}] = world.venue.submitted;
    world.venue.onSubmit = () => "silence";
    await world.pass(600_000);
    world.venue.say(reported(childId, "closed", [fillOf({ quantity: "0.1", id: "late" })]));
    await world.pass(0);
    expect((await world.order(order)).earlyClose?.waitMs).toBe(30_000);
  });
});
