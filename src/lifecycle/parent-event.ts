import { hasExecuted, type Notional, type Price, type Quantity } from "../decimal/index.ts";
import type {
  Activation,
  AmendedTerms,
  ChildReport,
  Fill,
  ParentOrder,
  Quote,
  StallCause,
  TerminalStatus,
} from "../model/index.ts";
import type { Fired } from "../triggers/index.ts";
import type { Part, WaitReason } from "./child-size.ts";

/** Public status of a parent (contract, managed order fields). */
export type OrderStatus = "NEW" | "PARTIALLY_FILLED" | "PENDING_NEW" | TerminalStatus;

/** Public state of a parent's management (contract, managed order fields). */
export type ApiState = "WAITING" | "WORKING" | "UNKNOWN" | TerminalStatus;

/** The four public members that describe the state of a parent. */
export interface StatusView {
  readonly status: OrderStatus;
  readonly apiState: ApiState;
  readonly held: boolean;
  readonly cancelPending: boolean;
}

/**
 * Returns status, apiState, held and cancelPending of a parent. This is the one table of allowed pairs (I51; contract
 * "States and transitions").
 *
 *
 * @example
 * ```ts
 * import { type ParentOrder, statusOf } from "managed-orders";
 * const line = (order: ParentOrder): string => `${statusOf(order).status} ${statusOf(order).apiState}`;
 * ```
 */
export function statusOf(order: ParentOrder): StatusView {
  if (order.ended !== undefined) {
    const status = order.ended.status;
    return { status, apiState: status, held: false, cancelPending: false };
  }
  if (order.held) return { status: "PENDING_NEW", apiState: "WAITING", held: true, cancelPending: false };
  return {
    status: hasExecuted(order) ? "PARTIALLY_FILLED" : "NEW",
    apiState: apiStateOf(order),
    held: false,
    cancelPending: order.pendingEnd?.status === "CANCELED",
  };
}

function apiStateOf(order: ParentOrder): ApiState {
  if (order.child === undefined) return "WAITING";
  return order.child.state === "UNKNOWN" ? "UNKNOWN" : "WORKING";
}

/**
 * Inputs of an execution attempt: the current counted quote, whether it is fresh, what a reduce-only parent may still
 * reduce, and all executed volume of its market if there is new volume to follow.
 */
export interface ExecutionAttempt {
  readonly quote: Quote;
  readonly fresh: boolean;
  readonly exposure?: Quantity;
  readonly volume?: Quantity;
}

/** Executions of a child. */
export interface ChildFills {
  readonly childId: string;
  readonly fills: readonly Fill[];
}

/** An event of a parent. It contains everything that a transition needs, so a transition queries nothing. */
export type ParentEvent =
  /** Its condition was met on a counted quote. */
  | Readonly<{ kind: "FIRED"; fired: Fired } & ExecutionAttempt>
  /** It became active and began to trail. */
  | Readonly<{ kind: "ACTIVATED"; activation: Activation }>
  /** The exposure that it asked for was measured, with the current counted quote. */
  | Readonly<{ kind: "MEASURED" } & ExecutionAttempt>
  /** An external trade was counted that it may follow. */
  | Readonly<{ kind: "PRINTED" } & ExecutionAttempt>
  /**
   * The venue reported on a child. `quote` is the counted quote when it is fresh. `lookUpAfterMs`: if this closes the child
   * with less than asked, it is looked up after that time, before the next child.
   */
  | Readonly<{
      kind: "REPORTED";
      report: ChildReport;
      quote?: Quote | undefined;
      lookUpAfterMs?: number | undefined;
    }>
  /**
   * The venue reported on a child, and the report is partly unreadable. `fills` are the readable executions, and
   * `problem` says what is wrong.
   */
  | Readonly<{ kind: "REPORT_INVALID"; childId: string; fills: readonly Fill[]; problem: string }>
  /** The outcome of its child is unknown. */
  | Readonly<{ kind: "OUTCOME_UNKNOWN"; childId: string }>
  /** An operator settles its unknown child. */
  | Readonly<{
      kind: "SETTLED";
      childId: string;
      state: "closed" | "rejected" | "never";
      fills: readonly Fill[];
    }>
  /**
   * An operator resumes it after a restore. `children` are the executions that the venue has of its children, by their
   * ids.
   */
  | Readonly<{ kind: "RESUMED"; children: readonly ChildFills[] }>
  /** It is proved that its child can never execute. */
  | Readonly<{ kind: "CHILD_VOIDED"; childId: string }>
  /**
   * Its child was not handed over because price, time or a cancel came in between. `atOnce`: nothing came in between, another
   * engine is to send the next child, and without a pause.
   */
  | Readonly<{ kind: "CHILD_WITHDRAWN"; childId: string; detail: string; atOnce?: boolean }>
  /**
   * `unreplaced`: client id of the order that is to be placed in its place, and is not if a child is in flight. `alone`: the
   * order was named by its own id: the entry of a bracket then ends alone, and leaves exits for what it has executed.
   */
  | Readonly<{ kind: "CANCEL"; unreplaced?: string; alone?: boolean }>
  /** Its owner changes these terms, and admission agrees. `aheadMs` is that of a new expiry. */
  | Readonly<{ kind: "AMEND"; terms: AmendedTerms; amendId?: string; aheadMs?: number | undefined }>
  /** `atMs`: the expiry that its timer was for, in engine time. */
  | Readonly<{ kind: "EXPIRED"; atMs?: number }>
  /** The last slot of its schedule has closed. */
  | Readonly<{ kind: "SCHEDULE_OVER" }>
  /** Its working leg filled completely. */
  | Readonly<{ kind: "RELEASED" }>
  /** The other leg of its pair won. */
  | Readonly<{ kind: "SIBLING_WON" }>
  /** The position that it would reduce is gone. */
  | Readonly<{ kind: "NOTHING_TO_REDUCE" }>
  /** The position that another leg of its list would have reduced is gone, and it reduces the same. */
  | Readonly<{ kind: "SIBLING_HAS_NOTHING" }>
  /** Its working leg ended without filling completely. */
  | Readonly<{ kind: "WORKING_LEG_ENDED" }>
  /** It ended with fills, and no order is left that would protect them. */
  | Readonly<{ kind: "UNPROTECTED"; detail?: string }>
  /** It is the stop of a bracket whose take-profits have executed whole. */
  | Readonly<{ kind: "STOP_MOVED"; stopPrice: Price }>
  /** A person must be alerted. */
  | Readonly<{ kind: "ESCALATED"; detail: string }>
  /**
   * Its condition was met for `stalledAfterMs`, and nothing of it has executed. `wait` is why it sent nothing on the last
   * quote, which its story goes on to show.
   */
  | Readonly<{ kind: "STALLED"; cause: StallCause; detail: string; wait: WaitReason | undefined }>
  /** It was stalled, and its condition is not met any more. */
  | Readonly<{ kind: "STALL_OVER"; wait: WaitReason | undefined }>
  /** A broken invariant was found in it. */
  | Readonly<{ kind: "INVARIANT_BROKEN"; detail: string }>;

/** Rules that the host sets. */
export interface Rules {
  readonly minimum: Notional;
  readonly retryMinMs: number;
  readonly retryMaxMs: number;
  /**
   * Whether an entry that ends because its rest is below the minimum releases its exits, each for at most what was
   * executed.
   */
  readonly residualCountsAsFilled?: boolean;
}

/**
 * Position and time of a transition. `listUnknown`: the outcome of a child of its list is unknown, so that no other
 * child of the list is submitted. `notAfterMs`: a child intended now is not handed over after this, in the venue's time.
 * `releasedFor`: the most that the parent may execute in all, because its entry ended with less than its quantity, or of what
 * its list shares. `part` is then set. `isLookedUp`: whether nothing more is to be known of a child that closed early; without it
 * each may still execute.
 */
export interface TransitionContext {
  readonly sequence: number;
  readonly nowMs: number;
  readonly rules: Rules;
  readonly listUnknown?: true;
  readonly notAfterMs: number;
  readonly releasedFor?: Quantity;
  readonly part?: Part;
  /** Takes the id of a leg. */
  readonly isLookedUp?: (orderId: number) => boolean;
}

/** An action that must follow once the facts are durable. Watching and timers follow from the state itself. */
export type Effect =
  /** Hand the outstanding child to the venue. */
  | Readonly<{ kind: "SUBMIT" }>
  /** Measure the exposure, then post MEASURED. */
  | Readonly<{ kind: "MEASURE" }>;
