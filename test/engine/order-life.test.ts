import { describe, expect, it } from "vitest";
import { createMemoryStore } from "../../src/adapters/memory/index.ts";
import { formatQuantity } from "../../src/decimal/index.ts";
import type { ParentOrder } from "../../src/model/index.ts";
import type { OrderFields } from "../../src/requests/index.ts";
import { encodeParent } from "../../src/wire/index.ts";
import { createFaultyStore, type FaultyStore } from "../support/faulty-store.ts";
import { createScriptedVenue, filled, fillOf, reported, sentTo } from "../support/scripted-venue.ts";
import { createWorld, lineOf, START_MS, type World } from "../support/world.ts";

it("contract, trigger rule 3: a persistent limit sends its child when the ask reaches the cap", async () => {
  const world = await createWorld();
  const order = await world.place({ price: "100" });
  await world.quote("100", "100.5");
  expect(world.venue.submitted).toHaveLength(0);
  await world.quote("99", "99.9");
  expect(
    world.venue.submitted.map((child) => [child.childId.slice(0, 4), formatQuantity(child.quantity)]),
  ).toEqual([["aqc-", "1"]]);
  expect(await world.status(order)).toBe("FILLED FILLED");
});

it("complaint 8: a stop that triggered and filled sends exactly one child, however many quotes cross it", async () => {
  const world = await createWorld();
  await world.place({ type: "STOP_MARKET", stopPrice: "110" });
  for (let n = 0; n < 50; n++) await world.quote("120", "121");
  expect(world.venue.submitted).toHaveLength(1);
});

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

const STOP = { type: "STOP_MARKET", stopPrice: "110" } as const;

it("complaint 34: a fill that the stream leaves out is found within one cycle of reconciliation", async () => {
  const world = await createWorld();
  const order = await world.place({ price: "100" });
  const fills = [fillOf({ quantity: "0.3" })];
  world.venue.onSubmit = ({ childId }) => reported(childId, "open", fills);
  world.venue.onLookup = ({ childId }) => reported(childId, "open", fills);
  await world.quote("99", "100");
  expect(await world.executed(order)).toBe("0.3");
  fills.push(fillOf({ quantity: "0.2" }));
  await world.pass(world.engine.settings.reconcileEveryMs);
  expect(await world.executed(order)).toBe("0.5");
  expect(await world.status(order)).toBe("PARTIALLY_FILLED WORKING");
});

it("complaint 37: after every partial fill the next child is for the rest", async () => {
  const world = await createWorld();
  const order = await world.place({ ...STOP, quantity: "1" });
  for (const part of ["0.25", "0.125", "0.3"]) {
    world.venue.onSubmit = ({ childId }) => reported(childId, "closed", [fillOf({ quantity: part })]);
    await world.quote("120", "121");
  }
  world.venue.onSubmit = (child) => filled(child);
  await world.quote("120", "121");
  expect(world.venue.submitted.map(({ quantity }) => formatQuantity(quantity))).toEqual([
    "1",
    "0.75",
    "0.625",
    "0.325",
  ]);
  expect(await world.status(order)).toBe("FILLED FILLED");
});

it("complaint 36: a quote and a fill in the same millisecond create one child", async () => {
  const world = await createWorld();
  const order = await world.place({ type: "STOP_MARKET", stopPrice: "100" });
  world.venue.onSubmit = (child) => {
    world.engine.market.quote({ symbol: "BTC/USD", bid: "100", ask: "101" });
    return filled(child);
  };
  world.engine.market.quote({ symbol: "BTC/USD", bid: "100", ask: "101" });
  world.engine.market.quote({ symbol: "BTC/USD", bid: "101", ask: "102" });
  await world.engine.idle();
  expect(sentTo(world.venue)).toEqual(["BUY 1"]);
  expect(await world.status(order)).toBe("FILLED FILLED");
});

const EXPIRY = { timeInForce: "GTD", expireTime: START_MS + 60_000 } as const;

it("complaint 12: a cancel that the store refuses does not change the expiry", async () => {
  let store: FaultyStore | undefined;
  const world = await createWorld({
    store: (disk) => {
      store = createFaultyStore(createMemoryStore({ disk }));
      return store;
    },
  });
  const order = await world.place({ price: "100", ...EXPIRY });
  store?.inject("fail", 1);
  await expect(world.cancel(order)).rejects.toMatchObject({ code: -1001 });
  await world.pass(59_999);
  expect(await world.status(order)).toBe("NEW WAITING");
  await world.pass(1);
  expect(await world.status(order)).toBe("EXPIRED EXPIRED");
});

const KINDS: readonly Partial<OrderFields>[] = [
  { price: "90" },
  { price: "80", ...EXPIRY },
  { type: "STOP_MARKET", stopPrice: "110" },
  { side: "SELL", type: "STOP_LOSS_LIMIT", stopPrice: "90", price: "89" },
  { side: "SELL", type: "TAKE_PROFIT_MARKET", stopPrice: "120" },
  { type: "TAKE_PROFIT_LIMIT", stopPrice: "95", price: "96" },
  { side: "SELL", type: "TRAILING_STOP_MARKET", trailingDelta: 500 },
  { type: "TRAILING_STOP_MARKET", price2: "2.5", stopPrice: "98" },
  { side: "SELL", type: "TRAILING_STOP_LIMIT", trailingAmount: "3", limitOffset: "0.5" },
  { type: "TRAILING_STOP_LIMIT", trailingAmount: "40", price: "150", childTimeInForce: "FOK" },
];

/** Every open parent of both accounts, as text, in the order of pages. */
async function projection(world: World): Promise<readonly string[]> {
  const orders: ParentOrder[] = [];
  for (const accountId of [1, 2]) {
    let afterOrderId = 0;
    do {
      const page = await world.engine.page({
        accountId,
        includeHistory: true,
        newestFirst: false,
        limit: 300,
        afterOrderId,
      });
      orders.push(...page.orders);
      afterOrderId = page.nextOrderId;
    } while (afterOrderId !== 0);
  }
  return orders.map(encodeParent);
}

it("complaint 16: 1,000 mixed parents are byte for byte the same after a restart", async () => {
  const world = await createWorld();
  world.venue.onSubmit = ({ childId }) => reported(childId, "closed", [fillOf({ quantity: "0.3" })]);
  await world.quote("100", "101");
  for (let n = 0; n < 1_000; n++)
    await world.place({ quantity: "2", ...KINDS[n % KINDS.length] }, 1 + (n % 2));
  for (const [bid, ask] of [
    ["100", "101"],
    ["97", "98"],
    ["103", "104"],
    ["89.5", "89.6"],
  ] as const)
    await world.quote(bid, ask);
  await world.pass(60_000);
  const before = await projection(world);
  expect(before).toHaveLength(1_000);
  await world.crash();
  expect(await projection(world)).toEqual(before);
  const verified = await world.engine.verify();
  expect(verified.equal).toBe(true);
  expect(new Set(before.map((text) => /"status":"([A-Z]+)"/.exec(text)?.[1])).size).toBeGreaterThan(1);
});
