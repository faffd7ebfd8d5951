import { recognisedAs } from "../common/index.ts";
import type { ManagedOrderReply, NativeOrderReply, OrderListReply } from "../replies/index.ts";
import type { AmendFields } from "../requests/index.ts";
import type { RequestParameters } from "../signing/index.ts";
import type { OrderId } from "./api.ts";
import type { Call, Caller } from "./caller.ts";
import { ClientError, ProtocolError, RefusedError, TransportError } from "./errors.ts";
import { type AbortLike, pause, throwIfAborted, within } from "./http.ts";
import { type CanceledOrderReply, compareDecimals, type OrderReply } from "./replies.ts";
import { CLIENT_ROUTES, type Route } from "./routes.ts";

/**
 * The outcome of a placement or cancel whose reply is missing.
 *
 * - `placed`: an order or list has the client id. Of a replacement, this is the new order; sending the replacement again with
 *   its `newClientOrderId` is safe too.
 * - `not placed`: no order or list has the client id, and the request can no longer be accepted.
 * - `canceled`: the order, or a leg of the list, is canceled, or will be once the outcome of its child is known; after
 *   a cancel-all, none of the orders that it concerned is open.
 * - `not canceled`: the order or list ended in another way, or it is open and the request can no longer be accepted.
 * - `amended`: the order has the values that were sent. Sending the amend again with the same `amendId` is safe too.
 * - `not amended`: it has others, and it has ended or the request can no longer be accepted.
 * - `unknown`: the outcome could not be determined in time. Call `reconcile()` again.
 */
export type OutcomeState =
  | "placed"
  | "not placed"
  | "canceled"
  | "not canceled"
  | "amended"
  | "not amended"
  | "unknown";

/** The result of {@link UncertainOutcome.reconcile}. */
export interface Outcome {
  readonly state: OutcomeState;
  /** The order as it is now. */
  readonly order?: OrderReply;
  /** The list as it is now. */
  readonly list?: OrderListReply;
  /** With `not placed`: the rejection that the service retained for the client id, if there is one. */
  readonly rejection?: NativeOrderReply;
  /** With `unknown`: the error of the last look-up, if it failed. */
  readonly cause?: ClientError;
}

/** Options of {@link UncertainOutcome.reconcile}. */
export interface ReconcileOptions {
  /** Time limit of the look-ups, in milliseconds; by default long enough to determine `not placed`. */
  readonly withinMs?: number;
  readonly signal?: AbortLike;
}

/** What a request was meant to do. */
export type Intention = "place" | "cancel" | "amend" | "replace";

const NOUNS: Readonly<Record<Intention, string>> = {
  ...{ place: "placement", cancel: "cancel", amend: "amend", replace: "replacement" },
};

/** The ids that a request contained. */
export interface SentIds {
  readonly clientOrderId?: string;
  readonly listClientOrderId?: string;
  readonly amendId?: string;
}

/**
 * A placement, cancel or amend was sent, and its outcome is not known: the reply did not arrive, cannot be read, or says that
 * the service does not know the outcome. The client does not send the request again. `reconcile()` looks the outcome
 * up. Source: contract, Errors.
 *
 * @example
 * ```ts
 * import { type Client, type NewManagedOrder, UncertainOutcome } from "managed-orders/client";
 * export async function placeOnce(client: Client, order: NewManagedOrder): Promise<string> {
 *   try {
 *     return (await client.placeOrder(order)).status;
 *   } catch (error) {
 *     if (!(error instanceof UncertainOutcome)) throw error;
 *     return (await error.reconcile()).state; // placed, not placed or unknown
 *   }
 * }
 * ```
 */
export class UncertainOutcome extends ClientError {
  /** Recognises an error of this class, also one of another copy of the package. */
  static override readonly [Symbol.hasInstance]: (value: unknown) => boolean =
    /* @__PURE__ */ recognisedAs("UncertainOutcome");
  override readonly name = "UncertainOutcome";
  readonly kind = "uncertain";
  readonly intention: Intention;
  /** The client id of the order, if the request had one. */
  declare readonly clientOrderId?: string;
  /** The client id of the list, if the request had one. */
  declare readonly listClientOrderId?: string;
  /** The id of the amend, if it was one. */
  declare readonly amendId?: string;
  declare readonly cause: ClientError;
  readonly #reconcile: (options: ReconcileOptions) => Promise<Outcome>;

  /** `cause` is why the outcome is not known; `reconcile` looks it up. */
  constructor(
    intention: Intention,
    ids: SentIds,
    cause: ClientError,
    reconcile: (options: ReconcileOptions) => Promise<Outcome>,
  ) {
    super(`The outcome of the ${NOUNS[intention]} is unknown. ${cause.message}`, { cause });
    this.intention = intention;
    Object.assign(this, ids);
    this.#reconcile = reconcile;
  }

  /**
   * Looks up the outcome of the request, with requests that only read. If the order exists, the first look-up finds it.
   * That no order exists is certain only after two times have passed on the server's own clock: the receive window of
   * the request, and the time that the service may need to store it (`settleMs` of the client). Rejects with a
   * TransportError if the signal aborts.
   */
  reconcile(options: ReconcileOptions = {}): Promise<Outcome> {
    return this.#reconcile(options);
  }
}

/** A call that places or cancels, and how to find out afterwards what became of it. */
export type Write<T> = Call<T> &
  Readonly<{
    intention: Intention;
    ids: SentIds;
    /** Returns the look for a request that was sent at this time. */
    lookAt: (times: SentTimes) => Look;
    /** Returns whether a reply is about the order or list that was sent. */
    isOwn?: (reply: T) => boolean;
  }>;

/** The service says itself that it does not know. */
const UNKNOWN_CODES: readonly (number | undefined)[] = [-1006, -1007];
const REQUEST_NOT_READ = 408;

/**
 * Sends a placement or cancel, once. Rejects with an UncertainOutcome if it was sent and no reply says what became of
 * it; with the ClientError itself if it was refused or never sent.
 */
export async function write<T>(caller: Caller, call: Write<T>): Promise<T> {
  const { intention, ids, lookAt, isOwn = () => true, ...sending } = call;
  // A member and not a variable: the optimizer of older React Native loses a variable that a closure has set.
  const sent: { timestamp?: number } = {};
  const onSend = (timestamp: number): void => {
    sent.timestamp = timestamp;
  };
  try {
    const reply = await caller.call({ ...sending, onSend });
    if (!isOwn(reply)) throw new ProtocolError({ problem: "another order", status: 200 });
    return reply;
  } catch (error) {
    const { timestamp } = sent;
    if (timestamp === undefined || !(error instanceof ClientError) || isCertain(error)) throw error;
    const { recvWindowMs, settleMs } = caller.settings;
    const request = { timestamp, mayTakeMs: recvWindowMs + settleMs };
    const times = { sentAtMs: timestamp, acceptedUntilMs: timestamp + recvWindowMs };
    throw new UncertainOutcome(intention, ids, error, (options) =>
      reconciled(caller, request, lookAt(times), options),
    );
  }
}

/** Returns whether an error says that nothing was placed or canceled: a refusal with a status below 500. */
function isCertain(error: ClientError): boolean {
  if (!(error instanceof RefusedError)) return false;
  const { code, status = 0 } = error;
  return status < 500 && (!UNKNOWN_CODES.includes(code) || status === REQUEST_NOT_READ);
}

/** Returns the parameters of a call that say for which account it is. */
export function actorOf({ account, userId }: RequestParameters): RequestParameters {
  return { account, userId };
}

/** Ids by which a request names an order or list. A name that was not sent is absent. */
type Names = Readonly<Record<string, unknown>>;

/** Returns whether an id of a reply is the one that was sent, if one was. */
const agrees = (sent: unknown, replied: string): boolean =>
  sent === undefined || sent === null || String(sent as OrderId) === replied;

/** Returns whether an order that was looked up is the one that was named. A retained rejection has no order id. */
export function isNamedOrder({ orderId, origClientOrderId }: Names, order: OrderReply): boolean {
  return agrees(orderId, order.orderId ?? String(orderId)) && agrees(origClientOrderId, order.clientOrderId);
}

/** Returns whether the reply to a cancel is about the order that was named, or about the list of that order. */
export function isCanceledOrder({ orderId, origClientOrderId }: Names, reply: CanceledOrderReply): boolean {
  const orders = reply.orderReports ?? [reply];
  return orders.some(
    (order) => agrees(orderId, order.orderId) && agrees(origClientOrderId, order.origClientOrderId),
  );
}

/** Returns whether a list is the one that was named. */
export function isNamedList(
  { orderListId, listClientOrderId }: Names,
  list: Pick<OrderListReply, "orderListId" | "listClientOrderId">,
): boolean {
  return agrees(orderListId, list.orderListId) && agrees(listClientOrderId, list.listClientOrderId);
}

/** A request that was sent: its timestamp by the server's clock, and how long it may take effect after that. */
type SentRequest = Readonly<{ timestamp: number; mayTakeMs: number }>;

const TIMESTAMP_REFUSED = -1021;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 2000;
/** Time for the last look, after the request can no longer take effect. */
const LAST_LOOK_MS = 10_000;

/**
 * Looks until the outcome is known, the time is up or the caller aborts. A copy of the request that is still under way
 * could be accepted until its receive window ends, and stored a while later. So a look that finds nothing decides only
 * if the server's own clock had passed both before the look began. Rejects with a TransportError if the caller aborts.
 */
export async function reconciled(
  caller: Caller,
  sent: SentRequest,
  look: Look,
  { withinMs = sent.mayTakeMs + LAST_LOOK_MS, signal }: ReconcileOptions,
): Promise<Outcome> {
  const { clock } = caller.platform;
  // A member and not a variable, as in write().
  const last: { cause?: ClientError | undefined } = {};
  try {
    return await within(clock, { timeoutMs: withinMs, signal }, async (ended) => {
      const query: Query = (route, parameters) =>
        caller.call({ route, parameters, options: { signal: ended } });
      for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2)) {
        try {
          const outcome = await lookOnce(query, sent, look);
          if (outcome !== undefined) return outcome;
          last.cause = undefined;
        } catch (error) {
          // Once the look-ups have ended, their failure is no news.
          throwIfAborted(ended);
          if (!(error instanceof ClientError)) throw error;
          last.cause = error;
          if (isFinal(error)) return { state: "unknown", cause: error };
        }
        await pause(clock, pauseMs, ended);
      }
    });
  } catch (error) {
    if (!(error instanceof TransportError) || error.reason === "aborted") throw error;
    const { cause } = last;
    return { state: "unknown", ...(cause !== undefined && { cause }) };
  }
}

async function lookOnce(
  query: Query,
  { timestamp, mayTakeMs }: SentRequest,
  look: Look,
): Promise<Outcome | undefined> {
  const { serverTime } = await query(CLIENT_ROUTES.time, {});
  return await look(query, serverTime > timestamp + mayTakeMs);
}

/**
 * Returns whether further looks would be refused in the same way, as for a key that may not read. A refused timestamp
 * passes: the clocks of two nodes may differ, or one is being set.
 */
function isFinal(error: ClientError): boolean {
  if (!(error instanceof RefusedError) || error.code === TIMESTAMP_REFUSED) return false;
  const { status = 0 } = error;
  return status < 500 && status !== 408 && status !== 429;
}

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
 * Finds the order that a cancel is about. By a client id alone, the service cancels a native order if the managed one with
 * that id has ended before.
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

/** The member of a reply that shows each field of an amend. */
const SHOWN_AS = {
  quantity: "origQty",
  price: "price",
  stopPrice: "stopPrice",
  trailingDelta: "trailingDelta",
  price2: "price2",
  trailingAmount: "trailingAmount",
  limitOffset: "limitOffset",
  icebergQty: "icebergQty",
  expireTime: "expireTime",
  goodTillDate: "expireTime",
} as const satisfies Readonly<Record<keyof AmendFields, keyof ManagedOrderReply>>;

/** Looks at an order that was to be amended. */
export function amendedOrder(sent: RequestParameters): Look {
  const { account, userId, symbol, orderId, origClientOrderId } = sent;
  const shows = (order: ManagedOrderReply, field: keyof AmendFields): boolean => {
    const shown = order[SHOWN_AS[field]];
    return shown !== undefined && compareDecimals(String(sent[field]), String(shown)) === 0;
  };
  return async (query, isOver) => {
    const order = await findOrder(query, { account, userId, symbol, orderId, origClientOrderId });
    if (order === undefined) return isOver ? { state: "not amended" } : undefined;
    const fields = (Object.keys(SHOWN_AS) as (keyof AmendFields)[]).filter(
      (name) => sent[name] !== undefined,
    );
    if (order.apiManaged === true && fields.every((field) => shows(order, field)))
      return { state: "amended", order };
    return ENDS.includes(order.status) || order.status === "CANCELED" || isOver
      ? { state: "not amended", order }
      : undefined;
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
