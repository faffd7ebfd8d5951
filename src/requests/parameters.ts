import { type Field, FLAG, INT64, LOOKUP_ID, TIME } from "./field.ts";
import { ORDER_FIELDS } from "./order-fields.ts";

const LOOKED_FOR = {
  kind: "text",
  ...LOOKUP_ID,
  about: "Client id to look for.",
  example: "entry-1",
} as const;

/** The parameters that are not fields of an order. */
const OTHERS: Readonly<Record<string, Field>> = {
  selfTradePreventionMode: {
    kind: "text",
    legal: "Use NONE or leave it out.",
    about: "Self-trade prevention; there is none.",
    example: "NONE",
  },
  account: {
    kind: "natural",
    legal: "Send an account id: a whole number above 0.",
    about: "Account to act on; without it that of the key.",
    example: 1,
  },
  userId: {
    kind: "natural",
    legal: "Send a user id: a whole number above 0.",
    about: "Your user; when sent it must be the owner of the key.",
    example: 1,
  },
  orderId: {
    kind: "int64",
    ...INT64,
    about: "Id of the order: negative for a managed one, positive for a native one.",
    example: -256,
  },
  origClientOrderId: LOOKED_FOR,
  clientOrderId: LOOKED_FOR,
  clOrdId: LOOKED_FOR,
  clordid: LOOKED_FOR,
  includeHistory: {
    kind: "boolean",
    ...FLAG,
    about: "Whether ended orders, and legs that wait, are listed too.",
    example: true,
  },
  newestFirst: { kind: "boolean", ...FLAG, about: "Whether the newest order comes first.", example: true },
  limit: {
    kind: "natural",
    legal: "Send a whole number of at least 1.",
    above: "PARAMETER_ABOVE",
    about: "How many at most.",
    example: 100,
  },
  afterOrderId: {
    kind: "integer",
    legal: "Send 0, or the nextOrderId of the page before, unchanged.",
    about: "Where the page before ended.",
    example: 0,
  },
  orderListId: { kind: "int64", ...INT64, about: "Id of the list.", example: -512 },
  listClientOrderId: {
    kind: "text",
    ...LOOKUP_ID,
    about: "Your id of the list; the same list sent again is the same list.",
    example: "bracket-1",
  },
  instrumentId: {
    kind: "natural",
    legal: "Send an instrument id: a whole number above 0.",
    about: "Id of the instrument that the list must be of.",
    example: 1,
  },
  subscriptionId: {
    kind: "natural",
    legal: "Send the subscriptionId that the subscription was answered with.",
    about: "Which subscription to end; without it all of the connection.",
    example: 0,
  },
  requestToken: {
    kind: "text",
    legal: "Send the session token as a string.",
    about: "Session token of the account, from the operator.",
    example: "token-1",
  },
  startTime: {
    kind: "natural",
    ...TIME,
    about: "First time of the range, included.",
    example: 1_760_000_000_000,
  },
  endTime: {
    kind: "natural",
    ...TIME,
    about: "Last time of the range, included.",
    example: 1_790_000_000_000,
  },
};

const PARAMETERS: ReadonlyMap<string, Field> = new Map(Object.entries({ ...OTHERS, ...ORDER_FIELDS }));

/** Returns a known parameter by name. Throws a RangeError for any other name. */
export function parameterOf(name: string): Field {
  const field = PARAMETERS.get(name);
  if (field === undefined) throw new RangeError(`no parameter ${name}`);
  return field;
}
