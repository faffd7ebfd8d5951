import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { formatPrice, formatQuantity, price, quantity } from "../../src/decimal/index.ts";
import { OrderError } from "../../src/errors/index.ts";
import type {
  CancelRestriction,
  NativeExecution,
  NativeLimitTerms,
  NativeOrder,
} from "../../src/model/index.ts";
import type { NativeOrders, NativePlacement } from "../../src/ports/index.ts";

/** Native orders of a host, and the controls of its market that the suite uses. */
export type NativeHost = Readonly<{
  native: NativeOrders;
  /** Sets the market of BTC/USD or another symbol to these prices, with any size. */
  quote: (bid: string, ask: string, symbol?: string) => void;
  /** Advances the time of the host. */
  pass: (ms: number) => Promise<void>;
  nowMs: () => number;
  /** Resolves when the host has no more work of its own. */
  idle: () => Promise<void>;
  close: () => Promise<void>;
}>;

/**
 * A fresh place for native orders. `open` opens a host on it, the second time as after a restart; accounts 1 and 2 have
 * 1,000,000 USD and 10 BTC and ETH each.
 */
export type NativePlace = Readonly<{ open: () => Promise<NativeHost>; remove: () => Promise<void> }>;

type World = { place: NativePlace; host: NativeHost };

/** A limit order to place. */
export type NativeLimit = NativePlacement & NativeLimitTerms;

let placements = 0;

/** A resting BUY of account 1 by default, with its own client id and request. */
export function nativeOf(
  fields: Partial<{
    accountId: number;
    symbol: string;
    side: "BUY" | "SELL";
    timeInForce: "GTC" | "IOC" | "FOK";
    quantity: string;
    price: string;
    clientOrderId: string;
    requestKey: string;
  }> = {},
): NativeLimit {
  const number = ++placements;
  return {
    accountId: 1,
    symbol: "BTC/USD",
    side: "BUY",
    type: "LIMIT",
    timeInForce: "GTC",
    clientOrderId: `native-${number}`,
    requestKey: `request-${number}`,
    ...fields,
    quantity: quantity(fields.quantity ?? "1"),
    price: price(fields.price ?? "90"),
  };
}

/** An order in one line. */
export const lineOf = ({ status, side, quantity: whole, executedQuantity }: NativeOrder): string =>
  `${status} ${side} ${formatQuantity(executedQuantity)}/${formatQuantity(whole)}`;

const eventsOf = (executions: readonly NativeExecution[]): readonly string[] =>
  executions.map(({ execType, order }) => `${order.clientOrderId} ${execType} ${order.status}`);

/** Returns the reason why a placement was refused. */
export async function refusalOf(placing: Promise<unknown>): Promise<string> {
  try {
    await placing;
  } catch (error) {
    if (error instanceof OrderError) return error.reason;
    throw error;
  }
  return "nothing was refused";
}

/** Every sentence of the native-orders port as tests; each host's implementation runs them all. */
export function nativeSuite(name: string, createPlace: () => Promise<NativePlace>): void {
  describe(`native orders: ${name}`, () => {
    const world = {} as World;
    beforeEach(async () => {
      world.place = await createPlace();
      world.host = await world.place.open();
      world.host.quote("100", "101");
      world.host.quote("100", "101", "ETH/USD");
    });
    afterEach(async () => {
      await world.host.close();
      await world.place.remove();
    });
    describe("placing", () => placing(world));
    describe("one request, one order", () => requests(world));
    describe("cancelling", () => cancelling(world));
    describe("looking up", () => lookingUp(world));
    describe("pages", () => pages(world));
    describe("executions", () => executions(world));
    describe("a restart", () => restarts(world));
  });
}

function placing(world: World): void {
  it("a limit away from the market rests with a positive id", async () => {
    const { order, fills, created } = await world.host.native.place(nativeOf({ clientOrderId: "mine" }));
    expect(order.orderId).toBeGreaterThan(0n);
    expect([lineOf(order), fills, created]).toEqual(["NEW BUY 0/1", [], true]);
    expect(order).toMatchObject({ accountId: 1, symbol: "BTC/USD", clientOrderId: "mine", isWorking: true });
    expect([order.type, order.timeInForce, formatPrice(order.price ?? price("1"))]).toEqual([
      "LIMIT",
      "GTC",
      "90",
    ]);
  });

  it("a limit that the market meets is filled at once, at the market's price", async () => {
    const { order, fills } = await world.host.native.place(nativeOf({ price: "105" }));
    expect(lineOf(order)).toBe("FILLED BUY 1/1");
    expect(fills.map((fill) => [formatPrice(fill.price), formatQuantity(fill.quantity)])).toEqual([
      ["101", "1"],
    ]);
  });

  it("ids rise in the order of placing, across accounts and markets", async () => {
    const ids: bigint[] = [];
    for (const fields of [{}, { accountId: 2 }, { symbol: "ETH/USD" }, {}]) {
      ids.push((await world.host.native.place(nativeOf(fields))).order.orderId);
    }
    expect(ids).toEqual(ids.toSorted((a, b) => (a < b ? -1 : 1)));
    expect(new Set(ids).size).toBe(4);
  });

  it("the client id of an open order is refused, in any market of the account; other accounts have separate ids", async () => {
    const { native, quote } = world.host;
    await native.place(nativeOf({ clientOrderId: "same" }));
    const refused = ["BTC/USD", "ETH/USD"].map((symbol) =>
      native.place(nativeOf({ clientOrderId: "same", symbol })),
    );
    expect(await Promise.all(refused.map(refusalOf))).toEqual(["DUPLICATE_ORDER", "DUPLICATE_ORDER"]);
    expect((await native.place(nativeOf({ clientOrderId: "same", accountId: 2 }))).created).toBe(true);
    quote("80", "81");
    await world.host.idle();
    expect((await native.place(nativeOf({ clientOrderId: "same", price: "70" }))).created).toBe(true);
  });

  it("of simultaneous copies under one client id, one is placed", async () => {
    const { native } = world.host;
    const copies = Array.from({ length: 20 }, () => native.place(nativeOf({ clientOrderId: "same" })));
    const outcomes = await Promise.allSettled(copies);
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(await native.page({ accountId: 1, symbol: "BTC/USD", limit: 9 })).toHaveLength(1);
  });

  it("an order that the account cannot pay is refused and leaves no trace", async () => {
    const { native } = world.host;
    expect(await refusalOf(native.place(nativeOf({ quantity: "100000" })))).toBe("INSUFFICIENT_BALANCE");
    expect(await native.page({ accountId: 1, symbol: "BTC/USD", limit: 9 })).toEqual([]);
    expect(await native.executions({ accountId: 1, limit: 9 })).toEqual([]);
  });
}

function requests(world: World): void {
  it("hostile 22: the same request answers with its order, however often and at once", async () => {
    const { native } = world.host;
    const placement = nativeOf({ price: "105" });
    const placed = await Promise.all(Array.from({ length: 100 }, () => native.place(placement)));
    expect(new Set(placed.map(({ order }) => order.orderId)).size).toBe(1);
    expect(placed.filter(({ created }) => created)).toHaveLength(1);
    expect(placed.every(({ fills }) => fills.length === 1)).toBe(true);
    expect(await native.page({ accountId: 1, symbol: "BTC/USD", limit: 9 })).toHaveLength(1);
  });

  it("decision 3: also after its order has ended, with its present state", async () => {
    const { native } = world.host;
    const placement = nativeOf();
    const { order } = await native.place(placement);
    await native.cancel({ accountId: 1, symbol: "BTC/USD", orderId: order.orderId });
    const again = await native.place(placement);
    expect([again.created, again.order.orderId, again.order.status]).toEqual([
      false,
      order.orderId,
      "CANCELED",
    ]);
  });

  it("a request is known once it has placed an order, with the order's present state", async () => {
    const { native, quote, idle } = world.host;
    const placement = nativeOf();
    expect(await native.findRequest(placement)).toBeUndefined();
    await refusalOf(native.place({ ...placement, quantity: quantity("100000") }));
    expect(await native.findRequest(placement)).toBeUndefined();
    await native.place(placement);
    expect(await native.findRequest(placement)).toMatchObject({ created: false, order: { status: "NEW" } });
    expect(await native.findRequest({ ...placement, accountId: 2 })).toBeUndefined();
    quote("80", "81");
    await idle();
    expect(await native.findRequest(placement)).toMatchObject({ order: { status: "FILLED" }, fills: [{}] });
  });

  it("the same key of another account is another request", async () => {
    const { native } = world.host;
    const key = { requestKey: "shared" };
    const first = await native.place(nativeOf(key));
    const second = await native.place(nativeOf({ ...key, accountId: 2 }));
    expect([first.created, second.created]).toEqual([true, true]);
  });
}

function cancelling(world: World): void {
  it("by id and by client id; the second time there is nothing to cancel", async () => {
    const { native } = world.host;
    const byId = (await native.place(nativeOf())).order;
    await native.place(nativeOf({ clientOrderId: "mine" }));
    const account = { accountId: 1, symbol: "BTC/USD" };
    for (const key of [
      { ...account, orderId: byId.orderId },
      { ...account, clientOrderId: "mine" },
    ]) {
      expect(await native.cancel(key)).toMatchObject({ status: "CANCELED", reason: "USER_CANCELED" });
      expect(await native.cancel(key)).toBeUndefined();
      expect(await native.find(key)).toMatchObject({ status: "CANCELED" });
    }
  });

  it("under a condition: only an order that meets it is canceled, whatever happened before", async () => {
    const { native } = world.host;
    const { orderId } = (await native.place(nativeOf())).order;
    const key = { accountId: 1, symbol: "BTC/USD", orderId };
    const cancelIf = (restriction: CancelRestriction): Promise<unknown> =>
      native.cancelIf?.(key, restriction) ?? Promise.reject(new Error("cannot cancel under a condition"));
    expect(await refusalOf(cancelIf("ONLY_PARTIALLY_FILLED"))).toBe("CANCEL_RESTRICTED");
    expect((await native.find(key))?.status).toBe("NEW");
    expect(await cancelIf("ONLY_NEW")).toMatchObject({ status: "CANCELED" });
    expect(await cancelIf("ONLY_NEW")).toBeUndefined();
  });

  it("hostile 91: twice at once, one cancels", async () => {
    const { native } = world.host;
    const { orderId } = (await native.place(nativeOf())).order;
    const key = { accountId: 1, symbol: "BTC/USD", orderId };
    const canceled = await Promise.all([native.cancel(key), native.cancel(key)]);
    expect(canceled.filter((order) => order !== undefined)).toHaveLength(1);
  });

  it("I52: unknown, foreign, other-market and filled orders are not changed", async () => {
    const { native } = world.host;
    const { orderId } = (await native.place(nativeOf())).order;
    const filled = (await native.place(nativeOf({ price: "105", clientOrderId: "filled" }))).order;
    for (const key of [
      { accountId: 1, symbol: "BTC/USD", orderId: orderId + 1_000n },
      { accountId: 2, symbol: "BTC/USD", orderId },
      { accountId: 1, symbol: "ETH/USD", orderId },
      { accountId: 1, symbol: "BTC/USD", orderId: filled.orderId },
      { accountId: 1, symbol: "BTC/USD", clientOrderId: "filled" },
      { accountId: 1, symbol: "BTC/USD", clientOrderId: "nothing" },
    ]) {
      expect(await native.cancel(key)).toBeUndefined();
    }
    expect((await native.find({ accountId: 1, symbol: "BTC/USD", orderId }))?.status).toBe("NEW");
    const same = await native.find({ accountId: 1, symbol: "BTC/USD", orderId: filled.orderId });
    expect(same).toEqual(filled);
  });
}

function lookingUp(world: World): void {
  it("by id and client id, of its account and market only", async () => {
    const { native } = world.host;
    const { order } = await native.place(nativeOf({ clientOrderId: "mine" }));
    const { orderId } = order;
    expect(await native.find({ accountId: 1, symbol: "BTC/USD", orderId })).toEqual(order);
    expect(await native.find({ accountId: 1, symbol: "BTC/USD", clientOrderId: "mine" })).toEqual(order);
    for (const other of [
      { accountId: 2, symbol: "BTC/USD" },
      { accountId: 1, symbol: "ETH/USD" },
    ]) {
      expect(await native.find({ ...other, orderId })).toBeUndefined();
      expect(await native.find({ ...other, clientOrderId: "mine" })).toBeUndefined();
    }
    expect(await native.find({ accountId: 1, symbol: "BTC/USD", clientOrderId: "Mine" })).toBeUndefined();
    expect(await native.find({ accountId: 1, symbol: "BTC/USD", orderId: 1n })).toBeUndefined();
    expect(await native.find({ accountId: 1, symbol: "BTC/USD", orderId: 2n ** 63n - 1n })).toBeUndefined();
  });

  it("decision 5: of several with one client id the newest, per market", async () => {
    const { native } = world.host;
    const used = { clientOrderId: "used" };
    const first = (await native.place(nativeOf({ ...used, price: "105" }))).order;
    const second = (await native.place(nativeOf({ ...used, price: "105" }))).order;
    await native.place(nativeOf({ ...used, symbol: "ETH/USD" }));
    const found = await native.find({ accountId: 1, symbol: "BTC/USD", ...used });
    expect([first.orderId < second.orderId, found?.orderId]).toEqual([true, second.orderId]);
  });
}

function pages(world: World): void {
  /** Three orders a second apart, the last one canceled a second later; with their ids. */
  async function placeThree(): Promise<readonly bigint[]> {
    const { native, pass } = world.host;
    const ids: bigint[] = [];
    for (const clientOrderId of ["one", "two", "one-more"]) {
      ids.push((await native.place(nativeOf({ clientOrderId }))).order.orderId);
      await pass(1_000);
    }
    await native.place(nativeOf({ symbol: "ETH/USD" }));
    await native.place(nativeOf({ accountId: 2 }));
    await native.cancel({ accountId: 1, symbol: "BTC/USD", clientOrderId: "one" });
    return ids;
  }
  const page = async (fields: object): Promise<readonly bigint[]> => {
    const orders = await world.host.native.page({ accountId: 1, symbol: "BTC/USD", limit: 10, ...fields });
    return orders.map(({ orderId }) => orderId);
  };

  it("contract: one latest snapshot per order of the market, ids rising", async () => {
    const ids = await placeThree();
    expect(await page({})).toEqual(ids);
    const [first] = await world.host.native.page({ accountId: 1, symbol: "BTC/USD", limit: 10 });
    expect(first?.status).toBe("CANCELED");
  });

  it("contract: without a lowest id the newest, with one the lowest from it on, inclusive", async () => {
    const [one = 0n, two = 0n, three = 0n] = await placeThree();
    expect(await page({ limit: 2 })).toEqual([two, three]);
    expect(await page({ limit: 2, fromOrderId: 1n })).toEqual([one, two]);
    expect(await page({ limit: 2, fromOrderId: two })).toEqual([two, three]);
    expect(await page({ fromOrderId: two + 1n })).toEqual([three]);
    expect(await page({ fromOrderId: three + 100n })).toEqual([]);
  });

  it("contract: times are of the last change, both ends included", async () => {
    const startMs = world.host.nowMs();
    const [one, two, three] = await placeThree();
    expect(await page({ startTimeMs: startMs + 1_000, endTimeMs: startMs + 2_000 })).toEqual([two, three]);
    expect(await page({ startTimeMs: startMs + 2_001 })).toEqual([one]);
    expect(await page({ startTimeMs: startMs + 3_000 })).toEqual([one]);
    expect(await page({ endTimeMs: startMs + 1_999 })).toEqual([two]);
    expect(await page({ startTimeMs: startMs, endTimeMs: startMs })).toEqual([]);
  });

  it("a client id narrows it exactly", async () => {
    const [one] = await placeThree();
    expect(await page({ clientOrderId: "one" })).toEqual([one]);
    expect(await page({ clientOrderId: "on" })).toEqual([]);
  });
}

function executions(world: World): void {
  it("decision 46: executions, oldest first, each with the order after it", async () => {
    const { native, pass } = world.host;
    const startMs = world.host.nowMs();
    const { order } = await native.place(nativeOf({ clientOrderId: "a" }));
    await pass(5);
    await native.place(nativeOf({ clientOrderId: "b", price: "105" }));
    await pass(5);
    await native.cancel({ accountId: 1, symbol: "BTC/USD", orderId: order.orderId });
    const told = await native.executions({ accountId: 1, limit: 10 });
    expect(eventsOf(told)).toEqual(["a NEW NEW", "b NEW NEW", "b TRADE FILLED", "a CANCELED CANCELED"]);
    expect(told.map(({ timeMs }) => timeMs - startMs)).toEqual([0, 5, 5, 10]);
    expect(told[2]).toMatchObject({ lastPrice: price("101"), lastQuantity: quantity("1") });
    expect(told.map(({ order: { executedQuantity } }) => formatQuantity(executedQuantity))).toEqual([
      "0",
      "0",
      "1",
      "0",
    ]);
    expect(new Set(told.map(({ executionId }) => executionId)).size).toBe(4);
  });

  it("the newest `limit`, of one order, client id, market or time", async () => {
    const { native, pass } = world.host;
    const startMs = world.host.nowMs();
    const { orderId } = (await native.place(nativeOf({ clientOrderId: "a" }))).order;
    await pass(5);
    await native.place(nativeOf({ clientOrderId: "b", symbol: "ETH/USD" }));
    await native.place(nativeOf({ clientOrderId: "c", accountId: 2 }));
    await native.cancel({ accountId: 1, symbol: "BTC/USD", orderId });
    const told = async (fields: object): Promise<readonly string[]> =>
      eventsOf(await native.executions({ accountId: 1, limit: 10, ...fields }));
    expect(await told({ limit: 2 })).toEqual(["b NEW NEW", "a CANCELED CANCELED"]);
    expect(await told({ orderId })).toEqual(["a NEW NEW", "a CANCELED CANCELED"]);
    expect(await told({ clientOrderId: "b" })).toEqual(["b NEW NEW"]);
    expect(await told({ symbol: "ETH/USD" })).toEqual(["b NEW NEW"]);
    expect(await told({ endTimeMs: startMs })).toEqual(["a NEW NEW"]);
    expect(await told({ startTimeMs: startMs + 5 })).toEqual(["b NEW NEW", "a CANCELED CANCELED"]);
    expect(await told({ startTimeMs: startMs + 6 })).toEqual([]);
  });

  it("are reported as they occur, before the answer, until the last listener leaves", async () => {
    const { native, quote, idle } = world.host;
    const heard: NativeExecution[] = [];
    const stop = native.subscribe((execution) => heard.push(execution));
    await native.place(nativeOf({ clientOrderId: "a" }));
    expect(eventsOf(heard)).toEqual(["a NEW NEW"]);
    quote("80", "81");
    await idle();
    expect(eventsOf(heard)).toEqual(["a NEW NEW", "a TRADE FILLED"]);
    expect(heard).toEqual(await native.executions({ accountId: 1, limit: 10 }));
    stop();
    await native.place(nativeOf());
    expect(heard).toHaveLength(2);
  });
}

function restarts(world: World): void {
  it("I01: restores orders, ids and executions exactly; resting orders continue", async () => {
    const placement = nativeOf({ clientOrderId: "kept" });
    await world.host.native.place(placement);
    await world.host.native.place(nativeOf({ price: "105", quantity: "0.000001" }));
    const gone = await world.host.native.place(nativeOf());
    await world.host.native.cancel({ accountId: 1, symbol: "BTC/USD", orderId: gone.order.orderId });
    const query = { accountId: 1, symbol: "BTC/USD", limit: 10 };
    const before = [await world.host.native.page(query), await world.host.native.executions(query)];
    await world.host.close();
    world.host = await world.place.open();
    const { native, quote, idle } = world.host;
    expect([await native.page(query), await native.executions(query)]).toEqual(before);
    expect(await native.place(placement)).toMatchObject({ created: false, order: { clientOrderId: "kept" } });
    expect(await refusalOf(native.place(nativeOf({ clientOrderId: "kept" })))).toBe("DUPLICATE_ORDER");
    const next = (await native.place(nativeOf())).order;
    expect(next.orderId).toBeGreaterThan(gone.order.orderId);
    quote("80", "81");
    await idle();
    const kept = await native.find({ accountId: 1, symbol: "BTC/USD", clientOrderId: "kept" });
    expect(kept && lineOf(kept)).toBe("FILLED BUY 1/1");
  });

  it("I01: everything answered is durable without a close", async () => {
    const placed = await Promise.all(Array.from({ length: 20 }, () => world.host.native.place(nativeOf())));
    const other = await world.place.open();
    const page = await other.native.page({ accountId: 1, symbol: "BTC/USD", limit: 50 });
    expect(page.map(({ orderId }) => orderId)).toEqual(placed.map(({ order }) => order.orderId));
    await other.close();
  });
}
