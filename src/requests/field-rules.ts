import type { ErrorName } from "../errors/index.ts";

/**
 * How a parameter's text becomes a value. `natural`: whole number without sign; `integer`: with an optional minus;
 * `int64`: the same, but a bigint.
 */
export type FieldKind = "text" | "decimal" | "natural" | "integer" | "int64" | "boolean";

/** A known parameter: its kind, what is legal in a sentence, and errors other than the usual ones. */
export type FieldRule = Readonly<{
  kind: FieldKind;
  legal: string;
  /** Instead of INVALID_PARAMETER. */
  invalid?: ErrorName;
  /** Instead of PARAMETER_EMPTY. */
  empty?: ErrorName;
  /** Above the maximum, instead of `invalid`. */
  above?: ErrorName;
}>;

const text = (legal: string, errors: Omit<FieldRule, "kind" | "legal"> = {}): FieldRule => ({
  kind: "text",
  legal,
  ...errors,
});
const decimal = (legal: string): FieldRule => ({ kind: "decimal", legal });
const natural = (legal: string, errors: Pick<FieldRule, "invalid"> = {}): FieldRule => ({
  kind: "natural",
  legal,
  ...errors,
});
const boolean = (legal: string): FieldRule => ({ kind: "boolean", legal });

const CREATED_ID = "Use 1-36 letters, digits, '.', '_' or '-'; not '.', not '..', not beginning with aqc-.";
const QUANTITY = "Send a decimal string above 0 with at most 6 decimals.";
const LOOKUP_ID = "Send 1-64 printable ASCII characters.";
const EXPIRY = "Send a future time in epoch milliseconds, below 253402300799000.";
const TIME = "Send a time in epoch milliseconds.";
const USD = "Send a decimal string above 0 with at most 8 decimals.";

const RULES: ReadonlyMap<string, FieldRule> = new Map([
  ["symbol", text("Send the symbol as a string.")],
  ["side", text("Use BUY or SELL.", { invalid: "BAD_SIDE" })],
  ["type", text("Send the order type as a string.")],
  ["quantity", decimal(QUANTITY)],
  ["price", decimal(USD)],
  ["stopPrice", decimal(USD)],
  ["trailingDelta", natural("Send basis points as a whole number from 1 to 9999.")],
  [
    "price2",
    decimal("Send a percentage as a decimal string above 0 and below 100, with at most 8 decimals."),
  ],
  ["trailingAmount", decimal(USD)],
  ["limitOffset", decimal("Send a decimal string of 0 or more with at most 8 decimals.")],
  [
    "timeInForce",
    text("Use GTC or GTD; GTC, IOC or FOK on a plain LIMIT.", { invalid: "BAD_TIME_IN_FORCE" }),
  ],
  ["childTimeInForce", text("Use IOC or FOK.")],
  ["expireTime", natural(EXPIRY)],
  ["goodTillDate", natural(EXPIRY)],
  ["reduceOnly", boolean("Send true or false; in JSON without quotes.")],
  ["icebergQty", decimal(QUANTITY)],
  ["targetStrategy", natural("Send 180, 1000002 or 1000004.", { invalid: "BAD_STRATEGY" })],
  ["interval", natural("Send milliseconds from 1000 to 86400000.", { invalid: "BAD_INTERVAL" })],
  ["intervalCount", natural("Send a whole number from 2 to 10000.")],
  ["intervalDelay", natural("Send milliseconds from 0 to 604800000.")],
  ["volumeProfile", text("Send 2 to 10000 weights, one of them above 0, separated by commas.")],
  ["participationBips", natural("Send basis points as a whole number from 1 to 10000.")],
  ["quoteOrderQty", decimal(USD)],
  ["apiManaged", boolean("Send true; in JSON without quotes.")],
  ["newClientOrderId", text(CREATED_ID, { empty: "EMPTY_NEW_CLIENT_ID" })],
  ["selfTradePreventionMode", text("Use NONE or leave it out.")],
  ["account", natural("Send an account id: a whole number above 0.")],
  ["userId", natural("Send a user id: a whole number above 0.")],
  ["orderId", { kind: "int64", legal: "Send a 64-bit integer; in JSON without quotes." }],
  ["origClientOrderId", text(LOOKUP_ID, { empty: "EMPTY_CLIENT_ID" })],
  ["clientOrderId", text(LOOKUP_ID, { empty: "EMPTY_CLIENT_ID" })],
  ["clOrdId", text(LOOKUP_ID, { empty: "EMPTY_CLIENT_ID" })],
  ["clordid", text(LOOKUP_ID, { empty: "EMPTY_CLIENT_ID" })],
  ["includeHistory", boolean("Send true or false; in JSON without quotes.")],
  ["newestFirst", boolean("Send true or false; in JSON without quotes.")],
  ["limit", { kind: "natural", legal: "Send a whole number of at least 1.", above: "PARAMETER_ABOVE" }],
  ["afterOrderId", { kind: "integer", legal: "Send 0, or the nextOrderId of the page before, unchanged." }],
  ["orderListId", { kind: "int64", legal: "Send a 64-bit integer; in JSON without quotes." }],
  ["listClientOrderId", text(LOOKUP_ID, { empty: "EMPTY_CLIENT_ID" })],
  ["instrumentId", natural("Send an instrument id: a whole number above 0.")],
  ["subscriptionId", natural("Send the subscriptionId that the subscription was answered with.")],
  ["requestToken", text("Send the session token as a string.")],
  ["startTime", natural(TIME)],
  ["endTime", natural(TIME)],
]);

/** The rule of a known parameter; throws a RangeError for any other name. */
export function ruleOf(name: string): FieldRule {
  const rule = RULES.get(name);
  if (rule === undefined) throw new RangeError(`no rule for parameter ${name}`);
  return rule;
}
