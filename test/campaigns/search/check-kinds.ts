import type { ParentOrder } from "../../../src/model/index.ts";
import type { Form } from "./forms.ts";
import { unitsOf } from "./market.ts";
import type { Violation } from "./rules.ts";

type Legs = readonly ParentOrder[];

/** The legs that share a quantity: the exits of a bracket, or all orders of an OCA. */
export const sharersOf = (form: Form): readonly number[] =>
  form.roles.flatMap((role, place) => (role === "working" ? [] : [place]));

/** What the sharing legs may execute together. */
export const sharedBy = (form: Form, legs: Legs): number => {
  const entry = legs[form.roles.indexOf("working")];
  return unitsOf(entry?.executedQuantity ?? (legs[0] as ParentOrder).intent.quantity);
};

const executedOf = ({ executedQuantity }: ParentOrder): number => unitsOf(executedQuantity);
const openOf = ({ child }: ParentOrder): number =>
  child === undefined ? 0 : unitsOf(child.quantity) - unitsOf(child.executedQuantity);

/** What the legs of a form have executed of what they share, and what their unresolved children may. */
export const takenBy = (form: Form, legs: Legs, except = -1): number =>
  sharersOf(form).reduce((sum, place) => {
    const leg = legs[place];
    return leg === undefined || place === except ? sum : sum + executedOf(leg) + openOf(leg);
  }, 0);

/** Why the stop of a bracket may end before all is executed. */
const MAY_END: readonly (string | undefined)[] = [
  "USER_CANCELED",
  "EXPIRED_GTD",
  "REJECTED_BY_VENUE",
  "RESIDUAL_BELOW_MIN_NOTIONAL",
];

/** Rules of a bracket by fills and of an OCA, in every state. */
export function checkKind(form: Form, legs: Legs): Violation | undefined {
  const shared = sharedBy(form, legs);
  const taken = takenBy(form, legs);
  const exits = sharersOf(form).map((place) => legs[place] as ParentOrder);
  const broken = (what: string): Violation => ({ id: "57", what });
  if (taken > shared) return broken(`${taken} executed and under way of ${shared}`);
  if (form.mode === "CANCEL" && exits.filter(({ attempts }) => attempts > 0).length > 1)
    return broken("two orders have won");
  const executed = exits.reduce((sum, leg) => sum + executedOf(leg), 0);
  const isSettled = exits.every(({ child }) => child === undefined);
  const isOpen = exits.some(({ ended }) => ended === undefined);
  const entry = legs[form.roles.indexOf("working")];
  const isOver = (entry === undefined ? form.mode === "REDUCE" : entry.ended !== undefined) && isSettled;
  if (isOver && executed >= shared && isOpen) return broken("all is executed, and an order stays open");
  if (entry === undefined) return undefined;
  if (shared > 0 && exits.some(({ held, ended }) => held && ended === undefined))
    return broken("the entry has executed, and an exit is held");
  const stop = legs[form.roles.indexOf("protective")];
  return shared > executed && stop?.ended !== undefined && !MAY_END.includes(stop.ended.reason)
    ? broken(`the stop ended ${stop.ended.reason} with ${shared - executed} to close`)
    : undefined;
}
