import { OrderError } from "../errors/index.ts";
import { ORDER_TYPES, type ParentType, TRAITS } from "../model/index.ts";
import type { PlainFields, PlainValue } from "./plain-fields.ts";
import { invalid, type NameOf, ownName } from "./refusals.ts";

/** Every name of a type but LIMIT, which other fields decide on, with the type that it means. */
export const CANONICAL_TYPES: ReadonlyMap<string, ParentType> = new Map(
  ORDER_TYPES.flatMap((type) => [type, ...TRAITS[type].aliases].map((name) => [name, type] as const)),
);

/** Values of targetStrategy (contract, Order input fields). */
export const STRATEGIES: ReadonlyMap<PlainValue, ParentType> = new Map(
  ORDER_TYPES.flatMap((type) => {
    const { targetStrategy } = TRAITS[type];
    return targetStrategy === undefined ? [] : [[targetStrategy, type] as const];
  }),
);

/** Values of timeInForce that make a LIMIT a LIMIT_MAKER (contract, Order type values). */
export const POST_ONLY: ReadonlySet<unknown> = new Set(["GTX", "POST_ONLY"]);

/**
 * The fields of a single order under its canonical type, without those that only selected it. LIMIT is a managed order
 * when apiManaged, targetStrategy, icebergQty, an expiry or timeInForce makes it one (decision 32); with targetStrategy
 * it is a schedule with a price, with GTX or POST_ONLY a LIMIT_MAKER.
 * Throws PARAMETER_MISSING (-1102) without a type or without the price of such a schedule, PARAMETER_NOT_REQUIRED
 * (-1106) for a price on TWAP, VWAP or POV by name, BAD_ORDER_TYPE (-1116) for a type that is not known or not managed,
 * BAD_STRATEGY (-1134) for an unknown targetStrategy, UNSUPPORTED_COMBINATION (-1014) for one on another type.
 */
export function typedOrder(fields: PlainFields): PlainFields {
  const type = typeNameOf(fields, ownName);
  if (type === "LIMIT") {
    return fields.targetStrategy === undefined ? limitOf(managed(fields)) : cappedSchedule(fields);
  }
  const canonical = canonicalType(type, ownName);
  refuseStrategy(fields, ownName);
  if (TRAITS[canonical].limit === "cap" && fields.price !== undefined) {
    throw new OrderError("PARAMETER_NOT_REQUIRED", { field: "price" });
  }
  return { ...fields, type: canonical };
}

/** A leg of a list: what the request calls its fields, and whether it is one of an OCO pair. */
export type LegPlace = Readonly<{ nameOf: NameOf; inPair: boolean }>;

/**
 * The fields of a leg under its canonical type; LIMIT is a managed limit here (convention 1.2 h).
 * Throws as {@link typedOrder} does; schedules are refused in an OCO pair with OCO_TYPE_REJECTED (-1158), so is ICEBERG,
 * and elsewhere in a list with UNSUPPORTED_COMBINATION. Source: contract rule 8, decisions 33 and 35.
 */
export function typedLeg(fields: PlainFields, { nameOf, inPair }: LegPlace): PlainFields {
  const type = typeNameOf(fields, nameOf);
  const canonical = type === "LIMIT" ? "SYNTHETIC_LIMIT" : canonicalType(type, nameOf);
  refuseStrategy(fields, nameOf);
  const { legs } = TRAITS[canonical];
  if (inPair && legs !== "any") throw new OrderError("OCO_TYPE_REJECTED", { field: nameOf("type") });
  if (legs === "none") throw new OrderError("UNSUPPORTED_COMBINATION", { field: nameOf("type") });
  return type === "LIMIT" ? limitOf(fields) : { ...fields, type: canonical };
}

function typeNameOf({ type }: PlainFields, nameOf: NameOf): string {
  if (type === undefined) throw new OrderError("PARAMETER_MISSING", { field: nameOf("type") });
  if (typeof type !== "string") throw invalid("type", nameOf("type"));
  return type;
}

/** The canonical type of every name but LIMIT. A name that is not known is not repeated in the answer. */
function canonicalType(type: string, nameOf: NameOf): ParentType {
  const canonical = CANONICAL_TYPES.get(type);
  if (canonical !== undefined) return canonical;
  const named = type === "MARKET" ? type : "The type sent";
  throw new OrderError("BAD_ORDER_TYPE", { field: nameOf("type"), type: named });
}

/**
 * Whether the fields of a single order ask for a native one: MARKET, or a LIMIT that nothing makes a managed one.
 * Source: decision 32.
 */
export function isNative(fields: PlainFields): boolean {
  if (fields.type === "MARKET") return fields.apiManaged !== true;
  return fields.type === "LIMIT" && fields.targetStrategy === undefined && !isManagedLimit(fields);
}

/** Whether apiManaged, icebergQty, timeInForce or an expiry makes a LIMIT a managed one. */
function isManagedLimit(fields: PlainFields): boolean {
  const { timeInForce, apiManaged, icebergQty } = fields;
  const expires = fields.expireTime !== undefined || fields.goodTillDate !== undefined;
  const lifetime = timeInForce ?? (expires ? "GTD" : "GTC");
  return apiManaged === true || icebergQty !== undefined || lifetime === "GTD" || POST_ONLY.has(lifetime);
}

/** A LIMIT that something makes a managed one; a plain LIMIT is native. */
function managed(fields: PlainFields): PlainFields {
  if (isManagedLimit(fields)) return fields;
  throw new OrderError("BAD_ORDER_TYPE", { field: "type", type: "LIMIT without apiManaged=true" });
}

/** LIMIT as a managed limit. GTX and POST_ONLY say how it executes and nothing of how long it lives. */
function limitOf(fields: PlainFields): PlainFields {
  const { timeInForce, ...rest } = fields;
  if (POST_ONLY.has(timeInForce)) return { ...rest, type: "LIMIT_MAKER" };
  return { ...fields, type: "SYNTHETIC_LIMIT" };
}

function cappedSchedule({ targetStrategy, ...rest }: PlainFields): PlainFields {
  const type = strategyType(targetStrategy, ownName);
  if (rest.price === undefined) throw new OrderError("PARAMETER_MISSING", { field: "price" });
  return { ...rest, type };
}

/** targetStrategy stands with a single LIMIT only. */
function refuseStrategy({ targetStrategy }: PlainFields, nameOf: NameOf): void {
  if (targetStrategy === undefined) return;
  strategyType(targetStrategy, nameOf);
  throw new OrderError("UNSUPPORTED_COMBINATION", { field: nameOf("targetStrategy") });
}

function strategyType(targetStrategy: PlainValue | undefined, nameOf: NameOf): ParentType {
  const type = targetStrategy === undefined ? undefined : STRATEGIES.get(targetStrategy);
  if (type === undefined) throw invalid("targetStrategy", nameOf("targetStrategy"));
  return type;
}
