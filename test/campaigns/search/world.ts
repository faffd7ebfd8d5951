import type { Form } from "./forms.ts";
import type { Leg, LegTable } from "./leg-table.ts";

/** The true state of a child, independent of what the engine knows. */
export type Whereabouts =
  /** Not handed over. */
  | "unsent"
  /** Handed over; not yet received by the venue. */
  | "on its way"
  /** It did not arrive before its deadline, and never will. */
  | "lost"
  | "open"
  | "closed"
  /** Not accepted; a later one may be. */
  | "rejected"
  /** Not accepted, and none ever will be. */
  | "refused";

/** The truth about a child that was decided. */
export type Child = Readonly<{
  attempt: number;
  childId: string;
  quantity: number;
  /** The dispatcher of this process holds it, and hands it over next. */
  due: boolean;
  at: Whereabouts;
  /** Executions, in units. */
  fills: readonly number[];
  /** The venue reported the child closed and has withheld its last execution so far. */
  hides: boolean;
}>;

/**
 * The complete state at one moment, one immutable value.
 * Messages are not part of it. A message of the venue may arrive late, twice, out of order or never. So at any time the
 * venue may report any state that a child has ever had, and those states follow from its present state. This allows
 * every order of messages that a queue would allow, and more.
 */
export type World = Readonly<{
  /** Legs as they are durable; then as they are after each record that is decided and not durable, oldest first. */
  versions: readonly (readonly Leg[])[];
  /** Per record that is not durable: the leg whose child it hands over, else -1. */
  submits: readonly number[];
  /** The children of each leg, in the order of their attempts. */
  children: readonly (readonly Child[])[];
  clock: number;
  /** Crashes and failures of the store so far. */
  faults: number;
  /** One bit per leg: the venue has broken its promise about a child of it. */
  lies: number;
}>;

/** The legs as they are durable. */
export const durableOf = (world: World): readonly Leg[] => world.versions[0] ?? [];

/** The legs as decided: the basis of the next decision. */
export const workingOf = (world: World): readonly Leg[] => world.versions.at(-1) ?? [];

/** How many executions of a child a leg has counted. */
export const reportedOf = (leg: Leg | undefined, child: Child): number =>
  leg?.reported[child.attempt - 1] ?? 0;

/** Executions that the venue would report now. */
export const shownOf = (child: Child): number => child.fills.length - (child.hides ? 1 : 0);

/** The venue's executions of a child. */
export const executedOf = ({ fills }: Child): number => fills.reduce((sum, fill) => sum + fill, 0);

/** Whether a child can still execute. */
export function isLive(child: Child): boolean {
  if (child.at === "open") return executedOf(child) < child.quantity;
  return child.due || child.at === "on its way";
}

/** Whether a version of a leg has this child outstanding. */
export const isCurrent = (leg: Leg | undefined, child: Child): boolean =>
  leg?.order.child !== undefined && leg.order.attempts === child.attempt;

/** The first world of a form. */
export function firstWorld(form: Form, table: LegTable): World {
  return {
    versions: [form.legs.map((order, place) => table.of(order, place))],
    submits: [],
    children: form.legs.map(() => []),
    clock: 0,
    faults: 0,
    lies: 0,
  };
}

/**
 * Whether a child can have no further effect: it is not outstanding in any version, the venue has closed it, and all
 * its executions are durable. Later reports repeat what was counted.
 */
export function isOver(world: World, place: number, child: Child): boolean {
  if (child.due || child.hides || child.at === "on its way" || child.at === "open") return false;
  const counted = reportedOf(durableOf(world)[place], child) === child.fills.length;
  return counted && world.versions.every((legs) => !isCurrent(legs[place], child));
}

/**
 * The key of a world. Worlds with the same key have the same continuations, so that one of them represents all.
 * Left out beside what {@link Leg} leaves out:
 * - a completed child, and the ids of its executions. Its reports repeat what was counted, and a report without news
 * changes nothing; the search nevertheless sends them in every world that it visits;
 * - of a leg that has durably ended and whose children are all completed: everything but how it ended, what it executed
 * and whether it was held. Rules read nothing else of an ended leg, and it gets no later fact;
 * - a broken promise of the venue about such a leg.
 */
export function keyOf(world: World): string {
  const codes: number[] = [world.versions.length, world.clock * 8 + world.faults];
  for (const submits of world.submits) codes.push(submits + 1);
  let lies = world.lies === 0 ? 0 : 1;
  for (let place = 0; place < world.children.length; place++) {
    const children = (world.children[place] ?? []).filter((child) => !isOver(world, place, child));
    const ending = endingOf(world, place);
    if (ending >= 0 && children.length === 0) {
      codes.push(0, ending);
      continue;
    }
    lies |= (world.lies & (1 << place)) << 1;
    codes.push(1 + children.length);
    for (const legs of world.versions) {
      const leg = legs[place];
      codes.push(leg?.summary ?? 0);
      for (const child of children) codes.push(reportedOf(leg, child));
    }
    for (const child of children) pushChild(codes, child);
  }
  codes.push(lies);
  return String.fromCharCode(...codes);
}

/** The number of a leg's end, durable and the same in every version; -1 while it is open. */
function endingOf(world: World, place: number): number {
  const durable = durableOf(world)[place];
  if (durable === undefined || durable.ending < 0) return -1;
  return world.versions.every((legs) => legs[place] === durable) ? durable.ending : -1;
}

const WHEREABOUTS: readonly Whereabouts[] = [
  "unsent",
  "on its way",
  "lost",
  "open",
  "closed",
  "rejected",
  "refused",
];

function pushChild(codes: number[], { attempt, quantity, due, at, fills, hides }: Child): void {
  const marks = (due ? 1 : 0) + (hides ? 2 : 0) + 4 * WHEREABOUTS.indexOf(at);
  codes.push(attempt, quantity, marks, fills.length, ...fills);
}

/** Whether every leg has durably ended and no record is in flight. */
export function isDone(world: World): boolean {
  return world.versions.length === 1 && durableOf(world).every((leg) => leg.ending >= 0);
}
