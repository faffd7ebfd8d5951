import { OrderError } from "../errors/index.ts";
import type { CancelRestriction } from "../model/index.ts";
import type { Parameters } from "../wire/index.ts";
import { ACTOR_RULES, type Actor, actorOf } from "./actor.ts";
import { oneClientId } from "./client-id-aliases.ts";
import { lookupIdRule, newClientIdRule, textRule } from "./field-rules.ts";
import { fieldSet, type RequestShape } from "./field-set.ts";
import { type KnownNames, namesOfRead, namesOfWrite } from "./known-names.ts";
import { plainFields } from "./plain-fields.ts";
import { int64, optionalField, words } from "./rule.ts";
import { instrumentOf, type SymbolContext } from "./symbols.ts";

/**
 * Names one order: canonical symbol and orderId, client id, or both. A negative orderId is a managed parent's. The other
 * members are those of a cancel: its condition, and its own id.
 */
export type OrderKey = Actor &
  Readonly<{
    symbol: string;
    orderId?: bigint;
    clientOrderId?: string;
    restriction?: CancelRestriction;
    cancelId?: string;
  }>;

/** How a key is read. `cancel` also accepts the parameters that only a cancel may have. */
export type OrderKeyContext = SymbolContext & Readonly<{ purpose: "status" | "cancel" }>;

/** The names under which a client id may be sent in a look-up. Source: contract, Native status and history. */
export const ORDER_ID_ALIASES = ["origClientOrderId", "clientOrderId", "clOrdId", "clordid"] as const;

const KEY = ["symbol", "orderId", ...ORDER_ID_ALIASES];

const NAMES: Readonly<Record<OrderKeyContext["purpose"], KnownNames>> = {
  status: namesOfRead(KEY),
  cancel: namesOfWrite([...KEY, "newClientOrderId", "cancelRestrictions"]),
};

const KEY_SET = fieldSet({
  symbol: textRule,
  orderId: optionalField(int64),
  origClientOrderId: optionalField(lookupIdRule),
  clientOrderId: optionalField(lookupIdRule),
  clOrdId: optionalField(lookupIdRule),
  clordid: optionalField(lookupIdRule),
  newClientOrderId: optionalField(newClientIdRule),
  cancelRestrictions: optionalField(words("ONLY_NEW", "ONLY_PARTIALLY_FILLED")),
  ...ACTOR_RULES,
});

/** The parameters that name an order. */
export const ORDER_KEY: Readonly<Record<OrderKeyContext["purpose"], RequestShape>> = {
  status: { names: NAMES.status, set: KEY_SET },
  cancel: { names: NAMES.cancel, set: KEY_SET },
};

/**
 * Reads the parameters that name an order to read or cancel. `newClientOrderId` is the id of the cancel itself.
 * Throws an OrderError: -1102 without a symbol or without any id, -1121 for a symbol that is not accepted, -1128 for
 * client-id aliases that differ, -1119 for an empty and -1100 for a malformed id, -1108 beyond 64 bits, -1104 for an
 * unknown parameter, -1145 for unknown cancelRestrictions. Source: contract, Native status and history; decisions 2, 5,
 * 44 and NN; convention 3.3.
 */
export function readOrderKey(parameters: Parameters, context: OrderKeyContext): OrderKey {
  const fields = KEY_SET.read(plainFields(parameters, NAMES[context.purpose]));
  const { orderId, cancelRestrictions: restriction, newClientOrderId: cancelId } = fields;
  const clientOrderId = oneClientId(fields, ORDER_ID_ALIASES);
  if (orderId === undefined && clientOrderId === undefined) {
    throw new OrderError("PARAMETER_MISSING_BOTH", { field: "orderId", other: "origClientOrderId" });
  }
  return {
    symbol: instrumentOf(fields.symbol, context).symbol,
    ...(orderId !== undefined && { orderId }),
    ...(clientOrderId !== undefined && { clientOrderId }),
    ...(restriction !== undefined && { restriction }),
    ...(cancelId !== undefined && { cancelId }),
    ...actorOf(fields),
  };
}
