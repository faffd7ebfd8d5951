import { checkHandOver } from "./check-world.ts";
import { type Decider, isBroken, type Scene, withChild } from "./decider.ts";
import type { Emit, Happening } from "./happening.ts";
import { LOW, timeOf } from "./market.ts";
import { type EventCase, put, type VenueReport } from "./rule-event.ts";
import { type Child, durableOf, isCurrent, isDone, isOver, shownOf, type World, workingOf } from "./world.ts";

type OfLeg = Readonly<{ leg: number; child: Child }>;

/** An event for the rules of one child, as it is. */
type Events = Readonly<{
  unknown: EventCase;
  voided: EventCase;
  withdrawn: EventCase;
  /** Every state that the venue may have reported so far, oldest first. */
  reports: readonly EventCase[];
  /** The last of them, together with a quote at which one unit is dust. */
  atLow: EventCase | undefined;
}>;

/** The engine's actions on children, and the reports that it receives. */
export class ChildSteps {
  readonly #scene: Scene;
  readonly #decider: Decider;
  readonly #events: WeakMap<Child, Events> = new WeakMap();

  constructor(scene: Scene, decider: Decider) {
    this.#scene = scene;
    this.#decider = decider;
  }

  /** Hands over children that are due, unless a later decision objects. */
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

  /** Reports and the results of look-ups. */
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
   * A child that is due may be held back because the market went away, even if everything else allows it. A child that
   * was handed over may be lost, and so may one of a dead process; then it is looked up. The venue honors its
   * deadlines: a child that is not there by then will never be there, and two look-ups have confirmed that.
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

  /** For a completed child only the last report is repeated: all its reports were counted before. */
  #reports(world: World, { leg, child, alone }: OfLeg & Readonly<{ alone: boolean }>, emit: Emit): void {
    const { reports, atLow } = this.#eventsOf({ leg, child });
    const reported = isOver(world, leg, child) ? reports.slice(-1) : reports;
    for (const report of reported) this.#decider.offer(world, alone ? aloneOf(report) : report, emit);
    if (atLow !== undefined && isCurrent(workingOf(world)[leg], child))
      this.#decider.offer(world, atLow, emit);
  }

  /**
   * Objections that the engine checks last: cancel, expiry, the other legs. Whether the market went away is left open.
   */
  #isObjected(world: World, { leg, child }: OfLeg): boolean {
    const legs = workingOf(world);
    const working = legs[leg];
    if (working === undefined || !isCurrent(working, child)) return true;
    const { ended, pendingEnd, held, frozen, intent } = working.order;
    const isPast = intent.expireTimeMs !== undefined && timeOf(world.clock) >= intent.expireTimeMs;
    const isHeldBack = this.#scene.form.listKind !== "BRACKET";
    const isUnknown =
      isHeldBack && legs.some((other) => other !== working && other.order.child?.state === "UNKNOWN");
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

/** The report as it reaches a leg that is read from the store by itself. */
function aloneOf({ event }: EventCase): EventCase {
  return event.kind === "REPORTED" ? put({ ...event, alone: true }) : put(event);
}

function eventsOf({ leg, child }: OfLeg): Events {
  const { attempt, childId } = child;
  const names = { leg, attempt, childId };
  const received = reportedOf({ leg, child });
  const last = received.at(-1);
  const reported = (one: VenueReport): EventCase => put({ kind: "REPORTED", alone: false, ...one });
  return {
    unknown: put({ kind: "OUTCOME_UNKNOWN", ...names }),
    voided: put({ kind: "CHILD_VOIDED", ...names }),
    withdrawn: put({ kind: "CHILD_WITHDRAWN", ...names }),
    reports: received.map(reported),
    atLow: last === undefined || last.state === "open" ? undefined : reported({ ...last, quote: LOW }),
  };
}

/** Every report that the venue may have sent of a child so far: each state that it has had, the newest last. */
function reportedOf({ leg, child }: OfLeg): readonly VenueReport[] {
  const { attempt, childId, at, fills } = child;
  if (at === "unsent" || at === "on its way" || at === "lost") return [];
  const names = { leg, attempt, childId };
  if (at === "rejected" || at === "refused") {
    return [{ ...names, state: "rejected", final: at === "refused", fills: [] }];
  }
  const shown = shownOf(child);
  const reported: VenueReport[] = [];
  for (let count = 0; count <= shown; count++) {
    reported.push({ ...names, state: "open", final: false, fills: fills.slice(0, count) });
  }
  if (at === "closed")
    reported.push({ ...names, state: "closed", final: false, fills: fills.slice(0, shown) });
  return reported;
}
