import { ORDER_FIELDS } from "./order-fields.ts";

/** Parameters of authentication: known on every signed route, read by signing alone (decision 49). */
const AUTHENTICATION: readonly string[] = ["nonce", "timestamp", "recvWindow", "signature"];

/** Parameters of the public convention that writes take without reading them (decision 38). */
const CONVENTIONAL: readonly string[] = [
  "newOrderRespType",
  "strategyId",
  "strategyType",
  "returnRateLimits",
];

/** The order itself: every field of its table. */
export const ORDER_NAMES: ReadonlySet<string> = new Set(Object.keys(ORDER_FIELDS));

/** Parameters a route knows: those it reads, and those it takes without reading them. */
export type KnownNames = Readonly<{ read: ReadonlySet<string>; ignored: ReadonlySet<string> }>;

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
