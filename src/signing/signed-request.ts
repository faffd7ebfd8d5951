import { percentEncode, type Scalar, writeJson } from "../wire/index.ts";
import { sign } from "./signature.ts";
import { requireParameters, requireSigning } from "./signing-options.ts";
import { socketPayload } from "./socket-signature.ts";

const PARAMETERS = ["secret", "parameters"] as const;
const BODY = ["secret", "query", "parameters"] as const;

/** A parameter's value on the client's side: decimals are strings, integers are numbers or bigints. */
export type RequestValue = string | number | bigint | boolean | undefined;

/** Parameters on the client's side. `undefined` is left out. They are signed and sent in the order given. */
export type RequestParameters = Readonly<Record<string, RequestValue>>;

/** The same as {@link RequestParameters}, for interfaces too, such as those of orders. */
export type ParametersOf<P> = { readonly [K in keyof P]: RequestValue };

/**
 * Returns a query (or form body) with the signature as its last pair, to be sent byte for byte. Values are
 * percent-encoded before they are signed. Throws a RangeError for a number that is not a safe integer, and a TypeError
 * for an option that is missing, misspelt or of the wrong type.
 * Source: contract, Version 2 GET queries; decision 43.
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
