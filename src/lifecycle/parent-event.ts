import type { Notional, Quantity } from "../decimal/index.ts";
import type { Activation, ChildReport, Fill, Quote } from "../model/index.ts";
import type { Fired } from "../triggers/index.ts";

/**
 * What a child is sent on: the counted quote of now, whether it is fresh, what a reduce-only parent may still reduce,
 * and all executed volume of its market where there is new volume to follow.
 */
export type ExecutionAttempt = Readonly<{
  quote: Quote;
  fresh: boolean;
  exposure?: Quantity;
  volume?: Quantity;
}>;

/** What can happen to a parent. Everything a transition needs is in the event; it asks nobody. */
export type ParentEvent =
  /** Its condition was met on a counted quote. */
  | Readonly<{ kind: "FIRED"; fired: Fired } & ExecutionAttempt>
  /** Its tracking began. */
  | Readonly<{ kind: "ACTIVATED"; activation: Activation }>
  /** The exposure it asked for, with the counted quote of now. */
  | Readonly<{ kind: "MEASURED" } & ExecutionAttempt>
  /** Somebody else's trade was counted that it may follow. */
  | Readonly<{ kind: "PRINTED" } & ExecutionAttempt>
  /** The venue told of a child; `quote` is the counted quote when it is fresh. */
  | Readonly<{ kind: "REPORTED"; report: ChildReport; quote?: Quote }>
  /** The venue told of a child, and not all of it could be read: the executions that could, and what is wrong. */
  | Readonly<{ kind: "REPORT_INVALID"; childId: string; fills: readonly Fill[]; problem: string }>
  /** The outcome of its child is not known. */
  | Readonly<{ kind: "OUTCOME_UNKNOWN"; childId: string }>
  /** An operator says what became of its unknown child. */
  | Readonly<{
      kind: "SETTLED";
      childId: string;
      state: "closed" | "rejected" | "never";
      fills: readonly Fill[];
    }>
  /** It is proved that its child never executes. */
  | Readonly<{ kind: "CHILD_VOIDED"; childId: string }>
  /** Its child was not handed over: price, time or a cancel came in between. */
  | Readonly<{ kind: "CHILD_WITHDRAWN"; childId: string; detail: string }>
  | Readonly<{ kind: "CANCEL" }>
  | Readonly<{ kind: "EXPIRED" }>
  /** The last slot of its schedule has closed. */
  | Readonly<{ kind: "SCHEDULE_OVER" }>
  /** Its working leg filled whole. */
  | Readonly<{ kind: "RELEASED" }>
  /** The other leg of its pair won. */
  | Readonly<{ kind: "SIBLING_WON" }>
  /** Its working leg ended otherwise. */
  | Readonly<{ kind: "WORKING_LEG_ENDED" }>
  /** It ended with fills, and nothing is left that would protect them. */
  | Readonly<{ kind: "UNPROTECTED" }>
  /** A person must be told. */
  | Readonly<{ kind: "ESCALATED"; detail: string }>
  /** A broken invariant was found in it. */
  | Readonly<{ kind: "INVARIANT_BROKEN"; detail: string }>;

/** Rules that hosts set. */
export type Rules = Readonly<{ minimum: Notional; retryMinMs: number; retryMaxMs: number }>;

/**
 * Where and when a transition happens. `listUnknown`: the outcome of a child of another leg of its list is not known,
 * so that nothing of the list is submitted (decision 12). `notAfterMs`: a child intended now is not handed over after
 * this, in the venue's time.
 */
export type TransitionContext = Readonly<{
  sequence: number;
  nowMs: number;
  rules: Rules;
  listUnknown?: true;
  notAfterMs?: number;
}>;

/** What the shell must do once the facts are durable. Watching and timers follow from the state itself. */
export type Effect =
  /** Hand the outstanding child to the venue. */
  | Readonly<{ kind: "SUBMIT" }>
  /** Measure the exposure and come back with MEASURED. */
  | Readonly<{ kind: "MEASURE" }>;
