import type { Notional, Price, Quantity } from "../decimal/index.ts";
import { OrderError } from "../errors/index.ts";
import type { NativeTerms, NativeTimeInForce, ParentIntent, Side } from "../model/index.ts";
import { type Parameters, readFlatText, writeJson } from "../wire/index.ts";
import { type Actor, splitActor } from "./actor.ts";
import { type FieldSet, fieldSet } from "./field-set.ts";
import { intentOf } from "./order-intent.ts";
import { CANONICAL_TYPES, isNative } from "./order-type.ts";
import type { OrderFields } from "./orders.ts";
import {
  conflict,
  type KnownNames,
  namesOfWrite,
  ORDER_NAMES,
  type PlainFields,
  plainFields,
} from "./parameters.ts";
import {
  amountRule,
  newClientIdRule,
  only,
  optionalField,
  preset,
  priceRule,
  quantityRule,
  textRule,
  words,
} from "./rule.ts";
import { marketOf, type ResolveSymbol } from "./symbols.ts";

/** A placement: its actor, its intent, and whether its client id was generated. */
export type PlaceCommand = Actor & Readonly<{ intent: ParentIntent; generatedClientId: boolean }>;

/** Dependencies of reading a placement: the catalogue, and a generator of client ids by field name. */
export type PlacementContext = Readonly<{ resolve: ResolveSymbol; clientId: (field: string) => string }>;

/** The parameters that POST /api/order knows. */
export const PLACEMENT_NAMES: KnownNames = namesOfWrite(ORDER_NAMES);

/**
 * Reads the parameters of POST /api/order into a command for an advanced order. Throws an OrderError that names the invalid
 * field: -1104 for an unknown parameter, -1116 for a type that is not available, -1106 for a field that the type does not
 * take, -1121 for a symbol that is unknown or not a liquidity market. Source: contract, Single-parent advanced creation.
 */
export function readPlacement(parameters: Parameters, context: PlacementContext): PlaceCommand {
  const command = commandOf(parameters, context.clientId);
  const { intent } = command;
  const symbol = marketOf(intent.symbol, context.resolve);
  return { ...command, intent: { ...intent, symbol } };
}

/**
 * Returns the intent that a service reads from an order sent as JSON; the symbol is not resolved. Throws the OrderError
 * of the service, also where {@link orderIntent} judges a value of the wrong kind later than the wire does.
 */
export function intentAsSent(fields: OrderFields, clientId: PlacementContext["clientId"]): ParentIntent {
  return commandOf(readFlatText(writeJson({ ...fields })), clientId).intent;
}

function commandOf(parameters: Parameters, clientId: PlacementContext["clientId"]): PlaceCommand {
  const { actor, order } = splitActor(plainFields(parameters, PLACEMENT_NAMES));
  const generatedClientId = order.newClientOrderId === undefined;
  const intent = intentOf(
    generatedClientId ? { ...order, newClientOrderId: clientId("newClientOrderId") } : order,
  );
  return { ...actor, intent, generatedClientId };
}

/** A placement of a native order: its actor and its terms. */
type NativeCommand = Actor & Readonly<{ terms: NativeTerms }>;

type Values = Readonly<{
  type: "LIMIT" | "MARKET";
  symbol: string;
  side: Side;
  newClientOrderId: string;
  timeInForce?: NativeTimeInForce;
  quantity?: Quantity | undefined;
  quoteOrderQty?: Notional | undefined;
  price?: Price;
}>;

/** The fields that each type of native order takes. */
export const NATIVE_SETS: Readonly<Record<NativeTerms["type"], FieldSet<Values>>> = /* @__PURE__ */ (() => {
  const everyOrder = {
    symbol: textRule,
    side: words("BUY", "SELL"),
    newClientOrderId: newClientIdRule,
    apiManaged: optionalField(only(false)),
  };
  return {
    LIMIT: fieldSet({
      type: only("LIMIT"),
      ...everyOrder,
      timeInForce: preset(words("GTC", "IOC", "FOK"), "GTC"),
      quantity: quantityRule,
      price: priceRule,
    }),
    MARKET: fieldSet({
      type: only("MARKET"),
      ...everyOrder,
      quantity: optionalField(quantityRule),
      quoteOrderQty: optionalField(amountRule),
    }),
  };
})();

/** Types that can be native orders. */
const NATIVE_TYPES: readonly string[] = ["LIMIT", "MARKET"];

/**
 * Returns the kind of order that the parameters of POST /api/order ask for. Throws an OrderError for a LIMIT or MARKET:
 * -1104 for an unknown parameter, -1130 for a value of the wrong kind.
 */
export function placementFlow(parameters: Parameters): "native" | "managed" {
  if (!NATIVE_TYPES.includes(parameters.get("type")?.text ?? "")) return "managed";
  return isNative(plainFields(parameters, PLACEMENT_NAMES)) ? "native" : "managed";
}

/**
 * Reads the parameters of a native placement: LIMIT with price and quantity, MARKET with quantity or quoteOrderQty. Throws
 * an OrderError that names the invalid field: -1116 for an advanced or unknown type, -1106 for a field that native orders
 * do not take, -1114 for timeInForce on MARKET, -1102 without a required field, -1128 for both amounts, -1121 for a symbol
 * that is unknown or not a liquidity market. Source: contract, Ordinary order flow; convention 1, gap 9, and 3.1.
 */
export function readNativePlacement(parameters: Parameters, context: PlacementContext): NativeCommand {
  const { actor, order } = splitActor(plainFields(parameters, PLACEMENT_NAMES));
  refuseAdvanced(order);
  if (order.type === "MARKET" && order.timeInForce !== undefined) {
    throw new OrderError("TIME_IN_FORCE_NOT_REQUIRED", { field: "timeInForce" });
  }
  const newClientOrderId = order.newClientOrderId ?? context.clientId("newClientOrderId");
  const values = NATIVE_SETS[order.type === "MARKET" ? "MARKET" : "LIMIT"].read({
    ...order,
    newClientOrderId,
  });
  const symbol = marketOf(values.symbol, context.resolve);
  return { ...actor, terms: termsOf({ ...values, symbol }) };
}

/** Refuses everything but plain orders. A field that selects another kind of order is never ignored silently. */
function refuseAdvanced(order: PlainFields): void {
  if (order.type === undefined) throw new OrderError("PARAMETER_MISSING", { field: "type" });
  if (isNative(order)) return;
  const isManaged = order.type === "LIMIT" || CANONICAL_TYPES.has(String(order.type));
  throw new OrderError("BAD_ORDER_TYPE", {
    field: "type",
    advice: isManaged
      ? "POST /api/v2/order takes a plain LIMIT or MARKET only. Send managed orders to POST /api/order."
      : "The type sent is not available; use LIMIT or MARKET.",
  });
}

function termsOf({ type, symbol, side, newClientOrderId, ...values }: Values): NativeTerms {
  const { timeInForce = "GTC", quantity, quoteOrderQty, price } = values;
  const common = { symbol, side, clientOrderId: newClientOrderId };
  if (quantity !== undefined && quoteOrderQty !== undefined) {
    throw conflict(
      ["quantity", "quoteOrderQty"],
      "Send either the base quantity or the amount in USD, not both.",
    );
  }
  if (quantity !== undefined && price !== undefined)
    return { ...common, type: "LIMIT", timeInForce, quantity, price };
  if (type === "MARKET" && quantity !== undefined) return { ...common, type, quantity };
  if (type === "MARKET" && quoteOrderQty !== undefined)
    return { ...common, type, quoteQuantity: quoteOrderQty };
  throw new OrderError("PARAMETER_MISSING_BOTH", { field: "quantity", other: "quoteOrderQty" });
}
