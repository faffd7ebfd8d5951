import { describe, expect, it } from "vitest";
import { createScriptedVenue, fillOf, reported } from "../support/scripted-venue.ts";
import { createWorld, lineOf, type World } from "../support/world.ts";

describe("contract, What the service does: an acknowledgement means accepted, not filled", () => {
  it.each([
    { type: "SYNTHETIC_LIMIT", price: "100" },
    { type: "STOP_MARKET", stopPrice: "100" },
  ] as const)(
    "a $type whose condition the market already meets is answered as waiting, and sends nothing before a later quote",
    async (fields) => {
      const world = await createWorld();
      await world.quote("99", "100");
      const order = await world.place(fields);
      expect([lineOf(order), order.executedQuantity, world.venue.submitted.length]).toEqual([
        "NEW WAITING",
        0,
        0,
      ]);
      await world.quote("99", "100");
      expect(await world.status(order)).toBe("FILLED FILLED");
    },
  );
});

describe("contract, States: a status is the latest known state", () => {
  it("each step is visible as soon as it is durable: waiting, in flight, filled in part, unknown, filled", async () => {
    const world = await createWorld();
    const order = await world.place({ price: "100", quantity: "2" });
    const line = async (): Promise<string> => {
      const found = await world.engine.find({ accountId: 1, orderId: order.orderId });
      const named = await world.engine.find({ accountId: 1, clientOrderId: order.intent.clientOrderId });
      expect(named).toEqual(found);
      return found === undefined ? "none" : lineOf(found);
    };
    expect(await line()).toBe("NEW WAITING");
    world.venue.onSubmit = () => "silence";
    world.venue.onLookup = () => new Error("not now");
    await world.quote("99", "100");
    expect(await line()).toBe("NEW WORKING");
    const [child] = world.venue.submitted;
    const part = fillOf({ quantity: "0.5" });
    world.venue.say(reported(child?.childId ?? "", "open", [part]));
    await world.engine.idle();
    expect(await line()).toBe("PARTIALLY_FILLED WORKING");
    expect(await world.executed(order)).toBe("0.5");
    world.venue.say(reported(child?.childId ?? "", "closed", [part, fillOf({ quantity: "1.5" })]));
    await world.engine.idle();
    expect(await line()).toBe("FILLED FILLED");
    expect(await world.executed(order)).toBe("2");
  });
});

describe("contract, Trigger rules: orders look at the executable side, BUY at the ask, SELL at the bid", () => {
  /** Quotes of which only the wrong side meets the condition, and one whose executable side meets it. */
  const CASES = [
    ["BUY limit", { side: "BUY", price: "100" }, ["99", "101"], ["98", "100"]],
    ["SELL limit", { side: "SELL", price: "100" }, ["99", "101"], ["100", "102"]],
    ["BUY stop", { side: "BUY", type: "STOP_MARKET", stopPrice: "100" }, ["98", "99"], ["98", "100"]],
    ["SELL stop", { side: "SELL", type: "STOP_MARKET", stopPrice: "100" }, ["101", "102"], ["100", "102"]],
    [
      "BUY profit",
      { side: "BUY", type: "TAKE_PROFIT_MARKET", stopPrice: "100" },
      ["99", "101"],
      ["98", "100"],
    ],
    [
      "SELL profit",
      { side: "SELL", type: "TAKE_PROFIT_MARKET", stopPrice: "100" },
      ["99", "101"],
      ["100", "102"],
    ],
  ] as const;

  it.each(CASES)("%s", async (_, fields, [bid, ask], [thenBid, thenAsk]) => {
    const world = await createWorld();
    const order = await world.place(fields);
    await world.quote(bid, ask);
    expect(await sent(world)).toBe(0);
    await world.quote(thenBid, thenAsk);
    expect(await sent(world)).toBe(1);
    expect(await world.status(order)).toBe("FILLED FILLED");
  });

  const sent = async (world: World): Promise<number> => world.venue.submitted.length;
});

describe("contract, Order input fields: TWAP, VWAP, POV are market-style", () => {
  it.each([
    ["TWAP", { interval: 1_000, intervalCount: 2 }],
    ["VWAP", { interval: 1_000, volumeProfile: "1,1" }],
    ["POV", { participationBips: 1_000 }],
  ] as const)("a child of a %s has no price", async (type, fields) => {
    const world = await createWorld();
    await world.quote("99", "100");
    await world.place({ type, quantity: "1", ...fields });
    await world.quote("99", "100");
    await world.print("5");
    await world.engine.idle();
    expect(world.venue.submitted.map(({ limitPrice }) => limitPrice)).toEqual([undefined]);
  });
});

describe("contract, Trigger rules: rule 4, the child quote is checked again before submission, by quantity", () => {
  it.each([
    ["the rest there is worth less than the minimum", "IOC", "0.1", 1],
    ["the rest there is worth the minimum", "IOC", "0.15", 2],
    ["only a part of it is left there", "FOK", "1.999999", 1],
    ["all of it is left there", "FOK", "2", 2],
  ] as const)("%s: %s", async (_, childTimeInForce, size, children) => {
    const world = await createWorld({ venue: createScriptedVenue({ ratePerSecond: 1 }) });
    await world.place({ price: "100" });
    await world.place({ price: "100", quantity: "2", childTimeInForce });
    await world.quote("99", "100");
    expect(world.venue.submitted).toHaveLength(1);
    await world.pass(900);
    await world.quote("99", "100", { asks: [["100", size]] });
    await world.pass(200);
    expect(world.venue.submitted).toHaveLength(children);
  });
});
