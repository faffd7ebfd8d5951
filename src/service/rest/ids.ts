import { normalise } from "../../decimal/index.ts";
import type { NativeKey } from "../../ports/index.ts";
import type { OrderKey } from "../../requests/index.ts";
import { derivedClientId } from "../../signing/index.ts";
import type { SignedCall } from "./parts.ts";

/**
 * Returns a function that derives a client id for each field that a call leaves out. The same signed bytes always give
 * the same ids.
 * Source: decision 3.
 */
export function clientIdsOf({ key, signature }: SignedCall): (field: string) => string {
  return (field) => derivedClientId({ apiKey: key.apiKey, signature, field });
}

/**
 * Converts an id from a request to the id of a managed order or list. Returns undefined if it cannot be one: managed
 * ids are negative safe integers.
 */
export function managedId(id: bigint): number | undefined {
  const value = normalise(id);
  return typeof value === "number" && value < 0 ? value : undefined;
}

/** An order key with the account that the call is about. */
export type AccountKey = Pick<OrderKey, "symbol" | "orderId" | "clientOrderId"> &
  Readonly<{ accountId: number }>;

/** Returns the key under which a native order is looked up: the numeric id if there is one, else the client id. */
export function nativeKeyOf({ accountId, symbol, orderId, clientOrderId = "" }: AccountKey): NativeKey {
  return orderId === undefined ? { accountId, symbol, clientOrderId } : { accountId, symbol, orderId };
}
