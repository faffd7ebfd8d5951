import { OrderError } from "../errors/index.ts";
import { bytesToText, isJsonBody, type Parameters } from "../wire/index.ts";
import { isSignature } from "./signature.ts";

/** The signed payload of a REST request, and the rest of it to parse. */
export type RestSignature = Readonly<{
  /** The bytes that the signature must cover: the raw query followed by the raw body, without the signature pair. */
  payload: Uint8Array;
  /** 64 lower-case hex digits. */
  signature: string;
  query: string;
  body: Uint8Array;
}>;

const PAIR = "signature=";

/** Returns a pattern for one letter of the name, plain or percent-encoded, in either case (with the `i` flag). */
const anySpelling = (letter: string): string => {
  const code = letter.charCodeAt(0);
  return `(?:${letter}|%${code.toString(16)}|%${(code - 0x20).toString(16)})`;
};
const OTHER_PAIR = new RegExp(`(?:^|&)${Array.from("signature", anySpelling).join("")}(?:[=&]|$)`, "i");

/**
 * Extracts the signature from a REST request without parsing it: from the header, the last pair of the query, or the
 * last pair of a form body. The header may repeat a pair (in either letter case: the same 32 bytes).
 * Throws OrderError: -1102 for a missing or empty signature; -1022 if it is not 64 hex digits, if header and pair
 * disagree, and for a pair that is not the last, comes twice, or is spelled differently (`Signature=`, `%73ignature=`).
 * Source: contract, Version 2 GET queries and Version 3 REST; decisions 40 and 49; hostile inputs 1-3 and 8-13.
 */
export function restSignature(
  request: Readonly<{ query: string; body: Uint8Array; header: string | undefined }>,
): RestSignature {
  const query = splitSignature(request.query);
  const form = isJsonBody(request.body) ? undefined : splitSignature(bytesToText(request.body));
  if (query.signature !== undefined && form?.signature !== undefined) throw new OrderError("BAD_SIGNATURE");
  const body = form?.signature === undefined ? request.body : request.body.subarray(0, form.rest.length);
  return {
    payload: concatenate(new TextEncoder().encode(query.rest), body),
    signature: agree(request.header, query.signature ?? form?.signature),
    query: query.rest,
    body,
  };
}

/**
 * Refuses a `signature` among the parameters that remain after {@link restSignature}. It can only come from a JSON
 * body, which must not carry it. Throws OrderError -1022. Source: decision 40.
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

function concatenate(query: Uint8Array, body: Uint8Array): Uint8Array {
  if (body.length === 0) return query;
  if (query.length === 0) return body;
  const payload = new Uint8Array(query.length + body.length);
  payload.set(query);
  payload.set(body, query.length);
  return payload;
}
