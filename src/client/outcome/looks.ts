import type { OrderListReply } from "../../replies/index.ts";
import type { RequestParameters } from "../../signing/index.ts";
import { ProtocolError } from "../errors/protocol-error.ts";
import { RefusedError } from "../errors/refused-error.ts";
import { CLIENT_ROUTES, type Route } from "../methods/routes.ts";
import type { OrderReply } from "../replies/orders.ts";
import type { Outcome } from "./outcome.ts";
import { isNamedList, isNamedOrder } from "./own-replies.ts";

/** Sends a request that reads. It ends when the look-ups end. */
export type Query = <T>(route: Route<T>, parameters: RequestParameters) => Promise<T>;

/**
 * Looks once. Returns the outcome, or undefined while it is open. `isOver` says that the server's clock had passed, before
 * this look began, the last moment at which the request could take effect.
 */
export type Look = (query: Query, isOver: boolean) => Promise<Outcome | undefined>;

/** When a request was sent, and the last moment at which the service accepts it, in the server's time. */
export type SentTimes = Readonly<{ sentAtMs: number; acceptedUntilMs: number }>;

const NO_SUCH_ORDER = -2013;
const NO_NATIVE_ORDERS = -1020;
const BAD_SYMBOL = -1121;

async function unless<T>(code: number, found: Promise<T>): Promise<T | undefined> {
  try {
    return await found;
  } catch (error) {
    if (error instanceof RefusedError && error.code === code) return undefined;
    throw error;
  }
}

/** Finds an order. The order may have been placed under an alias of its symbol, which look-ups do not accept. */
async function findOrder(query: Query, parameters: RequestParameters): Promise<OrderReply | undefined> {
  const find = async (key: RequestParameters): Promise<OrderReply | undefined> => {
    const order = await unless(NO_SUCH_ORDER, query(CLIENT_ROUTES.order, key));
    if (order !== undefined && !isNamedOrder(key, order)) throw anotherOrder();
    return order;
  };
  try {
    return await find(parameters);
  } catch (error) {
    if (!(error instanceof RefusedError && error.code === BAD_SYMBOL)) throw error;
    const symbol = await canonicalSymbol(query, String(parameters.symbol));
    if (symbol === undefined) throw error;
    return await find({ ...parameters, symbol });
  }
}

const squeezed = (symbol: string): string => symbol.replace(/[^A-Za-z0-9]/g, "").toUpperCase();

async function canonicalSymbol(query: Query, alias: string): Promise<string | undefined> {
  const { symbols } = await query(CLIENT_ROUTES.exchangeInfo, {});
  return symbols.map(({ symbol }) => symbol).find((symbol) => squeezed(symbol) === squeezed(alias));
}

async function findList(query: Query, parameters: RequestParameters): Promise<OrderListReply | undefined> {
  const list = await unless(NO_SUCH_ORDER, query(CLIENT_ROUTES.orderList, parameters));
  if (list !== undefined && !isNamedList(parameters, list)) throw anotherOrder();
  return list;
}

/** The error of an answer that must decide nothing: a proxy may have mixed up two answers. */
const anotherOrder = (): ProtocolError => new ProtocolError({ problem: "another order", status: 200 });

/** Finds the newest native order with a client id, which a managed order with the same id hides from {@link findOrder}. */
async function findHidden(
  query: Query,
  key: RequestParameters,
  { symbol }: OrderReply,
): Promise<OrderReply | undefined> {
  const orders = await unless(NO_NATIVE_ORDERS, query(CLIENT_ROUTES.nativeOrders, { ...key, symbol }));
  const order = orders?.at(-1);
  if (order !== undefined && !isNamedOrder(key, order)) throw anotherOrder();
  return order;
}

/** Looks for a placed order by its client id. `isNative`: it can only be a native order. */
export function placedOrder(key: RequestParameters, isNative: boolean): Look {
  return async (query, isOver) => {
    const found = await findOrder(query, key);
    const order = isNative && found?.apiManaged === true ? await findHidden(query, key, found) : found;
    if (order === undefined) return isOver ? { state: "not placed" } : undefined;
    // A rejection may be that of an earlier request with this client id.
    const isRejection = order.apiManaged !== true && order.orderId === undefined;
    if (!isRejection) return { state: "placed", order };
    return isOver ? { state: "not placed", rejection: order } : undefined;
  };
}

/** Looks for a placed list by its client id. */
export function placedList(key: RequestParameters): Look {
  return async (query, isOver) => {
    const list = await findList(query, key);
    if (list !== undefined) return { state: "placed", list };
    return isOver ? { state: "not placed" } : undefined;
  };
}

const ENDS: readonly string[] = ["FILLED", "EXPIRED", "REJECTED"];

/**
 * Finds the order that a cancel is about. By a client id alone, the service cancels a native order if the managed one
 * with that id has ended before. Source: decision 5.
 */
async function findToCancel(
  query: Query,
  key: RequestParameters,
  sentAtMs: number,
): Promise<OrderReply | undefined> {
  const order = await findOrder(query, key);
  if (order?.apiManaged !== true || (key.orderId ?? undefined) !== undefined) return order;
  if (!ENDS.includes(order.status) && !hadEnded(order, sentAtMs)) return order;
  const hidden = await findHidden(query, key, order);
  return hidden === undefined || hadEnded(hidden, sentAtMs) ? order : hidden;
}

const hadEnded = ({ status, updateTime }: OrderReply, atMs: number): boolean =>
  (status === "CANCELED" || ENDS.includes(status)) && updateTime < atMs;

/** Looks at an order that was to be canceled. */
export function canceledOrder(
  { newClientOrderId: _cancelId, cancelRestrictions: _condition, ...key }: RequestParameters,
  { sentAtMs }: SentTimes,
): Look {
  return async (query, isOver) => {
    const order = await findToCancel(query, key, sentAtMs);
    if (order === undefined) return isOver ? { state: "not canceled" } : undefined;
    const pending = order.apiManaged === true && order.cancelPending;
    if (order.status === "CANCELED" || pending) return { state: "canceled", order };
    return ENDS.includes(order.status) || isOver ? { state: "not canceled", order } : undefined;
  };
}

/** Looks at a list that was to be canceled. */
export function canceledList(key: RequestParameters): Look {
  return async (query, isOver) => {
    const list = await findList(query, key);
    if (list === undefined) return isOver ? { state: "not canceled" } : undefined;
    if (isCanceled(list)) return { state: "canceled", list };
    return list.listOrderStatus === "ALL_DONE" || isOver ? { state: "not canceled", list } : undefined;
  };
}

/**
 * Returns whether a list was canceled as a whole. The loser of a pair, and the legs behind an entry that expired, are
 * canceled without a request; so all legs must be, except for an entry that was filled before.
 */
function isCanceled({ contingencyType, orderReports }: OrderListReply): boolean {
  const entered = contingencyType !== "OCO" && orderReports[0]?.status === "FILLED";
  return orderReports
    .slice(entered ? 1 : 0)
    .every(({ status, cancelPending }) => status === "CANCELED" || cancelPending);
}

const PAGE_LIMIT = 1000;

/** Looks whether managed orders accepted before a moment of the server's time are still open. */
export function canceledAll(actor: RequestParameters, beforeMs: number): Look {
  return async (query, isOver) => {
    const cursors = new Set<string>();
    let afterOrderId = "0";
    do {
      if (cursors.has(afterOrderId)) throw new ProtocolError({ problem: "cursor", status: 200 });
      cursors.add(afterOrderId);
      const parameters = { ...actor, apiManaged: true, limit: PAGE_LIMIT, afterOrderId };
      const page = await query(CLIENT_ROUTES.openOrders, parameters);
      const left = page.orders.some(
        ({ transactTime, cancelPending }) => transactTime <= beforeMs && !cancelPending,
      );
      if (left) return isOver ? { state: "not canceled" } : undefined;
      afterOrderId = page.nextOrderId;
    } while (afterOrderId !== "0");
    return { state: "canceled" };
  };
}
