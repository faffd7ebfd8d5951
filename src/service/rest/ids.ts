import { normalise } from "../../decimal/index.ts";
import type { NativeKey } from "../../ports/index.ts";
import type { OrderKey } from "../../requests/index.ts";
import { derivedClientId } from "../../signing/index.ts";
import type { SignedCall } from "./parts.ts";

/**
 * Client ids for what a call does not name, by field: the same signed bytes name the same orders for ever.
 * Source: decision 3.
 */
export function clientIdsOf({ key, signature }: SignedCall): (field: string) => string {
  return (field) => derivedClientId({ apiKey: key.apiKey, signature, field });
}

/** A sent id as the id of a managed order or list; undefined for one that names none: those are negative and safe. */
export function managedId(id: bigint): number | undefined {
  const value = normalise(id);
  return typeof value === "number" && value < 0 ? value : undefined;
}

/** A key with the account that it was found to be about. */
export type AccountKey = Pick<OrderKey, "symbol" | "orderId" | "clientOrderId"> &
  Readonly<{ accountId: number }>;

/** By which of its ids a native order is asked for: the numeric one where there is one. */
export function nativeKeyOf({ accountId, symbol, orderId, clientOrderId = "" }: AccountKey): NativeKey {
  return orderId === undefined ? { accountId, symbol, clientOrderId } : { accountId, symbol, orderId };
}
