import type { Rejection } from "../model/index.ts";
import type { Awaitable } from "./host.ts";

/** Asks for the newest `limit` rejections of an account; times both ends included, epoch milliseconds. */
export type RejectionQuery = Readonly<{
  accountId: number;
  symbol?: string;
  clientOrderId?: string;
  startTimeMs?: number;
  endTimeMs?: number;
  limit: number;
}>;

/** Since the process began: rejections that were kept, and those that were lost to a full queue or a failed write. */
export type RejectionCounts = Readonly<{ retained: number; lost: number }>;

/**
 * Keeps early business rejections of new orders, so that they can be looked up by client id.
 * Source: contract, Errors ("retained per account") and Versioning (ORDER_REJECT_PERSISTENCE_ENABLED).
 */
export type Rejections = {
  /** Takes one in; neither waits nor throws. It may be lost, and is counted then. */
  retain(rejection: Rejection): void;
  /** What is retained, oldest first. A rejected promise is answered as a failure of the service. */
  list(query: RejectionQuery): Awaitable<readonly Rejection[]>;
  readonly counts: RejectionCounts;
};
