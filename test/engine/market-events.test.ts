import { describe, expect, it } from "vitest";
import { formatPrice, formatQuantity } from "../../src/decimal/index.ts";
import { createWorld, START_MS, SYMBOL } from "../support/world.ts";

describe("events of the market", () => {
  it("a counted quote is reported once, a dropped one and a heartbeat are not", async () => {
    const world = await createWorld();
    const received: string[] = [];
    world.engine.events.on("quote", ({ symbol, bid, ask, sequence }) => {
      received.push(`${symbol} ${formatPrice(bid)} ${formatPrice(ask)} ${sequence}`);
    });
    await world.quote("100", "101");
    await world.quote("102", "101");
    await world.quote("0", "101");
    world.engine.market.heartbeat(SYMBOL);
    await world.quote("100", "101");
    expect(received).toEqual([`${SYMBOL} 100 101 1`, `${SYMBOL} 100 101 2`]);
  });

  it("a counted print is reported once with its price", async () => {
    const world = await createWorld();
    const received: unknown[] = [];
    world.engine.events.on("print", ({ price, quantity, ...print }) => {
      received.push([print.id, formatPrice(price), formatQuantity(quantity), print.timeMs]);
    });
    await world.print("0.5", { id: "a", price: "99.5" });
    await world.print("0.5", { id: "a", price: "99.5" });
    await world.print("0", { id: "b" });
    expect(received).toEqual([["a", "99.5", "0.5", START_MS]]);
  });

  it("the quote can be read during its event, after the decisions that it triggered", async () => {
    const world = await createWorld();
    const stop = await world.place({ type: "STOP_MARKET", stopPrice: "110" });
    const seen: unknown[] = [];
    world.engine.events.on("quote", ({ sequence }) => {
      seen.push(world.engine.quote(SYMBOL)?.quote.sequence === sequence);
    });
    await world.quote("110", "111");
    expect([seen, await world.status(stop)]).toEqual([[true], "FILLED FILLED"]);
  });

  it("the price of a print is a member of the event only: the journal keeps its own form", async () => {
    const world = await createWorld();
    await world.quote("99", "100");
    const order = await world.place({ type: "POV", participationBips: 5_000, quantity: "1" });
    await world.quote("100", "101");
    await world.print("10", { id: "outside" });
    const story = await world.engine.story(order.orderId);
    const causes = story?.records.map(({ cause }) => cause) ?? [];
    const print = causes.find(({ kind }) => kind === "PRINT");
    expect(print).toEqual({
      kind: "PRINT",
      print: expect.not.objectContaining({ price: expect.anything() }),
    });
  });
});
