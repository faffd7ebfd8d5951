import type { Fact, ParentOrder } from "../../../src/model/index.ts";
import { type Change, LEG_CHECKS } from "./check-facts.ts";
import { checkLegs } from "./check-legs.ts";
import { siblingOf } from "./check-world.ts";
import { equal } from "./equal.ts";
import type { Decision, Violation } from "./rules.ts";

/**
 * Returns the first rule that a decision breaks. The checks are written from the contract, its decisions and the
 * invariants; none consults the code under search.
 */
export function checkDecision(decision: Decision): Violation | undefined {
  const changes = changesOf(decision);
  if ("id" in changes) return changes;
  for (const change of changes) {
    for (const check of LEG_CHECKS) {
      const violation = check(change, decision);
      if (violation !== undefined)
        return { ...violation, what: `the ${roleOf(decision, change)} leg ${violation.what}` };
    }
  }
  const { form, subject, after } = decision;
  const dependence =
    form.listKind === undefined &&
    (checkPairRecord(decision, changes) ??
      checkReleaseRecord(decision, changes) ??
      checkOrphans(decision, changes) ??
      checkBystanders(decision, changes));
  return (
    (dependence || undefined) ??
    checkCancel(decision) ??
    checkReplay(decision, changes) ??
    checkLegs(
      form,
      subject,
      after.map(({ order }) => order),
    )
  );
}

const roleOf = ({ form }: Decision, { place }: Change): string => form.roles[place] ?? "unknown";
const has = ({ facts }: Change, kind: Fact["kind"]): boolean => facts.some((fact) => fact.kind === kind);
const endOf = ({ facts }: Change): Extract<Fact, { kind: "ENDED" }> | undefined =>
  facts.find((fact) => fact.kind === "ENDED");

/**
 * Pairs each leg with its changes, in the order of the record; each leg occurs once (I54). The leg of the event is
 * always checked.
 */
function changesOf({ form, before, event, steps, lies }: Decision): readonly Change[] | Violation {
  const changes: Change[] = [];
  const honest = (place: number): boolean => (lies & (1 << place)) === 0;
  for (const { order, facts } of steps) {
    const place = form.legs.findIndex(({ orderId }) => orderId === order.orderId);
    const leg = before[place];
    if (leg === undefined)
      return { id: "I53", what: "a record is about an order that is not a leg of the list" };
    if (changes.some((change) => change.place === place))
      return { id: "I54", what: "a record is about one leg twice" };
    const leads = place === event.leg;
    changes.push({ place, before: leg.order, after: order, facts, leads, honest: honest(place) });
  }
  const lead = before[event.leg]?.order;
  if (lead === undefined || changes.some(({ leads }) => leads)) return changes;
  const untouched = { before: lead, after: lead, facts: [], leads: true };
  return [...changes, { place: event.leg, honest: honest(event.leg), ...untouched }];
}

const hasWon = ({ trigger, attempts }: ParentOrder): boolean => trigger !== undefined || attempts > 0;

/**
 * I40: the record in which a leg wins (its trigger fires, or its child is decided) ends its sibling
 * CANCELED before the leg acts; in no other record does a leg lose.
 */
function checkPairRecord({ form, before }: Decision, changes: readonly Change[]): Violation | undefined {
  for (const [index, change] of changes.entries()) {
    const sibling = siblingOf(form, change.place);
    if (sibling < 0) continue;
    const wins = !hasWon(change.before) && (has(change, "TRIGGERED") || has(change, "CHILD_INTENDED"));
    const at = changes.findIndex(({ place }) => place === sibling);
    const loser = changes[at];
    const lost = loser !== undefined && endOf(loser)?.reason === "OCO_TRIGGER";
    if (wins && before[sibling]?.order.ended === undefined && (!lost || at > index))
      return {
        id: "I40",
        what: `the ${form.roles[change.place]} leg wins, and the record does not first cancel its sibling`,
      };
    if (
      endOf(change)?.reason === "OCO_TRIGGER" &&
      !(loser && (has(loser, "TRIGGERED") || has(loser, "CHILD_INTENDED")))
    )
      return {
        id: "I40",
        what: `the ${form.roles[change.place]} leg is canceled as a loser, and there is no winner`,
      };
  }
  return undefined;
}

const isWhole = ({ executedQuantity, intent }: ParentOrder): boolean => executedQuantity >= intent.quantity;

/** Whether this record contains the fill that completes the leg. */
const fillsWhole = (change: Change): boolean =>
  has(change, "FILLED") &&
  !isWhole(change.before) &&
  isWhole(change.after) &&
  change.before.ended === undefined;

/** Whether this record ends the leg with a rest below the minimum, which the setting counts as filled. */
const endsCounted = ({ rules }: Decision["form"], change: Change): boolean =>
  rules.residualCountsAsFilled === true && endOf(change)?.reason === "RESIDUAL_BELOW_MIN_NOTIONAL";

/**
 * I41: a leg is released once, in the record of the fill that completes the working leg, and after that
 * fill; with the setting residualCountsAsFilled also in the record that ends it with a rest below the minimum.
 */
function checkReleaseRecord({ form }: Decision, changes: readonly Change[]): Violation | undefined {
  const at = changes.findIndex(({ place }) => form.roles[place] === "working");
  const working = changes[at];
  for (const [index, change] of changes.entries()) {
    if (!has(change, "RELEASED")) continue;
    const role = form.roles[change.place];
    if (!change.before.held || change.before.ended !== undefined)
      return { id: "I41", what: `the ${role} leg is released and was not held` };
    if (working === undefined || at > index || !(fillsWhole(working) || endsCounted(form, working)))
      return {
        id: "I41",
        what: `the ${role} leg is released by a record that does not fill the working leg whole`,
      };
  }
  return undefined;
}

/**
 * I41, I42: the fill that completes the working leg releases every leg that it held; an end without that
 * fill cancels them. Fills that are left unprotected are reported.
 */
function checkOrphans({ form, before, after }: Decision, changes: readonly Change[]): Violation | undefined {
  const working = changes.find(({ place }) => form.roles[place] === "working");
  if (working === undefined) return undefined;
  const end = endOf(working);
  const releases = fillsWhole(working) || endsCounted(form, working);
  const orphans = end !== undefined && !isWhole(working.after) && !releases;
  for (const [place, { order }] of before.entries()) {
    const now = after[place]?.order;
    if (place === working.place || order.ended !== undefined || now === undefined) continue;
    const role = form.roles[place];
    if (releases && (now.held || now.ended !== undefined))
      return { id: "I41", what: `the working leg fills and the ${role} leg is not released` };
    if (orphans && now.ended?.status !== "CANCELED")
      return { id: "I42", what: `the working leg ends ${end.status} and the ${role} leg is not canceled` };
  }
  return checkExposed(working, { end, released: after.some(({ order }) => isReleased(order, working)) });
}

const isReleased = (order: ParentOrder, { after }: Change): boolean =>
  order.orderId !== after.orderId && order.held === undefined;

/** the rule "Release": reported if and only if a working leg ends with fills and none of its legs was released. */
function checkExposed(
  { after, facts }: Change,
  { end, released }: Readonly<{ end: Extract<Fact, { kind: "ENDED" }> | undefined; released: boolean }>,
): Violation | undefined {
  const isReported = facts.some((fact) => fact.kind === "ALERT" && fact.alert === "POSITION_UNPROTECTED");
  const isExposed = end !== undefined && after.executedQuantity > 0 && !released;
  if (isReported === isExposed) return undefined;
  const what = isReported
    ? "a position is told to be unprotected that is not"
    : `the working leg ends ${end?.status} with fills and none of its legs was released, without an alert`;
  return { id: "Release", what };
}

/** I43: a cancel of any leg ends every leg, at once or when its child is resolved. */
function checkCancel({ form, event, before, after }: Decision): Violation | undefined {
  if (event.kind !== "CANCEL") return undefined;
  for (const [place, leg] of before.entries()) {
    const now = after[place]?.order;
    if (leg.order.ended !== undefined || now === undefined) continue;
    const status = (now.ended ?? now.pendingEnd)?.status;
    const inTime = leg.order.child === undefined ? now.ended !== undefined : now.pendingEnd !== undefined;
    if (status !== "CANCELED" || !inTime)
      return { id: "I43", what: `the list is canceled and the ${form.roles[place]} leg is not` };
  }
  return undefined;
}

/** A change of one leg concerns the others only as winner and loser, release and orphans; a cancel concerns all. */
function checkBystanders({ form, event }: Decision, changes: readonly Change[]): Violation | undefined {
  const bystander = changes.find(({ leads, facts }) => !leads && facts.length > 0);
  if (event.kind === "CANCEL" || bystander === undefined) return undefined;
  const end = endOf(bystander);
  const follows =
    end === undefined
      ? has(bystander, "RELEASED")
      : ["OCO_TRIGGER", "WORKING_LEG_ENDED"].includes(end.reason);
  const alone = follows && bystander.facts.length === 1;
  return alone
    ? undefined
    : { id: "I50", what: `what happens to another leg changes the ${form.roles[bystander.place]} leg` };
}

/** I53, I54: the facts alone produce the leg that the decision returns; it has the number of its record. */
function checkReplay(
  { subject, sequence, nowMs, form }: Decision,
  changes: readonly Change[],
): Violation | undefined {
  for (const { place, before, after, facts } of changes) {
    let replayed = before;
    const context = { orderId: before.orderId, sequence, timeMs: nowMs };
    for (const fact of facts) replayed = subject.evolve(replayed, fact, context);
    if (!equal(replayed, after))
      return { id: "I53", what: `the facts do not make the ${form.roles[place]} leg that was decided` };
    if (facts.length > 0 && after.lastSequence !== sequence)
      return { id: "I54", what: `the ${form.roles[place]} leg does not bear the number of its record` };
  }
  return undefined;
}
