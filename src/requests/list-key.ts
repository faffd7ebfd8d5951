import { OrderError } from "../errors/index.ts";
import type { Parameters } from "../wire/index.ts";
import { ACTOR_RULES, type Actor, actorOf } from "./actor.ts";
import { oneClientId } from "./client-id-aliases.ts";
import { idRule, lookupIdRule, textRule } from "./field-rules.ts";
import { fieldSet, type RequestShape } from "./field-set.ts";
import { type KnownNames, namesOfRead, namesOfWrite } from "./known-names.ts";
import { plainFields } from "./plain-fields.ts";
import { int64, optionalField } from "./rule.ts";
import { instrumentOf, type ResolveSymbol } from "./symbols.ts";

/**
 * Names one list by its id, its client id or both. The list's market must have the symbol (canonical) and instrumentId,
 * if they are given.
 */
export type ListLookup = Actor &
  Readonly<{ orderListId?: bigint; listClientOrderId?: string; symbol?: string; instrumentId?: number }>;

/**
 * How a key is read. A status look-up can check the market. A cancel accepts the parameters that the convention sends
 * with it.
 */
export type ListKeyContext = Readonly<{ resolve: ResolveSymbol; purpose: "status" | "cancel" }>;

/** The names under which the client id of a list may be sent in a look-up. Source: contract, List queries. */
export const LIST_ID_ALIASES = ["origClientOrderId", "listClientOrderId"] as const;

const KEY = ["orderListId", ...LIST_ID_ALIASES];

const NAMES: Readonly<Record<ListKeyContext["purpose"], KnownNames>> = {
  status: namesOfRead([...KEY, "symbol", "instrumentId"]),
  cancel: namesOfWrite(KEY, ["symbol", "newClientOrderId"]),
};

const KEY_SET = fieldSet({
  orderListId: optionalField(int64),
  origClientOrderId: optionalField(lookupIdRule),
  listClientOrderId: optionalField(lookupIdRule),
  symbol: optionalField(textRule),
  instrumentId: optionalField(idRule),
  ...ACTOR_RULES,
});

/** The parameters that name a list. */
export const LIST_KEY: Readonly<Record<ListKeyContext["purpose"], RequestShape>> = {
  status: { names: NAMES.status, set: KEY_SET },
  cancel: { names: NAMES.cancel, set: KEY_SET },
};

/**
 * Reads the parameters that name a list to read or cancel.
 * Throws an OrderError: -1102 without an id, -1128 for client ids that differ, -1119 for an empty client id, -1100 for
 * a malformed one, -1108 beyond 64 bits, -1121 for an unknown symbol, -1104 for an unknown parameter.
 * Source: contract, List queries; decisions 5, 38, 44.
 */
export function readListKey(parameters: Parameters, { resolve, purpose }: ListKeyContext): ListLookup {
  const fields = KEY_SET.read(plainFields(parameters, NAMES[purpose]));
  const { orderListId, symbol, instrumentId } = fields;
  const listClientOrderId = oneClientId(fields, LIST_ID_ALIASES);
  if (orderListId === undefined && listClientOrderId === undefined) {
    throw new OrderError("PARAMETER_MISSING_BOTH", { field: "orderListId", other: "listClientOrderId" });
  }
  return {
    ...(orderListId !== undefined && { orderListId }),
    ...(listClientOrderId !== undefined && { listClientOrderId }),
    ...(symbol !== undefined && { symbol: instrumentOf(symbol, { resolve, exactSymbol: false }).symbol }),
    ...(instrumentId !== undefined && { instrumentId }),
    ...actorOf(fields),
  };
}
