import { price, quantity } from "../../src/decimal/index.ts";
import {
  evolve,
  type FactContext,
  isActive,
  type ParentEvent,
  type Rules,
  statusOf,
  type Transition,
  transitionList,
} from "../../src/lifecycle/index.ts";
import type { Contingency, Fact, Fill, LegRole, ParentIntent, ParentOrder } from "../../src/model/index.ts";
import { intentOf, NOT_AFTER_MS, NOW, quoteAt, RULES } from "./support.ts";

/** A leg as a test writes it: its role in the list, and its differences from a BUY of 1 with cap 100. */
export type LegInput = readonly [role: LegRole, change?: Partial<ParentIntent>];

export const STOP: LegInput = [
  "protective",
  { side: "SELL", type: "STOP_MARKET", stopPrice: price("90"), clientOrderId: "stop" },
];
export const LIMIT: LegInput = ["profit", { side: "SELL", price: price("110"), clientOrderId: "limit" }];
export const ENTRY: LegInput = ["working", { clientOrderId: "entry" }];
export const EXIT: LegInput = ["pending", { side: "SELL", price: price("110"), clientOrderId: "exit" }];

/** The forms of lists, with a limit and a stop. */
export const FORMS: Readonly<Record<Contingency, readonly LegInput[]>> = {
  OCO: [STOP, LIMIT],
  OTO: [ENTRY, EXIT],
  OTOCO: [ENTRY, STOP, LIMIT],
};

/** One fact of one leg, and its record. */
export type FactEntry = Readonly<{ fact: Fact; context: FactContext }>;

/** A list that receives events, one record each. */
export class ListSubject {
  legs: ParentOrder[];
  nowMs: number = NOW;
  rules: Rules = RULES;
  /** All facts of all legs, in order. */
  readonly journal: FactEntry[] = [];
  #sequence = 0;

  constructor(contingency: Contingency, inputs: readonly LegInput[] = FORMS[contingency]) {
    const ids = inputs.map((_, index) => -512 - 256 * index);
    this.#sequence++;
    this.legs = inputs.map(([role, change], index) => {
      const membership = { listId: -256, listClientOrderId: "l1", contingency, role, legs: ids };
      const isHeld = contingency !== "OCO" && role !== "working";
      const fact: Fact = {
        kind: "ACCEPTED",
        accountId: 1,
        intent: intentOf(change),
        acceptance: index + 1,
        list: membership,
        ...(isHeld && { held: true as const }),
      };
      return evolve(undefined, fact, this.#note(ids[index] ?? 0, fact));
    });
  }

  leg(role: LegRole): ParentOrder {
    const leg = this.legs.find(({ list }) => list?.role === role);
    if (leg === undefined) throw new Error(`no ${role} leg`);
    return leg;
  }

  /** Applies an event of one leg to the list. */
  meet(role: LegRole, event: ParentEvent): readonly Transition[] {
    const { nowMs, rules } = this;
    const context = { sequence: ++this.#sequence, nowMs, rules, notAfterMs: NOT_AFTER_MS };
    const steps = transitionList({ legs: this.legs, orderId: this.leg(role).orderId, event }, context);
    for (const { order, facts } of steps) {
      this.legs = this.legs.map((leg) => (leg.orderId === order.orderId ? order : leg));
      for (const fact of facts) this.#note(order.orderId, fact);
    }
    return steps;
  }

  /** Restores a leg from a backup, without an event for the others. */
  restore(role: LegRole): void {
    const restored = this.leg(role);
    const fact = { kind: "RESTORED", attempts: 5 } as const;
    const next = evolve(restored, fact, this.#note(restored.orderId, fact));
    this.legs = this.legs.map((leg) => (leg === restored ? next : leg));
  }

  #note(orderId: number, fact: Fact): FactContext {
    const context = { orderId, sequence: this.#sequence, timeMs: this.nowMs };
    this.journal.push({ fact, context });
    return context;
  }

  /** Meets the condition of a leg at this ask (BUY) or bid (SELL). */
  fire(role: LegRole, at: string): readonly Transition[] {
    const { orderId, intent } = this.leg(role);
    const quote = intent.side === "BUY" ? quoteAt("0.01", at) : quoteAt(at, "9999999");
    const fired = { orderId, observed: price(at), level: price(at) };
    return this.meet(role, { kind: "FIRED", fired, quote, fresh: true });
  }

  /** Applies the venue's report of the newest child of a leg. */
  report(
    role: LegRole,
    state: "open" | "closed" | "rejected",
    fills: readonly (readonly [id: string, size: string])[] = [],
  ): readonly Transition[] {
    const executions = fills.map(
      ([executionId, size]): Fill => ({
        executionId,
        quantity: quantity(size),
        price: price("100"),
        timeMs: NOW,
      }),
    );
    const childId = this.leg(role).lastChildId ?? "";
    return this.meet(role, { kind: "REPORTED", report: { childId, state, fills: executions } });
  }

  /** The status of a leg, such as "NEW WAITING". */
  status(role: LegRole): string {
    const view = statusOf(this.leg(role));
    return `${view.status} ${view.apiState}${view.cancelPending ? " cancelPending" : ""}`;
  }

  get statuses(): readonly string[] {
    return this.legs.map(({ list }) => this.status(list?.role ?? "working"));
  }

  get active(): readonly (LegRole | undefined)[] {
    return this.legs.filter(isActive).map(({ list }) => list?.role);
  }
}

/** The content of a record, leg by leg in its order: "protective: ENDED CANCELED OCO_TRIGGER". */
export const recordOf = (steps: readonly Transition[]): readonly string[] =>
  steps
    .filter(({ facts }) => facts.length > 0)
    .map(({ order, facts }) => `${order.list?.role}: ${facts.map(wordsOf).join(", ")}`);

function wordsOf(fact: Fact): string {
  if (fact.kind === "ENDED") return `ENDED ${fact.status} ${fact.reason}`;
  if (fact.kind === "END_REQUESTED") return `END_REQUESTED ${fact.end.status}`;
  return fact.kind === "ALERT" ? `ALERT ${fact.alert}` : fact.kind;
}
