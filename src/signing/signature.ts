import { hmacSha256Hex } from "#hmac";

const SIGNATURE = /^[0-9a-fA-F]{64}$/;

/** Keeps the time of an unknown key equal to that of a wrong signature; as long as a usual secret. */
const NOBODY: string = "nobody-".repeat(9).padEnd(64, "-");

/** Whether a text is 64 hex digits of either case. Source: decision 40. */
export function isSignature(text: string): boolean {
  return SIGNATURE.test(text);
}

/**
 * HMAC-SHA256 of the payload, keyed with the API secret, in 64 lower-case hex digits; text is taken as UTF-8.
 * Throws a RangeError when the secret is empty. Source: contract, Authentication.
 *
 * @example
 * ```ts
 * import { sign } from "managed-orders/signing";
 * const signature = sign({ secret: "my secret", payload: "apiManaged=true&nonce=1760000000001" });
 * console.log(signature.length); // 64
 * ```
 */
export function sign(options: Readonly<{ secret: string; payload: Uint8Array | string }>): string {
  if (options.secret === "") throw new RangeError("the API secret is empty");
  return hmacSha256Hex(options.secret, options.payload);
}

/**
 * Whether the signature is the payload's, compared in constant time and in either letter case. An `undefined` secret
 * (the key is not known) costs the same work and is always false. Never throws.
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
  const { secret, payload, signature } = options;
  if (!isSignature(signature)) return false;
  const known = secret !== undefined && secret !== "";
  const due = hmacSha256Hex(known ? secret : NOBODY, payload);
  return equalDigits(due, signature.toLowerCase()) && known;
}

/** Looks at every one of the 64 digits, whatever the first ones say. */
function equalDigits(due: string, given: string): boolean {
  let difference = 0;
  for (let index = 0; index < due.length; index++)
    difference |= due.charCodeAt(index) ^ given.charCodeAt(index);
  return difference === 0;
}
