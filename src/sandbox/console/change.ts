import type { ManagedOrderReply } from "../../client/index.ts";
import { type AmendPreview, amendableFields } from "../../lifecycle/index.ts";
import type { AmendFields } from "../../requests/index.ts";
import { type ErrorWords, orderErrorWords, warningOf } from "./error-words.ts";
import { grouped, timeText } from "./numbers.ts";
import { conditionOf, isOpen, typeName } from "./orders.ts";
import { timeAfter, wholeOf } from "./requests.ts";
import { FIELDS, type Field, KINDS, type Values } from "./ticket.ts";

/** A field of an order that an amend can change, by its name in a request. */
export type ChangeField = keyof AmendFields;

const known: WeakMap<object, readonly ChangeField[]> = new WeakMap();

/** Returns the fields of an order that can be changed, as the rules of the service say. It is asked for every drawing. */
export function changeable(order: ManagedOrderReply): readonly ChangeField[] {
  if (!isOpen(order) || !Object.hasOwn(KINDS, order.type)) return [];
  const fields = known.get(order) ?? amendableFields(order);
  known.set(order, fields);
  return fields;
}

/** Fields with another label, or under another name, than in the form of a new order. */
const OWN: Readonly<Partial<Record<string, Field>>> = {
  trailingDelta: { ...FIELDS.trail, kind: "whole", unit: "basis points" },
  price2: { ...FIELDS.trail, unit: "%" },
  trailingAmount: { ...FIELDS.trail, unit: "USD" },
  expireTime: { label: "Expire after, from now on", kind: "whole", unit: "min" },
};

/** Returns how a field is shown. One that this page does not know is shown under its name in a request. */
export function changeFieldOf(name: ChangeField): Field {
  const shared: Readonly<Record<string, Field>> = FIELDS;
  return OWN[name] ?? shared[name] ?? { label: name, kind: "text" };
}

/** Returns the value of a field now, as text. That of an expiry is empty: a person enters how long it is to live. */
export function valueNow(order: ManagedOrderReply, name: ChangeField): string {
  if (name === "expireTime") return "";
  const value: unknown = Reflect.get(order, name === "quantity" ? "origQty" : name);
  return value === undefined ? "" : String(value);
}

/**
 * Returns what a person has changed, as an amend sends it. Texts go to the rules as they are, also of a field that the order no
 * longer lets be changed: the rules say why.
 */
export function changesOf(order: ManagedOrderReply, values: Values, nowMs: number): AmendFields {
  const names = Object.keys(values) as ChangeField[];
  const changed = names.filter((name) => values[name] !== valueNow(order, name));
  return Object.fromEntries(
    changed.map((name) => {
      const text = values[name] ?? "";
      if (name === "expireTime") return [name, timeAfter(text, nowMs)];
      return [name, changeFieldOf(name).kind === "whole" ? wholeOf(text) : text];
    }),
  );
}

/** What a change comes to, in words. */
export type ChangeWords = Readonly<{
  refusal: ErrorWords | undefined;
  /** The old and the new value of each field. */
  changed: readonly (readonly [label: string, before: string, after: string])[];
  lines: readonly string[];
  /** Whether something of it should make a person think twice. */
  isWarning: boolean;
}>;

/** Returns the preview of a change in words. */
export function changeWords(
  order: ManagedOrderReply,
  changes: AmendFields,
  preview: AmendPreview,
): ChangeWords {
  const names = Object.keys(changes) as ChangeField[];
  const changed = names.map((name): ChangeWords["changed"][0] => {
    const before = name === "expireTime" ? order.expireTime : valueNow(order, name);
    const { label } = changeFieldOf(name);
    return [
      name === "expireTime" ? "Expires" : label,
      shownValue(name, before),
      shownValue(name, changes[name]),
    ];
  });
  const { refusal, level, actsAtOnce = false, firesBelowMinimum: low } = preview;
  if (refusal !== undefined)
    return { refusal: orderErrorWords(refusal), changed, lines: [], isWarning: false };
  const quantity = changes.quantity ?? order.origQty;
  const moved = level === undefined || order.triggerLevel === undefined ? {} : { triggerLevel: level };
  const lines = [`${grouped(quantity)} ${order.symbol}: ${conditionOf({ ...order, ...changes, ...moved })}.`];
  if (actsAtOnce) lines.push("The market is already at this level or past it: the order would act at once.");
  if (low !== undefined) lines.push(warningOf(low));
  return { refusal: undefined, changed, lines, isWarning: actsAtOnce || low !== undefined };
}

const shownValue = (name: ChangeField, value: unknown): string =>
  name === "expireTime" && typeof value === "number" ? timeText(value) : grouped(String(value ?? ""));

/** Returns what is changed, for the title of the dialog. */
export const changeTitle = (order: ManagedOrderReply): string =>
  `Change ${order.side === "SELL" ? "sell" : "buy"} order, ${typeName(order)}`;
