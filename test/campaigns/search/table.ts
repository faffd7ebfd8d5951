import type { Fact, ParentOrder } from "../../../src/model/index.ts";
import type { Decision } from "./rules.ts";

/** A transition as the table shows it: the open legs, their states, the event, their states after it. */
export type Row = Readonly<{
  open: string;
  before: string;
  event: string;
  after: string;
}>;

/** Collects the transitions that searches see, each once. */
export class TransitionTable {
  readonly #rows: Map<string, Row> = new Map();

  see(decision: Decision): void {
    for (const row of rowsOf(decision)) this.add(row);
  }

  add(row: Row): void {
    this.#rows.set(Object.values(row).join("|"), row);
  }

  get rows(): readonly Row[] {
    return [...this.#rows.values()];
  }

  /** Formats the lines of the table: rows that differ only in the event are merged. */
  get lines(): readonly string[] {
    const groups = new Map<string, Row[]>();
    for (const row of this.#rows.values()) {
      const key = [row.open, row.before, row.after].join("|");
      groups.set(key, [...(groups.get(key) ?? []), row]);
    }
    const lines = [...groups.values()].map(lineOf).sort((a, b) => compare(a.order, b.order));
    return ["| open legs | before | what happens | after |", RULE, ...lines.map(({ text }) => text)];
  }
}

const RULE = "| --- | --- | --- | --- |";
const OPEN = ["one leg", "protective, profit", "working, held", "working, protective, profit"];
const STATES = [
  "held",
  "waiting",
  "triggered",
  "child out",
  "child out (expiring)",
  "child out (canceling)",
  "unknown",
  "unknown (expiring)",
  "unknown (canceling)",
  "FILLED",
  "CANCELED",
  "EXPIRED",
  "REJECTED",
];
const EVENTS = [
  "first quote crosses it",
  "trigger fires",
  "trigger fires and a child is sent",
  "child is sent",
  "rest too small",
  "rest too small, which counts as filled",
  "expiry",
  "cancel",
  "not handed over",
  "no answer",
  "venue has the child",
  "child done",
  "child done, rest too small",
  "child done, rest too small, which counts as filled",
  "child fills all that its entry did",
  "child done, after expiry",
  "child rejected",
  "child refused for good",
  "child proved lost",
  "child fills the rest",
  "late fill completes it",
  "child resolved, when a late fill had completed it",
  "overfill",
];

const placesIn = (states: string): readonly number[] =>
  states.split(", ").map((state) => STATES.indexOf(state));

function compare(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((value, index) => value !== b[index]);
  return at < 0 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
}

function lineOf(rows: readonly Row[]): Readonly<{ text: string; order: readonly number[] }> {
  const { open = "", before = "", after = "" } = rows[0] ?? {};
  const events = [...new Set(rows.map(({ event }) => event))].sort(
    (a, b) => EVENTS.indexOf(a) - EVENTS.indexOf(b),
  );
  return {
    text: `| ${open} | ${before} | ${events.join("; ")} | ${after} |`,
    order: [OPEN.indexOf(open), ...placesIn(before), ...placesIn(after)],
  };
}

type OpenLeg = Readonly<{ name: string; isWhole: boolean; before: string; after: string }>;

/**
 * The rows of a decision: none if no leg changes its state. A working leg that has filled completely and waits for the
 * outcome of a last child is independent of the legs that it released: a row for each.
 */
function rowsOf(decision: Decision): readonly Row[] {
  const legs = openLegs(decision);
  const event = eventOf(decision);
  const parts = [legs.filter(({ isWhole }) => isWhole), legs.filter(({ isWhole }) => !isWhole)];
  return parts.flatMap((part): Row[] => {
    const shown = withHeldAsOne(part);
    const before = shown.map((leg) => leg.before).join(", ");
    const after = shown.map((leg) => leg.after).join(", ");
    const open = shown.length === 1 ? "one leg" : shown.map(({ name }) => name).join(", ");
    return before === after ? [] : [{ open, before, event, after }];
  });
}

/** The legs that have not ended. */
function openLegs({ form, before, after }: Decision): readonly OpenLeg[] {
  return before.flatMap(({ order }, place): OpenLeg[] => {
    const then = after[place]?.order;
    const role = form.roles[place];
    if (then === undefined || role === undefined || order.ended !== undefined) return [];
    const isWhole = role === "working" && order.executedQuantity >= order.intent.quantity;
    return [{ name: role, isWhole, before: stateOf(order), after: stateOf(then) }];
  });
}

/** Two held legs with the same change are shown as one. */
function withHeldAsOne(legs: readonly OpenLeg[]): readonly OpenLeg[] {
  const [working, second, third] = legs;
  if (working === undefined || second?.before !== "held") return legs;
  if (third !== undefined && third.after !== second.after) return legs;
  return [working, { ...second, name: "held" }];
}

/** The state of a leg in words. */
function stateOf({ ended, held, child, trigger, pendingEnd }: ParentOrder): string {
  if (ended !== undefined) return ended.status;
  if (held) return "held";
  if (child === undefined) return trigger === undefined ? "waiting" : "triggered";
  const state = child.state === "UNKNOWN" ? "unknown" : "child out";
  if (pendingEnd === undefined) return state;
  return `${state} (${pendingEnd.status === "CANCELED" ? "canceling" : "expiring"})`;
}

function eventOf({ form, event, steps, before }: Decision): string {
  const orderId = before[event.leg]?.order.orderId;
  const step = steps.find(({ order }) => order.orderId === orderId);
  const facts = step?.facts ?? [];
  const isResidual = reasonOf(facts) === "RESIDUAL_BELOW_MIN_NOTIONAL";
  const releases = isResidual && steps.some((one) => has(one.facts, "RELEASED"));
  const counted = releases ? ", which counts as filled" : "";
  const entry = before[form.roles.indexOf("working")]?.order;
  const isDoneForEntry =
    isResidual &&
    event.leg !== form.roles.indexOf("working") &&
    entry?.ended !== undefined &&
    step !== undefined &&
    has(facts, "CHILD_CLOSED") &&
    step.order.executedQuantity >= entry.executedQuantity;
  switch (event.kind) {
    case "FIRED":
    case "MEASURED":
      return `${quoteEvent(facts)}${counted}`;
    case "OUTCOME_UNKNOWN":
      return "no answer";
    case "EXPIRED":
      return "expiry";
    case "CANCEL":
      return "cancel";
    default:
      return isDoneForEntry ? "child fills all that its entry did" : `${reportEvent(facts)}${counted}`;
  }
}

const has = (facts: readonly Fact[], kind: Fact["kind"]): boolean => facts.some((fact) => fact.kind === kind);
const reasonOf = (facts: readonly Fact[]): string | undefined =>
  facts.find((fact) => fact.kind === "ENDED")?.reason;

function quoteEvent(facts: readonly Fact[]): string {
  const reason = reasonOf(facts);
  if (reason === "RESIDUAL_BELOW_MIN_NOTIONAL") return "rest too small";
  if (reason === "WOULD_MATCH_IMMEDIATELY") return "first quote crosses it";
  if (!has(facts, "CHILD_INTENDED")) return "trigger fires";
  return has(facts, "TRIGGERED") ? "trigger fires and a child is sent" : "child is sent";
}

const OUTCOMES = {
  DONE: "child done",
  REJECTED: "child rejected",
  REJECTED_FINAL: "child refused for good",
  VOIDED: "child proved lost",
  WITHDRAWN: "not handed over",
} as const;

/** The venue's report about a child that is still outstanding, or was closed before. */
function openEvent(facts: readonly Fact[]): string {
  const alerts = facts.map((fact) => (fact.kind === "ALERT" ? fact.alert : ""));
  if (alerts.includes("LATE_FILL")) return "late fill completes it";
  return alerts.includes("OVERFILL") ? "overfill" : "venue has the child";
}

/** The venue's report or the result of a look-up, by its effect on the leg. */
function reportEvent(facts: readonly Fact[]): string {
  const reason = reasonOf(facts);
  const isFilled = has(facts, "FILLED");
  const closed = facts.find((fact) => fact.kind === "CHILD_CLOSED");
  if (reason === "OVERFILL") return "overfill";
  if (closed === undefined) return openEvent(facts);
  if (reason === "FILLED" && isFilled) return "child fills the rest";
  if (reason === "FILLED") return "child resolved, when a late fill had completed it";
  const outcome = OUTCOMES[closed.outcome];
  if (closed.outcome !== "DONE") return outcome;
  if (reason === "RESIDUAL_BELOW_MIN_NOTIONAL") return "child done, rest too small";
  return reason === "EXPIRED_GTD" ? "child done, after expiry" : outcome;
}
