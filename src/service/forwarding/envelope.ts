import { SHARD_COUNT } from "../../model/index.ts";
import { sign, verifySignature } from "../../signing/index.ts";
import type { WireResponse } from "../../wire/index.ts";
import type { ForwardedForm, ForwardedRequest, PeerAnswer, PeerRefusal } from "./api.ts";
import { packTexts, textOf, unpackTexts } from "./packed-texts.ts";

/**
 * What a seal covers besides the request: the text that the receiver of a connection chose at random for it, and the
 * number of the request on that connection. So a seal counts once, on one connection.
 */
type SealPlace = Readonly<{ session: string; number: number }>;

/** Digits of a seal: HMAC-SHA-256 in hex. */
const SEAL_LENGTH = 64;

/**
 * Headers that the service reads. No other one is forwarded, so that a header of a client cannot be taken for one of a
 * node.
 */
const FORWARDED: ReadonlySet<string> = new Set([
  "x-mbx-apikey",
  "signature",
  "content-type",
  "content-encoding",
  "x-http-method-override",
  "x-http-method",
  "x-method-override",
  "origin",
  "access-control-request-method",
  "access-control-request-headers",
]);

/** Number of texts of a request before its headers. */
const REQUEST_TEXTS = 7;

const FORMS: readonly ForwardedForm[] = ["REST", "MESSAGE", "SUBSCRIPTION", "END"];

const WHOLE = /^(?:0|[1-9][0-9]{0,15})$/;
const STATUS = /^[1-5][0-9]{2}$/;

/** Returns the headers of a request that are forwarded, as sent and in their order. */
export function forwardedHeaders(rawHeaders: readonly string[]): readonly string[] {
  const stored: string[] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? "";
    if (FORWARDED.has(name.toLowerCase())) stored.push(name, rawHeaders[index + 1] ?? "");
  }
  return stored;
}

/**
 * Writes a request with its seal: HMAC-SHA-256 over the place and every byte of the request, keyed with a secret that all
 * nodes share.
 */
export function sealRequest(secret: string, place: SealPlace, request: ForwardedRequest): Uint8Array {
  const { form, incarnation, expiresAtMs, usedWeight, ...wire } = request;
  const { remoteAddress, method, target, rawHeaders, body } = wire;
  const texts = [
    ...[form, String(incarnation), String(expiresAtMs), String(usedWeight)],
    ...[remoteAddress, method, target, ...rawHeaders],
  ];
  const packed = packTexts({ texts, body });
  return joined(encoder.encode(sign({ secret, payload: sealed(place, packed) })), packed);
}

/**
 * Reads a request after its seal was compared, in constant time, with that of each secret. Returns why it is refused
 * otherwise.
 */
export function openRequest(
  secrets: readonly string[],
  place: SealPlace,
  bytes: Uint8Array,
): ForwardedRequest | "SEAL" | "MALFORMED" {
  const signature = textOf(bytes.subarray(0, SEAL_LENGTH)) ?? "";
  const packed = bytes.subarray(SEAL_LENGTH);
  const payload = sealed(place, packed);
  const verdicts = secrets.map((secret) => verifySignature({ secret, payload, signature }));
  if (!verdicts.includes(true)) return "SEAL";
  return requestOf(packed) ?? "MALFORMED";
}

function requestOf(packed: Uint8Array): ForwardedRequest | undefined {
  const { texts = [], body = packed } = unpackTexts(packed) ?? {};
  if (texts.length < REQUEST_TEXTS || texts.length % 2 !== REQUEST_TEXTS % 2) return undefined;
  const [formName, incarnation = "", expiresAt = "", usedWeight = "", ...rest] = texts;
  const [remoteAddress = "", method = "", target = "", ...rawHeaders] = rest;
  const [node, expiresAtMs, used] = [incarnation, expiresAt, usedWeight].map(wholeOf);
  const form = FORMS.find((known) => known === formName);
  if (form === undefined || node === undefined || expiresAtMs === undefined || used === undefined)
    return undefined;
  // A sender of another version might forward more headers than this one reads.
  const read = forwardedHeaders(rawHeaders);
  return {
    ...{ form, incarnation: node, expiresAtMs, usedWeight: used, remoteAddress, method, target },
    ...{ rawHeaders: read, body },
  };
}

/** Returns the digits of a whole number as that number; undefined for anything else. */
function wholeOf(text: string): number | undefined {
  const value = WHOLE.test(text) ? Number.parseInt(text, 10) : undefined;
  return Number.isSafeInteger(value) ? value : undefined;
}

const encoder = new TextEncoder();

function sealed({ session, number }: SealPlace, packed: Uint8Array): Uint8Array {
  return joined(encoder.encode(`${session}\n${number}\n`), packed);
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const whole = new Uint8Array(first.length + second.length);
  whole.set(first);
  whole.set(second, first.length);
  return whole;
}

/** Writes a reply. */
export function packReply({ status, headers, body }: WireResponse): Uint8Array {
  return packTexts({
    texts: [String(status), ...Object.entries(headers).flat()],
    body: encoder.encode(body),
  });
}

/** Reads a reply; undefined if it is none. */
export function unpackReply(bytes: Uint8Array): PeerAnswer | undefined {
  const packed = unpackTexts(bytes);
  const [status = "", ...named] = packed?.texts ?? [];
  const body = packed && textOf(packed.body);
  if (body === undefined || !STATUS.test(status) || named.length % 2 !== 0) return undefined;
  const headers: Record<string, string> = {};
  for (let index = 0; index < named.length; index += 2) headers[named[index] ?? ""] = named[index + 1] ?? "";
  return { kind: "reply", response: { status: Number.parseInt(status, 10), headers, body } };
}

type Refused = Extract<PeerAnswer, { kind: "refused" }>;

const REFUSALS: readonly PeerRefusal[] = [
  ...(["MALFORMED", "TOO_LONG", "SEAL", "REPLAYED", "EXPIRED", "WRONG_NODE"] as const),
  ...(["ELSEWHERE", "BUSY", "CLOSING"] as const),
];

/** Writes a refusal: its reason, and the shard if it names one. */
export const packRefusal = ({ reason, shard }: Omit<Refused, "kind">): Uint8Array =>
  encoder.encode(shard === undefined ? reason : `${reason} ${shard}`);

/** Reads a refusal; undefined if it is none. */
export function unpackRefusal(bytes: Uint8Array): PeerAnswer | undefined {
  const [word, digits, ...rest] = (textOf(bytes) ?? "").split(" ");
  const reason = REFUSALS.find((known) => known === word);
  const shard = digits === undefined ? undefined : wholeOf(digits);
  if (reason === undefined || rest.length > 0) return undefined;
  if (digits === undefined) return { kind: "refused", reason };
  return shard === undefined || shard >= SHARD_COUNT ? undefined : { kind: "refused", reason, shard };
}
