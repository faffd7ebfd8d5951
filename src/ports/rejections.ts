import type { Rejection } from "../model/index.ts";
import type { Awaitable } from "./host.ts";

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
