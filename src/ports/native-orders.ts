import type {
  CancelRestriction,
  NativeExecution,
  NativeFill,
  NativeOrder,
  NativeTerms,
  Rejection,
} from "../model/index.ts";
import type { Awaitable } from "./host.ts";

/** Identifies the request of a placement. */
export interface NativeRequest {
  readonly accountId: number;
  readonly requestKey: string;
}

/**
 * A native order to place. `requestKey` identifies the signed request: the same bytes, sent again, always have the same
 * key.
 */
export type NativePlacement = NativeTerms & NativeRequest;

/** Answer to a placement: the durable order, all its fills so far, and whether this call created it. */
export interface NativePlaced {
  readonly order: NativeOrder;
  readonly fills: readonly NativeFill[];
  readonly created: boolean;
}

/** Identifies native orders of one account and market. */
export type NativeKey = { readonly accountId: number; readonly symbol: string } & (
  | { readonly orderId: bigint }
  | { readonly clientOrderId: string }
);

/**
 * Asks for a page of native orders. Times are of the last change, in epoch milliseconds, both ends included. With
 * `fromOrderId` the page has the lowest ids from there on, without it the highest ids.
 */
export interface NativePage {
  readonly accountId: number;
  readonly symbol: string;
  readonly clientOrderId?: string;
  readonly fromOrderId?: bigint;
  readonly startTimeMs?: number;
  readonly endTimeMs?: number;
  readonly limit: number;
}

/** Asks for at most `limit` open native orders of an account, in one market or in all. */
export interface OpenNativeQuery {
  readonly accountId: number;
  readonly symbol?: string;
  readonly limit: number;
}

/** Asks for the newest `limit` executions. Both ends of the times are included. */
export interface ExecutionQuery {
  readonly accountId: number;
  readonly symbol?: string;
  readonly orderId?: bigint;
  readonly clientOrderId?: string;
  readonly startTimeMs?: number;
  readonly endTimeMs?: number;
  readonly limit: number;
}

/**
 * The host's ordinary order flow. Orders have ids of the host, positive and 64 bits wide. The children of managed
 * parents are among them, under their `aqc-` ids. Reads show durable state only. A rejected read is answered as a
 * failure of the service, never as an empty result (contract, Native order snapshot, Native status and history). Reads
 * may name a market whose instrument was withdrawn, or one that never existed and has no orders.
 */
export interface NativeOrders {
  /** Whether it trades on paper. */
  readonly isPaperTrade: boolean;
  /**
   * Resolves when the order is durable, with any immediate fills. A `requestKey` that was used before answers with
   * the current state of its order, ended or not, for as long as the host keeps it: a signed request that is sent
   * again must not create a second order. A client id that names an open order of the account is refused as
   * DUPLICATE_ORDER; the client id of an ended order may be used again. Rejects with an OrderError to refuse. Any
   * other rejection means that the outcome is unknown.
   */
  place(placement: NativePlacement): Promise<NativePlaced>;
  /**
   * Returns the answer to an earlier request in its current state and with `created` false; undefined when the
   * request placed nothing.
   */
  findRequest(request: NativeRequest): Awaitable<NativePlaced | undefined>;
  /**
   * Cancels the open order of that key. Resolves to the order when the cancel is durable, and to undefined when there
   * is no such order or it has ended. Children of managed parents cannot be canceled here. Rejects as `place` does.
   */
  cancel(key: NativeKey): Promise<NativeOrder | undefined>;
  /**
   * Cancels as `cancel` does, but only if the order meets the restriction at the moment of the cancel. ONLY_NEW:
   * nothing is executed. ONLY_PARTIALLY_FILLED: something is executed. Rejects with an OrderError CANCEL_RESTRICTED for
   * an open order that does not meet it. Without this function, cancelRestrictions of native orders are refused
   * (-1145).
   */
  cancelIf?(key: NativeKey, restriction: CancelRestriction): Promise<NativeOrder | undefined>;
  /** Returns a current or archived order. If several have the same client id, returns the newest. */
  find(key: NativeKey): Awaitable<NativeOrder | undefined>;
  /** Returns one latest snapshot per order, by rising id. */
  page(page: NativePage): Awaitable<readonly NativeOrder[]>;
  /**
   * Returns the open orders, by rising id. Without it, the routes of `/compat/api/v3` that list or cancel the open
   * orders of a market answer 404 -1020.
   */
  open?(query: OpenNativeQuery): Awaitable<readonly NativeOrder[]>;
  /** Returns persisted executions, oldest first. They may outlive the order's own record. */
  executions(query: ExecutionQuery): Awaitable<readonly NativeExecution[]>;
  /**
   * Delivers every execution once it is durable, in order, until the returned function is called. A host that may have
   * missed some, such as after a lost connection to its exchange, calls `missed` before the next one: the service then ends
   * the private streams, so that clients query their orders.
   */
  subscribe(listener: (execution: NativeExecution) => void, missed?: () => void): () => void;
}

/** Asks for the newest `limit` rejections of an account. Times are epoch milliseconds, both ends included. */
export interface RejectionQuery {
  readonly accountId: number;
  readonly symbol?: string;
  readonly clientOrderId?: string;
  readonly startTimeMs?: number;
  readonly endTimeMs?: number;
  readonly limit: number;
}

/** Counts since the process began: rejections that were kept, and those lost to a full queue or a failed write. */
export interface RejectionCounts {
  readonly retained: number;
  readonly lost: number;
}

/**
 * Store of early business rejections of new orders, so that they can be looked up by client id (contract, Errors,
 * "retained per account", and Versioning, ORDER_REJECT_PERSISTENCE_ENABLED).
 */
export interface Rejections {
  /** Retains a rejection. Neither waits nor throws. A rejection may be lost and is then counted. */
  retain(rejection: Rejection): void;
  /** Returns retained rejections, oldest first. A rejected promise is answered as a failure of the service. */
  list(query: RejectionQuery): Awaitable<readonly Rejection[]>;
  readonly counts: RejectionCounts;
}
