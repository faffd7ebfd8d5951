import { describe, expect, it } from "vitest";
import { executedText, Price, Quantity } from "../../src/decimal/index.ts";
import type { Fill, ParentOrder } from "../../src/model/index.ts";
import { managedOrderView } from "../../src/service/index.ts";
import { orderEventsOf, orderTradeUpdate } from "../../src/service/socket/account-events.ts";
import { executionReport } from "../../src/service/socket/execution-report.ts";
import { reported, sentTo } from "../support/scripted-venue.ts";
import { createWorld, type World } from "../support/world.ts";

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

describe("decision 7: executions are exact to 18 decimals", () => {
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
