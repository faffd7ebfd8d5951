import { add, type Quantity, subtract, ZERO_QUANTITY } from "../../decimal/index.ts";
import type { ChildReport, ChildRequest, Fill } from "../../model/index.ts";

/** What really became of a child, whatever the engine was told. */
export type Row = {
  readonly child: ChildRequest;
  /** The generation of the process that submitted it; 0 for an id that was voided before. */
  readonly by: number;
  readonly submittedAtMs: number;
  readonly deadlineMs: number;
  /** On its way: it arrives at this time, unless that is past its deadline and the venue honours that. */
  arrivesAtMs: number | undefined;
  state: "never" | "open" | "closed" | "rejected" | "voided";
  final: boolean;
  /** Executed, in order; those from `shown` on were not told yet. */
  readonly fills: Fill[];
  shown: number;
  /** What was told of it so far. */
  readonly told: ChildReport[];
  /** A look-up said that it is not there. */
  denied: boolean;
  /** Look-ups do not find it until then. */
  hiddenUntilMs: number;
  /** When something happened to it, or somebody asked for it. */
  touchedAtMs: number;
  /** The venue no longer knows it; what became of it stays true. */
  forgotten: boolean;
  /** It was told to be closed before all of its fills were told: whoever listens later is told again. */
  late: boolean;
};

/** A row of a child that has just been submitted. */
export function newRow(child: ChildRequest, rest: Pick<Row, "by" | "submittedAtMs" | "deadlineMs">): Row {
  return {
    child,
    ...rest,
    arrivesAtMs: undefined,
    state: "never",
    final: false,
    fills: [],
    shown: 0,
    told: [],
    denied: false,
    hiddenUntilMs: 0,
    touchedAtMs: rest.submittedAtMs,
    forgotten: false,
    late: false,
  };
}

/** Everything that was executed of a child, told or not. */
export function executedOf({ fills }: Row): Quantity {
  return fills.reduce((sum, fill) => add(sum, fill.quantity), ZERO_QUANTITY);
}

/** What is left of a child. */
export function leftOf(row: Row): Quantity {
  return subtract(row.child.quantity, executedOf(row));
}

/** Whether a child is settled and everything of it was told, to somebody who could take it in. */
export function isTold({ state, fills, shown, late, arrivesAtMs }: Row): boolean {
  const isOver = (state === "closed" || state === "rejected") && arrivesAtMs === undefined;
  return isOver && shown === fills.length && !late;
}

/** All that the venue tells of a child. Half of those that it refuses for now lack funds. */
export function reportOf({ child, state, fills, shown, final }: Row): ChildReport {
  const told = state === "never" || state === "voided" ? "closed" : state;
  const isShort =
    state === "rejected" && !final && child.childId.charCodeAt(child.childId.length - 3) % 2 === 0;
  return {
    childId: child.childId,
    state: told,
    fills: fills.slice(0, shown),
    ...(final && { final }),
    ...(isShort && { mark: "INSUFFICIENT_FUNDS" as const }),
  };
}
