import type * as z from "zod";

/** Parameters of authentication: known on every signed route, read by signing alone (decision 49). */
const AUTHENTICATION: readonly string[] = ["nonce", "timestamp", "recvWindow", "signature"];

/** Parameters of the public convention that writes take without reading them (decision 38). */
const CONVENTIONAL: readonly string[] = [
  "newOrderRespType",
  "strategyId",
  "strategyType",
  "returnRateLimits",
];

/** The order itself: everything the contract's input fields name, and what the public convention orders by amount with. */
export const ORDER_NAMES: ReadonlySet<string> = new Set([
  "symbol",
  "side",
  "type",
  "quantity",
  "price",
  "stopPrice",
  "trailingDelta",
  "price2",
  "trailingAmount",
  "limitOffset",
  "timeInForce",
  "expireTime",
  "goodTillDate",
  "reduceOnly",
  "childTimeInForce",
  "apiManaged",
  "newClientOrderId",
  "icebergQty",
  "targetStrategy",
  "interval",
  "intervalCount",
  "intervalDelay",
  "volumeProfile",
  "participationBips",
  "quoteOrderQty",
]);

/** Parameters a route knows: those it reads, and those it takes without reading them. */
export type KnownNames = Readonly<{ read: ReadonlySet<string>; ignored: ReadonlySet<string> }>;

/** What a reader takes: the names of its parameters, and the schema of what they say. For descriptions. */
export type RequestShape = Readonly<{ names: KnownNames; schema: z.ZodType }>;

/** The known parameters of a signed route that reads: its own, and those of every signed request. */
export function namesOfRead(own: Iterable<string>): KnownNames {
  return { read: new Set([...own, "account", "userId"]), ignored: new Set(AUTHENTICATION) };
}

/** The known parameters of a signed route that places or cancels; those of `unread` are taken without a look. */
export function namesOfWrite(own: Iterable<string>, unread: readonly string[] = []): KnownNames {
  return {
    read: new Set([...own, "account", "userId", "selfTradePreventionMode"]),
    ignored: new Set([...AUTHENTICATION, ...CONVENTIONAL, ...unread]),
  };
}
