import { OrderError } from "../errors/index.ts";
import type { CancelRestriction } from "../model/index.ts";
import type { Parameters } from "../wire/index.ts";
import { ACTOR_RULES, type Actor, actorOf } from "./actor.ts";
import { AMEND_RULES, type AmendFields, amendmentIn } from "./amendment.ts";
import { fieldSet, type RequestShape, type ValuesOf } from "./field-set.ts";
import {
  conflict,
  type KnownNames,
  namesOfRead,
  namesOfWrite,
  type PlainFields,
  plainFields,
} from "./parameters.ts";
import {
  idRule,
  int64,
  lookupIdRule,
  newClientIdRule,
  optionalField,
  quantityRule,
  textRule,
  words,
} from "./rule.ts";
import { instrumentOf, type ResolveSymbol, type SymbolContext } from "./symbols.ts";

/**
 * Returns the client id, sent under any of its names. Throws BAD_COMBINATION (-1128) with the names that were sent if
 * their values differ.
 */
export function oneClientId<A extends string>(
  fields: Readonly<Partial<Record<A, string | undefined>>>,
  aliases: readonly A[],
): string | undefined {
  const sent = aliases.filter((alias) => fields[alias] !== undefined);
  const ids = new Set(sent.map((alias) => fields[alias]));
  if (ids.size > 1)
    throw conflict(sent, "Send the client id under one name only, or send the same id under each name.");
  return [...ids][0];
}

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

/** The order to amend, what changes, and the id of the amend. */
export type OrderAmend = OrderKey & Readonly<{ changes: AmendFields; amendId: string }>;

/** How an amend is read: `clientId` makes the id of one that has none. */
export type OrderAmendContext = SymbolContext & Readonly<{ clientId: (field: string) => string }>;

/** The names under which a client id may be sent in a look-up. Source: contract, Native status and history. */
export const ORDER_ID_ALIASES = ["origClientOrderId", "clientOrderId", "clOrdId", "clordid"] as const;

const ORDER_KEY_FIELDS = ["symbol", "orderId", ...ORDER_ID_ALIASES];

const ORDER_KEY_NAMES: Readonly<Record<OrderKeyContext["purpose"], KnownNames>> = {
  status: namesOfRead(ORDER_KEY_FIELDS),
  cancel: namesOfWrite([...ORDER_KEY_FIELDS, "newClientOrderId", "cancelRestrictions"]),
};

const NAME_RULES = {
  symbol: textRule,
  orderId: optionalField(int64),
  origClientOrderId: optionalField(lookupIdRule),
  clientOrderId: optionalField(lookupIdRule),
  clOrdId: optionalField(lookupIdRule),
  clordid: optionalField(lookupIdRule),
};

const ORDER_KEY_SET = fieldSet({
  ...NAME_RULES,
  newClientOrderId: optionalField(newClientIdRule),
  cancelRestrictions: optionalField(words("ONLY_NEW", "ONLY_PARTIALLY_FILLED")),
  ...ACTOR_RULES,
});

const AMEND_NAMES = namesOfWrite([...ORDER_KEY_FIELDS, ...Object.keys(AMEND_RULES)]);
const AMEND_SET = fieldSet({ ...NAME_RULES, ...AMEND_RULES, ...ACTOR_RULES });

/** The parameters of an amend. */
export const ORDER_AMEND: RequestShape = { names: AMEND_NAMES, set: AMEND_SET };

/** The parameters that name an order. */
export const ORDER_KEY: Readonly<Record<OrderKeyContext["purpose"], RequestShape>> = {
  status: { names: ORDER_KEY_NAMES.status, set: ORDER_KEY_SET },
  cancel: { names: ORDER_KEY_NAMES.cancel, set: ORDER_KEY_SET },
};

/**
 * Reads the parameters that name an order to read or cancel. `newClientOrderId` is the id of the cancel itself. Throws an
 * OrderError: -1102 without a symbol or without any id, -1121 for a symbol that is not accepted, -1128 for client-id
 * aliases that differ, -1119 for an empty and -1100 for a malformed id, -1108 beyond 64 bits, -1104 for an unknown
 * parameter, -1145 for unknown cancelRestrictions. Source: contract, Native status and history; convention 3.3.
 */
export function readOrderKey(parameters: Parameters, context: OrderKeyContext): OrderKey {
  const fields = ORDER_KEY_SET.read(plainFields(parameters, ORDER_KEY_NAMES[context.purpose]));
  const { cancelRestrictions: restriction, newClientOrderId: cancelId } = fields;
  return {
    ...namedIn(fields, context),
    ...(restriction !== undefined && { restriction }),
    ...(cancelId !== undefined && { cancelId }),
    ...actorOf(fields),
  };
}

function namedIn(fields: ValuesOf<typeof NAME_RULES>, context: SymbolContext): OrderKey {
  const { orderId } = fields;
  const clientOrderId = oneClientId(fields, ORDER_ID_ALIASES);
  if (orderId === undefined && clientOrderId === undefined) {
    throw new OrderError("PARAMETER_MISSING_BOTH", { field: "orderId", other: "origClientOrderId" });
  }
  return {
    symbol: instrumentOf(fields.symbol, context).symbol,
    ...(orderId !== undefined && { orderId }),
    ...(clientOrderId !== undefined && { clientOrderId }),
  };
}

/**
 * Reads an amend. Without an `amendId` it is derived, so that the same bytes are the same amend. Throws an OrderError as {@link
 * readOrderKey} does, and as the fields of a placement do.
 */
export function readOrderAmend(
  parameters: Parameters,
  { clientId, ...context }: OrderAmendContext,
): OrderAmend {
  const plain = plainFields(parameters, AMEND_NAMES);
  const fields = AMEND_SET.read(plain) as ValuesOf<typeof NAME_RULES & typeof ACTOR_RULES>;
  const { amendId = clientId("amendId"), ...changes } = picked(plain);
  amendmentIn(changes);
  return { ...namedIn(fields, context), ...actorOf(fields), changes, amendId: String(amendId) };
}

const QUANTITY_NAMES = namesOfWrite([...ORDER_KEY_FIELDS, "newQty", "newClientOrderId"]);
const QUANTITY_SET = fieldSet({
  ...NAME_RULES,
  newQty: quantityRule,
  newClientOrderId: optionalField(newClientIdRule),
  ...ACTOR_RULES,
});

/** The parameters of an amend of the quantity, in the convention's names. */
export const QUANTITY_AMEND: RequestShape = { names: QUANTITY_NAMES, set: QUANTITY_SET };

/** Reads an amend of the quantity, as {@link readOrderAmend} does: `newClientOrderId` is the id of the amend. */
export function readQuantityAmend(
  parameters: Parameters,
  { clientId, ...context }: OrderAmendContext,
): OrderAmend {
  const plain = plainFields(parameters, QUANTITY_NAMES);
  const fields = QUANTITY_SET.read(plain);
  const { newClientOrderId: amendId = clientId("amendId") } = fields;
  return {
    ...namedIn(fields, context),
    ...actorOf(fields),
    changes: { quantity: String(plain.newQty) },
    amendId,
  };
}

/** Returns the fields of an amend alone. */
function picked(fields: PlainFields): PlainFields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => Object.hasOwn(AMEND_RULES, name)));
}

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

const LIST_KEY_FIELDS = ["orderListId", ...LIST_ID_ALIASES];

const LIST_KEY_NAMES: Readonly<Record<ListKeyContext["purpose"], KnownNames>> = {
  status: namesOfRead([...LIST_KEY_FIELDS, "symbol", "instrumentId"]),
  cancel: namesOfWrite(LIST_KEY_FIELDS, ["symbol", "newClientOrderId"]),
};

const LIST_KEY_SET = fieldSet({
  orderListId: optionalField(int64),
  origClientOrderId: optionalField(lookupIdRule),
  listClientOrderId: optionalField(lookupIdRule),
  symbol: optionalField(textRule),
  instrumentId: optionalField(idRule),
  ...ACTOR_RULES,
});

/** The parameters that name a list. */
export const LIST_KEY: Readonly<Record<ListKeyContext["purpose"], RequestShape>> = {
  status: { names: LIST_KEY_NAMES.status, set: LIST_KEY_SET },
  cancel: { names: LIST_KEY_NAMES.cancel, set: LIST_KEY_SET },
};

/**
 * Reads the parameters that name a list to read or cancel. Throws an OrderError: -1102 without an id, -1128 for client ids
 * that differ, -1119 for an empty client id, -1100 for a malformed one, -1108 beyond 64 bits, -1121 for an unknown symbol,
 * -1104 for an unknown parameter. Source: contract, List queries.
 */
export function readListKey(parameters: Parameters, { resolve, purpose }: ListKeyContext): ListLookup {
  const fields = LIST_KEY_SET.read(plainFields(parameters, LIST_KEY_NAMES[purpose]));
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
