import { OrderError } from "../errors/index.ts";
import { type Parameters, percentEncode } from "../wire/index.ts";
import { isSignature, verifySignature } from "./signature.ts";

/** The key, signature and payload of a signed WebSocket message. */
export type SocketSignature = Readonly<{
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
 * Returns the text that a WebSocket signature covers: `name=value` of every parameter but `signature`, sorted by name
 * in code units (`Z` before `a`, `price` before `price2`), joined by `&`, with values as they are in the message.
 * Source: contract, WebSocket 2; decision 40; complaint 41.
 */
export function socketPayload(parameters: Parameters): string {
  return joinSorted(parameters, (text) => text);
}

/**
 * Extracts key, signature and payload from the parameters of a WebSocket message.
 * Throws OrderError: -1100 for a name or value with `&`, `=`, `%`, a control character or a character beyond ASCII (the
 * payload would be ambiguous); -2014 without `apiKey`; -1102 for a missing or empty signature; -1022 if it is not 64
 * hex digits. Source: decisions 41 and 49, hostile input 95.
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
 * Returns whether the signature covers the payload in either form. An `undefined` secret always gives false, after the
 * same work. Source: decision 40.
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
