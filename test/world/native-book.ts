import type { Random } from "../../src/common/random.ts";
import {
  add,
  type Price,
  price,
  type Quantity,
  quantity,
  subtract,
  ZERO_QUANTITY,
} from "../../src/decimal/index.ts";
import type { NativeExecution, NativeFill, NativeOrder, NativeTerms } from "../../src/model/index.ts";
import type {
  ExecutionQuery,
  NativeKey,
  NativePage,
  NativePlaced,
  NativePlacement,
} from "../../src/ports/index.ts";

/** First id: beyond the integers that a double represents exactly. */
const FIRST_ID = 2n ** 53n + 1n;

/** A native order of the host, and its executions. */
export type StoredNative = { order: NativeOrder; readonly requestKey: string; readonly fills: NativeFill[] };

/** Dependencies of the book of native orders. */
export type BookParts = Readonly<{
  random: Random;
  nowMs: () => number;
  priceOf: (symbol: string) => Price | undefined;
  /** Called when an execution is durable. */
  reported: (execution: NativeExecution) => void;
}>;

/** The true state of a host's native orders. It outlives every process. */
export class NativeBook {
  readonly orders: Map<bigint, StoredNative> = new Map();
  readonly executions: NativeExecution[] = [];
  readonly #parts: BookParts;
  readonly #byRequest: Map<string, StoredNative> = new Map();
  readonly #open: Set<StoredNative> = new Set();

  constructor(parts: BookParts) {
    this.#parts = parts;
  }

  /** Returns the orders of an account with a client id, oldest first. */
  named(accountId: number, clientOrderId: string): readonly NativeOrder[] {
    return this.#all().filter(
      (order) => order.accountId === accountId && order.clientOrderId === clientOrderId,
    );
  }

  /** Places an order. One request always gives the same order. */
  place(placement: NativePlacement): NativePlaced {
    const known = this.request(placement);
    if (known !== undefined) return known;
    const { accountId, requestKey, ...terms } = placement;
    const stored: StoredNative = { order: this.#orderOf(accountId, terms), requestKey, fills: [] };
    this.orders.set(stored.order.orderId, stored);
    this.#byRequest.set(`${accountId} ${requestKey}`, stored);
    this.#open.add(stored);
    this.#report(stored, "NEW");
    this.#meet(stored, stored.order.quantity);
    if (terms.type === "MARKET" || terms.timeInForce !== "GTC") this.#end(stored, "EXPIRED");
    return { order: stored.order, fills: [...stored.fills], created: true };
  }

  request({
    accountId,
    requestKey,
  }: Pick<NativePlacement, "accountId" | "requestKey">): NativePlaced | undefined {
    const stored = this.#byRequest.get(`${accountId} ${requestKey}`);
    return stored && { order: stored.order, fills: [...stored.fills], created: false };
  }

  cancel(key: NativeKey): NativeOrder | undefined {
    const found = this.find(key);
    const stored = found && this.orders.get(found.orderId);
    if (stored === undefined || !this.#open.has(stored)) return undefined;
    this.#end(stored, "CANCELED");
    return stored.order;
  }

  find(key: NativeKey): NativeOrder | undefined {
    return this.#all().findLast((order) => isOf(order, key));
  }

  page({
    limit,
    fromOrderId,
    startTimeMs = 0,
    endTimeMs = Number.POSITIVE_INFINITY,
    ...key
  }: NativePage): readonly NativeOrder[] {
    const found = this.#all().filter(
      (order) => isOf(order, key) && order.updatedAtMs >= startTimeMs && order.updatedAtMs <= endTimeMs,
    );
    if (fromOrderId === undefined) return found.slice(-limit);
    return found.filter(({ orderId }) => orderId >= fromOrderId).slice(0, limit);
  }

  history({
    limit,
    startTimeMs = 0,
    endTimeMs = Number.POSITIVE_INFINITY,
    ...key
  }: ExecutionQuery): readonly NativeExecution[] {
    const isIn = ({ order, timeMs }: NativeExecution): boolean =>
      isOf(order, key) && timeMs >= startTimeMs && timeMs <= endTimeMs;
    return this.executions.filter(isIn).slice(-limit);
  }

  /** Lets resting orders meet the market by chance. */
  tick(): void {
    const { random } = this.#parts;
    for (const stored of [...this.#open]) {
      const isMet = random.chance(0.2);
      const part = quantity(`0.${1 + random.below(9)}`);
      if (isMet) this.#meet(stored, part);
    }
  }

  #all(): readonly NativeOrder[] {
    return [...this.orders.values()].map(({ order }) => order);
  }

  #orderOf(accountId: number, terms: NativeTerms): NativeOrder {
    const { symbol, side, type, clientOrderId } = terms;
    return {
      orderId: FIRST_ID + BigInt(this.orders.size),
      accountId,
      symbol,
      clientOrderId,
      status: "NEW",
      type,
      side,
      timeInForce: type === "LIMIT" ? terms.timeInForce : "IOC",
      ...("price" in terms && { price: terms.price }),
      ...("quoteQuantity" in terms && { quoteQuantity: terms.quoteQuantity }),
      quantity: "quantity" in terms ? terms.quantity : quantity("1"),
      executedQuantity: ZERO_QUANTITY,
      updatedAtMs: this.#parts.nowMs(),
      isWorking: type === "LIMIT",
    };
  }

  /** Executes up to `most` if the market is inside the limit. */
  #meet(stored: StoredNative, most: Quantity): void {
    const { order } = stored;
    const market = this.#parts.priceOf(order.symbol) ?? price("100");
    const limit = order.price ?? market;
    if (order.side === "BUY" ? market > limit : market < limit) return;
    const left = subtract(order.quantity, order.executedQuantity);
    const size = most < left ? most : left;
    const timeMs = this.#parts.nowMs();
    const executionId = `n${this.executions.length + 1}`;
    stored.fills.push({ executionId, quantity: size, price: market, timeMs });
    const executedQuantity = add(order.executedQuantity, size);
    const isWhole = executedQuantity === order.quantity;
    stored.order = {
      ...order,
      executedQuantity,
      status: isWhole ? "FILLED" : "PARTIALLY_FILLED",
      updatedAtMs: timeMs,
    };
    if (isWhole) this.#open.delete(stored);
    this.#report(stored, "TRADE", { lastQuantity: size, lastPrice: market });
  }

  #end(stored: StoredNative, status: "CANCELED" | "EXPIRED"): void {
    if (!this.#open.delete(stored)) return;
    const reason = status === "CANCELED" ? "USER_CANCELED" : "INSUFFICIENT_LIQUIDITY";
    stored.order = { ...stored.order, status, reason, updatedAtMs: this.#parts.nowMs() };
    this.#report(stored, status);
  }

  #report(
    { order }: StoredNative,
    execType: NativeExecution["execType"],
    last: Pick<NativeExecution, "lastQuantity" | "lastPrice"> = {},
  ): void {
    const execution: NativeExecution = {
      executionId: `n${this.executions.length + 1}`,
      execType,
      order,
      ...last,
      timeMs: order.updatedAtMs,
    };
    this.executions.push(execution);
    this.#parts.reported(execution);
  }
}

/** A key of native orders. Orders must match the members that are present. */
type Key = Readonly<{ accountId: number; symbol?: string; orderId?: bigint; clientOrderId?: string }>;

function isOf(order: NativeOrder, { accountId, symbol, orderId, clientOrderId }: Key): boolean {
  return (
    order.accountId === accountId &&
    (symbol === undefined || order.symbol === symbol) &&
    (orderId === undefined || order.orderId === orderId) &&
    (clientOrderId === undefined || order.clientOrderId === clientOrderId)
  );
}
