import { type Field, FLAG, INT64, LOOKUP_ID, TIME } from "./field.ts";
import { ORDER_FIELDS } from "./order-fields.ts";

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
