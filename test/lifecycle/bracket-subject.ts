import { price, type Quantity, quantity } from "../../src/decimal/index.ts";
import {
  evolve,
  type ParentEvent,
  statusOf,
  type Transition,
  transitionList,
} from "../../src/lifecycle/index.ts";
import type { Fact, Fill, LegRole, ListTerms, ParentIntent, ParentOrder } from "../../src/model/index.ts";
import { intentOf, NOT_AFTER_MS, NOW, quoteAt, RULES } from "./support.ts";

type Input = Readonly<{ name: string; role: LegRole; intent: Partial<ParentIntent> }>;

const SELL = { side: "SELL" } as const;

/** A long entry of 3 at 100, a stop at 90, and take-profits at 110 and 120 with these shares. */
export const bracketOf = (shares: readonly string[] = ["1", "2"]): readonly Input[] => [
  { name: "entry", role: "working", intent: { quantity: quantity("3") } },
  {
    name: "stop",
    role: "protective",
    intent: { ...SELL, type: "STOP_MARKET", stopPrice: price("90"), quantity: quantity("3") },
  },
  ...shares.map(
    (share, index): Input => ({
      name: `tp${index + 1}`,
      role: "profit",
      intent: { ...SELL, price: price(String(110 + 10 * index)), quantity: quantity(share) },
    }),
  ),
];

/** Two SELL orders of 3 with limits 110 and 120. */
export const SHARED: readonly Input[] = ["110", "120"].map((at, index) => ({
  name: `leg${index + 1}`,
  role: "shared",
  intent: { ...SELL, price: price(at), quantity: quantity("3") },
}));

/** A list of a kind of its own that receives events, one record each. */
export class KindSubject {
  legs: ParentOrder[];
  readonly #names: readonly string[];
  #sequence = 1;

  constructor(terms: ListTerms, inputs: readonly Input[]) {
    const ids = inputs.map((_, index) => -512 - 256 * index);
    this.#names = inputs.map(({ name }) => name);
    this.legs = inputs.map(({ role, intent, name }, index) => {
      const isHeld = role === "protective" || role === "profit";
      const fact: Fact = {
        kind: "ACCEPTED",
        accountId: 1,
        intent: intentOf({ clientOrderId: name, ...intent }),
        acceptance: index + 1,
        list: {
          listId: -256,
          listClientOrderId: "l1",
          contingency: terms.kind === "OCA" ? "OCO" : "OTOCO",
          role,
          legs: ids,
          ...terms,
        },
        ...(isHeld && { held: true as const }),
      };
      return evolve(undefined, fact, { orderId: ids[index] ?? 0, sequence: 1, timeMs: NOW });
    });
  }

  leg(name: string): ParentOrder {
    return this.legs[this.#names.indexOf(name)] as ParentOrder;
  }

  /** Applies an event, and returns the record in words. */
  meet(name: string, event: ParentEvent): readonly string[] {
    const isLookedUp = (): boolean => this.lookedUp;
    const moment = { sequence: ++this.#sequence, nowMs: NOW, notAfterMs: NOT_AFTER_MS };
    const context = { ...moment, rules: RULES, isLookedUp };
    const steps = transitionList({ legs: this.legs, orderId: this.leg(name).orderId, event }, context);
    for (const { order } of steps)
      this.legs = this.legs.map((leg) => (leg.orderId === order.orderId ? order : leg));
    this.wait = steps.find(({ order }) => order.orderId === this.leg(name).orderId)?.wait;
    return steps.filter(({ facts }) => facts.length > 0).map((step) => this.#wordsOf(step));
  }

  wait: Transition["wait"];
  /** Whether every child that closed early is looked up. */
  lookedUp = false;

  /** Meets the condition of a leg at this price. */
  fire(name: string, at: string): readonly string[] {
    const { orderId, intent } = this.leg(name);
    const quote = intent.side === "BUY" ? quoteAt("0.01", at) : quoteAt(at, "9999999");
    const fired = { orderId, observed: price(at), level: price(at) };
    return this.meet(name, { kind: "FIRED", fired, quote, fresh: true });
  }

  #executions = 0;

  /** Reports that the newest child of a leg has executed more, and is closed. Without a size it executes no more. */
  close(name: string, size?: string, at: string = "100"): readonly string[] {
    return this.#report(name, "closed", size, at);
  }

  /** Reports an execution of the newest child of a leg that goes on. */
  fill(name: string, size: string, at: string = "100"): readonly string[] {
    return this.#report(name, "open", size, at);
  }

  #report(name: string, state: "open" | "closed", size: string | undefined, at: string): readonly string[] {
    const childId = this.leg(name).lastChildId ?? "";
    const fills: Fill[] = [...(this.#fills.get(childId) ?? [])];
    if (size !== undefined)
      fills.push({
        executionId: `x${++this.#executions}`,
        quantity: quantity(size),
        price: price(at),
        timeMs: NOW,
      });
    this.#fills.set(childId, fills);
    return this.meet(name, { kind: "REPORTED", report: { childId, state, fills } });
  }

  readonly #fills: Map<string, readonly Fill[]> = new Map();

  /** Sends a child of a leg and executes all of it. Returns the record of the execution. */
  execute(name: string, at: string, size?: string): readonly string[] {
    this.fire(name, at);
    return this.close(name, size ?? String(Number(this.childOf(name)) / 1e6), at);
  }

  /** The store was restored from a backup: nobody knows what the legs have done since. */
  restore(): void {
    this.legs = this.legs.map((leg) => ({ ...leg, restored: true as const }));
  }

  /** A person says what a child has executed since the backup. */
  resume(name: string, size: string, at: string): readonly string[] {
    const fill = { executionId: "r1", quantity: quantity(size), price: price(at), timeMs: NOW };
    return this.meet(name, { kind: "RESUMED", children: [{ childId: "aqc-x-y-1", fills: [fill] }] });
  }

  childOf(name: string): Quantity | undefined {
    return this.leg(name).child?.quantity;
  }

  /** Units of the child of a leg; 0 without one. */
  sent(name: string): number {
    return Number(this.childOf(name) ?? 0) / 1e6;
  }

  status(name: string): string {
    const { status, cancelPending, held } = statusOf(this.leg(name));
    return `${status}${held ? " held" : ""}${cancelPending ? " canceling" : ""}`;
  }

  get statuses(): readonly string[] {
    return this.#names.map((name) => this.status(name));
  }

  #wordsOf({ order, facts }: Transition): string {
    const name = this.#names[this.legs.findIndex(({ orderId }) => orderId === order.orderId)];
    return `${name}: ${facts.map(wordOf).join(", ")}`;
  }
}

function wordOf(fact: Fact): string {
  if (fact.kind === "ENDED") return `ENDED ${fact.status} ${fact.reason}`;
  if (fact.kind === "END_REQUESTED") return `END_REQUESTED ${fact.end.status}`;
  if (fact.kind === "AMENDED") return `AMENDED ${String(fact.after.stopPrice)}`;
  return fact.kind === "ALERT" ? `ALERT ${fact.alert}` : fact.kind;
}
