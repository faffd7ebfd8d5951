import { describe, expect, it } from "vitest";
import { quantity } from "../../src/decimal/index.ts";
import type { AmendName } from "../../src/engine/core/calls.ts";
import type { ParentOrder } from "../../src/model/index.ts";
import { canonicalIntent, type OrderFields } from "../../src/requests/index.ts";
import { decodeParents, encodeParents } from "../../src/wire/index.ts";
import { turns } from "../support/faulty-world.ts";
import { fillOf, reported, sentTo } from "../support/scripted-venue.ts";
import { createWorld, START_MS, type World } from "../support/world.ts";

type Changes = AmendName["changes"];

const amend = (world: World, { accountId, orderId }: ParentOrder, changes: Changes, amendId?: string) =>
  world.engine.amend({ accountId, orderId, changes, amendId });

const see = (world: World, bid: string, ask: string): unknown =>
  world.engine.market.quote({ symbol: "BTC/USD", bid, ask });

const LATER = START_MS + 600_000;
const SELL = { side: "SELL", quantity: "2" } as const;

type Order = Partial<OrderFields>;
const STOP = { ...SELL, type: "STOP_MARKET", stopPrice: "90" } as Order;
const TRAIL = { ...SELL, type: "TRAILING_STOP_MARKET", trailingAmount: "5" } as Order;

describe("an amend", () => {
  const LIMIT = { price: "50", quantity: "2", expireTime: LATER, icebergQty: "1" } as Order;
  it.each<[string, Order, Changes]>([
    ["SYNTHETIC_LIMIT", LIMIT, { quantity: "3", price: "51", icebergQty: "0.5", expireTime: LATER + 1 }],
    ["SYNTHETIC_LIMIT", LIMIT, { goodTillDate: LATER + 2 }],
    ["LIMIT_MAKER", { type: "LIMIT_MAKER", price: "50" }, { quantity: "3", price: "51" }],
    ["ICEBERG", { ...LIMIT, type: "ICEBERG" } as Order, { quantity: "3", price: "51", icebergQty: "0.5" }],
    ["STOP_MARKET", STOP, { quantity: "3", stopPrice: "91" }],
    [
      "STOP_LOSS_LIMIT",
      { ...STOP, type: "STOP_LOSS_LIMIT", price: "85" } as Order,
      { price: "86", stopPrice: "91" },
    ],
    ["TAKE_PROFIT_MARKET", { ...SELL, type: "TAKE_PROFIT_MARKET", stopPrice: "120" }, { stopPrice: "125" }],
    [
      "TAKE_PROFIT_LIMIT",
      { ...SELL, type: "TAKE_PROFIT_LIMIT", stopPrice: "120", price: "119" },
      { stopPrice: "125", price: "124", quantity: "1" },
    ],
    ["TRAILING_STOP_MARKET", TRAIL, { trailingAmount: "6", quantity: "1" }],
    [
      "TRAILING_STOP_MARKET",
      { ...SELL, type: "TRAILING_STOP_MARKET", trailingDelta: 500 },
      { trailingDelta: 600 },
    ],
    [
      "TRAILING_STOP_LIMIT",
      { ...SELL, type: "TRAILING_STOP_LIMIT", price2: "5", limitOffset: "1" },
      { price2: "6", limitOffset: "2" },
    ],
    ["TRAILING_STOP_LIMIT", { ...TRAIL, type: "TRAILING_STOP_LIMIT", price: "80" } as Order, { price: "81" }],
    [
      "TWAP",
      {
        type: "LIMIT",
        targetStrategy: 180,
        quantity: "2",
        price: "120",
        interval: 60_000,
        intervalCount: 2,
        expireTime: LATER,
      } as Order,
      { price: "110", expireTime: LATER + 1 },
    ],
    [
      "POV",
      {
        type: "LIMIT",
        targetStrategy: 1_000_004,
        quantity: "2",
        price: "120",
        participationBips: 1000,
      } as Order,
      { price: "110", quantity: "3" },
    ],
  ])(
    "gives %s new terms and keeps everything else, also after a restart: %o %o",
    async (_type, order, changes) => {
      const world = await createWorld();
      await world.quote("100", "105");
      const placed = await world.place(order);
      await world.engine.idle();
      const before = await world.order(placed);
      const amended = await amend(world, placed, changes);
      const { symbol, ...fields } = {
        symbol: "BTC/USD",
        side: "BUY",
        type: "SYNTHETIC_LIMIT",
        quantity: "1",
        ...order,
      };
      const { expireTime: _old, ...rest } = fields as Record<string, unknown>;
      const asked = changes.goodTillDate === undefined ? fields : rest;
      const other = await createWorld();
      await other.quote("100", "105");
      const alike = await other.place({ symbol, ...asked, ...changes } as Order);
      expect(canonicalIntent(amended.intent)).toBe(canonicalIntent(alike.intent));
      const { intent, amends, lastSequence, updatedAtMs, aheadMs, ...same } = amended;
      expect({ ...before, ...same }).toEqual({ ...before });
      expect(amended.amends?.count).toBe(1);
      expect((await world.facts(placed)).at(-1)).toBe("AMENDED");
      await world.crash();
      expect(await world.order(placed)).toEqual(amended);
      expect((await world.engine.verify()).equal).toBe(true);
      expect(decodeParents(encodeParents([amended, before, amended]))).toEqual([amended, before, amended]);
    },
  );

  it("to the terms that it has is answered with the order, one of nothing is refused, and neither writes a record", async () => {
    const world = await createWorld();
    const order = await world.place(STOP);
    const { records } = world.engine.metrics();
    expect(await amend(world, order, { stopPrice: "90.00", quantity: "2.0" })).toEqual(
      await world.order(order),
    );
    for (const amendId of [undefined, "a-1"])
      await expect(amend(world, order, {}, amendId)).rejects.toMatchObject({ reason: "BAD_COMBINATION" });
    expect(world.engine.metrics().records).toBe(records);
  });

  it("58: a repeated placement is compared with what was accepted, and answered with the order as it is", async () => {
    const world = await createWorld();
    const stop = { ...STOP, newClientOrderId: "stop-1" } as Order;
    const order = await world.place(stop);
    await amend(world, order, { stopPrice: "91" });
    await amend(world, order, { stopPrice: "92", quantity: "3" });
    for (const again of ["now", "after a restart"]) {
      const repeated = await world.place(stop);
      expect(repeated.amends?.count, again).toBe(2);
      await expect(world.place({ ...stop, stopPrice: "92", quantity: "3" } as Order)).rejects.toMatchObject({
        reason: "DUPLICATE_ORDER",
      });
      await world.crash();
    }
  });

  it("acts at once where the standing market has passed the new level", async () => {
    for (const [order, changes] of [
      [STOP, { stopPrice: "100" }],
      [TRAIL, { trailingAmount: "2" }],
      [{ price: "90" }, { price: "106" }],
    ] as [Order, Changes][]) {
      const world = await createWorld();
      await world.quote("103", "105");
      const placed = await world.place(order);
      await world.quote("100", "105");
      expect(sentTo(world.venue)).toEqual([]);
      await amend(world, placed, changes);
      await world.engine.idle();
      expect(await world.status(placed)).toBe("FILLED FILLED");
    }
  });

  it("keeps the trailing reference of every quote before it", async () => {
    const world = await createWorld();
    await world.quote("100", "105");
    const order = await world.place(TRAIL);
    await world.quote("110", "115");
    await world.quote("107", "115");
    await amend(world, order, { trailingAmount: "8" });
    await world.quote("104", "115");
    expect(sentTo(world.venue)).toEqual([]);
    await world.quote("102", "115");
    expect((await world.order(order)).trigger).toMatchObject({
      level: 10_200_000_000,
      reference: 11_000_000_000,
    });
  });
});

describe("an amend is refused, and changes nothing,", () => {
  const refusal = async (world: World, order: ParentOrder, changes: Changes, amendId?: string) => {
    await world.engine.idle();
    const before = await world.order(order);
    const error: unknown = await amend(world, order, changes, amendId).catch((thrown: unknown) => thrown);
    await world.engine.idle();
    expect(await world.order(order)).toEqual(before);
    return error as { reason: string; code: number; remedy: string };
  };

  it.each<[string, Order, Changes]>([
    ["a field that the type does not have", STOP, { price: "80" }],
    ["a field that the order does not have", { price: "90" }, { icebergQty: "0.5" }],
    ["an expiry of a GTC order", STOP, { expireTime: LATER }],
    ["a distance in another form", TRAIL, { trailingDelta: 500 }],
    ["the price at which a trail begins", { ...TRAIL, stopPrice: "120" } as Order, { stopPrice: "125" }],
    [
      "the quantity of a schedule",
      { type: "TWAP", quantity: "2", interval: 60_000, intervalCount: 2 } as Order,
      { quantity: "3" },
    ],
  ])("-2038: %s", async (_what, order, changes) => {
    const world = await createWorld();
    await world.quote("100", "105");
    const placed = await world.place(order);
    await world.engine.idle();
    const { code, reason, remedy } = await refusal(world, placed, changes);
    expect({ code, reason }).toEqual({ code: -2038, reason: "AMEND_REJECTED" });
    expect(remedy).not.toBe("");
  });

  it.each<[string, Order, Changes, string]>([
    ["the minimum", { price: "90" }, { quantity: "0.1" }, "FILTER_NOTIONAL"],
    ["the minimum at the price", { price: "90" }, { price: "10" }, "FILTER_NOTIONAL"],
    [
      "the parts of an iceberg",
      { price: "90", icebergQty: "0.5" } as Order,
      { icebergQty: "2" },
      "ICEBERG_EXCEEDS_QUANTITY",
    ],
    ["decimals", { price: "90" }, { quantity: "1.1234567" }, "PRECISION"],
    ["grammar", { price: "90" }, { price: "1e3" }, "ILLEGAL_CHARS"],
    ["zero", { price: "90" }, { price: "0" }, "INVALID_PARAMETER"],
    [
      "an expiry in the past",
      { price: "90", expireTime: LATER },
      { expireTime: START_MS - 1 },
      "INVALID_PARAMETER",
    ],
    ["a post-only price that crosses", { type: "LIMIT_MAKER", price: "90" }, { price: "106" }, "WOULD_MATCH"],
    ["a field that is none", { price: "90" }, { side: "SELL" } as Changes, "UNREAD_PARAMETER"],
    ["two distances", TRAIL, { trailingDelta: 500, trailingAmount: "4" }, "BAD_COMBINATION"],
  ])("as a placement is, for %s", async (_what, order, changes, name) => {
    const world = await createWorld({ settings: { maxIcebergParts: 10 } });
    await world.quote("100", "105");
    const placed = await world.place(order);
    expect((await refusal(world, placed, changes)).reason).toBe(name);
  });

  it("of a post-only order without a fresh quote: its price may cross", async () => {
    const world = await createWorld();
    const placed = await world.place({ type: "LIMIT_MAKER", price: "90" });
    expect((await refusal(world, placed, { price: "91" })).reason).toBe("NO_DEPTH");
  });

  it("of a reduce-only order without a position, or of an account or a market that may not trade", async () => {
    const world = await createWorld();
    await world.quote("100", "105");
    world.exposure.set({ accountId: 1, symbol: "BTC/USD", quantity: quantity("5") });
    const placed = await world.place({ ...STOP, reduceOnly: true } as Order);
    world.exposure.set({ accountId: 1, symbol: "BTC/USD", quantity: 0 as never });
    expect((await refusal(world, placed, { stopPrice: "91" })).reason).toBe("REDUCE_ONLY_REJECTED");
    world.engine.drain();
    expect((await refusal(world, placed, { stopPrice: "91" })).reason).toBe("SHUTTING_DOWN");
  });

  it("of an unknown order, of another account's, and of an ended one", async () => {
    const world = await createWorld();
    const theirs = await world.place(STOP, 2);
    for (const orderId of [theirs.orderId, -1, 77])
      await expect(
        world.engine.amend({ accountId: 1, orderId, changes: { stopPrice: "91" } }),
      ).rejects.toMatchObject({ reason: "NO_SUCH_ORDER" });
    const order = await world.place(STOP);
    await world.cancel(order);
    expect(await refusal(world, order, { stopPrice: "91" })).toMatchObject({
      code: -2038,
      reason: "AMEND_REJECTED",
    });
  });

  it("of a level of a triggered order; its limit can still be changed", async () => {
    const world = await createWorld();
    const order = await world.place({ ...STOP, type: "STOP_LOSS_LIMIT", price: "95" } as Order);
    await world.quote("90", "105");
    expect((await world.order(order)).trigger).toBeDefined();
    expect((await refusal(world, order, { stopPrice: "80" })).reason).toBe("AMEND_REJECTED");
    await amend(world, order, { price: "94" });
    await world.quote("94", "105");
    expect(sentTo(world.venue)).toEqual(["SELL 2 @ 94"]);
  });

  it("while a child is sent, open, queued or unknown; the child keeps its limit and size", async () => {
    const world = await createWorld();
    const order = await world.place({ price: "100", quantity: "2" });
    world.venue.onSubmit = ({ childId }) => reported(childId, "open");
    see(world, "99", "100");
    await turns(2);
    for (const state of ["decided", "open", "unknown"]) {
      const error: unknown = await amend(world, order, { price: "98", quantity: "1" }).catch(
        (thrown) => thrown,
      );
      expect(error, state).toMatchObject({ reason: "AMEND_NOT_NOW", retry: "later" });
      await world.engine.idle();
      if (state === "open")
        world.venue.say({ childId: world.venue.submitted[0]?.childId ?? "", state: "???" } as never);
    }
    expect(sentTo(world.venue)).toEqual(["BUY 2 @ 100"]);
  });

  it("to a quantity that is executed already, and below the minimum for the rest", async () => {
    const world = await createWorld();
    const order = await world.place({ price: "100", quantity: "2" });
    world.venue.onSubmit = ({ childId }) => reported(childId, "closed", [fillOf({ quantity: "1" })]);
    world.venue.onClosedLookup = ({ childId }) =>
      reported(childId, "closed", [fillOf({ quantity: "1", id: "x" })]);
    await world.quote("99", "100");
    await world.quote("101", "102");
    await world.pass(60_000);
    const { executedQuantity, child, earlyClose } = await world.order(order);
    expect({ executedQuantity, child, lookUp: earlyClose?.child }).toMatchObject({ child: undefined });
    expect((await refusal(world, order, { quantity: "1" })).reason).toMatch(/AMEND/);
  });
});

describe("the id of an amend", () => {
  it("makes its copies the same amend: now, after another amend, after a restart and after the end", async () => {
    const world = await createWorld();
    const order = await world.place(STOP);
    const [first, copy] = await Promise.all([
      amend(world, order, { stopPrice: "91" }, "a-1"),
      turns(2).then(() => amend(world, order, { stopPrice: "91.0" }, "a-1")),
    ]).catch(() => [undefined, undefined]);
    if (first !== undefined) expect(copy?.amends).toEqual(first.amends);
    await amend(world, order, { stopPrice: "92" }, "a-2");
    const stays = async (): Promise<void> => {
      const { intent, amends } = await amend(world, order, { stopPrice: "91" }, "a-1");
      expect(amends?.count).toBe(2);
      expect(intent.stopPrice).toBe(9_200_000_000);
      await expect(amend(world, order, { stopPrice: "93" }, "a-1")).rejects.toMatchObject({
        reason: "AMEND_REJECTED",
      });
    };
    await stays();
    await world.crash();
    await stays();
    await world.cancel(order);
    await stays();
    await world.crash();
    await stays();
    await expect(amend(world, order, { stopPrice: "91" }, "a-3")).rejects.toMatchObject({
      reason: "AMEND_REJECTED",
    });
  });

  it("is kept if nothing changes, so that a late copy does not undo a later amend", async () => {
    const world = await createWorld();
    const order = await world.place(STOP);
    await amend(world, order, { stopPrice: "90" }, "a-1");
    await amend(world, order, { stopPrice: "92" }, "a-2");
    expect((await amend(world, order, { stopPrice: "90" }, "a-1")).intent.stopPrice).toBe(9_200_000_000);
  });

  it("has 1-36 letters, digits, dots, underscores or hyphens", async () => {
    const world = await createWorld();
    const order = await world.place(STOP);
    for (const amendId of ["", "a b", "ä", "a".repeat(37), "a\n", 7 as never])
      await expect(amend(world, order, { stopPrice: "91" }, amendId)).rejects.toMatchObject({
        retry: "never",
      });
    expect((await world.order(order)).amends).toBeUndefined();
  });

  it("bounds: 100 amends with an id and 1,000 in all, and copies are still answered", async () => {
    const world = await createWorld();
    const order = await world.place(STOP);
    for (let count = 1; count <= 100; count++)
      await amend(world, order, { stopPrice: `${count + 9}` }, `a-${count}`);
    await expect(amend(world, order, { stopPrice: "50" }, "a-101")).rejects.toMatchObject({
      reason: "AMEND_REJECTED",
    });
    expect((await amend(world, order, { stopPrice: "10" }, "a-1")).intent.stopPrice).toBe(10_900_000_000);
    for (let count = 101; count <= 1_000; count++)
      await amend(world, order, { stopPrice: `${(count % 80) + 10}` });
    await expect(amend(world, order, { stopPrice: "5" })).rejects.toMatchObject({ reason: "AMEND_REJECTED" });
    await world.crash();
    expect((await world.order(order)).amends).toMatchObject({ count: 1_000 });
    expect((await world.engine.verify()).equal).toBe(true);
  });
});
