import {
  type Notional,
  PRICE_LIMIT,
  type Price,
  QUANTITY_LIMIT,
  type Quantity,
  type Scaled,
} from "../decimal/index.ts";
import type { NativeExecution, NativeFill, NativeOrder, Rejection } from "../model/index.ts";
import type {
  ExecutionQuery,
  NativeKey,
  NativeOrders,
  NativePage,
  NativePlaced,
  NativeRequest,
  OpenNativeQuery,
  RejectionQuery,
  Rejections,
} from "../ports/index.ts";
import { harmless, type Questions } from "./questions.ts";
import {
  amountOf,
  EXECUTION_REASONS,
  EXECUTION_TYPES,
  flagOf,
  itemsOf,
  membersOf,
  NATIVE_STATUSES,
  presentOf,
  REJECT_REASONS,
  requireThat,
  SIDES,
  scaledOf,
  textOf,
  wholeOf,
  wordOf,
} from "./reading.ts";
import { readFill } from "./venue.ts";

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
      questions.change("native.place", () => native.place(placement), readPlaced, placement),
    findRequest: (request) =>
      questions.query("native.findRequest", () => native.findRequest(request), readPlacedOrNone, request),
    cancel: (key) => questions.change("native.cancel", () => native.cancel(key), readOrderOrNone, key),
    ...(native.cancelIf && {
      cancelIf: (key, restriction) =>
        questions.change("native.cancelIf", () => native.cancelIf?.(key, restriction), readOrderOrNone, key),
    }),
    find: (key) => questions.query("native.find", () => native.find(key), readOrderOrNone, key),
    page: (page) => questions.query("native.page", () => native.page(page), readPage, page),
    ...(native.open && {
      open: (query) => questions.query("native.open", () => native.open?.(query), readOpen, query),
    }),
    executions: (query) =>
      questions.query("native.executions", () => native.executions(query), readExecutions, query),
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

const readOpen = (answer: unknown, query: OpenNativeQuery): readonly NativeOrder[] =>
  risingOrders(itemsOf(answer, "the open orders", query.limit), query);

const readExecutions = (answer: unknown, query: ExecutionQuery): readonly NativeExecution[] =>
  itemsOf(answer, "the list of executions", query.limit).map((one) => readExecution(one, query));

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

const readPlacedOrNone = (answer: unknown, { accountId }: NativeRequest): NativePlaced | undefined =>
  answer === undefined ? undefined : readPlaced(answer, { accountId });

function readNativeFill(answer: unknown): NativeFill {
  const shortText = (text: unknown, what: string): string =>
    textOf(text, `the ${what} of a fill`, { most: 64 });
  return {
    ...readFill(answer),
    ...presentOf(membersOf(answer, "a fill"), { commission: shortText, commissionAsset: shortText }),
  };
}

function readExecution(answer: unknown, expected: Partial<ExpectedOrder>): NativeExecution {
  const execution = membersOf(answer, "an execution");
  const { executionId, execType, order, timeMs } = execution;
  return {
    executionId: textOf(executionId, "the executionId of an execution", { most: 64 }),
    execType: wordOf(execType, "the execType of an execution", EXECUTION_TYPES),
    order: readOrder(order, expected),
    ...presentOf(execution, { lastQuantity: sizeOf, lastPrice: priceOf }),
    timeMs: wholeOf(timeMs, "the timeMs of an execution"),
  };
}

const readOrderOrNone = (answer: unknown, key: NativeKey): NativeOrder | undefined =>
  answer === undefined ? undefined : readOrder(answer, key);

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
    ...presentOf(order, ORDER_MORE),
  };
  requireSame(read, expected);
  return read;
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
const sumOf = (answer: unknown, what: string): Notional => within(answer, what, AMOUNT_LIMIT) as Notional;

const ORDER_MORE = {
  orderListId: idOf,
  price: priceOf,
  stopPrice: priceOf,
  quoteQuantity: sumOf,
  executedNotional: sumOf,
  rejectReason: (answer: unknown, what: string) => wordOf(answer, what, REJECT_REASONS),
  reason: (answer: unknown, what: string) => wordOf(answer, what, EXECUTION_REASONS),
  errorMessage: (answer: unknown, what: string) => textOf(answer, what, { from: 0, most: 65_536 }),
};

/** Wraps the retained rejections of a host with checks of every answer. */
export function checkedRejections(rejections: Rejections, questions: Questions): Rejections {
  return {
    retain: (rejection) =>
      harmless(
        () => rejections.retain(rejection),
        (error) => questions.report("rejections.retain", error),
      ),
    list: (query) => questions.query("rejections.list", () => rejections.list(query), readRejections, query),
    get counts() {
      return rejections.counts;
    },
  };
}

const readRejections = (answer: unknown, query: RejectionQuery): readonly Rejection[] =>
  itemsOf(answer, "the list of rejections", query.limit).map((one) => readRejection(one, query));

/** Reads a rejection that was asked for. Another one would show an order as rejected that was not. */
function readRejection(answer: unknown, { accountId, symbol, clientOrderId }: RejectionQuery): Rejection {
  const rejection = membersOf(answer, "a rejection");
  requireThat(rejection.accountId === accountId, "a rejection belongs to another account than requested");
  const isOfMarket = symbol === undefined || rejection.symbol === symbol;
  requireThat(isOfMarket, "a rejection belongs to another market than requested");
  const isOfOrder = clientOrderId === undefined || rejection.clientOrderId === clientOrderId;
  requireThat(isOfOrder, "a rejection has another client id than requested");
  return {
    rejectionId: textOf(rejection.rejectionId, "rejectionId", { most: 64 }),
    accountId,
    symbol: textOf(rejection.symbol, "symbol", { most: 64 }),
    clientOrderId: textOf(rejection.clientOrderId, "clientOrderId", { from: 0 }),
    code: wholeOf(rejection.code, "code", { from: -99_999, to: -1 }),
    rejectReason: wordOf(rejection.rejectReason, "rejectReason", REJECT_REASONS),
    errorMessage: textOf(rejection.errorMessage, "errorMessage", { from: 0, most: 65_536 }),
    timeMs: wholeOf(rejection.timeMs, "timeMs"),
    ...presentOf(rejection, REJECTION_MORE),
  };
}

const termOf = (answer: unknown, what: string): string => textOf(answer, what, { most: 64 });
const limitOf = (answer: unknown, what: string): Price => amountOf(answer, what, PRICE_LIMIT);

const REJECTION_MORE = {
  side: (answer: unknown, what: string) => wordOf(answer, what, SIDES),
  type: termOf,
  timeInForce: termOf,
  price: limitOf,
  stopPrice: limitOf,
  quantity: (answer: unknown, what: string) => amountOf(answer, what, QUANTITY_LIMIT),
};
