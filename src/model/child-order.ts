import type { Price, Quantity } from "../decimal/index.ts";
import type { Side } from "./side.ts";

/** Lifetime of a child at the venue. */
export type ChildTimeInForce = "IOC" | "FOK";

/**
 * State of an unresolved child: handed over (SENT), confirmed in flight (OPEN), or with an unknown outcome (UNKNOWN).
 */
export type ChildState = "SENT" | "OPEN" | "UNKNOWN";

/** The order that the venue receives. Without `limitPrice` it is at market. */
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
  /**
   * In the venue's time. After this the child is not handed over, and a venue that honours deadlines does not execute
   * it.
   */
  notAfterMs?: number | undefined;
  /** The slot of the schedule in which it was sent. */
  slot?: number | undefined;
  /** First problem of an unreadable report on it. Removed when a readable report comes. */
  problem?: string | undefined;
}>;

/** One execution at the venue. `executionId` is unique per venue. */
export type Fill = Readonly<{ executionId: string; quantity: Quantity; price: Price; timeMs: number }>;

/**
 * How a child was resolved: DONE at the venue, REJECTED (final means that no later attempt can succeed), VOIDED after
 * proof that it never arrived, WITHDRAWN before it was handed over.
 */
export type ChildOutcome = "DONE" | "REJECTED" | "REJECTED_FINAL" | "VOIDED" | "WITHDRAWN";

/** Why a venue refused a child, if the engine acts on the reason. */
export type RefusalMark = "INSUFFICIENT_FUNDS";

/**
 * All that the venue knows of one child. `open`: accepted, may still fill. `closed`: nothing more will come.
 * `rejected`: not accepted; `final` when no later attempt can succeed, `mark` when the engine acts on the reason.
 * Each report contains all fills, not increments.
 */
export type ChildReport = Readonly<{
  childId: string;
  state: "open" | "closed" | "rejected";
  fills: readonly Fill[];
  final?: boolean;
  /** With `rejected`: the account has too little of the asset that the child needs (decision HP). */
  mark?: RefusalMark;
  detail?: string;
}>;
