import { OrderError } from "../errors/index.ts";
import { type Parameters, percentEncode, type Scalar, writeJson } from "../wire/index.ts";
import { isSignature, requireParameters, requireSigning, sign, verifySignature } from "./signature.ts";

/** The key, signature and payload of a signed WebSocket message. */
type SocketSignature = Readonly<{
  apiKey: string;
  /** 64 lower-case hex digits. */
  signature: string;
  /** The decoded values, sorted by name. */
  payload: string;
  /** The same with percent-encoded names and values, which is also accepted. */
  encodedPayload: string;
}>;

const JOINABLE = /^[\x20-\x24\x27-\x3c\x3e-\x7e]*$/;

/**
 * Returns the text that a WebSocket signature covers: `name=value` of every parameter but `signature`, sorted by name in
 * code units (`Z` before `a`, `price` before `price2`), joined by `&`, with values as they are in the message. Source:
 * contract, WebSocket 2; complaint 41.
 */
export function socketPayload(parameters: Parameters): string {
  return joinSorted(parameters, (text) => text);
}

/**
 * Extracts key, signature and payload from the parameters of a WebSocket message. Throws OrderError: -1100 for a name or
 * value with `&`, `=`, `%`, a control character or a character beyond ASCII (the payload would be ambiguous); -2014 without
 * `apiKey`; -1102 for a missing or empty signature; -1022 if it is not 64 hex digits. Source: hostile input 95.
 */
export function socketSignature(parameters: Parameters): SocketSignature {
  for (const [name, value] of parameters) checkJoinable(name, value.text);
  const apiKey = parameters.get("apiKey")?.text ?? "";
  if (apiKey === "") throw new OrderError("BAD_API_KEY_FORMAT");
  const signature = parameters.get("signature")?.text ?? "";
  if (signature === "") throw new OrderError("PARAMETER_MISSING", { field: "signature" });
  if (!isSignature(signature)) throw new OrderError("BAD_SIGNATURE");
  return {
    apiKey,
    signature: signature.toLowerCase(),
    payload: socketPayload(parameters),
    // Few clients sign this form.
    get encodedPayload() {
      return joinSorted(parameters, percentEncode);
    },
  };
}

/**
 * Returns whether the signature covers the payload in either form. An `undefined` secret always gives false, after the same
 * work.
 */
export function verifySocketSignature(
  options: Readonly<{ secret: string | undefined; signed: SocketSignature }>,
): boolean {
  const { signed, secret } = options;
  const { payload, signature } = signed;
  if (verifySignature({ secret, payload, signature })) return true;
  const { encodedPayload } = signed;
  return encodedPayload !== payload && verifySignature({ secret, payload: encodedPayload, signature });
}

function joinSorted(parameters: Parameters, write: (text: string) => string): string {
  let joined = "";
  for (const name of [...parameters.keys()].sort()) {
    if (name === "signature") continue;
    joined += `${joined === "" ? "" : "&"}${write(name)}=${write(parameters.get(name)?.text ?? "")}`;
  }
  return joined;
}

function checkJoinable(name: string, text: string): void {
  if (JOINABLE.test(name) && JOINABLE.test(text)) return;
  const field = JOINABLE.test(name) ? name : "name";
  throw new OrderError("ILLEGAL_CHARS", { field, range: "printable ASCII without & = %" });
}

const PARAMETERS = ["secret", "parameters"] as const;
const BODY = ["secret", "query", "parameters"] as const;

/** A parameter's value on the client's side: decimals are strings, integers are numbers or bigints. */
export type RequestValue = string | number | bigint | boolean | undefined;

/** Parameters on the client's side. `undefined` is left out. They are signed and sent in the order given. */
export type RequestParameters = Readonly<Record<string, RequestValue>>;

/** The same as {@link RequestParameters}, for interfaces too, such as those of orders. */
export type ParametersOf<P> = { readonly [K in keyof P]: RequestValue };

/**
 * Returns a query (or form body) with the signature as its last pair, to be sent byte for byte. Values are percent-encoded
 * before they are signed. Throws a RangeError for a number that is not a safe integer, and a TypeError for an option that
 * is missing, misspelt or of the wrong type. Source: contract, Version 2 GET queries.
 *
 * @example
 * ```ts
 * import { signQuery } from "managed-orders/signing";
 * const parameters = { symbol: "BTC/USD", orderId: -256, timestamp: 1_760_000_000_000 };
 * const query = signQuery({ secret: "my secret", parameters });
 * console.log(query.slice(0, 33)); // symbol=BTC%2FUSD&orderId=-256&tim
 * ```
 */
export function signQuery<P extends ParametersOf<P>>(
  options: Readonly<{ secret: string; parameters: P }>,
): string {
  requireSigning(options, "signQuery", PARAMETERS);
  const query = encodeQuery(options.parameters);
  const signature = sign({ secret: options.secret, payload: query });
  return query === "" ? `signature=${signature}` : `${query}&signature=${signature}`;
}

/**
 * Returns a minified JSON body and the signature for the header. The signature covers the raw query (without the
 * question mark) followed by the body. Throws a RangeError for a number that is not a safe integer and for a query that
 * begins with a question mark, and a TypeError for an option that is missing, misspelt or of the wrong type.
 * Source: contract, Version 3 REST.
 *
 * @example
 * ```ts
 * import { signBody } from "managed-orders/signing";
 * const parameters = { symbol: "BTC/USD", side: "SELL", reduceOnly: true };
 * const { body } = signBody({ secret: "my secret", query: "nonce=1760000000001", parameters });
 * console.log(body); // {"symbol":"BTC/USD","side":"SELL","reduceOnly":true}
 * ```
 */
export function signBody<P extends ParametersOf<P>>(
  options: Readonly<{ secret: string; query: string; parameters: P }>,
): Readonly<{ body: string; signature: string }> {
  requireSigning(options, "signBody", BODY);
  if (options.query.startsWith("?"))
    throw new RangeError(
      "signBody.query must not begin with a question mark: the signature does not cover it",
    );
  const body = writeJson(checked(options.parameters));
  return { body, signature: sign({ secret: options.secret, payload: options.query + body }) };
}

/**
 * Returns the parameters of a WebSocket message (including `apiKey` and `timestamp`) with their signature added. Throws a
 * RangeError for a number that is not a safe integer, and a TypeError for an option or parameter that is missing,
 * misspelt or of the wrong type. Source: contract, WebSocket 2.
 *
 * @example
 * ```ts
 * import { signSocketParameters } from "managed-orders/signing";
 * const parameters = { apiKey: "key", symbol: "BTC/USD", timestamp: 1_760_000_000_000 };
 * const params = signSocketParameters({ secret: "my secret", parameters });
 * console.log(JSON.stringify({ id: "1", method: "order.status", params }).length);
 * ```
 */
export function signSocketParameters<P extends ParametersOf<P>>(
  options: Readonly<{ secret: string; parameters: P }>,
): RequestParameters & Readonly<{ signature: string }> {
  requireSigning(options, "signSocketParameters", PARAMETERS);
  const parameters = checked(options.parameters);
  const scalars = new Map<string, Scalar>();
  for (const name of Object.keys(parameters)) {
    const value = parameters[name];
    if (value !== undefined) scalars.set(name, { text: String(value), kind: "text" });
  }
  return { ...parameters, signature: sign({ secret: options.secret, payload: socketPayload(scalars) }) };
}

/**
 * Encodes parameters as `name=value` pairs joined by `&`, percent-encoded, in the order given. Throws a RangeError for
 * an unsafe number, and a TypeError for a value of another type and for parameters that are not an object.
 *
 * @example
 * ```ts
 * import { encodeQuery } from "managed-orders/signing";
 * console.log(encodeQuery({ symbol: "BTC/USD", limit: 10 })); // symbol=BTC%2FUSD&limit=10
 * ```
 */
export function encodeQuery<P extends ParametersOf<P>>(given: P): string {
  requireParameters(given, "encodeQuery");
  const parameters: RequestParameters = given;
  let query = "";
  for (const name of Object.keys(parameters)) {
    const value = parameters[name];
    if (value === undefined) continue;
    checkValue(name, value);
    // Numbers and booleans need no encoding.
    const text = typeof value === "string" ? percentEncode(value) : String(value);
    query += query === "" ? `${percentEncode(name)}=${text}` : `&${percentEncode(name)}=${text}`;
  }
  return query;
}

function checked<P extends ParametersOf<P>>(given: P): RequestParameters {
  const parameters: RequestParameters = given;
  for (const name of Object.keys(parameters)) checkValue(name, parameters[name]);
  return parameters;
}

/**
 * Refuses a number that is not a safe integer: it would be signed as one text and read as another. Decimals are
 * strings. Also refuses a value without a text of its own, such as an object or null.
 */
function checkValue(name: string, value: unknown): void {
  if (Number.isSafeInteger(value) || value === undefined || TEXTUAL.includes(typeof value)) return;
  if (typeof value === "number")
    throw new RangeError(
      `parameters.${name} must be a safe integer, got ${value}: pass decimals as strings, such as "0.5", and long integers as bigint`,
    );
  throw new TypeError(`parameters.${name} must be a string, number or boolean`);
}

const TEXTUAL: readonly string[] = ["string", "bigint", "boolean"];
