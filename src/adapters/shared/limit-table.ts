import type { Awaitable } from "../../ports/index.ts";
import type { StoredBan } from "./limit-counters.ts";

/** Orders of an account on one day. */
export type AccountOrders = Readonly<{ accountId: number; orders: number }>;

/** Orders of an account that one writer has counted. */
export type WrittenOrders = AccountOrders & Readonly<{ writer: number }>;

/**
 * The tables of order counts and bans in a database. Each opening of a limiter is a writer of its own, so that several
 * writers never change the same row of a count. A day is a number of UTC days since the epoch.
 */
export type LimitTable = Readonly<{
  /** Returns the number of a new writer. */
  join(): Awaitable<number>;
  /** Returns the orders of a day by rising account id and writer, after a place. */
  counts(
    page: Readonly<{ day: number; afterAccount: number; afterWriter: number; limit: number }>,
  ): Awaitable<readonly WrittenOrders[]>;
  /** Returns bans by their end and address, after a place. */
  bans(
    page: Readonly<{ afterMs: number; afterAddress: string; limit: number }>,
  ): Awaitable<readonly StoredBan[]>;
  /** Replaces the counts of a writer unless a later write has; `write` is the number of the write. */
  putCounts(
    counts: Readonly<{ day: number; writer: number; write: number; orders: readonly AccountOrders[] }>,
  ): Awaitable<void>;
  /** Keeps bans, of each address the one that ends last. */
  putBans(bans: readonly StoredBan[]): Awaitable<void>;
  /** Deletes at most `limit` counts of earlier days, and as many bans of earlier ends. Returns the number of both. */
  forget(range: Readonly<{ beforeDay: number; endedBeforeMs: number; limit: number }>): Awaitable<number>;
  /** Returns the end of the ban that has `most` bans ending after it; undefined if there are not so many. */
  endOfOldest(most: number): Awaitable<number | undefined>;
}>;
