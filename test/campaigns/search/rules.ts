import type { Transition } from "../../../src/lifecycle/index.ts";
import type { Form } from "./forms.ts";
import type { Leg, LegTable } from "./leg-table.ts";
import { timeOf } from "./market.ts";
import { type EventCase, legEventOf, type RuleEvent } from "./rule-event.ts";
import type { Subject } from "./subject.ts";

/** A broken rule. */
export type Violation = Readonly<{ id: string; what: string }>;

/** One decision, as the checks see it. */
export type Decision = Readonly<{
  form: Form;
  subject: Subject;
  before: readonly Leg[];
  after: readonly Leg[];
  event: RuleEvent;
  steps: readonly Transition[];
  /** Number and time of the record that the decision writes. */
  sequence: number;
  nowMs: number;
  /** One bit per leg: the venue has broken its promise about it. */
  lies: number;
}>;

/** The result of an event: the legs after it, and the leg whose child goes out when that is durable. */
export type Outcome = Readonly<{ legs?: readonly Leg[]; submits: number; violation?: Violation }>;

/** The state on which an event is decided. */
export type Occasion = Readonly<{ legs: readonly Leg[]; clock: number; lies: number }>;

/** Checks of decisions. */
export type Watcher = Readonly<{
  /** The first rule that a decision breaks. */
  check: (decision: Decision) => Violation | undefined;
  /** A decision that changed something and broke nothing. */
  seen: (decision: Decision) => void;
}>;

const NOTHING: Outcome = { submits: -1 };

/**
 * Puts events to the rules. They are pure: the answer for the same legs, time and event is remembered and checked once.
 */
export class Rules {
  readonly #form: Form;
  readonly #subject: Subject;
  readonly #table: LegTable;
  readonly #watcher: Watcher;
  /** By event, then by occasion. */
  readonly #known: Map<string, Map<string, Outcome>> = new Map();
  #last: Occasion & Readonly<{ text: string }> = { legs: [], clock: -1, lies: -1, text: "" };
  #size = 0;

  constructor(form: Form, parts: Readonly<{ subject: Subject; table: LegTable }>, watcher: Watcher) {
    this.#form = form;
    this.#subject = parts.subject;
    this.#table = parts.table;
    this.#watcher = watcher;
  }

  /** Number of checked decisions, each counted once. */
  get size(): number {
    return this.#size;
  }

  decide(occasion: Occasion, { event, key }: EventCase): Outcome {
    const place = this.#placeOf(occasion);
    const known = this.#known.get(key) ?? new Map<string, Outcome>();
    const reported = known.get(place);
    if (reported !== undefined) return reported;
    const outcome = this.#outcome(occasion, event);
    this.#known.set(key, known.set(place, outcome));
    this.#size++;
    return outcome;
  }

  /** The text of an occasion; many events are put to the same one in a row. */
  #placeOf({ legs, clock, lies }: Occasion): string {
    if (legs !== this.#last.legs || clock !== this.#last.clock || lies !== this.#last.lies) {
      const text = String.fromCharCode(clock, lies, ...legs.map(({ id }) => id));
      this.#last = { legs, clock, lies, text };
    }
    return this.#last.text;
  }

  /** Returns the rules' decision with its context, without running the checks. Throws what the rules throw. */
  explain({ legs, clock, lies }: Occasion, event: RuleEvent): Decision {
    const orders = legs.map(({ order }) => order);
    const sequence = 1 + Math.max(...orders.map(({ lastSequence }) => lastSequence));
    const nowMs = timeOf(clock);
    const { rules } = this.#form;
    const context = { sequence, nowMs, rules, notAfterMs: Number.MAX_SAFE_INTEGER };
    const steps = this.#subject.transitionList(legEventOf(orders, event), context);
    const after = [...legs];
    for (const { order } of steps) {
      const place = orders.findIndex(({ orderId }) => orderId === order.orderId);
      if (place >= 0) after[place] = this.#table.of(order, place);
    }
    const form = this.#form;
    return { form, subject: this.#subject, before: legs, after, event, steps, sequence, nowMs, lies };
  }

  #outcome(occasion: Occasion, event: RuleEvent): Outcome {
    let decision: Decision;
    try {
      decision = this.explain(occasion, event);
      const violation = this.#watcher.check(decision);
      if (violation !== undefined) return { submits: -1, violation };
    } catch (error) {
      return { submits: -1, violation: thrown(error) };
    }
    const { steps, after } = decision;
    if (steps.every(({ facts }) => facts.length === 0)) return NOTHING;
    this.#watcher.seen(decision);
    const sender = steps.find(({ effects }) => effects.some(({ kind }) => kind === "SUBMIT"));
    const submits = after.findIndex(({ order }) => order.orderId === sender?.order.orderId);
    return { legs: after, submits };
  }
}

/** A broken invariant of the code itself. */
function thrown(error: unknown): Violation {
  const message = error instanceof Error ? error.message : String(error);
  const [, id = "error", what = message] = /^(I[0-9]{2}): (.*)$/.exec(message) ?? [];
  return { id, what: `the rules stop: ${what}` };
}
