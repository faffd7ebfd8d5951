import { OrderError } from "../errors/index.ts";
import { bytesToText, isJsonBody, type Parameters } from "../wire/index.ts";
import { isSignature } from "./signature.ts";

/** Where two canonical strings first differ. */
export interface CanonicalDifference {
  /** Position of the first character that differs. */
  readonly at: number;
  /** The name of the parameter in which they differ, if it is in a query. */
  readonly parameter?: string;
  /** The expected text from shortly before that position. */
  readonly expected: string;
  /** The actual text from there. */
  readonly actual: string;
  /** The likely cause, as a sentence. */
  readonly cause: string;
}

/** Characters that are shown before and after the position. */
const BEFORE = 10;
const AFTER = 30;

/**
 * Returns where and why the string that one program signs differs from the string that another one signs, or undefined
 * if they are equal. Print the string that you sign (query, then body), and compare it with that of another client, or
 * with the bytes that were sent. Source: contract, Authentication.
 *
 * @example
 * ```ts
 * import { compareCanonical } from "managed-orders/signing";
 * const found = compareCanonical("symbol=BTC%2FUSD&timestamp=1", "symbol=BTC%2fUSD&timestamp=1");
 * console.log(found?.at, found?.parameter); // 12 symbol
 * console.log(found?.cause); // The percent escapes differ in letter case. Use upper case, such as %2F.
 * ```
 */
export function compareCanonical(expected: string, actual: string): CanonicalDifference | undefined {
  if (expected === actual) return undefined;
  let at = 0;
  while (expected.charAt(at) === actual.charAt(at)) at++;
  const parameter = parameterAt(expected, at) ?? parameterAt(actual, at);
  const start = Math.max(0, at - BEFORE);
  return {
    at,
    ...(parameter !== undefined && { parameter }),
    expected: expected.slice(start, at + AFTER),
    actual: actual.slice(start, at + AFTER),
    cause: causeOf(expected, actual),
  };
}

const ESCAPE = /%[0-9a-f]{2}/gi;

/** Ways in which two strings may differ: what both are reduced to, and what it means if they are equal then. */
const CAUSES: readonly (readonly [reduce: (text: string) => string, cause: string])[] = [
  [
    (text) => text.replace(/^\?/, ""),
    "One begins with the question mark of the address. Sign the query without it.",
  ],
  [
    (text) => text.replace(/&?signature=[0-9a-f]*/i, ""),
    "One contains the signature itself. Sign the query without it.",
  ],
  [
    (text) => text.replace(ESCAPE, (encoded) => encoded.toUpperCase()),
    "The percent escapes differ in letter case. Use upper case, such as %2F.",
  ],
  [
    (text) => text.replaceAll("+", "%20"),
    "One has a plus where the other has a space as %20. Sign and send %20.",
  ],
  [decoded, "The same values are percent-encoded differently. Sign the bytes that you send."],
  [
    (text) => text.replace(/[&\n](?=\{)/, ""),
    "One has a separator between query and body. Append the body without one.",
  ],
  [
    (text) => text.replace(/\s/g, ""),
    "They differ in white space only. Sign the bytes that you send, and send minified JSON.",
  ],
  [
    (text) => text.split("&").sort().join("&"),
    "The parameters are in another order. In REST, sign them in the order in which you send them; on WebSocket, sort them by name.",
  ],
];

function causeOf(expected: string, actual: string): string {
  const found = CAUSES.find(([reduce]) => reduce(expected) === reduce(actual));
  if (found !== undefined) return found[1];
  if (expected.startsWith(actual)) return "The actual text ends too early.";
  if (actual.startsWith(expected)) return "The actual text goes on after the end of the expected one.";
  return "The texts differ in a name or a value.";
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Returns the name of the parameter at a position, if that is in a query. */
function parameterAt(text: string, at: number): string | undefined {
  const body = text.indexOf("{");
  if (body >= 0 && body <= at) return undefined;
  const pair = text.slice(text.lastIndexOf("&", at - 1) + 1).split("&", 1)[0] ?? "";
  return pair.includes("=") ? pair.slice(0, pair.indexOf("=")) : undefined;
}

/** The signed payload of a REST request, and the rest of it to parse. */
export type RestSignature = Readonly<{
  /** The bytes that the signature must cover: the raw query followed by the raw body, without the signature pair. */
  payload: Uint8Array;
  /** 64 lower-case hex digits. */
  signature: string;
  query: string;
  body: Uint8Array;
}>;

/** Maximum number of UTF-8 bytes per UTF-16 code unit of text. */
const WIDEST = 3;

const PAIR = "signature=";

/** Returns a pattern for one letter of the name, plain or percent-encoded, in either case (with the `i` flag). */
const anySpelling = (letter: string): string => {
  const code = letter.charCodeAt(0);
  return `(?:${letter}|%${code.toString(16)}|%${(code - 0x20).toString(16)})`;
};
const OTHER_PAIR = new RegExp(`(?:^|&)${Array.from("signature", anySpelling).join("")}(?:[=&]|$)`, "i");

/**
 * Extracts the signature from a REST request without parsing it: from the header, the last pair of the query, or the last
 * pair of a form body. The header may repeat a pair (in either letter case: the same 32 bytes). Throws OrderError: -1102
 * for a missing or empty signature; -1022 if it is not 64 hex digits, if header and pair disagree, and for a pair that is
 * not the last, comes twice, or is spelled differently (`Signature=`, `%73ignature=`). Source: contract, Version 2 GET
 * queries and Version 3 REST; hostile inputs 1-3 and 8-13.
 */
export function restSignature(
  request: Readonly<{ query: string; body: Uint8Array; header: string | undefined }>,
): RestSignature {
  const query = splitSignature(request.query);
  const form = isJsonBody(request.body) ? undefined : splitSignature(bytesToText(request.body));
  if (query.signature !== undefined && form?.signature !== undefined) throw new OrderError("BAD_SIGNATURE");
  const body = form?.signature === undefined ? request.body : request.body.subarray(0, form.rest.length);
  return {
    payload: payloadOf(query.rest, body),
    signature: agree(request.header, query.signature ?? form?.signature),
    query: query.rest,
    body,
  };
}

/**
 * Refuses a `signature` among the parameters that remain after {@link restSignature}. It can only come from a JSON body,
 * which must not carry it. Throws OrderError -1022.
 */
export function refuseSignatureParameter(parameters: Parameters): void {
  if (parameters.has("signature")) throw new OrderError("BAD_SIGNATURE");
}

type SignatureSplit = Readonly<{ rest: string; signature: string | undefined }>;

function splitSignature(raw: string): SignatureSplit {
  const start = raw.lastIndexOf("&") + 1;
  const last = raw.slice(start);
  const carries = last.startsWith(PAIR);
  const rest = carries ? raw.slice(0, Math.max(start - 1, 0)) : raw;
  if (OTHER_PAIR.test(rest)) throw new OrderError("BAD_SIGNATURE");
  return { rest, signature: carries ? last.slice(PAIR.length) : undefined };
}

function agree(header: string | undefined, pair: string | undefined): string {
  const signature = header ?? pair;
  if (signature === undefined || (signature === "" && (pair ?? "") === "")) {
    throw new OrderError("PARAMETER_MISSING", { field: "signature" });
  }
  const digits = signature.toLowerCase();
  if (!isSignature(digits) || (pair !== undefined && pair.toLowerCase() !== digits)) {
    throw new OrderError("BAD_SIGNATURE");
  }
  return digits;
}

function payloadOf(query: string, body: Uint8Array): Uint8Array {
  if (query === "") return body;
  const payload = new Uint8Array(query.length * WIDEST + body.length);
  const { written } = new TextEncoder().encodeInto(query, payload);
  payload.set(body, written);
  return payload.subarray(0, written + body.length);
}
