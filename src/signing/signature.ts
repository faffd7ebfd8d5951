import { hmacSha256Hex, sha256Hex } from "#hmac";

type Name = "secret" | "payload" | "parameters" | "query" | "apiKey" | "signature" | "field";

const isText = (value: unknown): boolean => typeof value === "string";

/** What an option must be; any other, a string. */
const WANTED: Readonly<Partial<Record<Name, string>>> = {
  secret: "the API secret, a string that is not empty",
  payload: "the text to sign, as a string or Uint8Array",
  parameters: 'an object of parameters by name, such as { symbol: "BTC/USD" }',
  query: 'the query without its question mark, such as "timestamp=1760000000000"',
};

const isPayload = (value: unknown): boolean => isText(value) || value instanceof Uint8Array;
const isParameters = (value: unknown): boolean =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const FITS: Readonly<Partial<Record<Name, (value: unknown) => boolean>>> = {
  payload: isPayload,
  parameters: isParameters,
};

/**
 * Throws a TypeError that names an option of a signing function that is missing, misspelt or of the wrong type, and a
 * RangeError for an empty secret. Never shows a value. Every option of these functions is required, so an unknown name
 * is a misspelling of the missing one; the checks of `common/` would add 1 kB to a page.
 */
export function requireSigning<T extends Name>(
  options: Readonly<Record<T, unknown>>,
  name: string,
  needed: readonly T[],
): void {
  if (typeof options !== "object" || options === null)
    throw new TypeError(`${name} must be an object with ${needed.join(", ")}`);
  for (const option of needed) {
    const value = options[option];
    if (value === undefined) throw missing(options, name, { option, needed });
    const message = `${name}.${option} must be ${wanted(option)}`;
    if (!(FITS[option] ?? isText)(value)) throw new TypeError(message);
    if (option === "secret" && value === "") throw new RangeError(message);
  }
}

/** Throws a TypeError for parameters that are no object. */
export function requireParameters(parameters: unknown, name: string): void {
  if (!isParameters(parameters)) throw new TypeError(`${name} must be ${WANTED.parameters}`);
}

/**
 * Throws a TypeError that names an option of a verification that a host hands in wrongly. The signature comes from a
 * client and may be anything; the secret of an unknown key is undefined.
 */
function requireVerifying(options: Readonly<Record<"secret" | "payload", unknown>> | undefined): void {
  const { secret, payload } = options ?? {};
  if (!isPayload(payload)) throw new TypeError(`verifySignature.payload must be ${WANTED.payload}`);
  if (secret !== undefined && !isText(secret))
    throw new TypeError("verifySignature.secret must be a string, or undefined for an unknown key");
}

const wanted = (option: Name): string => WANTED[option] ?? "a string";

function missing(
  options: object,
  name: string,
  { option, needed }: Readonly<{ option: Name; needed: readonly string[] }>,
): TypeError {
  const unknown = Object.keys(options).find((given) => !needed.includes(given));
  if (unknown === undefined) return new TypeError(`${name}.${option} is missing: pass ${wanted(option)}`);
  return new TypeError(`unknown option \`${unknown}\` of ${name}; did you mean \`${option}\`?`);
}

const SIGN_OPTIONS = ["secret", "payload"] as const;

const SIGNATURE = /^[0-9a-fA-F]{64}$/;

/**
 * Stand-in for the secret of an unknown key, as long as a usual secret. It makes an unknown key take as long as a wrong
 * signature.
 */
const NOBODY: string = "nobody-".repeat(9).padEnd(64, "-");

/**
 * Returns whether a text is 64 hex digits of either case.
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
 * Throws a TypeError for a payload that is missing and for a secret or payload of the wrong type. Source: hostile inputs
 * 3-7 and 25.
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

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const LENGTH = 22;
const SOURCE = ["apiKey", "signature", "field"] as const;

/**
 * Returns the client id of an order that was sent without one: 22 letters and digits, a pure function of key, signature (in
 * either letter case) and field name. The same signed bytes always give the same id, so two byte-identical requests are one
 * order. The id has no hyphen, so it never begins with the reserved `aqc-`. Throws a TypeError or RangeError that names a
 * part that is missing, misspelt or empty.
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
