import {
  type Need,
  ORDER_TYPES,
  type ParentType,
  partsOf,
  TRAITS,
  TYPED_PARTS,
  type TypedPart,
} from "../model/index.ts";
import { type FieldSet, fieldSet } from "./field-set.ts";
import { INTENT_MEMBERS, ORDER_FIELDS, type OrderFieldName, type OrderFieldValues } from "./order-fields.ts";
import type { PlainFields } from "./plain-fields.ts";
import { invalid, type NameOf, ownName } from "./refusals.ts";
import { type FieldRule, only, optionalField } from "./rule.ts";

type NamedRules = readonly (readonly [OrderFieldName, FieldRule<unknown>])[];

/** Fields that depend on the type. */
const TYPED: ReadonlySet<OrderFieldName> = new Set(TYPED_PARTS.flatMap((part) => INTENT_MEMBERS[part].of));

const NAMES = Object.keys(ORDER_FIELDS) as readonly OrderFieldName[];

/** Fields that every order takes. */
const OF_EVERY: NamedRules = NAMES.flatMap((name) => {
  const { rule } = ORDER_FIELDS[name];
  return rule === undefined || TYPED.has(name) ? [] : [[name, rule] as const];
});

/** Returns the rules of the fields from which a type builds one part of its intent. */
function rulesOf(type: ParentType, part: TypedPart, need: Exclude<Need, "none">): NamedRules {
  const { schedule } = TRAITS[type];
  return INTENT_MEMBERS[part].of.flatMap((name) => {
    const { rule, schedules, trailsLeg } = ORDER_FIELDS[name];
    if (schedules !== undefined) {
      const own = schedule && schedules[schedule];
      return own === undefined ? [] : [[name, own] as const];
    }
    if (rule === undefined) return [];
    // One of several distances. The intent checks that there is exactly one.
    if (part !== "trailing") return [[name, need === "required" ? rule : optionalField(rule)] as const];
    return need === "required" || trailsLeg === true ? [[name, optionalField(rule)] as const] : [];
  });
}

function setOf(type: ParentType, place: "single" | "leg"): FieldSet<OrderFieldValues> {
  const parts = partsOf(type, place);
  const own = TYPED_PARTS.flatMap((part) => {
    const need = parts[part] ?? "none";
    return need === "none" ? [] : rulesOf(type, part, need);
  });
  const set = fieldSet({ ...Object.fromEntries([...OF_EVERY, ...own]), type: only(type) });
  return set as FieldSet<unknown> as FieldSet<OrderFieldValues>;
}

/** One set of fields per type. Each reads OrderFieldValues as {@link partsOf} defines them. */
export type OrderSets = ReadonlyMap<string, FieldSet<OrderFieldValues>>;

const setsOf = (place: "single" | "leg", types: readonly ParentType[]): OrderSets =>
  new Map(types.map((type) => [type, setOf(type, place)]));

/** The fields that each type takes, required and optional (contract, Order type values). */
export const ORDER_SETS: OrderSets = setsOf("single", ORDER_TYPES);

/** The fields that each type takes as a leg of a list. Lists have no schedules (contract rule 8). */
export const LEG_SETS: OrderSets = setsOf(
  "leg",
  ORDER_TYPES.filter((type) => TRAITS[type].legs !== "none"),
);

/** Reads the fields of an order with the set of its type. Throws as the set does. */
export function readTyped(sets: OrderSets, fields: PlainFields, nameOf: NameOf = ownName): OrderFieldValues {
  const set = sets.get(String(fields.type));
  if (set === undefined) throw invalid("type", nameOf("type"));
  return set.read(fields, nameOf);
}
