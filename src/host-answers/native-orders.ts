import {
  type Notional,
  PRICE_LIMIT,
  type Price,
  QUANTITY_LIMIT,
  type Quantity,
  type Scaled,
} from "../decimal/index.ts";
import type {
  ExecutionReason,
  NativeExecution,
  NativeFill,
  NativeOrder,
  RejectReason,
} from "../model/index.ts";
import type { NativeOrders, NativePage, NativePlaced } from "../ports/index.ts";
import { readFill } from "./child-report.ts";
import type { Questions } from "./questions.ts";
import {
  flagOf,
  itemsOf,
  type Members,
  membersOf,
  requireThat,
  scaledOf,
  textOf,
  wholeOf,
  wordOf,
} from "./reading.ts";
import { EXECUTION_REASONS, EXECUTION_TYPES, NATIVE_STATUSES, REJECT_REASONS, SIDES } from "./words.ts";

/** Order that the answer must be about. */
type ExpectedOrder = Readonly<{
  accountId: number;
  symbol?: string;
  orderId?: bigint;
  clientOrderId?: string;
}>;

const MOST_FILLS = 10_000;
const ID_LIMIT = 2n ** 63n;
const AMOUNT_LIMIT = 10n ** 36n;

/**
 * Wraps the native orders of a host with checks of every answer. An unreadable execution is reported only to the
 * operator.
 */
export function checkedNativeOrders(native: NativeOrders, questions: Questions): NativeOrders {
  return {
    get isPaperTrade() {
      return questions.now(
        "native.isPaperTrade",
        () => native.isPaperTrade,
        (answer) => flagOf(answer, "isPaperTrade"),
      );
    },
    place: (placement) =>
      questions.change(
        "native.place",
        () => native.place(placement),
        (answer) => readPlaced(answer, placement),
      ),
    findRequest: (request) =>
      questions.query(
        "native.findRequest",
        () => native.findRequest(request),
        (answer) => (answer === undefined ? undefined : readPlaced(answer, { accountId: request.accountId })),
      ),
    cancel: (key) =>
      questions.change(
        "native.cancel",
        () => native.cancel(key),
        (answer) => (answer === undefined ? undefined : readOrder(answer, key)),
      ),
    ...(native.cancelIf && {
      cancelIf: (key, restriction) =>
        questions.change(
          "native.cancelIf",
          () => native.cancelIf?.(key, restriction),
          (answer) => (answer === undefined ? undefined : readOrder(answer, key)),
        ),
    }),
    find: (key) =>
      questions.query(
        "native.find",
        () => native.find(key),
        (answer) => (answer === undefined ? undefined : readOrder(answer, key)),
      ),
    page: (page) =>
      questions.query(
        "native.page",
        () => native.page(page),
        (answer) => readPage(answer, page),
      ),
    ...(native.open && {
      open: (query) =>
        questions.query(
          "native.open",
          () => native.open?.(query),
          (answer) => risingOrders(itemsOf(answer, "the open orders", query.limit), query),
        ),
    }),
    executions: (query) =>
      questions.query(
        "native.executions",
        () => native.executions(query),
        (answer) =>
          itemsOf(answer, "the list of executions", query.limit).map((one) => readExecution(one, query)),
      ),
    subscribe: (listener, missed) =>
      native.subscribe((answer: unknown) => forward(answer, listener, questions), missed),
  };
}

/** Reads a page of orders. Clients scan by id, so a page from elsewhere would hide orders or never end. */
function readPage(answer: unknown, page: NativePage): readonly NativeOrder[] {
  const orders = risingOrders(itemsOf(answer, "the page", page.limit), page);
  const lowest = orders[0]?.orderId ?? ID_LIMIT;
  requireThat(lowest >= (page.fromOrderId ?? 0n), "an order has a lower id than requested");
  return orders;
}

function risingOrders(answer: readonly unknown[], expected: ExpectedOrder): readonly NativeOrder[] {
  let last = 0n;
  return answer.map((one) => {
    const order = readOrder(one, expected);
    requireThat(order.orderId > last, "the orders are not by rising id");
    last = order.orderId;
    return order;
  });
}

function forward(
  answer: unknown,
  listener: (execution: NativeExecution) => void,
  questions: Questions,
): void {
  try {
    listener(readExecution(answer, {}));
  } catch (error) {
    questions.report("native.subscribe", error);
  }
}

function readPlaced(answer: unknown, expected: ExpectedOrder): NativePlaced {
  const { order, fills, created } = membersOf(answer, "the placement");
  return {
    order: readOrder(order, expected),
    fills: itemsOf(fills, "fills", MOST_FILLS).map(readNativeFill),
    created: flagOf(created, "created"),
  };
}

function readNativeFill(answer: unknown): NativeFill {
  const { commission, commissionAsset } = membersOf(answer, "a fill");
  return {
    ...readFill(answer),
    ...(commission !== undefined && {
      commission: textOf(commission, "the commission of a fill", { most: 64 }),
    }),
    ...(commissionAsset !== undefined && {
      commissionAsset: textOf(commissionAsset, "the commissionAsset of a fill", { most: 64 }),
    }),
  };
}

function readExecution(answer: unknown, expected: Partial<ExpectedOrder>): NativeExecution {
  const { executionId, execType, order, lastQuantity, lastPrice, timeMs } = membersOf(answer, "an execution");
  return {
    executionId: textOf(executionId, "the executionId of an execution", { most: 64 }),
    execType: wordOf(execType, "the execType of an execution", EXECUTION_TYPES),
    order: readOrder(order, expected),
    ...(lastQuantity !== undefined && { lastQuantity: sizeOf(lastQuantity, "lastQuantity") }),
    ...(lastPrice !== undefined && { lastPrice: priceOf(lastPrice, "lastPrice") }),
    timeMs: wholeOf(timeMs, "the timeMs of an execution"),
  };
}

function readOrder(answer: unknown, expected: Partial<ExpectedOrder>): NativeOrder {
  const order = membersOf(answer, "the native order");
  const read: NativeOrder = {
    orderId: idOf(order.orderId, "orderId"),
    accountId: wholeOf(order.accountId, "accountId"),
    symbol: textOf(order.symbol, "symbol", { most: 64 }),
    clientOrderId: textOf(order.clientOrderId, "clientOrderId", { from: 0 }),
    status: wordOf(order.status, "status", NATIVE_STATUSES),
    type: textOf(order.type, "type", { most: 64 }),
    side: wordOf(order.side, "side", SIDES),
    timeInForce: textOf(order.timeInForce, "timeInForce", { from: 0, most: 64 }),
    quantity: sizeOf(order.quantity, "quantity"),
    executedQuantity: sizeOf(order.executedQuantity, "executedQuantity"),
    updatedAtMs: wholeOf(order.updatedAtMs, "updatedAtMs"),
    isWorking: flagOf(order.isWorking, "isWorking"),
    ...optionsOf(order),
  };
  requireSame(read, expected);
  return read;
}

function optionsOf(order: Members): Partial<NativeOrder> {
  const { orderListId, price, stopPrice, quoteQuantity, executedNotional } = order;
  const { rejectReason, reason, errorMessage } = order;
  return {
    ...(orderListId !== undefined && { orderListId: idOf(orderListId, "orderListId") }),
    ...(price !== undefined && { price: priceOf(price, "price") }),
    ...(stopPrice !== undefined && { stopPrice: priceOf(stopPrice, "stopPrice") }),
    ...(quoteQuantity !== undefined && {
      quoteQuantity: within(quoteQuantity, "quoteQuantity", AMOUNT_LIMIT) as Notional,
    }),
    ...(executedNotional !== undefined && {
      executedNotional: within(executedNotional, "executedNotional", AMOUNT_LIMIT) as Notional,
    }),
    ...(rejectReason !== undefined && {
      rejectReason: wordOf<RejectReason>(rejectReason, "rejectReason", REJECT_REASONS),
    }),
    ...(reason !== undefined && { reason: wordOf<ExecutionReason>(reason, "reason", EXECUTION_REASONS) }),
    ...(errorMessage !== undefined && {
      errorMessage: textOf(errorMessage, "errorMessage", { from: 0, most: 65_536 }),
    }),
  };
}

/**
 * Throws unless the order is the expected one. A client must never see the order of another account because a host
 * mixed them up (I07).
 */
function requireSame(order: NativeOrder, expected: Partial<ExpectedOrder>): void {
  const { accountId, symbol, orderId, clientOrderId } = expected;
  requireThat(
    accountId === undefined || order.accountId === accountId,
    "the order belongs to another account than requested",
  );
  requireThat(
    symbol === undefined || order.symbol === symbol,
    "the order belongs to another market than requested",
  );
  requireThat(
    orderId === undefined || order.orderId === orderId,
    "the order has another orderId than requested",
  );
  requireThat(
    clientOrderId === undefined || order.clientOrderId === clientOrderId,
    "the order has another clientOrderId than requested",
  );
}

function idOf(answer: unknown, what: string): bigint {
  requireThat(typeof answer === "bigint", `${what} is not a bigint`);
  requireThat(answer > 0n && answer < ID_LIMIT, `${what} is out of range`);
  return answer;
}

function within(answer: unknown, what: string, limit: Scaled): Scaled {
  const value = scaledOf(answer, what);
  requireThat(value >= 0 && value < limit, `${what} is out of range`);
  return value;
}

const priceOf = (answer: unknown, what: string): Price => within(answer, what, PRICE_LIMIT) as Price;
const sizeOf = (answer: unknown, what: string): Quantity => within(answer, what, QUANTITY_LIMIT) as Quantity;
