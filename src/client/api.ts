import type { AmendFields, OrderFields } from "../requests/index.ts";
import type { AbortLike } from "./http.ts";

/** An id of an order or list: the string of a reply, a bigint, or a safe integer. */
export type OrderId = string | number | bigint;

/** Options of one call. */
export interface CallOptions {
  /** Aborts the call. A placement or cancel that was sent becomes an `UncertainOutcome`. */
  readonly signal?: AbortLike | undefined;
  /** How long to wait for a reply, in milliseconds; each attempt of a read has this time. */
  readonly timeoutMs?: number | undefined;
}

/** The account on which a request acts. Default: the account of the key. */
export interface ActorParameters {
  readonly account?: number | undefined;
  readonly userId?: number | undefined;
}

/** The names under which an order may be looked up: its id, its client id, or both. */
export type OrderNames =
  | { readonly orderId: OrderId; readonly origClientOrderId?: string | undefined }
  | { readonly orderId?: undefined; readonly origClientOrderId: string };

/** Names one order. `symbol` is the canonical symbol, such as BTC/USD. */
export type OrderKey = ActorParameters & { readonly symbol: string } & OrderNames;

/** The order to cancel, and the optional members of a cancel. */
export type CancelParameters = OrderKey & {
  /** ONLY_NEW cancels the order only if nothing is executed, ONLY_PARTIALLY_FILLED only if something is executed. */
  readonly cancelRestrictions?: "ONLY_NEW" | "ONLY_PARTIALLY_FILLED" | undefined;
  /**
   * Id of the cancel itself. The reply contains it as `clientOrderId`, and the order's own id as `origClientOrderId`.
   */
  readonly newClientOrderId?: string | undefined;
};

/** The order to amend, the new values of its fields, and the id of the amend. */
export type AmendParameters = OrderKey &
  AmendFields & {
    /** Your id of the amend; the client generates one. The same id with the same content is the same amend. */
    readonly amendId?: string | undefined;
  };

/** Names one list by its id, its client id, or both. */
export type OrderListKey = ActorParameters &
  (
    | { readonly orderListId: OrderId; readonly listClientOrderId?: string | undefined }
    | { readonly orderListId?: undefined; readonly listClientOrderId: string }
  );

/** A range of times, both ends included, in epoch milliseconds, and the maximum number of rows in a reply. */
export interface RangeParameters extends ActorParameters {
  readonly startTime?: number | undefined;
  readonly endTime?: number | undefined;
  readonly limit?: number | undefined;
}

/** A page of native orders of one market. */
export interface NativeOrdersParameters extends RangeParameters {
  readonly symbol: string;
  /** The lowest id of the page. Without it, the page contains the newest orders. */
  readonly orderId?: OrderId | undefined;
  readonly origClientOrderId?: string | undefined;
}

/** A page of executions. Without a symbol, it covers all markets. */
export interface ExecutionsParameters extends RangeParameters {
  readonly symbol?: string | undefined;
  readonly orderId?: OrderId | undefined;
  readonly origClientOrderId?: string | undefined;
}

/** A page of managed orders of all markets. */
export interface OpenOrdersParameters extends ActorParameters {
  /** Whether to list ended orders, and legs that wait for their release, too. */
  readonly includeHistory?: boolean | undefined;
  readonly newestFirst?: boolean | undefined;
  readonly limit?: number | undefined;
  /** `nextOrderId` of the previous page; 0 for the first. */
  readonly afterOrderId?: OrderId | undefined;
}

interface NativeBase {
  readonly symbol: string;
  readonly side: "BUY" | "SELL";
  /** Your id of the order: 1-36 letters, digits, `.`, `_` or `-`. The client makes one if you leave it out. */
  readonly newClientOrderId?: string | undefined;
  readonly apiManaged?: false | undefined;
}

/** A plain limit order, which the service passes to its host. */
export interface NativeLimitOrder extends NativeBase {
  readonly type: "LIMIT";
  readonly quantity: string;
  readonly price: string;
  readonly timeInForce?: "GTC" | "IOC" | "FOK" | undefined;
}

/** A market order by quantity. */
export interface NativeMarketOrder extends NativeBase {
  readonly type: "MARKET";
  readonly quantity: string;
}

/** A market order by the amount of USD to spend or to receive. */
export interface NativeMarketOrderByAmount extends NativeBase {
  readonly type: "MARKET";
  readonly quoteOrderQty: string;
}

/** A plain order. */
export type NativeOrderFields = NativeLimitOrder | NativeMarketOrder | NativeMarketOrderByAmount;

/** A managed order to place. The client generates `newClientOrderId` if you leave it out. */
export type NewManagedOrder = ActorParameters & OrderFields;

/** An order to place, and the order of its market whose place it takes. */
export type ReplaceParameters = NewManagedOrder & {
  /** What happens if the order to cancel is unknown or has ended: ALLOW_FAILURE places the new order, STOP_ON_FAILURE does not. */
  readonly cancelReplaceMode: "STOP_ON_FAILURE" | "ALLOW_FAILURE";
  readonly cancelOrderId?: OrderId | undefined;
  readonly cancelOrigClientOrderId?: string | undefined;
  readonly cancelRestrictions?: CancelParameters["cancelRestrictions"];
  /** Id of the cancel itself. */
  readonly cancelNewClientOrderId?: string | undefined;
};

/** A plain order to place. */
export type NewNativeOrder = ActorParameters & NativeOrderFields;

/** A list to place. The client generates `listClientOrderId` if you leave it out. */
export type NewList<Fields> = ActorParameters &
  Omit<Fields, "listClientOrderId"> & { readonly listClientOrderId?: string | undefined };
