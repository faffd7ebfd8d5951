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
  demand,
  flagOf,
  itemsOf,
  type Members,
  membersOf,
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
        (said) => flagOf(said, "isPaperTrade"),
      );
    },
    place: (placement) =>
      questions.change(
        "native.place",
        () => native.place(placement),
        (said) => readPlaced(said, placement),
      ),
    findRequest: (request) =>
      questions.ask(
        "native.findRequest",
        () => native.findRequest(request),
        (said) => (said === undefined ? undefined : readPlaced(said, { accountId: request.accountId })),
      ),
    cancel: (key) =>
      questions.change(
        "native.cancel",
        () => native.cancel(key),
        (said) => (said === undefined ? undefined : readOrder(said, key)),
      ),
    ...(native.cancelIf && {
      cancelIf: (key, restriction) =>
        questions.change(
          "native.cancelIf",
          () => native.cancelIf?.(key, restriction),
          (said) => (said === undefined ? undefined : readOrder(said, key)),
        ),
    }),
    find: (key) =>
      questions.ask(
        "native.find",
        () => native.find(key),
        (said) => (said === undefined ? undefined : readOrder(said, key)),
      ),
    page: (page) =>
      questions.ask(
        "native.page",
        () => native.page(page),
        (said) => readPage(said, page),
      ),
    ...(native.open && {
      open: (query) =>
        questions.ask(
          "native.open",
          () => native.open?.(query),
          (said) => risingOrders(itemsOf(said, "the open orders", query.limit), query),
        ),
    }),
    executions: (query) =>
      questions.ask(
        "native.executions",
        () => native.executions(query),
        (said) =>
          itemsOf(said, "the list of executions", query.limit).map((one) => readExecution(one, query)),
      ),
    subscribe: (listener, missed) =>
      native.subscribe((said: unknown) => forward(said, listener, questions), missed),
  };
}

/** Reads a page of orders. Clients scan by id, so a page from elsewhere would hide orders or never end. */
function readPage(said: unknown, page: NativePage): readonly NativeOrder[] {
  const orders = risingOrders(itemsOf(said, "the page", page.limit), page);
  const lowest = orders[0]?.orderId ?? ID_LIMIT;
  demand(lowest >= (page.fromOrderId ?? 0n), "an order has a lower id than requested");
  return orders;
}

function risingOrders(said: readonly unknown[], expected: ExpectedOrder): readonly NativeOrder[] {
  let last = 0n;
  return said.map((one) => {
    const order = readOrder(one, expected);
    demand(order.orderId > last, "the orders are not by rising id");
    last = order.orderId;
    return order;
  });
}

function forward(said: unknown, listener: (execution: NativeExecution) => void, questions: Questions): void {
  try {
    listener(readExecution(said, {}));
  } catch (error) {
    questions.tell("native.subscribe", error);
  }
}

function readPlaced(said: unknown, expected: ExpectedOrder): NativePlaced {
  const { order, fills, created } = membersOf(said, "the placement");
  return {
    order: readOrder(order, expected),
    fills: itemsOf(fills, "fills", MOST_FILLS).map(readNativeFill),
    created: flagOf(created, "created"),
  };
}

function readNativeFill(said: unknown): NativeFill {
  const { commission, commissionAsset } = membersOf(said, "a fill");
  return {
    ...readFill(said),
    ...(commission !== undefined && {
      commission: textOf(commission, "the commission of a fill", { most: 64 }),
    }),
    ...(commissionAsset !== undefined && {
      commissionAsset: textOf(commissionAsset, "the commissionAsset of a fill", { most: 64 }),
    }),
  };
}

function readExecution(said: unknown, expected: Partial<ExpectedOrder>): NativeExecution {
  const { executionId, execType, order, lastQuantity, lastPrice, timeMs } = membersOf(said, "an execution");
  return {
    executionId: textOf(executionId, "the executionId of an execution", { most: 64 }),
    execType: wordOf(execType, "the execType of an execution", EXECUTION_TYPES),
    order: readOrder(order, expected),
    ...(lastQuantity !== undefined && { lastQuantity: sizeOf(lastQuantity, "lastQuantity") }),
    ...(lastPrice !== undefined && { lastPrice: priceOf(lastPrice, "lastPrice") }),
    timeMs: wholeOf(timeMs, "the timeMs of an execution"),
  };
}

function readOrder(said: unknown, expected: Partial<ExpectedOrder>): NativeOrder {
  const order = membersOf(said, "the native order");
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
  demandSame(read, expected);
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
function demandSame(order: NativeOrder, expected: Partial<ExpectedOrder>): void {
  const { accountId, symbol, orderId, clientOrderId } = expected;
  demand(
    accountId === undefined || order.accountId === accountId,
    "the order belongs to another account than requested",
  );
  demand(
    symbol === undefined || order.symbol === symbol,
    "the order belongs to another market than requested",
  );
  demand(orderId === undefined || order.orderId === orderId, "the order has another orderId than requested");
  demand(
    clientOrderId === undefined || order.clientOrderId === clientOrderId,
    "the order has another clientOrderId than requested",
  );
}

function idOf(said: unknown, what: string): bigint {
  demand(typeof said === "bigint", `${what} is not a bigint`);
  demand(said > 0n && said < ID_LIMIT, `${what} is out of range`);
  return said;
}

function within(said: unknown, what: string, limit: Scaled): Scaled {
  const value = scaledOf(said, what);
  demand(value >= 0 && value < limit, `${what} is out of range`);
  return value;
}

const priceOf = (said: unknown, what: string): Price => within(said, what, PRICE_LIMIT) as Price;
const sizeOf = (said: unknown, what: string): Quantity => within(said, what, QUANTITY_LIMIT) as Quantity;
