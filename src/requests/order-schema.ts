import * as z from "zod";
import {
  type Need,
  ORDER_TYPES,
  type ParentType,
  partsOf,
  TRAITS,
  TYPED_PARTS,
  type TypedPart,
} from "../model/index.ts";
import { INTENT_MEMBERS, ORDER_FIELDS, type OrderFieldName, type OrderFieldValues } from "./order-fields.ts";

type Schemas = readonly (readonly [OrderFieldName, z.ZodType])[];

/** Fields that the type decides on. */
const TYPED: ReadonlySet<OrderFieldName> = new Set(TYPED_PARTS.flatMap((part) => INTENT_MEMBERS[part].of));

const NAMES = Object.keys(ORDER_FIELDS) as readonly OrderFieldName[];

/** Fields that every order takes. */
const OF_EVERY: Schemas = NAMES.flatMap((name) => {
  const { schema } = ORDER_FIELDS[name];
  return schema === undefined || TYPED.has(name) ? [] : [[name, schema] as const];
});

/** The fields by which a type says one part of its intent. */
function schemasOf(type: ParentType, part: TypedPart, need: Exclude<Need, "none">): Schemas {
  const { schedule } = TRAITS[type];
  return INTENT_MEMBERS[part].of.flatMap((name) => {
    const { schema, schedules, trailsLeg } = ORDER_FIELDS[name];
    if (schedules !== undefined) {
      const own = schedule && schedules[schedule];
      return own === undefined ? [] : [[name, own] as const];
    }
    if (schema === undefined) return [];
    // One of several distances; that there is exactly one is looked at where the intent is made.
    if (part !== "trailing") return [[name, need === "required" ? schema : schema.optional()] as const];
    return need === "required" || trailsLeg === true ? [[name, schema.optional()] as const] : [];
  });
}

function schemaOf(type: ParentType, place: "single" | "leg"): TypeSchema {
  const parts = partsOf(type, place);
  const own = TYPED_PARTS.flatMap((part) => {
    const need = parts[part] ?? "none";
    return need === "none" ? [] : schemasOf(type, part, need);
  });
  return z.strictObject({ ...Object.fromEntries([...OF_EVERY, ...own]), type: z.literal(type) });
}

type TypeSchema = z.ZodObject<Readonly<{ type: z.ZodLiteral<ParentType> }>, z.core.$strict>;

/** One schema for each of the types; each is a schema of OrderFieldValues by what {@link partsOf} says. */
function schemaOfTypes(place: "single" | "leg", types: readonly ParentType[]): z.ZodType<OrderFieldValues> {
  const [first, ...others] = types.map((type) => schemaOf(type, place));
  if (first === undefined) throw new RangeError("no types");
  const union: z.ZodType<unknown> = z.discriminatedUnion("type", [first, ...others]);
  return union as z.ZodType<OrderFieldValues>;
}

/** The fields that each type takes, required and optional (contract, Order type values). */
export const orderSchema: z.ZodType<OrderFieldValues> = schemaOfTypes("single", ORDER_TYPES);

/** The fields that each type takes as a leg of a list; there are no schedules in lists (contract rule 8). */
export const legSchema: z.ZodType<OrderFieldValues> = schemaOfTypes(
  "leg",
  ORDER_TYPES.filter((type) => TRAITS[type].legs !== "none"),
);
