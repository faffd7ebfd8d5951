import { OrderError } from "../errors/index.ts";
import type { ParentType } from "../model/index.ts";
import type { PlainFields } from "./plain-fields.ts";
import { invalid } from "./refusals.ts";

/** Names of order types on input that stand for a canonical one (contract, Order type values). */
export type OrderTypeAlias = "LIMIT" | "STOP" | "STOP_LOSS" | "STOP_LIMIT" | "TAKE_PROFIT" | "TRAILING_STOP";

const CANONICAL: ReadonlyMap<string, ParentType> = new Map([
  ["SYNTHETIC_LIMIT", "SYNTHETIC_LIMIT"],
  ["STOP_MARKET", "STOP_MARKET"],
  ["STOP", "STOP_MARKET"],
  ["STOP_LOSS", "STOP_MARKET"],
  ["STOP_LOSS_LIMIT", "STOP_LOSS_LIMIT"],
  ["STOP_LIMIT", "STOP_LOSS_LIMIT"],
  ["TAKE_PROFIT_MARKET", "TAKE_PROFIT_MARKET"],
  ["TAKE_PROFIT", "TAKE_PROFIT_MARKET"],
  ["TAKE_PROFIT_LIMIT", "TAKE_PROFIT_LIMIT"],
  ["TRAILING_STOP_MARKET", "TRAILING_STOP_MARKET"],
  ["TRAILING_STOP", "TRAILING_STOP_MARKET"],
  ["TRAILING_STOP_LIMIT", "TRAILING_STOP_LIMIT"],
]);

/** The canonical types that can be placed, for catalogues such as exchangeInfo (decision 43). */
export const ORDER_TYPES: readonly ParentType[] = Object.freeze([...new Set(CANONICAL.values())]);

/** Types of the contract and of native order flow that are refused by name. */
const UNAVAILABLE: ReadonlySet<string> = new Set([
  "LIMIT_MAKER",
  "POST_ONLY",
  "ICEBERG",
  "TWAP",
  "VWAP",
  "POV",
  "MARKET",
]);

const STRATEGIES: ReadonlySet<string> = new Set(["180", "1000002", "1000004"]);
const POST_ONLY: ReadonlySet<unknown> = new Set(["GTX", "POST_ONLY"]);

/**
 * The canonical type of an order. LIMIT is a managed order when apiManaged, timeInForce, an expiry or icebergQty
 * makes it one (decision 32). Throws PARAMETER_MISSING (-1102) without a type, BAD_ORDER_TYPE (-1116) for one that
 * is not known or not available, BAD_STRATEGY (-1134) for an unknown targetStrategy and UNSUPPORTED_COMBINATION
 * (-1014) for one on another type than LIMIT.
 */
export function canonicalType(fields: PlainFields): ParentType {
  const { type } = fields;
  if (type === undefined) throw new OrderError("PARAMETER_MISSING", { field: "type" });
  if (typeof type !== "string") throw invalid("type");
  const canonical = type === "LIMIT" ? managedLimit(fields) : CANONICAL.get(type);
  if (canonical === undefined) throw unavailable(UNAVAILABLE.has(type) ? type : "The type sent");
  if (fields.targetStrategy !== undefined) throw refusedStrategy(fields);
  return canonical;
}

function managedLimit(fields: PlainFields): ParentType {
  const { timeInForce, apiManaged, targetStrategy, icebergQty } = fields;
  if (POST_ONLY.has(timeInForce)) throw unavailable(`LIMIT with timeInForce ${timeInForce}`);
  const expires = fields.expireTime !== undefined || fields.goodTillDate !== undefined;
  const lifetime = timeInForce ?? (expires ? "GTD" : "GTC");
  const managed = apiManaged === true || lifetime === "GTD";
  if (managed || icebergQty !== undefined || targetStrategy !== undefined) return "SYNTHETIC_LIMIT";
  throw unavailable("LIMIT without apiManaged=true");
}

function refusedStrategy({ type, targetStrategy }: PlainFields): OrderError {
  const field = "targetStrategy";
  if (!STRATEGIES.has(String(targetStrategy))) return new OrderError("BAD_STRATEGY", { field });
  if (type === "LIMIT") return unavailable("LIMIT with targetStrategy");
  return new OrderError("UNSUPPORTED_COMBINATION", { field });
}

function unavailable(type: string): OrderError {
  return new OrderError("BAD_ORDER_TYPE", { field: "type", type });
}
