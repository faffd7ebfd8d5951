import { ERRORS, type ErrorBody, type ErrorName, type ErrorRow } from "../../errors/index.ts";
import type { AnyRoute, MarketName, MethodDescriptor, RouteAccess } from "../../requests/index.ts";
import type { JsonSchema } from "../../requests/schemas/index.ts";
import type { JsonInput } from "../../wire/index.ts";
import { integer, object, ref, text } from "./schema.ts";

/** Refusals and failures that any request can get. */
const EVERY: readonly ErrorName[] = [
  "NOT_FOUND",
  "TOO_MANY_REQUESTS",
  "IP_BANNED",
  "ILLEGAL_CHARS",
  "DUPLICATE_PARAMETER",
  "TOO_MANY_PARAMETERS",
  "BODY_TOO_LARGE",
  "INVALID_PARAMETER",
  "REQUEST_TIMEOUT",
  "DISCONNECTED",
];

/** Refusals that a signed request can get before its handler runs. */
const SIGNED: readonly ErrorName[] = [
  "BAD_API_KEY_FORMAT",
  "REJECTED_API_KEY",
  "BAD_SIGNATURE",
  "SIGNATURE_REUSED",
  "PARAMETER_MISSING",
  "PARAMETER_MISSING_BOTH",
  "PARAMETER_EMPTY",
  "TIMESTAMP_OUTSIDE",
  "TIMESTAMP_AHEAD",
  "BAD_RECV_WINDOW",
  "PRECISION",
  "UNAUTHORIZED",
  "UNREAD_PARAMETER",
  "PARAMETER_OVERFLOW",
];

/** Refusals that the body of a request can cause. */
const WITH_BODY: readonly ErrorName[] = ["INVALID_JSON", "NESTED_JSON"];

/** Failures after which the outcome of a change is unknown. */
const CHANGING: readonly ErrorName[] = ["UNEXPECTED_RESPONSE"];

const PLACED: readonly ErrorName[] = [
  "TOO_MANY_ORDERS",
  "UNSUPPORTED_OPERATION",
  "SHUTTING_DOWN",
  "PARAMETER_NOT_REQUIRED",
  "BAD_SYMBOL",
  "NOT_TRADED",
  "BAD_SIDE",
  "BAD_TIME_IN_FORCE",
  "BAD_COMBINATION",
  "BAD_ORDER_TYPE",
  "EMPTY_NEW_CLIENT_ID",
  "DUPLICATE_ORDER",
  "MARKET_CLOSED",
  "ACCOUNT_RESTRICTED",
  "SYMBOL_RESTRICTED",
];

/** Refusals of a native order by the market behind it. */
const MARKET: readonly ErrorName[] = [
  "INSUFFICIENT_BALANCE",
  "ORDER_REJECTED",
  "NO_DEPTH",
  "FILTER_NOTIONAL",
  "WOULD_MATCH",
  "BAD_PRICE_RELATION",
  "REDUCE_ONLY_REJECTED",
  "ACCOUNT_DISABLED",
];

const NATIVE: readonly ErrorName[] = [...PLACED, ...MARKET, "TIME_IN_FORCE_NOT_REQUIRED"];

/** Refusals of the terms of a managed order. */
const TERMS: readonly ErrorName[] = [
  "FILTER_NOTIONAL",
  "FILTER_ICEBERG_PARTS",
  "ICEBERG_EXCEEDS_QUANTITY",
  "NO_DEPTH",
  "WOULD_MATCH",
  "REDUCE_ONLY_REJECTED",
];

/** Refusals of a managed order in new terms. */
const AMENDED: readonly ErrorName[] = [
  "TOO_MANY_ORDERS",
  "UNSUPPORTED_OPERATION",
  "SHUTTING_DOWN",
  "MARKET_CLOSED",
  "ACCOUNT_DISABLED",
  "ACCOUNT_RESTRICTED",
  "SYMBOL_RESTRICTED",
  ...TERMS,
];

const MANAGED: readonly ErrorName[] = [
  ...PLACED,
  "SERVER_BUSY",
  "ACCOUNT_DISABLED",
  "UNSUPPORTED_COMBINATION",
  ...TERMS,
];

const SCHEDULED: readonly ErrorName[] = ["BAD_INTERVAL", "BAD_STRATEGY", "NO_VOLUME_HISTORY"];

const PAIRED: readonly ErrorName[] = [
  "BAD_PRICE_RELATION",
  "OCO_TYPE_REJECTED",
  "OCO_BOTH_LIMIT",
  "BUY_OCO_LIMIT_BELOW",
  "SELL_OCO_LIMIT_ABOVE",
  "BUY_OCO_STOP_ABOVE",
  "SELL_OCO_STOP_BELOW",
  "BUY_OCO_TAKE_PROFIT_BELOW",
  "SELL_OCO_TAKE_PROFIT_ABOVE",
];

const PAGE: readonly ErrorName[] = ["PARAMETER_ABOVE", "TIMES_REVERSED"];
const LOOKUP: readonly ErrorName[] = [
  "BAD_SYMBOL",
  "BAD_COMBINATION",
  "EMPTY_CLIENT_ID",
  "CLIENT_ID_MISMATCH",
];

/** Refusals of the routes of past prices and trades. */
const HISTORY: readonly ErrorName[] = [
  "PARAMETER_MISSING",
  "PARAMETER_EMPTY",
  "PARAMETER_OVERFLOW",
  "BAD_SYMBOL",
];
const PERIOD: readonly ErrorName[] = [...HISTORY, "TIMES_REVERSED"];
const KLINES: readonly ErrorName[] = [...PERIOD, "BAD_KLINE_INTERVAL", "UNSUPPORTED_OPERATION"];

type Refusals<Names extends string> = Readonly<Record<Names, readonly ErrorName[]>>;

/** Refusals of an amend, by any of its routes. */
const AMENDS: readonly ErrorName[] = [
  ...LOOKUP,
  ...AMENDED,
  "NO_SUCH_ORDER",
  "EMPTY_NEW_CLIENT_ID",
  "AMEND_REJECTED",
  "AMEND_NOT_NOW",
];

/** Refusals of routes beyond {@link EVERY} and {@link SIGNED}. A public one may have none. */
const OWN: Refusals<Exclude<AnyRoute["name"], MarketName>> & Partial<Refusals<AnyRoute["name"]>> = {
  instrumentPairs: ["PARAMETER_EMPTY", "PARAMETER_ABOVE", "PARAMETER_OVERFLOW"],
  ticker: ["PARAMETER_MISSING", "PARAMETER_EMPTY", "BAD_SYMBOL", "NO_DEPTH"],
  ticker24hr: ["PARAMETER_EMPTY", "BAD_SYMBOL", "NO_DEPTH"],
  depth: ["PARAMETER_MISSING", "PARAMETER_EMPTY", "BAD_SYMBOL", "PARAMETER_OVERFLOW"],
  "order.place": [...new Set([...MANAGED, ...NATIVE, ...SCHEDULED])],
  "order.place.native": NATIVE,
  "order.status": [...LOOKUP, "NO_SUCH_ORDER"],
  "order.status.scaled": [...LOOKUP, "NO_SUCH_ORDER"],
  "order.cancel": [
    ...LOOKUP,
    "EMPTY_NEW_CLIENT_ID",
    "BAD_CANCEL_RESTRICTIONS",
    "CANCEL_REJECTED",
    "CANCEL_RESTRICTED",
  ],
  "order.amend": AMENDS,
  "order.amend.keepPriority": AMENDS,
  "order.cancelReplace": [
    ...new Set([
      ...LOOKUP,
      ...MANAGED,
      ...SCHEDULED,
      "BAD_CANCEL_RESTRICTIONS",
      "CANCEL_REPLACE_PARTIAL",
      "CANCEL_REPLACE_FAILED",
    ] as const),
  ],
  allOrders: [...PAGE, "UNSUPPORTED_OPERATION", "BAD_SYMBOL", "BAD_COMBINATION", "EMPTY_CLIENT_ID"],
  orderHistory: [...PAGE, "UNSUPPORTED_OPERATION", "BAD_SYMBOL", "BAD_COMBINATION", "EMPTY_CLIENT_ID"],
  "openOrders.status": ["PARAMETER_ABOVE", "PARAMETER_NOT_REQUIRED"],
  "openOrders.cancelAll": ["PARAMETER_NOT_REQUIRED"],
  "orderList.place.oco": [...MANAGED, ...PAIRED],
  "orderList.place.oto": MANAGED,
  "orderList.place.otoco": [...MANAGED, ...PAIRED],
  "orderList.place.legacyOco": [...MANAGED, ...PAIRED],
  "orderList.place.bracket": [...MANAGED, ...PAIRED],
  "orderList.place.oca": [...MANAGED, "OCO_TYPE_REJECTED"],
  "orderList.status": [...LOOKUP, "NO_SUCH_ORDER"],
  "orderList.cancel": [...LOOKUP, "CANCEL_REJECTED"],
  "openOrderLists.status": PAGE,
  allOrderLists: PAGE,
  "ticker.price": ["PARAMETER_EMPTY", "BAD_SYMBOL", "NO_DEPTH"],
  "ticker.book": ["PARAMETER_EMPTY", "BAD_SYMBOL", "NO_DEPTH"],
  avgPrice: ["PARAMETER_MISSING", "PARAMETER_EMPTY", "BAD_SYMBOL", "NO_DEPTH"],
  klines: KLINES,
  uiKlines: KLINES,
  trades: HISTORY,
  "trades.historical": HISTORY,
  aggTrades: [...PERIOD, "BAD_COMBINATION"],
  "order.test": [...new Set([...MANAGED, ...NATIVE, ...SCHEDULED])],
  "openOrders.market": ["BAD_SYMBOL", "UNSUPPORTED_OPERATION"],
  "openOrders.cancelMarket": ["BAD_SYMBOL", "UNSUPPORTED_OPERATION", "CANCEL_REJECTED"],
  "orders.market": [...PAGE, "BAD_SYMBOL", "BAD_COMBINATION", "EMPTY_CLIENT_ID"],
  "account.status": ["UNSUPPORTED_OPERATION"],
  myTrades: [...PAGE, "UNSUPPORTED_OPERATION", "BAD_SYMBOL"],
};

/** Refusals that routes of the compat prefix have besides. */
const COMPAT: Readonly<Partial<Record<AnyRoute["name"], readonly ErrorName[]>>> = {
  exchangeInfo: ["BAD_SYMBOL"],
};

/** Returns the errors that a route can answer with, common ones first, each once. */
export function errorsOfRoute({ name, method, access, scheme, compat }: AnyRoute): readonly ErrorName[] {
  return [
    ...new Set<ErrorName>([
      ...EVERY,
      ...(method === "GET" ? (["PARAMETER_NOT_REQUIRED"] as const) : []),
      ...(scheme === "NONE" ? [] : SIGNED),
      ...(scheme === "NONE" || method === "GET" ? [] : WITH_BODY),
      ...(access === "TRADE" ? CHANGING : (["UNKNOWN"] as const)),
      ...(OWN[name] ?? []),
      ...(compat === true ? (COMPAT[name] ?? []) : []),
    ]),
  ];
}

/** Refusals of HTTP only, which no WebSocket message can get. */
const OF_HTTP: ReadonlySet<ErrorName> = new Set(["NOT_FOUND", "BODY_TOO_LARGE", "REQUEST_TIMEOUT"]);

/** Refusals that only a WebSocket message can get. */
const OF_SOCKETS: readonly ErrorName[] = [
  "UNKNOWN_METHOD",
  "INVALID_JSON",
  "INVALID_REQUEST_ID",
  "INVALID_PARAMS",
];

const OF_ACTS: readonly ErrorName[] = [
  "SUBSCRIPTION_ACTIVE",
  "SUBSCRIPTION_INACTIVE",
  "TOO_MANY_SUBSCRIPTIONS",
];

/** Returns the errors that a request method of the WebSocket can answer with. */
export function errorsOfMethod(method: MethodDescriptor): readonly ErrorName[] {
  const access: RouteAccess = method.access;
  const common =
    "route" in method
      ? errorsOfRoute(method.route)
      : [...EVERY, ...SIGNED, ...(access === "TRADE" ? CHANGING : (["UNKNOWN"] as const)), ...OF_ACTS];
  return [...new Set([...OF_SOCKETS, ...common, "NESTED_JSON" as const])].filter(
    (name) => !OF_HTTP.has(name),
  );
}

/** Members of the body of every error. */
export const ERROR: Readonly<Record<keyof ErrorBody, JsonSchema>> = {
  code: integer("Error code, a negative number.", { maximum: -1 }),
  msg: text("Error message, with the text of the public convention."),
  error: text("The error message, followed by the remedy."),
};

/** What became of the two halves of a replacement. */
export const HALVES: JsonSchema = {
  type: "object",
  description: "What became of both halves, in the members of the answer to a replacement.",
  required: ["cancelResult", "newOrderResult", "cancelResponse", "newOrderResponse"],
  additionalProperties: true,
};

/** Returns the schema of errors by their names. */
export function errorSchemaOf(names: readonly ErrorName[]): JsonSchema {
  if (names.some((name) => ERRORS[name].status === 429)) return ref("RateLimitError");
  const halves = names.filter((name) => name.startsWith("CANCEL_REPLACE"));
  if (halves.length === 0) return ref("Error");
  return halves.length === names.length
    ? ref("ReplacementError")
    : { anyOf: [ref("Error"), ref("ReplacementError")] };
}

/** Schemas of refusals. Source: contract, Errors. */
export const ERROR_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  Error: object("A refusal or a failure.", ERROR),
  ReplacementError: object("A replacement of which a half was not done.", { ...ERROR, data: HALVES }),
  RateLimitError: object("A rate limit was exceeded.", {
    ...ERROR,
    retryAfter: text("Seconds to wait before a retry, as in the header Retry-After.", {
      pattern: "^[0-9]+$",
    }),
  }),
};

/** Returns an error as an example: its body, with the placeholders of its texts unfilled. */
export function errorExample(name: ErrorName): Readonly<{ summary: string; value: JsonInput }> {
  const { code, text: msg, remedy, retry }: ErrorRow = ERRORS[name];
  const body = { code, msg, error: remedy === "" ? msg : `${msg} ${remedy}` };
  return { summary: `Retry: ${retry}`, value: isRateError(name) ? { ...body, retryAfter: "1" } : body };
}

/** Returns whether the reply of an error says when to retry. */
const isRateError = (name: ErrorName): boolean => ERRORS[name].status === 429;
