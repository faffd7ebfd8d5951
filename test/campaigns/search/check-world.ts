import { sharedBy, sharersOf } from "./check-kinds.ts";
import type { Form } from "./forms.ts";
import { unitsOf } from "./market.ts";
import type { Violation } from "./rules.ts";
import {
  type Child,
  durableOf,
  executedOf,
  isCurrent,
  isLive,
  reportedOf,
  type World,
  workingOf,
} from "./world.ts";

/** Rules of the moment at which a child goes out. */
export function checkHandOver(
  form: Form,
  world: World,
  { leg, child }: Readonly<{ leg: number; child: Child }>,
): Violation | undefined {
  const durable = durableOf(world);
  const name = `child ${child.attempt} of the ${form.roles[leg]} leg`;
  const sibling = form.listKind === undefined ? siblingOf(form, leg) : -1;
  if (sibling >= 0 && durable[sibling]?.order.ended === undefined)
    return { id: "I40", what: `${name} goes out while its sibling is not durably canceled` };
  const stored = durable[leg];
  const intended = isCurrent(stored, child) ? stored?.order.child?.quantity : undefined;
  if (intended === undefined || unitsOf(intended) !== child.quantity)
    return { id: "I20", what: `${name} goes out while its intent is not durable` };
  if (child.at !== "unsent") return { id: "I21", what: `${name} goes out a second time` };
  const unknown = workingOf(world).findIndex(({ order }) => order.child?.state === "UNKNOWN");
  return unknown < 0 || form.listKind === "BRACKET"
    ? undefined
    : { id: "I21", what: `${name} goes out while that of the ${form.roles[unknown]} leg is unknown` };
}

/** The other leg of a pair; -1 if there is none. */
export function siblingOf(form: Form, leg: number): number {
  if (form.roles[leg] === "protective") return form.roles.indexOf("profit");
  return form.roles[leg] === "profit" ? form.roles.indexOf("protective") : -1;
}

/** Rules of every world, across decided state, durable state and the truth at the venue. */
export function checkWorld(form: Form, world: World): Violation | undefined {
  for (let leg = 0; leg < world.children.length; leg++) {
    const violation = checkChildren(form, world, leg);
    if (violation !== undefined) return violation;
  }
  return form.listKind === undefined ? undefined : checkShared(form, world);
}

/** In truth, too, no more is executed and able to execute than what the legs share, by the venue's own executions. */
function checkShared(form: Form, { children, versions }: World): Violation | undefined {
  const entry = form.roles.indexOf("working");
  const legs = versions[0]?.map(({ order }) => order) ?? [];
  const shared = entry < 0 ? sharedBy(form, legs) : sumOfAll(children[entry], executedOf);
  const committed = (child: Child): number => (isLive(child) ? child.quantity : executedOf(child));
  const taken = sharersOf(form).reduce((sum, place) => sum + sumOfAll(children[place], committed), 0);
  return taken <= shared ? undefined : { id: "57", what: `${taken} executed and live of ${shared}` };
}

const sumOfAll = (children: readonly Child[] = [], of: (child: Child) => number): number =>
  children.reduce((sum, child) => sum + of(child), 0);

function checkChildren(form: Form, world: World, leg: number): Violation | undefined {
  const durable = durableOf(world)[leg];
  const working = workingOf(world)[leg];
  const children = world.children[leg] ?? [];
  if (durable === undefined || working === undefined || children.length === 0) return undefined;
  const name = `the ${form.roles[leg]} leg`;
  const reported = children.reduce((sum, child) => sum + sumOf(child.fills, reportedOf(working, child)), 0);
  if (reported !== unitsOf(working.order.executedQuantity))
    return {
      id: "I10",
      what: `${name} counts ${unitsOf(working.order.executedQuantity)} executed, told were ${reported}`,
    };
  const unknown = children.find(({ attempt, at }) => at !== "unsent" && attempt > durable.order.attempts);
  if (unknown !== undefined)
    return {
      id: "I20",
      what: `the venue has child ${unknown.attempt} of ${name}, of which nothing is durable`,
    };
  if ((world.lies & (1 << leg)) !== 0) return undefined;
  return checkHonest(name, { durable, working, children });
}

/** As long as the venue keeps its promises about a leg, every child of it that may still execute is tracked. */
function checkHonest(
  name: string,
  { durable, working, children }: Readonly<{ durable: Leg; working: Leg; children: readonly Child[] }>,
): Violation | undefined {
  const live = children.filter(isLive);
  if (live.length > 1)
    return { id: "I24", what: `${name} has ${live.length} children outstanding at the venue` };
  const sent = live.filter(({ due }) => !due);
  const lost = sent.find((child) => !isCurrent(durable, child) || !isCurrent(working, child));
  if (lost !== undefined)
    return {
      id: "I21",
      what: `child ${lost.attempt} of ${name} may still execute, and the leg holds it no more`,
    };
  const committed = children.reduce(
    (sum, child) => sum + (isLive(child) ? child.quantity : executedOf(child)),
    0,
  );
  if (committed > unitsOf(working.order.intent.quantity))
    return {
      id: "I12",
      what: `${name} has executed and outstanding ${committed} of ${unitsOf(working.order.intent.quantity)}`,
    };
  return undefined;
}

const sumOf = (fills: readonly number[], count: number): number =>
  fills.slice(0, count).reduce((sum, units) => sum + units, 0);

type Leg = ReturnType<typeof durableOf>[number];
