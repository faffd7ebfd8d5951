import type { Price, Quantity } from "../decimal/index.ts";
import type { Side } from "./side.ts";

/** Lifetime of a child at the venue. */
export type ChildTimeInForce = "IOC" | "FOK";

/** What is known of an unresolved child: handed over (SENT), confirmed in flight (OPEN), outcome not known (UNKNOWN). */
export type ChildState = "SENT" | "OPEN" | "UNKNOWN";

/** What is handed to the venue. No `limitPrice` means at market. */
export type ChildRequest = Readonly<{
  childId: string;
  parentOrderId: number;
  accountId: number;
  symbol: string;
  side: Side;
  quantity: Quantity;
  limitPrice?: Price;
  timeInForce: ChildTimeInForce;
  reduceOnly: boolean;
}>;

/** An unresolved child of a parent. */
export type ChildOrder = Readonly<{
  childId: string;
  attempt: number;
  quantity: Quantity;
  limitPrice?: Price | undefined;
  executedQuantity: Quantity;
  state: ChildState;
  intendedAtMs: number;
  /** In the venue's time: it is not handed over, nor executed by a venue that honours deadlines, after this. */
  notAfterMs?: number | undefined;
  /** The slot of the schedule it was sent in. */
  slot?: number | undefined;
  /** What was wrong with the last thing the venue said of it; gone when it says something that can be read. */
  problem?: string | undefined;
}>;

/** One execution at the venue. `executionId` is unique per venue. */
export type Fill = Readonly<{ executionId: string; quantity: Quantity; price: Price; timeMs: number }>;

/**
 * How a child was resolved: DONE at the venue, REJECTED (final means that no later attempt can succeed),
 * VOIDED after proof that it never arrived, WITHDRAWN before it was handed over.
 */
export type ChildOutcome = "DONE" | "REJECTED" | "REJECTED_FINAL" | "VOIDED" | "WITHDRAWN";

/** Why a venue did not take a child, where the engine can make use of it. */
export type RefusalMark = "INSUFFICIENT_FUNDS";

/**
 * All that the venue knows of one child. `open`: taken, may still fill. `closed`: nothing more will come.
 * `rejected`: not taken; `final` when no later attempt can succeed, `mark` when the reason is one that the engine knows.
 * Fills are complete each time, not increments.
 */
export type ChildReport = Readonly<{
  childId: string;
  state: "open" | "closed" | "rejected";
  fills: readonly Fill[];
  final?: boolean;
  /** With `rejected`: the account has too little of what the child needs (decision HP). */
  mark?: RefusalMark;
  detail?: string;
}>;
