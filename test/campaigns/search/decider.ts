import type { Form } from "./forms.ts";
import type { Emit } from "./happening.ts";
import type { Leg } from "./leg-table.ts";
import { unitsOf } from "./market.ts";
import type { EventCase } from "./rule-event.ts";
import type { Rules, Violation } from "./rules.ts";
import type { Subject } from "./subject.ts";
import { type Child, type World, workingOf } from "./world.ts";

/** The parts that the steps of a search share. */
export type Scene = Readonly<{ form: Form; subject: Subject; rules: Rules }>;

/** Distinguishes a broken rule from a world. */
export const isBroken = (outcome: World | Violation): outcome is Violation => "id" in outcome;

/** Puts events to the rules on behalf of a world. */
export class Decider {
  readonly #subject: Subject;
  readonly #rules: Rules;

  constructor({ subject, rules }: Scene) {
    this.#subject = subject;
    this.#rules = rules;
  }

  /** Returns the world after a decision; the same world if the event changed nothing. */
  decide(world: World, event: EventCase): World | Violation {
    const { clock, lies } = world;
    const outcome = this.#rules.decide({ legs: workingOf(world), clock, lies }, event);
    if (outcome.violation !== undefined) return outcome.violation;
    const { legs, submits } = outcome;
    if (legs === undefined) return world;
    return {
      ...world,
      versions: [...world.versions, legs],
      submits: [...world.submits, submits],
      children: submits < 0 ? world.children : this.#withIntent(world, legs, submits),
    };
  }

  /** Emits the result of an event, if there is one. */
  offer(world: World, event: EventCase, emit: Emit): void {
    const outcome = this.decide(world, event);
    if (outcome === world) return;
    const happening = { kind: "EVENT", event: event.event } as const;
    if (isBroken(outcome)) emit(happening, undefined, outcome);
    else emit(happening, outcome);
  }

  #withIntent(world: World, legs: readonly Leg[], leg: number): World["children"] {
    const sent = legs[leg]?.order.child;
    if (sent === undefined) return world.children;
    const child: Child = {
      attempt: sent.attempt,
      childId: sent.childId,
      quantity: unitsOf(sent.quantity),
      due: this.#subject.submits === "when decided",
      at: "unsent",
      fills: [],
      hides: false,
    };
    return world.children.map((known, place) => (place === leg ? [...known, child] : known));
  }
}

/** Returns the children with one of them changed. */
export function withChild(
  children: World["children"],
  { leg, attempt, change }: Readonly<{ leg: number; attempt: number; change: Partial<Child> }>,
): World["children"] {
  return children.map((known, place) => {
    if (place !== leg) return known;
    return known.map((child) => (child.attempt === attempt ? { ...child, ...change } : child));
  });
}
