import type { Price, Quantity } from "../decimal/index.ts";
import type { ChildOrder, ChildOutcome, Fill } from "./child-order.ts";
import type { CountedPrint, QuoteStamp } from "./market.ts";
import type {
  Activation,
  AmendedTerms,
  EndReason,
  ListMembership,
  ParentIntent,
  PendingEnd,
  Replaced,
  SchedulePlan,
  StallCause,
  TerminalStatus,
  Trigger,
} from "./parent-order.ts";

/** Alerts that a person must see. They are counted, logged and sent out as events. */
export type AlertKind =
  | "LATE_FILL"
  | "OVERFILL"
  | "UNKNOWN_ESCALATED"
  | "INVARIANT_BROKEN"
  | "POSITION_UNPROTECTED"
  /** The venue sent an unreadable report on a child. */
  | "VENUE_REPORT_INVALID"
  /** The venue executed beyond the limit that the child was sent with. */
  | "CHILD_BEYOND_LIMIT"
  /** Its condition is met, its market is fresh, and nothing of it has executed for `stalledAfterMs`. */
  | "ORDER_STALLED"
  /** A stalled order has executed something, or its price went away. */
  | "ORDER_RESUMED";

/** One event in the life of one parent. Facts are applied and never decided again, so a replay needs no rules. */
export type Fact =
  | Readonly<{
      kind: "ACCEPTED";
      accountId: number;
      intent: ParentIntent;
      acceptance: number;
      aheadMs?: number;
      admissionPrice?: Price;
      exposure?: Quantity;
      /** The quote at admission did not cross it (post-only). */
      posted?: true;
      plan?: SchedulePlan;
      volumeBefore?: Quantity;
      volumeLogged?: true;
      list?: ListMembership;
      held?: true;
      /** The order in whose place it is. */
      replaces?: Replaced;
    }>
  | Readonly<{ kind: "RELEASED" }>
  | Readonly<{ kind: "POSTED" }>
  | Readonly<{ kind: "ACTIVATED"; activation: Activation }>
  | Readonly<{ kind: "TRIGGERED"; trigger: Trigger }>
  | Readonly<{ kind: "CHILD_INTENDED"; child: ChildOrder; exposure?: Quantity; volume?: Quantity }>
  | Readonly<{ kind: "CHILD_OPEN"; childId: string }>
  /** `problem`: what was unreadable in the venue's report. */
  | Readonly<{ kind: "CHILD_UNKNOWN"; childId: string; problem?: string }>
  | Readonly<{ kind: "FILLED"; childId: string; fill: Fill }>
  | Readonly<{
      kind: "CHILD_CLOSED";
      childId: string;
      outcome: ChildOutcome;
      detail?: string;
      notBeforeMs?: number;
      /** Closed with less than asked: it is looked up after this time, before the next child. */
      lookUpAfterMs?: number;
    }>
  /** `unreplaced`: client id of the order that was not placed in its place. */
  | Readonly<{ kind: "END_REQUESTED"; end: PendingEnd; unreplaced?: string }>
  | Readonly<{ kind: "ENDED"; status: TerminalStatus; reason: EndReason }>
  /** `cause`: of ORDER_STALLED. */
  | Readonly<{ kind: "ALERT"; alert: AlertKind; detail: string; cause?: StallCause }>
  | Readonly<{ kind: "FROZEN" }>
  /**
   * The store was restored from a backup. The order sends nothing until a person says what happened after the backup.
   * Children with attempts up to `attempts` may be at the venue.
   */
  | Readonly<{ kind: "RESTORED"; attempts: number }>
  /** A person said what happened after the backup. */
  | Readonly<{ kind: "RESUMED" }>
  /** The terms in `after` replace those in `before`. `aheadMs`: of the acceptance, for a new expiry. */
  | Readonly<{
      kind: "AMENDED";
      before: AmendedTerms;
      after: AmendedTerms;
      amendId?: string;
      aheadMs?: number;
    }>;

/** Why a record was written. */
export type Cause =
  | Readonly<{ kind: "PLACE" }>
  | Readonly<{ kind: "CANCEL" }>
  | Readonly<{ kind: "AMEND" }>
  | Readonly<{ kind: "QUOTE"; quote: QuoteStamp }>
  | Readonly<{ kind: "TIMER"; timer: "EXPIRY" | "DEADLINE" | "RECONCILE" | "SLOT" | "EXPOSURE" | "STALL" }>
  | Readonly<{ kind: "PRINT"; print: CountedPrint }>
  | Readonly<{ kind: "VENUE"; source: "SUBMIT" | "EVENT" | "LOOKUP" | "VOID" }>
  | Readonly<{ kind: "RECOVERY" }>
  /** A person settled an unknown child. */
  | Readonly<{ kind: "OPERATOR"; by: string; why: string }>;

/** Number of shards. It is part of every managed id, so it never changes. */
export const SHARD_COUNT = 256;

/**
 * Number of the market journal among the shards of a store's leases: the one after the last. It holds prints, quotes and
 * bars, has an owner and an epoch like a shard, and no records.
 */
export const MARKET_SHARD: number = SHARD_COUNT;

/** Returns the shard of a managed id. */
export function shardOfId(orderId: number): number {
  return -orderId % SHARD_COUNT;
}

/** The facts of one parent in one record. `previous` is the sequence of the parent's preceding record, 0 for none. */
export interface ParentChange {
  readonly orderId: number;
  readonly previous: number;
  readonly facts: readonly Fact[];
}

/** One durable step of one shard. `sequence` has no gaps and rises by one per shard. */
export interface JournalRecord {
  readonly shard: number;
  readonly sequence: number;
  readonly timeMs: number;
  readonly cause: Cause;
  readonly changes: readonly ParentChange[];
}
