import { ORDER_FIELDS } from "./order-fields.ts";

/** Authentication parameters: known on every signed route, but read only by the signature checks (decision 49). */
const AUTHENTICATION: readonly string[] = ["nonce", "timestamp", "recvWindow", "signature"];

/** Parameters of the public convention that writes accept and ignore (decision 38). */
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
