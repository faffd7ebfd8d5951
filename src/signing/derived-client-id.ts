import { sha256Hex } from "#hmac";
import { requireSigning } from "./signing-options.ts";

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const LENGTH = 22;
const SOURCE = ["apiKey", "signature", "field"] as const;

/**
 * Returns the client id of an order that was sent without one: 22 letters and digits, a pure function of key, signature
 * (in either letter case) and field name. The same signed bytes always give the same id, so two byte-identical requests
 * are one order. The id has no hyphen, so it never begins with the reserved `aqc-`. Throws a TypeError or
 * RangeError that names a part that is missing, misspelt or empty. Source: decision 3.
 *
 * @example
 * ```ts
 * import { derivedClientId } from "managed-orders/signing";
 * const id = derivedClientId({ apiKey: "key", signature: "ab".repeat(32), field: "newClientOrderId" });
 * console.log(id.length); // 22
 * ```
 */
export function derivedClientId(
  source: Readonly<{ apiKey: string; signature: string; field: string }>,
): string {
  requireSigning(source, "derivedClientId", SOURCE);
  const hex = sha256Hex(`${source.apiKey}\n${source.signature.toLowerCase()}\n${source.field}`);
  let id = "";
  for (let at = 0; id.length < LENGTH; at += 2) {
    id += BASE62.charAt(Number.parseInt(hex.slice(at, at + 2), 16) % BASE62.length);
  }
  return id;
}
