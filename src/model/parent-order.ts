import type { Notional, NumberRow, Price, Quantity } from "../decimal/index.ts";
import type { ChildOrder, ChildTimeInForce } from "./child-order.ts";
import type { ExecutionIds } from "./execution-ids.ts";
import type { ListMembership } from "./list-membership.ts";
import type { ParentType } from "./order-types.ts";
import type { Side } from "./side.ts";

/** Lifetime of a parent. */
export type TimeInForce = "GTC" | "GTD";

/** Distance of a trailing trigger: basis points, percent (1e-8 steps of one percent) or USD. */
export type TrailingDistance =
  | Readonly<{ kind: "bps"; bps: number }>
  | Readonly<{ kind: "percent"; percent: Price }>
  | Readonly<{ kind: "amount"; amount: Price }>;

/**
 * The schedule of a TWAP or VWAP as requested. A TWAP has an intervalCount and no weights. A VWAP with an explicit
 * profile has both. Without weights, they come from the service's own volumes at admission.
 */
export interface ScheduleTerms {
  readonly intervalMs: number;
  readonly intervalCount?: number;
  readonly intervalDelayMs: number;
  /** Whole numbers of at least 0, one per interval. */
  readonly weights?: NumberRow<number>;
}

/** The caller's request in canonical form: aliases, defaults and decimals resolved. It never changes. */
export interface ParentIntent {
  readonly symbol: string;
  readonly side: Side;
  readonly type: ParentType;
  readonly quantity: Quantity;
  readonly price?: Price;
  readonly stopPrice?: Price;
  readonly trailing?: TrailingDistance;
  readonly limitOffset?: Price;
  /** Most that one child shows and takes. */
  readonly icebergQuantity?: Quantity;
  /** TWAP and VWAP only. */
  readonly schedule?: ScheduleTerms;
  /** POV only: share of the executed volume in basis points. */
  readonly participationBips?: number;
  readonly timeInForce: TimeInForce;
  readonly expireTimeMs?: number;
  readonly reduceOnly: boolean;
  readonly childTimeInForce: ChildTimeInForce;
  readonly clientOrderId: string;
}

/** How a parent ended. */
export type TerminalStatus = "FILLED" | "CANCELED" | "EXPIRED" | "REJECTED";

/** Why a parent ended. It appears in events and the journal, never in snapshots (decision 15). */
export type EndReason =
  | "FILLED"
  | "USER_CANCELED"
  | "EXPIRED_GTD"
  | "RESIDUAL_BELOW_MIN_NOTIONAL"
  | "REJECTED_BY_VENUE"
  | "OVERFILL"
  /** The venue executed beyond the limit of a child. */
  | "BEYOND_LIMIT"
  /** The last slot of a TWAP has closed. */
  | "SCHEDULE_ENDED"
  /** A post-only order met a first quote that would cross it. */
  | "WOULD_MATCH_IMMEDIATELY"
  /** The other leg of its OCO won. */
  | "OCO_TRIGGER"
  /** The working leg it waited for ended without a full fill. */
  | "WORKING_LEG_ENDED"
  /** The position that it, or a reduce-only leg of its list, would have reduced is gone. */
  | "NOTHING_TO_REDUCE";

/**
 * The activation of a trailing trigger: its position in the market journal, and the price that seeded the reference.
 */
export interface Activation {
  readonly position: number;
  readonly seed: Price;
}

/**
 * The firing of a trigger: the compared level and quote price, the reference if it trails, the frozen limit if it is
 * dynamic.
 */
export interface Trigger {
  readonly level: Price;
  readonly observed: Price;
  readonly reference?: Price;
  readonly limit?: Price;
  readonly atMs: number;
}

/**
 * The slots of a schedule, frozen at admission. Slot k (from 0) opens at `startsAtMs` + k · `intervalMs` and closes
 * when the next opens. `cumulative` holds the sums of the weights up to and including each slot. Without it all slots
 * weigh the same.
 */
export interface SchedulePlan {
  readonly startsAtMs: number;
  readonly intervalMs: number;
  readonly count: number;
  readonly cumulative?: NumberRow;
}

/** The end that is due when the outcome of a child in flight is known. */
export interface PendingEnd {
  readonly status: "CANCELED" | "EXPIRED";
  readonly reason: EndReason;
}

/** Why a parent whose condition is met sends nothing that executes (decision 51). */
export type StallCause =
  /** The venue refuses its children, or closes them without an execution. */
  | "REFUSED"
  /** What it could send is worth less than the minimum. */
  | "BELOW_MINIMUM"
  /** The account has not enough of an asset. */
  | "NO_FUNDS"
  /** The store answers later than its children may go out. */
  | "STORE_SLOW"
  /** The rate of the venue leaves no room for its children in time. */
  | "RATE"
  /** The exposure that it reduces is not known, or there is none. */
  | "WAITING_FOR_EXPOSURE"
  /** The market offers nothing inside its limit, or not the whole of an FOK child. */
  | "LIMIT"
  /** The order, its list or its account is stopped until a person, or a look-up, settles it. */
  | "HALTED";

/** The alert ORDER_STALLED that stands for a parent, or was over without an execution. */
export interface Stall {
  readonly cause: StallCause;
  /** When it was last raised. */
  readonly alertedAtMs: number;
  readonly over?: true | undefined;
}

/** Longest time that a venue is given to execute after it has closed a child. */
export const MOST_CLOSE_WAIT_MS = 30_000;

/** A child that the venue closed with less than asked: perhaps too early. */
export interface EarlyClose {
  /** The child, while it must be looked up before the next one. */
  readonly child?: ChildOrder | undefined;
  /** When it was closed. */
  readonly atMs: number;
  /** How long executions may follow: what the venue was given, or took. */
  readonly waitMs: number;
}

/** How a parent ended, and when. */
export interface ParentEnd {
  readonly status: TerminalStatus;
  readonly reason: EndReason;
  readonly atMs: number;
}

/**
 * A managed parent order: its intent and everything that happened to it, as one immutable value. `orderId` is
 * negative. `lastSequence` is the journal sequence of its last record in its shard. An optional member may also be
 * present as undefined, with the same meaning.
 */
export interface ParentOrder {
  readonly orderId: number;
  readonly accountId: number;
  readonly intent: ParentIntent;
  /** In engine time, as every time of a parent except those of its intent. */
  readonly acceptedAtMs: number;
  /** Rises with every acceptance of an engine, so it orders acceptances. */
  readonly acceptance: number;
  /** For a GTD parent: how far engine time was ahead of a wall clock that was set back, at its acceptance. */
  readonly aheadMs?: number | undefined;
  readonly updatedAtMs: number;
  readonly lastSequence: number;
  readonly activation?: Activation | undefined;
  readonly trigger?: Trigger | undefined;
  /** Its place in an order list. */
  readonly list?: ListMembership | undefined;
  /** Set on a pending leg that its working leg has not released. */
  readonly held?: true | undefined;
  /** When its working leg released it. */
  readonly releasedAtMs?: number | undefined;
  /**
   * Set once a counted quote did not cross this post-only order. From then on it executes when the market reaches its
   * price.
   */
  readonly postOnlyCleared?: true | undefined;
  readonly plan?: SchedulePlan | undefined;
  /** First slot of the plan that may still be used, 0 when absent. Earlier slots were used or have passed. */
  readonly nextSlot?: number | undefined;
  /** POV: executed volume of its market before its admission. */
  readonly volumeBefore?: Quantity | undefined;
  /** Set if `volumeBefore` is the total of the market's own log, and not that of the counted prints. */
  readonly volumeLogged?: true | undefined;
  /** The one unresolved child. */
  readonly child?: ChildOrder | undefined;
  /** The newest child that the venue closed with less than asked. */
  readonly earlyClose?: EarlyClose | undefined;
  /** Problems of unreadable reports that were reported already: child and problem, each once. */
  readonly invalidReports?: readonly string[] | undefined;
  /** Present from the alert ORDER_STALLED until something of it executes, or it ends. */
  readonly stall?: Stall | undefined;
  /** Number of children intended so far, which is the number of the latest child. */
  readonly attempts: number;
  /** Number of consecutive children that filled nothing. It sets the pace of retries. */
  readonly consecutiveUnfilled: number;
  /** No child is sent before this time (retry pace). */
  readonly notBeforeMs: number;
  /** Sum of the quantities of all fills, rounded down to whole steps. */
  readonly executedQuantity: Quantity;
  /** What is below one step of it, in units of 10^-18; absent if there is nothing. */
  readonly executedFine?: number | undefined;
  /** Sum of price · quantity over all fills, in USD, rounded down to whole steps. */
  readonly executedNotional: Notional;
  /** What is below one step of it, in units of 10^-26 USD; absent if there is nothing. */
  readonly notionalFine?: number | undefined;
  /** Executions counted so far, each once (I15). */
  readonly executions: ExecutionIds;
  readonly lastChildId?: string | undefined;
  /** End requested while a child is in flight. */
  readonly pendingEnd?: PendingEnd | undefined;
  readonly ended?: ParentEnd | undefined;
  /** Stopped by a broken invariant or an overfill: it sends no more children. */
  readonly frozen?: true | undefined;
  /** Open in a backup from which the store was restored: it sends nothing until a person resumes it. */
  readonly restored?: true | undefined;
}
