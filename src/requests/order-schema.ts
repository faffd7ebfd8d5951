import * as z from "zod";
import type { Price, Quantity } from "../decimal/index.ts";
import {
  type ChildTimeInForce,
  type Need,
  ORDER_TYPES,
  type ParentType,
  partsOf,
  type ScheduleKind,
  type Side,
  type TimeInForce,
  TRAITS,
  TYPED_PARTS,
  type TypedPart,
} from "../model/index.ts";
import {
  basisPointsSchema,
  expirySchema,
  intervalCountSchema,
  intervalDelaySchema,
  intervalSchema,
  newClientIdSchema,
  offsetSchema,
  participationSchema,
  percentSchema,
  priceSchema,
  quantitySchema,
  textSchema,
  weightsSchema,
} from "./field-schemas.ts";

/** The fields of an order, each read by itself; how they go together is not looked at yet. */
export type OrderFieldValues = Readonly<{
  type: ParentType;
  symbol: string;
  side: Side;
  quantity: Quantity;
  timeInForce?: TimeInForce | undefined;
  expireTime?: number | undefined;
  goodTillDate?: number | undefined;
  reduceOnly: boolean;
  childTimeInForce: ChildTimeInForce;
  newClientOrderId: string;
  price?: Price | undefined;
  stopPrice?: Price | undefined;
  trailingDelta?: number | undefined;
  price2?: Price | undefined;
  trailingAmount?: Price | undefined;
  limitOffset?: Price | undefined;
  icebergQty?: Quantity | undefined;
  interval?: number | undefined;
  intervalCount?: number | undefined;
  intervalDelay?: number | undefined;
  volumeProfile?: readonly number[] | undefined;
  participationBips?: number | undefined;
}>;

const MINUTE_MS = 60_000;

const everyOrder = {
  symbol: textSchema,
  side: z.enum(["BUY", "SELL"]),
  quantity: quantitySchema,
  timeInForce: z.enum(["GTC", "GTD"]).optional(),
  expireTime: expirySchema.optional(),
  goodTillDate: expirySchema.optional(),
  reduceOnly: z.boolean().default(false),
  childTimeInForce: z.enum(["IOC", "FOK"]).default("IOC"),
  newClientOrderId: newClientIdSchema,
  apiManaged: z.literal(true).optional(),
};

type OwnFields = Readonly<Record<string, z.ZodType>>;

/** How the parts of an intent are sent that are one field each. */
const FIELD_OF: Readonly<Record<Exclude<TypedPart, "trailing" | "schedule">, readonly [string, z.ZodType]>> =
  {
    stopPrice: ["stopPrice", priceSchema],
    price: ["price", priceSchema],
    limitOffset: ["limitOffset", offsetSchema],
    icebergQuantity: ["icebergQty", quantitySchema],
    participationBips: ["participationBips", participationSchema],
  };

/** One of several distances; that there is exactly one is looked at where the intent is made. */
const DISTANCE: OwnFields = {
  trailingDelta: basisPointsSchema.optional(),
  price2: percentSchema.optional(),
  trailingAmount: priceSchema.optional(),
};

/** How a stop or take-profit leg may trail in place of its stop price (decision 18). */
const DISTANCE_OF_LEG: OwnFields = { trailingDelta: basisPointsSchema.optional() };

const SCHEDULES: Readonly<Record<ScheduleKind, OwnFields>> = {
  even: {
    intervalDelay: intervalDelaySchema.optional(),
    interval: intervalSchema,
    intervalCount: intervalCountSchema,
  },
  volume: {
    intervalDelay: intervalDelaySchema.optional(),
    interval: intervalSchema.default(MINUTE_MS),
    intervalCount: intervalCountSchema.optional(),
    volumeProfile: weightsSchema.optional(),
  },
  participation: {},
};

function fieldsOf(type: ParentType, part: TypedPart, need: Need): OwnFields {
  if (need === "none") return {};
  if (part === "trailing") return need === "required" ? DISTANCE : DISTANCE_OF_LEG;
  const { schedule } = TRAITS[type];
  if (part === "schedule") return schedule === undefined ? {} : SCHEDULES[schedule];
  const [name, schema] = FIELD_OF[part];
  return { [name]: need === "required" ? schema : schema.optional() };
}

function schemaOf(type: ParentType, place: "single" | "leg"): TypeSchema {
  const parts = partsOf(type, place);
  const own = TYPED_PARTS.map((part) => fieldsOf(type, part, parts[part] ?? "none"));
  const fields: OwnFields = Object.fromEntries([everyOrder, ...own].flatMap((some) => Object.entries(some)));
  return z.strictObject({ ...fields, type: z.literal(type) });
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
