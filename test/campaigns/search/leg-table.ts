import type { ParentOrder } from "../../../src/model/index.ts";
import { unitsOf } from "./market.ts";

/**
 * One leg in one state. Orders that differ only in members that no rule reads are one leg: times, journal numbers, the
 * retry pace (there are no pauses here), the value executed, the ids that follow from the attempts.
 */
export type Leg = Readonly<{
  /** Number of the exact state. */
  id: number;
  /** Number of the state without the ids of the counted executions: for a leg whose children are all fully reported. */
  summary: number;
  /** Number of its end; -1 while it is open. */
  ending: number;
  order: ParentOrder;
  /** Executions counted so far, per child from the first. */
  reported: readonly number[];
}>;

/** Name of the `n`-th execution of a child. */
export const executionOf = (n: number): string => String(n);

/** Keys write each number as one UTF-16 code unit. */
const LARGEST = 0xffff;

/** Gives every state of a leg one number and one value. Legs of different places in a form may share numbers. */
export class LegTable {
  readonly #legs: Map<string, Leg> = new Map();
  readonly #numbers: Map<string, number> = new Map();

  /** Returns the leg of an order; `place` is its position in the form. */
  of(order: ParentOrder, place: number): Leg {
    const summary = summaryOf(order);
    const exact = `${place}|${summary}|${[...order.executions].join("+")}`;
    const known = this.#legs.get(exact);
    if (known !== undefined) return known;
    const { ended, executedQuantity, held } = order;
    const end = `ended|${endOf(order)}|${executedQuantity}|${held}`;
    const leg: Leg = {
      id: this.#legs.size,
      summary: this.#number(summary),
      ending: ended === undefined ? -1 : this.#number(end),
      order,
      reported: reportedOf(order),
    };
    if (leg.id > LARGEST) throw new RangeError("more states of legs than a key can number");
    this.#legs.set(exact, leg);
    return leg;
  }

  #number(text: string): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    this.#numbers.set(text, this.#numbers.size);
    return this.#numbers.size - 1;
  }
}

const endOf = ({ ended }: ParentOrder): string =>
  ended === undefined ? "" : `${ended.status} ${ended.reason}`;

/** Everything that a rule reads of a leg, except the ids of its executions. */
function summaryOf(order: ParentOrder): string {
  const { activation, trigger, held, postOnlyCleared, child, pendingEnd, frozen } = order;
  const marks = `${activation ? "a" : ""}${held ? "h" : ""}${postOnlyCleared ? "p" : ""}${frozen ? "z" : ""}`;
  const fired = trigger === undefined ? `${order.intent.stopPrice ?? ""}` : `t${trigger.limit ?? ""}`;
  const sent = child && `${unitsOf(child.quantity)},${unitsOf(child.executedQuantity)},${child.state}`;
  const ending = pendingEnd && `${pendingEnd.status} ${pendingEnd.reason}`;
  const executed = unitsOf(order.executedQuantity);
  return `${marks}|${fired}|${order.attempts}|${executed}|${sent ?? ""}|${ending ?? ""}|${endOf(order)}`;
}

function reportedOf(order: ParentOrder): readonly number[] {
  const reported: number[] = [];
  for (let attempt = 1; attempt <= order.attempts; attempt++) {
    reported.push([...order.executions].filter((id) => id.startsWith(`${attempt.toString(36)} `)).length);
  }
  return reported;
}
