import { nearestName } from "../common/index.ts";
import { OrderError } from "../errors/index.ts";
import type { Parameters, Scalar } from "../wire/index.ts";
import { ORDER_FIELDS } from "./order-fields.ts";
import { CREATED_ID, type Field, FLAG, INT64, LOOKUP_ID, QUANTITY, TIME } from "./rule.ts";

const LOOKED_FOR = {
  kind: "text",
  ...LOOKUP_ID,
  about: "Client id of the order to find.",
  example: "entry-1",
} as const;

/** The parameters that are not fields of an order. */
const OTHERS: Readonly<Record<string, Field>> = {
  selfTradePreventionMode: {
    kind: "text",
    legal: "Use NONE, or omit it.",
    about: "Self-trade prevention. It is not supported.",
    example: "NONE",
  },
  account: {
    kind: "natural",
    legal: "Send an account id: a whole number above 0.",
    about: "Account to act on. Default: the account of the key.",
    example: 1,
  },
  userId: {
    kind: "natural",
    legal: "Send a user id: a whole number above 0.",
    about: "Your user id. If sent, it must be the owner of the key.",
    example: 1,
  },
  orderId: {
    kind: "int64",
    ...INT64,
    about: "Id of the order: negative for a managed order, positive for a native order.",
    example: -256,
  },
  origClientOrderId: LOOKED_FOR,
  clientOrderId: LOOKED_FOR,
  clOrdId: LOOKED_FOR,
  clordid: LOOKED_FOR,
  includeHistory: {
    kind: "boolean",
    ...FLAG,
    about: "Whether to list ended orders, and legs that wait for their release, too.",
    example: true,
  },
  newestFirst: { kind: "boolean", ...FLAG, about: "Whether to list the newest order first.", example: true },
  limit: {
    kind: "natural",
    legal: "Send a whole number of at least 1.",
    above: "PARAMETER_ABOVE",
    about: "Maximum number of results.",
    example: 100,
  },
  afterOrderId: {
    kind: "integer",
    legal: "Send 0, or the nextOrderId of the previous page, unchanged.",
    about: "End of the previous page.",
    example: 0,
  },
  cancelRestrictions: {
    kind: "text",
    legal: "Use ONLY_NEW or ONLY_PARTIALLY_FILLED, or omit it.",
    invalid: "BAD_CANCEL_RESTRICTIONS",
    about:
      "ONLY_NEW cancels the order only if nothing is executed, ONLY_PARTIALLY_FILLED only if something is executed.",
    example: "ONLY_NEW",
  },
  newQty: {
    kind: "decimal",
    ...QUANTITY,
    about: "New quantity of the order.",
    example: "0.5",
  },
  cancelReplaceMode: {
    kind: "text",
    legal: "Use STOP_ON_FAILURE or ALLOW_FAILURE.",
    about:
      "What happens to the new order if the order to cancel is unknown or has ended: STOP_ON_FAILURE does not place it, ALLOW_FAILURE does.",
    example: "STOP_ON_FAILURE",
  },
  cancelOrderId: { kind: "int64", ...INT64, about: "Id of the order to cancel.", example: -256 },
  cancelOrigClientOrderId: {
    kind: "text",
    ...LOOKUP_ID,
    about: "Client id of the order to cancel.",
    example: "entry-1",
  },
  cancelNewClientOrderId: {
    kind: "text",
    ...CREATED_ID,
    about: "Id of the cancel. Default: the client id of the order to cancel.",
    example: "cancel-1",
  },
  orderRateLimitExceededMode: {
    kind: "text",
    legal: "Use DO_NOTHING, or omit it.",
    about: "What happens above the limit of new orders: nothing.",
    example: "DO_NOTHING",
  },
  amendId: {
    kind: "text",
    ...CREATED_ID,
    about: "Id of the amend: the same id is the same amend. Default: an id derived from the signature.",
    example: "amend-1",
  },
  orderListId: { kind: "int64", ...INT64, about: "Id of the list.", example: -512 },
  listClientOrderId: {
    kind: "text",
    ...LOOKUP_ID,
    about: "Client id of the list. Sending the same list again does not create another one.",
    example: "bracket-1",
  },
  instrumentId: {
    kind: "natural",
    legal: "Send an instrument id: a whole number above 0.",
    about: "Id of the instrument of the list.",
    example: 1,
  },
  subscriptionId: {
    kind: "natural",
    legal: "Send the subscriptionId from the reply to the subscription.",
    about: "Subscription to end. Default: all subscriptions of the connection.",
    example: 0,
  },
  requestToken: {
    kind: "text",
    legal: "Send the session token as a string.",
    about: "Session token of the account, issued by the operator.",
    example: "token-1",
  },
  startTime: {
    kind: "natural",
    ...TIME,
    about: "Start of the time range, inclusive.",
    example: 1_760_000_000_000,
  },
  endTime: {
    kind: "natural",
    ...TIME,
    about: "End of the time range, inclusive.",
    example: 1_790_000_000_000,
  },
  klineInterval: {
    kind: "text",
    legal: "Send a kline interval, such as 1h.",
    invalid: "BAD_KLINE_INTERVAL",
    about: "Length of a kline.",
    example: "1h",
  },
  timeZone: {
    kind: "text",
    legal: "Send 0, or omit it: klines begin by UTC.",
    about: "Time zone of the klines.",
    example: "0",
  },
  fromId: {
    kind: "int64",
    ...INT64,
    about: "Id of the first trade.",
    example: 1,
  },
  shareBips: {
    kind: "natural",
    legal: "Send a whole number from 1 to 10000.",
    about: "Share of the working quantity, in basis points. Default for the only take-profit: 10000.",
    example: 10_000,
  },
  moveStopAfter: {
    kind: "natural",
    legal: "Send a whole number from 1 to the number of take-profits.",
    about: "How many take-profits, in their order, must have executed whole before the stop moves.",
    example: 1,
  },
  moveStopTo: {
    kind: "text",
    legal: "Send ENTRY, or a price: a decimal string above 0 with at most 8 decimals.",
    about: "Where the stop moves to: the average price of the working leg's executions, or a price in USD.",
    example: "ENTRY",
  },
  moveStopOffset: {
    kind: "decimal",
    legal: "Send a decimal string of at least 0 with at most 8 decimals.",
    about: "Distance in USD that is added to moveStopTo, toward the take-profits.",
    example: "5",
  },
  mode: {
    kind: "text",
    legal: "Use CANCEL or REDUCE.",
    about:
      "CANCEL: the first leg that acts ends the others. REDUCE: an execution of one leaves the others less.",
    example: "REDUCE",
  },
  omitZeroBalances: {
    kind: "boolean",
    ...FLAG,
    about: "Whether to leave out balances of zero.",
    example: true,
  },
};

const PARAMETERS: ReadonlyMap<string, Field> = new Map(Object.entries({ ...OTHERS, ...ORDER_FIELDS }));

/** Returns a known parameter by name. Throws a RangeError for any other name. */
export function parameterOf(name: string): Field {
  const field = PARAMETERS.get(name);
  if (field === undefined) throw new RangeError(`unknown parameter ${name}`);
  return field;
}

/** Returns the request's name of an order field: the price of a leg may be sent as abovePrice. */
export type NameOf = (field: string) => string;

/** Names the fields of a single order: each has its own name. */
export const ownName: NameOf = (field) => field;

/**
 * Returns the error of a value that its field does not take: -1130, or the field's own error. `name` is the request's
 * name of the field.
 */
export function invalid(field: string, name: string = field): OrderError {
  const rule = parameterOf(field);
  return new OrderError(rule.invalid ?? "INVALID_PARAMETER", { field: name, advice: rule.legal });
}

/**
 * Returns the error of a JSON value with quotes that its field does not take, or without quotes that it needs: that of
 * {@link invalid}, with `quotes` added to the advice.
 */
function misquoted(field: string, name: string, quotes: string): OrderError {
  const rule = parameterOf(field);
  return new OrderError(rule.invalid ?? "INVALID_PARAMETER", {
    field: name,
    advice: `${rule.legal} ${quotes}`,
  });
}

/** Returns the error of characters outside a field's grammar: -1100, with the grammar as legal range. */
export function illegal(field: string, grammar: string): OrderError {
  return new OrderError("ILLEGAL_CHARS", { field, range: grammar });
}

/** Returns the error of fields that conflict, or of which one is missing: -1128, with their names. */
export function conflict(fields: readonly string[], advice: string): OrderError {
  const named = fields.map((field) => `'${field}'`).join(",");
  return new OrderError("BAD_COMBINATION", { field: String(fields[0]), fields: named, advice });
}

const SHOWN = 64;

/**
 * Returns the error of names of which one at least is not `known`: -1104, with the counts, the first unknown name and the
 * nearest known one, unless it was sent too.
 */
export function unread(sent: readonly string[], known: ReadonlySet<string>): OrderError {
  const first = sent.find((name) => !known.has(name)) ?? "";
  const field = first.length > SHOWN ? `${first.slice(0, SHOWN)}...` : first;
  const nearest = nearestName(field, known, (name) => sent.includes(name));
  const advice = nearest === undefined ? "" : ` Did you mean '${nearest}'?`;
  const read = sent.filter((name) => known.has(name)).length;
  return new OrderError("UNREAD_PARAMETER", { field, read, sent: sent.length, advice });
}

/** Authentication parameters: known on every signed route, but read only by the signature checks. */
const AUTHENTICATION: readonly string[] = ["nonce", "timestamp", "recvWindow", "signature"];

/** Parameters of the public convention that writes accept and ignore. */
const CONVENTIONAL: readonly string[] = [
  "newOrderRespType",
  "strategyId",
  "strategyType",
  "returnRateLimits",
];

/** Names of all fields of an order. */
export const ORDER_NAMES: ReadonlySet<string> = new Set(Object.keys(ORDER_FIELDS));

/** The parameters a route knows: those it reads and those it ignores. */
export type KnownNames = Readonly<{ read: ReadonlySet<string>; ignored: ReadonlySet<string> }>;

/** Returns the known parameters of a signed route that reads: its own and those of every signed request. */
export function namesOfRead(own: Iterable<string>): KnownNames {
  return { read: new Set([...own, "account", "userId"]), ignored: new Set(AUTHENTICATION) };
}

/** Returns the known parameters of a signed route that places or cancels. Those in `unread` are ignored. */
export function namesOfWrite(own: Iterable<string>, unread: readonly string[] = []): KnownNames {
  return {
    read: new Set([...own, "account", "userId", "selfTradePreventionMode"]),
    ignored: new Set([...AUTHENTICATION, ...CONVENTIONAL, ...unread]),
  };
}

/** A parameter's value once its kind is settled; decimals are still text. */
export type PlainValue = string | number | bigint | boolean;

/** Parameter values by name. `undefined` means that the parameter was not sent. */
export type PlainFields = Readonly<Record<string, PlainValue | undefined>>;

/** Leading zeros are ignored, as in decimals (convention 1.2 r). */
const NATURAL = /^[0-9]{1,20}$/;
/** With an optional minus, but not minus zero. */
const SIGNED = /^(?!-0+$)-?[0-9]{1,20}$/;
const INT64_MAX = 2n ** 63n - 1n;
const INT64_MIN = -(2n ** 63n);

/**
 * Converts the parameters of a signed request to values. `fieldOf` returns the field whose rule reads a parameter. Throws
 * UNREAD_PARAMETER (-1104) for an unknown parameter, and the errors of {@link plainValue}.
 */
export function plainFields(
  parameters: Parameters,
  names: KnownNames,
  fieldOf: NameOf = ownName,
): PlainFields {
  for (const name of parameters.keys()) {
    if (!names.read.has(name) && !names.ignored.has(name)) {
      throw unread([...parameters.keys()], new Set([...names.read, ...names.ignored]));
    }
  }
  return pickFields(parameters, names.read, fieldOf);
}

/** Returns the values of the named parameters. All others are ignored, as on public routes (convention 1.2 t). */
export function pickFields(
  parameters: Parameters,
  names: ReadonlySet<string>,
  fieldOf: NameOf = ownName,
): PlainFields {
  const fields: Record<string, PlainValue> = {};
  for (const [name, scalar] of parameters) {
    if (names.has(name)) fields[name] = plainValue(name, scalar, fieldOf(name));
  }
  return fields;
}

/**
 * Converts one parameter by the rule of `field`. A query or form carries text for every kind. JSON carries decimals and
 * text as strings, integers as plain integers and booleans as booleans; any other JSON type throws -1130. Throws -1100
 * for an integer outside the grammar, -1105 for an empty one, -1108 beyond 64 bits (convention 1.2 r).
 */
function plainValue(name: string, scalar: Scalar, field: string = name): PlainValue {
  const { kind } = parameterOf(field);
  switch (kind) {
    case "text":
    case "decimal":
      if (scalar.kind !== "text" && scalar.kind !== "string")
        throw misquoted(field, name, "In JSON, put it in quotes.");
      return scalar.text;
    case "natural":
      return Number(integerOf({ name, field }, scalar, NATURAL));
    case "integer":
      return Number(integerOf({ name, field }, scalar, SIGNED));
    case "int64":
      return integerOf({ name, field }, scalar, SIGNED);
    case "boolean":
      return booleanOf({ name, field }, scalar);
  }
}

/** Parses a whole number. Returns `undefined` outside the grammar of `natural`. The result is not exact above 2^53. */
export function naturalNumber(text: string): number | undefined {
  return NATURAL.test(text) ? Number(text) : undefined;
}

type FieldName = Readonly<{ name: string; field: string }>;

function integerOf({ name, field }: FieldName, scalar: Scalar, grammar: RegExp): bigint {
  if (scalar.kind !== "text" && scalar.kind !== "integer")
    throw misquoted(field, name, "In JSON, send it without quotes.");
  if (scalar.text === "") throw new OrderError("PARAMETER_EMPTY", { field: name });
  if (!grammar.test(scalar.text)) throw illegal(name, grammar.source);
  const value = BigInt(scalar.text);
  if (value > INT64_MAX || value < INT64_MIN) throw new OrderError("PARAMETER_OVERFLOW", { field: name });
  return value;
}

function booleanOf({ name, field }: FieldName, scalar: Scalar): boolean {
  if (scalar.kind !== "text" && scalar.kind !== "boolean")
    throw misquoted(field, name, "In JSON, send it without quotes.");
  if (scalar.text === "") throw new OrderError("PARAMETER_EMPTY", { field: name });
  if (scalar.text !== "true" && scalar.text !== "false") throw invalid(field, name);
  return scalar.text === "true";
}
