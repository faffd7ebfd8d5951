import { checkHandOver } from "./check-world.ts";
import { type Decider, isBroken, type Scene, withChild } from "./decider.ts";
import type { Emit, Happening } from "./happening.ts";
import { LOW, timeOf } from "./market.ts";
import { type EventCase, put, type VenueReport } from "./rule-event.ts";
import { type Child, durableOf, isCurrent, isDone, isOver, shownOf, type World, workingOf } from "./world.ts";

type OfLeg = Readonly<{ leg: number; child: Child }>;

/** What can be put to the rules of one child, as it is. */
type Events = Readonly<{
  unknown: EventCase;
  voided: EventCase;
  withdrawn: EventCase;
  /** Every state that the venue may have told of so far, oldest first. */
  reports: readonly EventCase[];
  /** The last of them, together with a quote at which one unit is dust. */
  atLow: EventCase | undefined;
}>;

/** What the engine does with children, and hears of them. */
export class ChildSteps {
  readonly #scene: Scene;
  readonly #decider: Decider;
  readonly #events: WeakMap<Child, Events> = new WeakMap();

  constructor(scene: Scene, decider: Decider) {
    this.#scene = scene;
    this.#decider = decider;
  }

  /** Children that are due go out, if nothing that was decided meanwhile speaks against it. */
  handOvers(world: World, emit: Emit): void {
    for (let leg = 0; leg < world.children.length; leg++) {
      for (const child of world.children[leg] ?? []) {
        if (!child.due || this.#isObjected(world, { leg, child })) continue;
        const { attempt } = child;
        const happening: Happening = { kind: "HANDED_OVER", leg, attempt };
        const violation = checkHandOver(this.#scene.form, world, { leg, child });
        if (violation !== undefined) return emit(happening, undefined, violation);
        const change = { due: false, at: "on its way" as const };
        emit(happening, { ...world, children: withChild(world.children, { leg, attempt, change }) });
      }
    }
  }

  /** What is heard or found out. */
  each(world: World, emit: Emit): void {
    const alone = isDone(world);
    for (let leg = 0; leg < world.children.length; leg++) {
      for (const child of world.children[leg] ?? []) {
        this.#lookUps(world, { leg, child }, emit);
        this.#reports(world, { leg, child, alone }, emit);
      }
    }
  }

  /**
   * A child that is due may be held back: the market went away, whatever else speaks for it. One that was handed over
   * may be lost sight of, and so may one of a process that is gone; then it is looked up. The venue honours its
   * deadlines: what is not there by then never will be, and that has been said twice.
   */
  #lookUps(world: World, { leg, child }: OfLeg, emit: Emit): void {
    const working = workingOf(world)[leg];
    if (child.due) return this.#withdraw(world, { leg, child }, emit);
    if (!isCurrent(working, child) || !isCurrent(durableOf(world)[leg], child)) return;
    const { unknown, voided } = this.#eventsOf({ leg, child });
    if (working?.order.child?.state !== "UNKNOWN") return this.#decider.offer(world, unknown, emit);
    if (child.at === "unsent" || child.at === "lost") this.#decider.offer(world, voided, emit);
  }

  #withdraw(world: World, { leg, child }: OfLeg, emit: Emit): void {
    const { attempt } = child;
    const { withdrawn } = this.#eventsOf({ leg, child });
    const children = withChild(world.children, { leg, attempt, change: { due: false } });
    const outcome = this.#decider.decide({ ...world, children }, withdrawn);
    const happening: Happening = { kind: "EVENT", event: withdrawn.event };
    if (isBroken(outcome)) emit(happening, undefined, outcome);
    else emit(happening, outcome);
  }

  /** Of a child that is over only its last report comes once more: all it ever said was counted before. */
  #reports(world: World, { leg, child, alone }: OfLeg & Readonly<{ alone: boolean }>, emit: Emit): void {
    const { reports, atLow } = this.#eventsOf({ leg, child });
    const told = isOver(world, leg, child) ? reports.slice(-1) : reports;
    for (const report of told) this.#decider.offer(world, alone ? aloneOf(report) : report, emit);
    if (atLow !== undefined && isCurrent(workingOf(world)[leg], child))
      this.#decider.offer(world, atLow, emit);
  }

  /** What the engine asks last: cancel, expiry, the other legs. Whether the market went away is left open. */
  #isObjected(world: World, { leg, child }: OfLeg): boolean {
    const legs = workingOf(world);
    const working = legs[leg];
    if (working === undefined || !isCurrent(working, child)) return true;
    const { ended, pendingEnd, held, frozen, intent } = working.order;
    const isPast = intent.expireTimeMs !== undefined && timeOf(world.clock) >= intent.expireTimeMs;
    const isUnknown = legs.some((other) => other !== working && other.order.child?.state === "UNKNOWN");
    return isPast || isUnknown || [ended, pendingEnd, held, frozen].some((mark) => mark !== undefined);
  }

  #eventsOf(of: OfLeg): Events {
    const known = this.#events.get(of.child);
    if (known !== undefined) return known;
    const made = eventsOf(of);
    this.#events.set(of.child, made);
    return made;
  }
}

/** The report as it meets a leg that alone is read from the store. */
function aloneOf({ event }: EventCase): EventCase {
  return event.kind === "REPORTED" ? put({ ...event, alone: true }) : put(event);
}

function eventsOf({ leg, child }: OfLeg): Events {
  const { attempt, childId } = child;
  const names = { leg, attempt, childId };
  const told = toldOf({ leg, child });
  const last = told.at(-1);
  const reported = (one: VenueReport): EventCase => put({ kind: "REPORTED", alone: false, ...one });
  return {
    unknown: put({ kind: "OUTCOME_UNKNOWN", ...names }),
    voided: put({ kind: "CHILD_VOIDED", ...names }),
    withdrawn: put({ kind: "CHILD_WITHDRAWN", ...names }),
    reports: told.map(reported),
    atLow: last === undefined || last.state === "open" ? undefined : reported({ ...last, quote: LOW }),
  };
}

/** All that the venue may ever have said of a child up to now: each state that it has had, the newest last. */
function toldOf({ leg, child }: OfLeg): readonly VenueReport[] {
  const { attempt, childId, at, fills } = child;
  if (at === "unsent" || at === "on its way" || at === "lost") return [];
  const names = { leg, attempt, childId };
  if (at === "rejected" || at === "refused") {
    return [{ ...names, state: "rejected", final: at === "refused", fills: [] }];
  }
  const shown = shownOf(child);
  const told: VenueReport[] = [];
  for (let count = 0; count <= shown; count++) {
    told.push({ ...names, state: "open", final: false, fills: fills.slice(0, count) });
  }
  if (at === "closed") told.push({ ...names, state: "closed", final: false, fills: fills.slice(0, shown) });
  return told;
}
