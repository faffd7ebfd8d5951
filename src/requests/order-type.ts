import { OrderError } from "../errors/index.ts";
import { ORDER_TYPES, type ParentType, TRAITS } from "../model/index.ts";
import type { FieldsType } from "./orders.ts";
import { invalid, type NameOf, ownName, type PlainFields, type PlainValue } from "./parameters.ts";

/** Every name of a type, with the type that it means. LIMIT is left out, because other fields decide its type. */
export const CANONICAL_TYPES: ReadonlyMap<string, FieldsType> = new Map(
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
 * Returns the fields of a single order under its canonical type, without those that only select it. LIMIT is a managed
 * order if apiManaged, targetStrategy, icebergQty, an expiry or timeInForce makes it one. With targetStrategy it is a
 * schedule with a price; with GTX or POST_ONLY it is a LIMIT_MAKER. Throws PARAMETER_MISSING (-1102) without a type or
 * without the price of such a schedule, PARAMETER_NOT_REQUIRED (-1106) for a price on TWAP, VWAP or POV by name,
 * BAD_ORDER_TYPE (-1116) for a type that is unknown or not managed, BAD_STRATEGY (-1134) for an unknown targetStrategy,
 * UNSUPPORTED_COMBINATION (-1014) for a targetStrategy on another type.
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
  return type === canonical ? fields : { ...fields, type: canonical };
}

/** A leg of a list: the request's names of its fields, and whether it is part of an OCO pair. */
export type LegPlace = Readonly<{ nameOf: NameOf; inPair: boolean }>;

/**
 * Returns the fields of a leg under its canonical type. LIMIT is a managed limit here (convention 1.2 h). Throws as {@link
 * typedOrder} does. Schedules and ICEBERG are refused in an OCO pair with OCO_TYPE_REJECTED (-1158). Elsewhere in a list,
 * schedules are refused with UNSUPPORTED_COMBINATION. Source: contract rule 8.
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

/** Returns the canonical type of every name but LIMIT. The error does not repeat an unknown name. */
function canonicalType(type: string, nameOf: NameOf): ParentType {
  const canonical = CANONICAL_TYPES.get(type);
  if (canonical !== undefined) return canonical;
  const advice =
    type === "MARKET"
      ? "A MARKET order is native: send it as a single order, without apiManaged."
      : "The type sent is not available; use a type that exchangeInfo lists for the symbol.";
  throw new OrderError("BAD_ORDER_TYPE", { field: nameOf("type"), advice });
}

/** Returns whether the fields of a single order ask for a native order: MARKET, or a LIMIT that no field makes managed. */
export function isNative(fields: PlainFields): boolean {
  if (fields.type === "MARKET") return fields.apiManaged !== true;
  return fields.type === "LIMIT" && fields.targetStrategy === undefined && !isManagedLimit(fields);
}

/** Returns whether apiManaged, icebergQty, timeInForce or an expiry makes a LIMIT managed. */
function isManagedLimit(fields: PlainFields): boolean {
  const { timeInForce, apiManaged, icebergQty } = fields;
  const expires = fields.expireTime !== undefined || fields.goodTillDate !== undefined;
  const lifetime = timeInForce ?? (expires ? "GTD" : "GTC");
  return apiManaged === true || icebergQty !== undefined || lifetime === "GTD" || POST_ONLY.has(lifetime);
}

/** Returns the fields of a managed LIMIT. Throws for a plain LIMIT, which is native. */
function managed(fields: PlainFields): PlainFields {
  if (isManagedLimit(fields)) return fields;
  const advice = "A LIMIT without apiManaged=true is native. Send apiManaged=true for a managed one.";
  throw new OrderError("BAD_ORDER_TYPE", { field: "type", advice });
}

/**
 * Returns the fields of a LIMIT as a managed limit. GTX and POST_ONLY define how it executes, not how long it lives.
 */
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

/** Refuses targetStrategy on anything but a single LIMIT. */
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

/**
 * The trailing type that replaces a stop or take-profit with a trailingDelta on the compat prefix, by the name of the stop
 * or take-profit.
 */
export const COMPAT_TRAILING: ReadonlyMap<string, ParentType> = new Map([
  ["STOP_LOSS", "TRAILING_STOP_MARKET"],
  ["TAKE_PROFIT", "TRAILING_STOP_MARKET"],
  ["STOP_LOSS_LIMIT", "TRAILING_STOP_LIMIT"],
  ["TAKE_PROFIT_LIMIT", "TRAILING_STOP_LIMIT"],
]);
