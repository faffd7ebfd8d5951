import { describe, expect, it } from "vitest";
import { createMemoryStore } from "../../src/adapters/memory/index.ts";
import { executedText, formatNotional, Price, Quantity, quantity } from "../../src/decimal/index.ts";
import type { Fill, ParentOrder } from "../../src/model/index.ts";
import type { ChildReport } from "../../src/ports/index.ts";
import { managedOrderView } from "../../src/service/index.ts";
import { orderEventsOf, orderTradeUpdate } from "../../src/service/socket/account-events.ts";
import { executionReport } from "../../src/service/socket/execution-report.ts";
import { turns } from "../support/faulty-world.ts";
import { createGate } from "../support/gate.ts";
import { fillOf, reported, sentTo } from "../support/scripted-venue.ts";
import { createWorld, type World } from "../support/world.ts";

type InFlight = Readonly<{ world: World; order: ParentOrder; childId: string }>;

/** A BUY of 1 with cap 100 whose child is open at the venue. */
async function inFlight(): Promise<InFlight> {
  const world = await createWorld();
  const order = await world.place({ price: "100" });
  world.venue.onSubmit = ({ childId }) => reported(childId, "open");
  world.venue.onLookup = () => new Error("not asked");
  await world.quote("99", "100");
  const childId = world.venue.submitted[0]?.childId ?? "";
  return { world, order, childId };
}

async function say(world: World, ...reports: readonly ChildReport[]): Promise<void> {
  for (const report of reports) world.venue.say(report);
  await world.engine.idle();
}

const alertsOf = (world: World): readonly string[] => world.alerts.map(({ alert }) => alert);

describe("a venue's reports of a child", () => {
  it("I15: an execution that arrives twice, by event and by answer, counts once", async () => {
    const { world, order, childId } = await inFlight();
    const fill = fillOf({ quantity: "0.4" });
    await say(
      world,
      reported(childId, "open", [fill]),
      reported(childId, "open", [fill, fill]),
      reported(childId, "closed", [fill]),
    );
    expect(await world.executed(order)).toBe("0.4");
    expect([...(await world.order(order)).executions]).toEqual([`1 ${fill.executionId}`]);
    expect((await world.engine.verify()).equal).toBe(true);
  });

  it("I15: ids that repeat from child to child are other executions: an iceberg ends with its quantity", async () => {
    const world = await createWorld();
    const order = await world.place({ type: "ICEBERG", quantity: "3", icebergQty: "1", price: "100" });
    world.venue.onSubmit = ({ childId, quantity: size }) =>
      reported(childId, "closed", [fillOf({ id: "1", quantity: size })]);
    for (let count = 0; count < 5; count++) await world.quote("99", "100");
    expect(await world.status(order)).toBe("FILLED FILLED");
    expect(world.venue.submitted).toHaveLength(3);
    expect([...(await world.order(order)).executions]).toEqual(["1 1", "2 1", "3 1"]);
    expect((await world.engine.verify()).equal).toBe(true);
  });

  it("I17: a child whose executions do not sum to what was counted of it is unreadable, and nothing more is sent", async () => {
    const { world, order, childId } = await inFlight();
    const fill = fillOf({ id: "1", quantity: "0.4" });
    await say(world, reported(childId, "open", [fill]));
    await say(world, reported(childId, "open", [{ ...fill, quantity: quantity("0.6") }]));
    expect([await world.executed(order), await world.status(order)]).toEqual([
      "0.4",
      "PARTIALLY_FILLED UNKNOWN",
    ]);
    expect(alertsOf(world)).toEqual(["VENUE_REPORT_INVALID"]);
    await world.quote("99", "100");
    expect(world.venue.submitted).toHaveLength(1);
    await say(world, reported(childId, "closed", [fill]));
    expect(await world.status(order)).toBe("PARTIALLY_FILLED WAITING");
  });

  it("I10: executions that a later report leaves out stay counted", async () => {
    const { world, order, childId } = await inFlight();
    await say(
      world,
      reported(childId, "open", [fillOf({ quantity: "0.4" })]),
      reported(childId, "closed", [fillOf({ quantity: "0.1" })]),
    );
    expect(await world.executed(order)).toBe("0.5");
  });

  it("a fill before the acknowledgement counts, and the acknowledgement changes nothing", async () => {
    const world = await createWorld();
    const order = await world.place({ price: "100" });
    const fill = fillOf({ quantity: "1" });
    world.venue.onSubmit = async ({ childId }) => {
      world.venue.say(reported(childId, "closed", [fill]));
      await world.engine.idle();
      expect(await world.status(order)).toBe("FILLED FILLED");
      return reported(childId, "open", [fill]);
    };
    await world.quote("99", "100");
    await world.engine.idle();
    expect(await world.executed(order)).toBe("1");
    expect(await world.status(order)).toBe("FILLED FILLED");
    expect(alertsOf(world)).toEqual([]);
  });

  it("children that were never sent change nothing, whatever their id", async () => {
    const { world, order, childId } = await inFlight();
    const [prefix, parent, time] = childId.split("-");
    const foreign = [
      "native-1",
      "",
      `${prefix}-${parent}-${time}-2`,
      `${prefix}-${parent}-${time}-0`,
      `${prefix}-${parent}-1-1`,
      `${prefix}-zzzzzzzzzzz-${time}-1`,
      `${prefix}-0-${time}-1`,
      childId.toUpperCase(),
    ];
    for (const id of foreign) await say(world, reported(id, "closed", [fillOf({ quantity: "1" })]));
    expect(await world.status(order)).toBe("NEW WORKING");
    expect(world.engine.metrics().alerts).toBe(foreign.length);
  });
});

describe("late executions", () => {
  it("a late fill of a closed child adds to an open parent, and the next child is for the rest", async () => {
    const { world, order, childId } = await inFlight();
    await say(
      world,
      reported(childId, "closed", [fillOf({ quantity: "0.25" })]),
      reported(childId, "closed", [fillOf({ quantity: "0.25" })]),
    );
    expect(await world.status(order)).toBe("PARTIALLY_FILLED WAITING");
    expect(alertsOf(world)).toEqual(["LATE_FILL"]);
    await world.quote("99", "100");
    expect(sentTo(world.venue)).toEqual(["BUY 1 @ 100", "BUY 0.5 @ 100"]);
  });

  it("I50: a late fill of an ended parent increases executedQty and keeps the state, over a crash too", async () => {
    const { world, order, childId } = await inFlight();
    await say(world, reported(childId, "closed"));
    await world.cancel(order);
    await say(world, reported(childId, "closed", [fillOf({ quantity: "0.25", price: "99" })]));
    await world.crash();
    const after = await world.order(order);
    expect(await world.status(order)).toBe("CANCELED CANCELED");
    expect(formatNotional(after.executedNotional)).toBe("24.75");
    expect(after.ended?.reason).toBe("USER_CANCELED");
    expect((await world.engine.verify()).equal).toBe(true);
  });

  it("I10: many late fills of one ended parent are all counted", async () => {
    const { world, order, childId } = await inFlight();
    await say(world, reported(childId, "closed"));
    await world.cancel(order);
    const fills = Array.from({ length: 10 }, () => fillOf({ quantity: "0.05" }));
    await say(world, ...fills.map((fill) => reported(childId, "closed", [fill])));
    expect(await world.executed(order)).toBe("0.5");
    expect(world.engine.metrics().openParents).toBe(0);
  });
});

describe("overfills", () => {
  it("an overfill of the whole parent is recorded as reported, raises an alert, and ends it FILLED", async () => {
    const { world, order, childId } = await inFlight();
    await say(world, reported(childId, "closed", [fillOf({ quantity: "1.5" })]));
    expect(await world.executed(order)).toBe("1.5");
    expect(await world.status(order)).toBe("FILLED FILLED");
    expect(alertsOf(world)).toEqual(["OVERFILL"]);
  });
});

const STAMP = { sequence: 1, nowMs: 0, symbol: "BTCUSD" };

let fills = 0;
const exactly = (quantity: string, price = "100"): Fill => ({
  executionId: `exact-${++fills}`,
  ...Quantity.parseFact(quantity),
  price: Price.parseFact(price),
  timeMs: 0,
});

/** A venue that answers each child with these executions, one child after the other. */
async function filling(...children: readonly (readonly string[])[]): Promise<World> {
  const world = await createWorld();
  let sent = 0;
  world.venue.onSubmit = ({ childId }) =>
    reported(
      childId,
      "closed",
      (children[sent++] ?? []).map((quantity) => exactly(quantity)),
    );
  return world;
}

const executedOf = async (world: World, order: ParentOrder): Promise<string> =>
  executedText(await world.order(order));

describe("executions are exact to 18 decimals", () => {
  it("fills of eight decimals freeze nothing, and every reply shows the exact sums", async () => {
    const world = await filling(["0.12345678", "0.37654321"], ["0.5"]);
    const order = await world.place({ price: "100", quantity: "1" });
    const events = world.engine.events;
    const received: string[] = [];
    events.on("order", (update) => {
      for (const event of orderEventsOf(update)) {
        if (event.fill === undefined) continue;
        const { l, z, Z, Y } = executionReport(event, STAMP) as Readonly<Record<string, string>>;
        const { o } = orderTradeUpdate(event, STAMP) as unknown as { o: Readonly<Record<string, string>> };
        received.push(`${l} ${z} ${Z} ${Y}`);
        expect([o["l"], o["z"], o["ap"]]).toEqual([l, z, "100"]);
      }
    });
    await world.quote("99", "100");
    expect(managedOrderView(await world.order(order))).toMatchObject({
      status: "PARTIALLY_FILLED",
      ...{ executedQty: "0.49999999", cummulativeQuoteQty: "49.999999", avgPrice: "100" },
    });
    await world.quote("99", "100");
    expect(received.slice(0, 2)).toEqual([
      "0.12345678 0.12345678 12.345678 12.345678",
      "0.37654321 0.49999999 49.999999 37.654321",
    ]);
    expect(sentTo(world.venue)[1]).toBe("BUY 0.5 @ 100");
    expect(managedOrderView(await world.order(order))).toMatchObject({
      executedQty: "0.99999999",
      status: "EXPIRED",
    });
    expect(world.alerts).toEqual([]);
    expect((await world.engine.verify()).equal).toBe(true);
  });

  it("the next child takes the whole steps that are left, and less than one step left ends the order", async () => {
    const world = await filling(["0.40000001"], ["0.599999"]);
    const order = await world.place({ price: "100", quantity: "1" });
    await world.quote("99", "100");
    expect(await executedOf(world, order)).toBe("0.40000001");
    await world.quote("99", "100");
    expect(sentTo(world.venue)).toEqual(["BUY 1 @ 100", "BUY 0.599999 @ 100"]);
    expect(await executedOf(world, order)).toBe("0.99999901");
    const { ended } = await world.order(order);
    expect(ended).toMatchObject({ status: "EXPIRED", reason: "RESIDUAL_BELOW_MIN_NOTIONAL" });
    expect((await world.engine.verify()).equal).toBe(true);
  });

  it("executions that are whole only together fill the order and release its legs in that record", async () => {
    const world = await filling(["0.33333333", "0.33333333", "0.33333334"]);
    const order = await world.place({ price: "100", quantity: "1" });
    await world.quote("99", "100");
    expect(await world.status(order)).toBe("FILLED FILLED");
    const view = managedOrderView(await world.order(order));
    expect([view.executedQty, view.cummulativeQuoteQty, view.avgPrice]).toEqual(["1", "100", "100"]);
  });

  it("one part of 10^-18 more than the quantity is an overfill", async () => {
    const world = await filling(["1.000000000000000001"]);
    const order = await world.place({ price: "100", quantity: "1" });
    await world.quote("99", "100");
    expect(await executedOf(world, order)).toBe("1.000000000000000001");
    expect(world.alerts.map(({ alert }) => alert)).toEqual(["OVERFILL"]);
  });

  it("an execution below one step counts: the order is partly filled, and its child cannot be called refused", async () => {
    const world = await createWorld();
    const order = await world.place({ price: "100", quantity: "1" });
    world.venue.onSubmit = ({ childId }) => reported(childId, "rejected", [exactly("0.0000001")]);
    world.venue.onLookup = () => new Error("not asked");
    await world.quote("99", "100");
    expect(await world.status(order)).toBe("PARTIALLY_FILLED UNKNOWN");
    expect(world.alerts.map(({ alert }) => alert)).toEqual(["VENUE_REPORT_INVALID"]);
  });

  it.each([
    ["finer than 18 decimals", { fine: 0.5 }],
    ["of more than one step", { fine: 1e12 }],
    ["that is negative", { fine: -1 }],
    ["that is no number", { fine: "5" }],
  ])("an execution with a fine part %s makes its child unreadable, with an alert", async (_, wrong) => {
    const world = await createWorld();
    const order = await world.place({ price: "100", quantity: "1" });
    world.venue.onSubmit = ({ childId }) =>
      reported(childId, "closed", [{ ...exactly("0.5"), ...(wrong as object) }]);
    world.venue.onLookup = () => new Error("not asked");
    await world.quote("99", "100");
    expect(await world.status(order)).toBe("NEW UNKNOWN");
    expect(world.alerts.map(({ alert }) => alert)).toEqual(["VENUE_REPORT_INVALID"]);
  });

  it("a restart reads them from the journal as they were", async () => {
    const world = await filling(["0.40000001"]);
    const order = await world.place({ price: "100", quantity: "1" });
    await world.quote("99", "100");
    await world.crash();
    expect(await executedOf(world, order)).toBe("0.40000001");
    world.venue.onSubmit = ({ childId }) => reported(childId, "closed", [exactly("0.599999")]);
    await world.quote("99", "100");
    expect(await executedOf(world, order)).toBe("0.99999901");
    expect(await world.status(order)).toBe("EXPIRED EXPIRED");
  });

  it("a POV never exceeds its share by parts of a step", async () => {
    const world = await filling(["0.19999999"], ["0.2"]);
    await world.quote("99", "100");
    await world.place({ type: "POV", quantity: "10", participationBips: 1_000 });
    await world.print("2");
    await world.print("2");
    expect(sentTo(world.venue)).toEqual(["BUY 0.2", "BUY 0.2"]);
  });
});

/** An order whose child was closed unfilled, and executions of it that come later. */
async function orderOfClosedChild(
  world: World,
): Promise<Readonly<{ order: ParentOrder; say: (id: string) => Promise<void> }>> {
  const order = await world.place({ price: "100" });
  world.venue.onSubmit = ({ childId }) => reported(childId, "closed");
  await world.quote("99", "100");
  const [{ childId = "" } = {}] = world.venue.submitted;
  return {
    order,
    async say(id) {
      world.venue.say(reported(childId, "closed", [fillOf({ quantity: "0.1", id })]));
      await turns();
    },
  };
}

describe("late executions of an order that has just ended", () => {
  it("all count, also if the store reads the order while the record of an earlier one is under way", async () => {
    const [appends, reads] = [createGate(), createGate()];
    const world = await createWorld({
      store: (disk) => {
        const store = createMemoryStore({ disk });
        return {
          ...store,
          async append(batch) {
            await appends.pass();
            return await store.append(batch);
          },
          async readEnded(range) {
            const rows = await store.readEnded(range);
            await reads.pass();
            return rows;
          },
        };
      },
    });
    const { order, say } = await orderOfClosedChild(world);
    appends.shut();
    reads.shut();
    const canceled = world.cancel(order);
    await new Promise(setImmediate);
    await say("first");
    appends.release();
    await canceled;
    await say("second");
    appends.open();
    await turns();
    reads.open();
    await world.engine.idle();
    expect([...(await world.order(order)).executions].sort()).toEqual(["1 first", "1 second"]);
    expect((await world.engine.verify()).equal).toBe(true);
  });

  it("all count, also if the append of an earlier one arrives late, and the store has been asked for the order before", async () => {
    const appends = createGate();
    let arrive: (() => Promise<unknown>) | undefined;
    let isAway = false;
    const world = await createWorld({
      store: (disk) => {
        const store = createMemoryStore({ disk });
        return {
          ...store,
          async append(batch) {
            await appends.pass();
            if (!isAway) return await store.append(batch);
            arrive = () => store.append(batch);
            throw new Error("the connection is lost");
          },
          async fence(round) {
            if (isAway) throw new Error("the connection is lost");
            await arrive?.();
            await store.fence(round);
          },
        };
      },
    });
    const { order, say } = await orderOfClosedChild(world);
    appends.shut();
    const canceled = world.cancel(order);
    await new Promise(setImmediate);
    await say("first");
    appends.release();
    await canceled;
    await say("second");
    isAway = true;
    appends.open();
    await turns(500);
    isAway = false;
    await world.pass(10_000);
    expect([...(await world.order(order)).executions].sort()).toEqual(["1 first", "1 second"]);
    expect(await world.executed(order)).toBe("0.2");
    expect((await world.facts(order)).filter((fact) => fact === "FILLED")).toHaveLength(2);
    expect((await world.engine.verify()).equal).toBe(true);
  });
});
