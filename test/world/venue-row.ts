import { FINE_LIMIT, normalise, type Quantity } from "../../src/decimal/index.ts";
import type { ChildReport, ChildRequest, Fill } from "../../src/model/index.ts";

/** Returns an executed quantity in units of 10^-18. What was executed is counted in these everywhere in a world. */
export const exactOf = ({ quantity, fine = 0 }: Pick<Fill, "quantity" | "fine">): bigint =>
  BigInt(quantity) * BigInt(FINE_LIMIT) + BigInt(fine);

/** Returns the whole steps of an exact quantity. */
export const stepsOf = (exact: bigint): Quantity => normalise(exact / BigInt(FINE_LIMIT)) as Quantity;

/**
 * What a reduce-only child may exceed a position by: positions are told in whole steps, and executions finer than these leave two
 * of them unknown.
 */
export const UNREPORTED: bigint = 2n * BigInt(FINE_LIMIT);

/** The true state of a child, whatever the engine was told. */
export type Row = {
  readonly child: ChildRequest;
  /** The generation of the process that submitted it; 0 for an id that was voided before. */
  readonly by: number;
  readonly submittedAtMs: number;
  /** Time at which its process handed it over, which may have stopped before the child was on the wire. */
  readonly requestedAtMs: number;
  /** In true time, like all times of a row. */
  readonly deadlineMs: number;
  /** Time at which a child in transit arrives, unless that is past its deadline and the venue honours the deadline. */
  arrivesAtMs: number | undefined;
  state: "never" | "open" | "closed" | "rejected" | "voided";
  final: boolean;
  /** Executions in order. Those from `shown` on are not reported yet. */
  readonly fills: Fill[];
  shown: number;
  /** Reports sent so far. */
  readonly reported: ChildReport[];
  /** Whether a look-up answered that it does not exist. */
  denied: boolean;
  /** Look-ups do not find it until this time. */
  hiddenUntilMs: number;
  /** Time of its last change or look-up. */
  touchedAtMs: number;
  /** Whether the venue no longer knows it. Its outcome stays true. */
  forgotten: boolean;
  /** Time at which it was closed, and until when the venue may go on to execute it all the same. */
  closedAtMs: number;
  followsUntilMs: number;
  /** Whether it was closed, or told to be, before its last execution. */
  early: boolean;
  /** The last answer to a look-up that each process has heard after the close: when it was asked, and its executions. */
  readonly answered: Map<number, Readonly<{ requestedAtMs: number; fills: number }>>;
  /** Whether it was reported as closed before all of its fills were. Later subscribers receive its report again. */
  late: boolean;
};

/** Returns the row of a child that has just been submitted. */
export function newRow(
  child: ChildRequest,
  rest: Pick<Row, "by" | "requestedAtMs" | "submittedAtMs" | "deadlineMs">,
): Row {
  return {
    child,
    ...rest,
    arrivesAtMs: undefined,
    state: "never",
    final: false,
    fills: [],
    shown: 0,
    reported: [],
    denied: false,
    hiddenUntilMs: 0,
    touchedAtMs: rest.submittedAtMs,
    forgotten: false,
    closedAtMs: Number.POSITIVE_INFINITY,
    followsUntilMs: Number.NEGATIVE_INFINITY,
    early: false,
    answered: new Map(),
    late: false,
  };
}

/** Returns the executed quantity of a child, reported or not. */
export function executedOf({ fills }: Row): bigint {
  return fills.reduce((sum, fill) => sum + exactOf(fill), 0n);
}

/** Returns the whole steps that remain of a child. */
export function leftOf(row: Row): Quantity {
  return stepsOf(exactOf(row.child) - executedOf(row));
}

/** Returns whether a child is settled and fully reported to a process that could receive it. */
export function isReported({ state, fills, shown, late, arrivesAtMs }: Row): boolean {
  const isOver = (state === "closed" || state === "rejected") && arrivesAtMs === undefined;
  return isOver && shown === fills.length && !late;
}

/** Returns the venue's full report of a child. Half of the children that it refuses temporarily lack funds. */
export function reportOf({ child, state, fills, shown, final }: Row): ChildReport {
  const reported = state === "never" || state === "voided" ? "closed" : state;
  const isShort =
    state === "rejected" && !final && child.childId.charCodeAt(child.childId.length - 3) % 2 === 0;
  return {
    childId: child.childId,
    state: reported,
    fills: fills.slice(0, shown),
    ...(final && { final }),
    ...(isShort && { mark: "INSUFFICIENT_FUNDS" as const }),
  };
}
