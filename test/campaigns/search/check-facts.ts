import type { Fact, ParentOrder } from "../../../src/model/index.ts";
import { sharedBy, takenBy } from "./check-kinds.ts";
import { executionOf } from "./leg-table.ts";
import { priceAt, unitsOf } from "./market.ts";
import type { Decision, Violation } from "./rules.ts";

/** The effect of one decision on one leg. */
export type Change = Readonly<{
  place: number;
  before: ParentOrder;
  after: ParentOrder;
  facts: readonly Fact[];
  /** The event is about this leg. */
  leads: boolean;
  /** The venue has kept its promises about this leg so far. */
  honest: boolean;
}>;

type Check = (change: Change, decision: Decision) => Violation | undefined;

const broken = (id: string, what: string): Violation => ({ id, what });
const isOf =
  <K extends Fact["kind"]>(kind: K) =>
  (fact: Fact): fact is Extract<Fact, { kind: K }> =>
    fact.kind === kind;
const alerts = (facts: readonly Fact[], alert: string): boolean =>
  facts.some((fact) => fact.kind === "ALERT" && fact.alert === alert);
const isWhole = ({ executedQuantity, intent }: ParentOrder): boolean => executedQuantity >= intent.quantity;
/** The most that a leg may execute: what its entry executed, if that ended with less than its quantity. */
function goalOf({ place, before }: Change, { form, before: legs }: Decision): number {
  const wanted = unitsOf(before.intent.quantity);
  const orders = legs.map(({ order }) => order);
  if (form.listKind !== undefined && form.roles[place] !== "working")
    return Math.min(wanted, sharedBy(form, orders) - takenBy(form, orders, place));
  const entry = legs[form.roles.indexOf("working")]?.order;
  if (entry?.ended === undefined || form.roles[place] === "working") return wanted;
  return Math.min(wanted, unitsOf(entry.executedQuantity));
}
const isPast = ({ intent }: ParentOrder, { nowMs }: Decision): boolean =>
  intent.expireTimeMs !== undefined && nowMs >= intent.expireTimeMs;

/** I50: an ended leg keeps its end; late fills add quantity and are flagged, nothing else changes. */
const ending: Check = ({ before, after, facts }) => {
  if (before.ended === undefined) return undefined;
  const same =
    after.ended?.status === before.ended.status &&
    after.ended.reason === before.ended.reason &&
    after.ended.atMs === before.ended.atMs;
  if (!same)
    return broken(
      "I50",
      `ended ${before.ended.status} (${before.ended.reason}) and is now ${stateOf(after)}`,
    );
  const other = facts.find(({ kind }) => kind !== "FILLED" && kind !== "ALERT");
  if (other !== undefined) return broken("I50", `has ended, and ${other.kind} happens to it`);
  return facts.some(isOf("FILLED")) && !alerts(facts, "LATE_FILL")
    ? broken("I50", "counts a fill after its end without an alert")
    : undefined;
};

const stateOf = ({ ended, held }: ParentOrder): string => ended?.status ?? (held ? "held" : "open");

/** I10, I15: counts the venue's executions, each once, and never less than before. */
const counting: Check = ({ before, after, facts, leads }, { event }) => {
  const fills = facts.filter(isOf("FILLED")).map(({ fill }) => fill);
  const reported = event.kind === "REPORTED" && leads ? event.fills : [];
  if (fills.length > 0 && reported.length === 0)
    return broken("I10", "counts a fill that was never reported");
  const added = fills.reduce((sum, fill) => sum + unitsOf(fill.quantity), 0);
  const [had, has] = [unitsOf(before.executedQuantity), unitsOf(after.executedQuantity)];
  if (has !== had + added || has < had)
    return broken("I10", `executed goes from ${had} to ${has}, told were ${added} more`);
  const counted = [...after.executions];
  const twice = counted.find((id, index) => counted.indexOf(id) !== index);
  if (twice !== undefined) return broken("I15", `execution ${twice} is counted twice`);
  if ([...before.executions].some((id) => !counted.includes(id)))
    return broken("I15", "an execution is forgotten");
  if (event.kind !== "REPORTED" || !leads) return undefined;
  const missed = reported.findIndex(
    (_, n) => !counted.includes(`${event.attempt.toString(36)} ${executionOf(n + 1)}`),
  );
  return missed < 0
    ? undefined
    : broken("I10", `execution ${missed + 1} of child ${event.attempt} is not counted`);
};

/**
 * I11, I12: more than the order's quantity only as a fact of a venue that broke its promise; it is reported and stops
 * the order.
 */
const quantities: Check = ({ before, after, facts, honest }) => {
  const executed = unitsOf(after.executedQuantity);
  const wanted = unitsOf(after.intent.quantity);
  const open =
    after.child === undefined ? 0 : unitsOf(after.child.quantity) - unitsOf(after.child.executedQuantity);
  const sent = before.child ?? after.child;
  const tooMany =
    sent !== undefined &&
    childFills(facts, sent.childId) + unitsOf(sent.executedQuantity) > unitsOf(sent.quantity);
  const over = executed > wanted || (tooMany && before.child !== undefined);
  if (honest && executed > wanted) return broken("I11", `executes ${executed} of ${wanted}`);
  if (honest && executed + Math.max(0, open) > wanted)
    return broken("I12", `has executed ${executed} and outstanding ${open} of ${wanted}`);
  if (!over || !facts.some(isOf("FILLED"))) return undefined;
  if (!alerts(facts, "OVERFILL")) return broken("I11", "takes an overfill in without an alert");
  return after.ended === undefined && after.pendingEnd === undefined
    ? broken("I11", "continues after an overfill")
    : undefined;
};

const childFills = (facts: readonly Fact[], childId: string): number =>
  facts.reduce(
    (sum, fact) =>
      fact.kind === "FILLED" && fact.childId === childId ? sum + unitsOf(fact.fill.quantity) : sum,
    0,
  );

/**
 * I12-I14, I23-I25, I55: a child is decided only by a leg that may act, on a fresh quote inside its limit, and no
 * larger than allowed.
 */
const intent: Check = (change, decision) => {
  const { before, facts } = change;
  const intended = facts.find(isOf("CHILD_INTENDED"));
  if (intended === undefined) return undefined;
  const { event, before: legs } = decision;
  const { child } = intended;
  if (before.held) return broken("I23", "sends a child while it is held");
  if (before.ended !== undefined || before.pendingEnd !== undefined)
    return broken("I23", "sends a child while it is ending");
  if (isPast(before, decision)) return broken("I55", "sends a child after its expiry");
  if (before.child !== undefined) return broken("I24", "sends a child while another is outstanding");
  if (child.attempt !== before.attempts + 1)
    return broken("I21", `numbers its child ${child.attempt} after ${before.attempts}`);
  const isHeldBack = decision.form.listKind !== "BRACKET";
  if (isHeldBack && legs.some(({ order }) => order.child?.state === "UNKNOWN"))
    return broken("I21", "sends a child while the outcome of another of its list is unknown");
  if (event.kind !== "FIRED" && event.kind !== "MEASURED")
    return broken("I25", "sends a child without a quote");
  if (!change.leads) return broken("I25", "sends a child on the quote of another leg");
  if (event.kind === "FIRED" && !event.fresh) return broken("I25", "sends a child on a stale quote");
  return size({ ...change, goal: goalOf(change, decision) }, intended, event);
};

type MarketView = Readonly<{ price: number; exposure?: number }>;

function size(
  { before, after, goal }: Change & Readonly<{ goal: number }>,
  fact: Extract<Fact, { kind: "CHILD_INTENDED" }>,
  seen: MarketView,
): Violation | undefined {
  const { intent: wanted } = before;
  const units = unitsOf(fact.child.quantity);
  const at = priceAt(seen.price);
  const limit = wanted.price ?? after.trigger?.limit;
  const isInside = limit === undefined || (wanted.side === "BUY" ? at <= limit : at >= limit);
  if (!isInside || fact.child.limitPrice !== limit)
    return broken("I25", "sends a child outside its limit, or without it");
  const rest = goal - unitsOf(before.executedQuantity);
  if (units <= 0 || units > rest) return broken("I14", `sends a child for ${units}, ${rest} are left`);
  if (wanted.icebergQuantity !== undefined && units > unitsOf(wanted.icebergQuantity))
    return broken("I14", `shows ${units} of an iceberg`);
  if (!wanted.reduceOnly) {
    const value = units * (Number(at) / 1e8);
    return value < 15 ? broken("I14", `sends a child worth ${value}, the minimum is 15`) : undefined;
  }
  if (seen.exposure === undefined) return broken("I13", "sends a reduce-only child without a known exposure");
  if (units > seen.exposure)
    return broken("I13", `sends a child for ${units} with an exposure of ${seen.exposure}`);
  return fact.exposure !== undefined && unitsOf(fact.exposure) === seen.exposure
    ? undefined
    : broken("I13", "does not keep the exposure it was sent on");
}

/** I21: a child stays outstanding until it is resolved; without a report it is unknown. */
const holding: Check = ({ before, after, facts, leads }, { event }) => {
  const [was, is] = [before.child, after.child];
  if (was === undefined || facts.some(isOf("CHILD_CLOSED"))) return undefined;
  if (is?.childId !== was.childId || is.quantity !== was.quantity)
    return broken("I21", "a child that is not resolved is outstanding no more");
  const named = leads && "childId" in event && event.childId === was.childId;
  if (named && event.kind === "OUTCOME_UNKNOWN" && is.state !== "UNKNOWN")
    return broken("I21", "does not note that the outcome of its child is unknown");
  const received = named && event.kind === "REPORTED";
  return was.state === "UNKNOWN" && is.state !== "UNKNOWN" && !received
    ? broken("I21", "knows an unknown child of which nothing was said")
    : undefined;
};

/** How a child may be closed without a report of the venue. */
const PROOFS: Readonly<Record<string, string>> = { CHILD_VOIDED: "VOIDED", CHILD_WITHDRAWN: "WITHDRAWN" };

/** I22: a child is resolved only by a report of the venue or by proof. */
const resolution: Check = ({ before, facts, leads }, { event }) => {
  const closed = facts.find(isOf("CHILD_CLOSED"));
  if (closed === undefined) return undefined;
  const { outcome, childId } = closed;
  const named = leads && "childId" in event && event.childId === childId;
  if (before.child?.childId !== childId || !named)
    return broken("I22", "closes a child that nothing was said about");
  if (event.kind !== "REPORTED")
    return outcome === PROOFS[event.kind]
      ? undefined
      : broken("I22", `closes a child ${outcome} on ${event.kind}`);
  const isWholly = sum(event.fills) >= unitsOf(before.child.quantity);
  const isReported = event.state !== "open" || isWholly;
  const fits = event.state === "rejected" ? (event.final ? "REJECTED_FINAL" : "REJECTED") : "DONE";
  return isReported && outcome === fits
    ? undefined
    : broken("I22", `closes a child ${outcome} of which the venue says ${event.state}`);
};

const sum = (fills: readonly number[]): number => fills.reduce((total, units) => total + units, 0);

/** the rule "A stop that the market has already passed": a trigger, an activation, a posted mark and the number of attempts never go back. */
const oneWay: Check = ({ before, after, facts, leads }, decision) => {
  const { event } = decision;
  const back =
    (before.trigger !== undefined && after.trigger !== before.trigger) ||
    (before.activation !== undefined && after.activation !== before.activation) ||
    (before.postOnlyCleared && !after.postOnlyCleared) ||
    (before.held === undefined && after.held) ||
    after.attempts < before.attempts;
  if (back) return broken("A stop that the market has already passed", "takes back what had happened to it");
  const moved = facts.some((fact) => fact.kind === "TRIGGERED" || fact.kind === "POSTED");
  if (!moved) return undefined;
  if (isPast(before, decision)) return broken("I55", "triggers after its expiry");
  const isOpen = !before.held && before.ended === undefined && before.pendingEnd === undefined;
  return event.kind === "FIRED" && leads && isOpen
    ? undefined
    : broken("I23", "triggers without a quote that fires it, or while it is held or ending");
};

/** How it ends: FILLED if and only if all is executed; everything else only with a reason (I43). */
const reason: Check = (change, decision) => {
  const { before, after, facts } = change;
  const end = facts.find(isOf("ENDED"));
  if (end === undefined) return undefined;
  if (after.child !== undefined)
    return broken("I43", `ends ${end.status} before the outcome of its child is known`);
  if ((end.status === "FILLED") !== isWhole(after))
    return broken("I43", `ends ${end.status} with ${unitsOf(after.executedQuantity)} executed`);
  return reasonHolds(end, change, decision)
    ? undefined
    : broken("I50", `ends ${end.status} (${end.reason}) without that reason; it was ${stateOf(before)}`);
};

function reasonHolds(end: Extract<Fact, { kind: "ENDED" }>, change: Change, decision: Decision): boolean {
  const { before, after, facts, leads } = change;
  const { event } = decision;
  const waited = before.pendingEnd?.reason === end.reason && before.pendingEnd.status === end.status;
  switch (end.reason) {
    case "FILLED":
      return facts.some(isOf("FILLED")) || before.pendingEnd !== undefined || isWhole(before);
    case "USER_CANCELED":
      return waited || (event.kind === "CANCEL" && end.status === "CANCELED");
    case "EXPIRED_GTD":
      return (waited || leads) && isPast(before, decision) && end.status === "EXPIRED";
    case "RESIDUAL_BELOW_MIN_NOTIONAL":
      return leads && end.status === "EXPIRED" && isDust(change, decision);
    case "REJECTED_BY_VENUE":
      return leads && end.status === "REJECTED" && event.kind === "REPORTED" && event.final;
    case "WOULD_MATCH_IMMEDIATELY":
      return (
        leads && end.status === "REJECTED" && event.kind === "FIRED" && event.fresh && !before.postOnlyCleared
      );
    case "OVERFILL":
      return waited || alerts(facts, "OVERFILL") || after.executedQuantity > after.intent.quantity;
    case "OCO_TRIGGER":
    case "WORKING_LEG_ENDED":
      return end.status === "CANCELED" && (!leads || decision.form.listKind !== undefined);
    default:
      return false;
  }
}

/**
 * the rule "A rest too small to execute": something was executed, and the rest is worth less than the minimum at the quote; or all that its entry
 * executed is, and that ended with less than the order's quantity.
 */
function isDust(change: Change, decision: Decision): boolean {
  const { intent: wanted, executedQuantity } = change.after;
  const { event, form } = decision;
  const goal = goalOf(change, decision);
  if (goal < unitsOf(wanted.quantity) && unitsOf(executedQuantity) >= goal) return true;
  const place = event.kind === "REPORTED" ? event.quote : event.kind === "FIRED" ? event.price : undefined;
  const isBegun = Number(executedQuantity) > 0 || form.listKind !== undefined;
  if (place === undefined || wanted.reduceOnly || !isBegun) return false;
  return ((goal - unitsOf(executedQuantity)) * Number(priceAt(place))) / 1e8 < 15;
}

/** Checks of every leg that a decision touches, in the order in which a breach is reported. */
export const LEG_CHECKS: readonly Check[] = [
  ending,
  counting,
  quantities,
  intent,
  holding,
  resolution,
  oneWay,
  reason,
];
