import { hmacSha256Hex } from "#hmac";
import { requireSigning, requireVerifying } from "./signing-options.ts";

const SIGN_OPTIONS = ["secret", "payload"] as const;

const SIGNATURE = /^[0-9a-fA-F]{64}$/;

/**
 * Stand-in for the secret of an unknown key, as long as a usual secret. It makes an unknown key take as long as a wrong
 * signature.
 */
const NOBODY: string = "nobody-".repeat(9).padEnd(64, "-");

/**
 * Returns whether a text is 64 hex digits of either case. Source: decision 40.
 *
 * @example
 * ```ts
 * import { isSignature, sign } from "managed-orders/signing";
 * console.log(isSignature(sign({ secret: "secret", payload: "a=1" })), isSignature("a=1")); // true false
 * ```
 */
export function isSignature(text: string): boolean {
  return typeof text === "string" && SIGNATURE.test(text);
}

/**
 * Returns the HMAC-SHA256 of the payload, keyed with the API secret, as 64 lower-case hex digits. Text is encoded as
 * UTF-8. Throws a RangeError for an empty secret, and a TypeError for an option that is missing, misspelt or of the wrong
 * type. Source: contract, Authentication.
 *
 * @example
 * ```ts
 * import { sign } from "managed-orders/signing";
 * const signature = sign({ secret: "my secret", payload: "apiManaged=true&nonce=1760000000001" });
 * console.log(signature.length); // 64
 * ```
 */
export function sign(options: Readonly<{ secret: string; payload: Uint8Array | string }>): string {
  requireSigning(options, "sign", SIGN_OPTIONS);
  return hmacSha256Hex(options.secret, options.payload);
}

/**
 * Returns whether the signature is the payload's. Compares in constant time and in either letter case. An `undefined`
 * secret (of an unknown key) costs the same work and always gives false, and so does a signature that is not a string.
 * Throws a TypeError for a payload that is missing and for a secret or payload of the wrong type.
 * Source: decision 40, hostile inputs 3-7 and 25.
 *
 * @example
 * ```ts
 * import { sign, verifySignature } from "managed-orders/signing";
 * const request = { secret: "my secret", payload: "apiManaged=true&nonce=1760000000001" };
 * console.log(verifySignature({ ...request, signature: sign(request) })); // true
 * ```
 */
export function verifySignature(
  options: Readonly<{ secret: string | undefined; payload: Uint8Array | string; signature: string }>,
): boolean {
  requireVerifying(options);
  const { secret, payload, signature } = options;
  if (!isSignature(signature)) return false;
  const known = secret !== undefined && secret !== "";
  const due = hmacSha256Hex(known ? secret : NOBODY, payload);
  return equalDigits(due, signature.toLowerCase()) && known;
}

/** Compares all 64 digits, even if the first ones differ. */
function equalDigits(due: string, given: string): boolean {
  let difference = 0;
  for (let index = 0; index < due.length; index++)
    difference |= due.charCodeAt(index) ^ given.charCodeAt(index);
  return difference === 0;
}
