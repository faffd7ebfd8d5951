import type { Price, Quantity } from "../decimal/index.ts";
import type { Side } from "./side.ts";

/** Lifetime of a child at the venue. */
export type ChildTimeInForce = "IOC" | "FOK";

/**
 * State of an unresolved child: handed over (SENT), confirmed in flight (OPEN), or with an unknown outcome (UNKNOWN).
 */
export type ChildState = "SENT" | "OPEN" | "UNKNOWN";

/** The order that the venue receives. Without `limitPrice` it is at market. */
export interface ChildRequest {
  readonly childId: string;
  readonly parentOrderId: number;
  readonly accountId: number;
  readonly symbol: string;
  readonly side: Side;
  readonly quantity: Quantity;
  readonly limitPrice?: Price;
  readonly timeInForce: ChildTimeInForce;
  readonly reduceOnly: boolean;
}

/** An unresolved child of a parent. */
export interface ChildOrder {
  readonly childId: string;
  readonly attempt: number;
  readonly quantity: Quantity;
  readonly limitPrice?: Price | undefined;
  readonly executedQuantity: Quantity;
  /** What was executed below one step of a quantity, in units of 10^-18; absent if there is nothing. */
  readonly executedFine?: number | undefined;
  readonly state: ChildState;
  readonly intendedAtMs: number;
  /**
   * In the venue's time. After this the child is not handed over, and a venue that honours deadlines does not execute
   * it.
   */
  readonly notAfterMs: number;
  /** The slot of the schedule in which it was sent. */
  readonly slot?: number | undefined;
  /**
   * What is wrong with what the venue has said of it: the first problem of an unreadable report, or that its outcome was lost
   * after a report. "Not found" settles nothing then. Removed when a readable report comes.
   */
  readonly problem?: string | undefined;
}

/** One execution at the venue. `executionId` is unique among the executions of its child. */
export interface Fill {
  readonly executionId: string;
  readonly quantity: Quantity;
  /**
   * The part of the quantity below 10^-6, in units of 10^-18: 1 to 10^12 - 1. Absent if there is none. `Quantity.parseFact`
   * returns both members.
   */
  readonly fine?: number;
  readonly price: Price;
  readonly timeMs: number;
}

/**
 * How a child was resolved: DONE at the venue, REJECTED (final means that no later attempt can succeed), VOIDED after
 * proof that it never arrived, WITHDRAWN before it was handed over.
 */
export type ChildOutcome = "DONE" | "REJECTED" | "REJECTED_FINAL" | "VOIDED" | "WITHDRAWN";

/** Why a venue refused a child, if the engine acts on the reason. */
export type RefusalMark = "INSUFFICIENT_FUNDS";

/**
 * All that the venue knows of one child. `open`: accepted, may still fill. `closed`: will execute nothing more.
 * `rejected`: not accepted, so nothing of it was executed; `final` when no later attempt can succeed, `mark` when the
 * engine acts on the reason. Each report contains all fills, not increments.
 */
export interface ChildReport {
  readonly childId: string;
  readonly state: "open" | "closed" | "rejected";
  readonly fills: readonly Fill[];
  readonly final?: boolean;
  /** With `rejected`: the account has too little of the asset that the child needs (decision HP). */
  readonly mark?: RefusalMark;
  readonly detail?: string;
}
