import { SHARD_COUNT } from "../../model/index.ts";
import { sign, verifySignature } from "../../signing/index.ts";
import type { WireResponse } from "../../wire/index.ts";
import type { ForwardedForm, ForwardedRequest, PeerAnswer, PeerRefusal } from "./api.ts";

/**
 * Kind of a frame between two nodes. `hello`: the receiver begins a connection with the session of its seals. `request`:
 * a sealed request. `reply` and `refusal`: its answer. `event`: one event of the stream that a request has opened. `end`:
 * the end of that stream. `beat`: says that its sender is there, and is answered by another one.
 */
type FrameKind = "hello" | "request" | "reply" | "refusal" | "event" | "end" | "beat";

/** One frame; answers have the number of their request. */
export type Frame = Readonly<{ kind: FrameKind; number: number; payload: Uint8Array }>;

const KINDS: readonly FrameKind[] = [
  ...(["hello", "request", "reply", "refusal"] as const),
  ...(["event", "end", "beat"] as const),
];

/** Version of the protocol. Another one is refused, because its frames cannot be read. */
const VERSION = 2;

/** Bytes before the payload: its length, the version, the kind, the number. */
const HEAD_BYTES = 10;

/** Highest number of a request on one connection. */
export const MOST_NUMBER = 0xff_ff_ff_ff;

/** Writes a frame. */
export function frameOf({ kind, number, payload }: Frame): Uint8Array {
  const bytes = new Uint8Array(HEAD_BYTES + payload.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, payload.length);
  view.setUint8(4, VERSION);
  view.setUint8(5, KINDS.indexOf(kind));
  view.setUint32(6, number);
  bytes.set(payload, HEAD_BYTES);
  return bytes;
}

/** Why a stream of frames cannot be read on. */
type FrameFault = "MALFORMED" | "TOO_LONG";

/** Puts frames together from the bytes of a connection, and never holds more than the longest frame and one chunk. */
export class FrameReader {
  readonly #longest: number;
  #chunks: Uint8Array[] = [];
  #held = 0;

  /** Frames with more than `longest` bytes of payload are refused by their head. */
  constructor(longest: number) {
    this.#longest = longest;
  }

  /** Whether part of a frame has arrived. */
  get isInside(): boolean {
    return this.#held > 0;
  }

  /** Takes bytes and returns the frames that are whole now, or why no further frame can be read. */
  read(chunk: Uint8Array): Readonly<{ frames: readonly Frame[]; fault?: FrameFault }> {
    this.#chunks.push(chunk);
    this.#held += chunk.length;
    const frames: Frame[] = [];
    for (;;) {
      const head = this.#head();
      if (head === undefined) return { frames };
      if (typeof head === "string") return { frames, fault: head };
      if (this.#held < HEAD_BYTES + head.length) return { frames };
      const bytes = this.#take(HEAD_BYTES + head.length);
      frames.push({ kind: head.kind, number: head.number, payload: bytes.subarray(HEAD_BYTES) });
    }
  }

  #head(): Readonly<{ length: number; kind: FrameKind; number: number }> | FrameFault | undefined {
    if (this.#held < HEAD_BYTES) return undefined;
    if ((this.#chunks[0]?.length ?? 0) < HEAD_BYTES) this.#chunks = [this.#joined()];
    const [first = new Uint8Array()] = this.#chunks;
    const view = new DataView(first.buffer, first.byteOffset, HEAD_BYTES);
    const kind = KINDS[view.getUint8(5)];
    if (view.getUint8(4) !== VERSION || kind === undefined) return "MALFORMED";
    const length = view.getUint32(0);
    return length > this.#longest ? "TOO_LONG" : { length, kind, number: view.getUint32(6) };
  }

  #take(length: number): Uint8Array {
    const whole = this.#chunks.length === 1 ? (this.#chunks[0] ?? new Uint8Array()) : this.#joined();
    const rest = whole.subarray(length);
    this.#held = rest.length;
    this.#chunks = rest.length > 0 ? [rest] : [];
    return whole.subarray(0, length);
  }

  #joined(): Uint8Array {
    const whole = new Uint8Array(this.#held);
    let at = 0;
    for (const chunk of this.#chunks) {
      whole.set(chunk, at);
      at += chunk.length;
    }
    return whole;
  }
}

/** Texts and bytes as one message holds them. */
type Packed = Readonly<{ texts: readonly string[]; body: Uint8Array }>;

/** Bytes before the texts, their number, and bytes before each text, its length. */
const COUNT_BYTES = 2;
const LENGTH_BYTES = 4;

/** Most bytes of UTF-8 for one UTF-16 code unit. */
const WIDEST = 3;

const encoder = new TextEncoder();
// A mark of byte order belongs to the text, and bytes that are no text are refused.
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Writes texts, each behind its length, and then the body, so that no text can be taken for two others. At most 65,535
 * texts.
 */
function packTexts({ texts, body }: Packed): Uint8Array {
  const most = texts.reduce((sum, text) => sum + LENGTH_BYTES + WIDEST * text.length, COUNT_BYTES);
  const bytes = new Uint8Array(most + body.length);
  const view = new DataView(bytes.buffer);
  view.setUint16(0, texts.length);
  let at = COUNT_BYTES;
  for (const text of texts) {
    const { written } = encoder.encodeInto(text, bytes.subarray(at + LENGTH_BYTES));
    view.setUint32(at, written);
    at += LENGTH_BYTES + written;
  }
  bytes.set(body, at);
  return bytes.subarray(0, at + body.length);
}

/** Reads what {@link packTexts} wrote. Returns undefined for bytes that it never writes. */
function unpackTexts(bytes: Uint8Array): Packed | undefined {
  if (bytes.length < COUNT_BYTES) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const count = view.getUint16(0);
  const texts: string[] = [];
  let at = COUNT_BYTES;
  for (let index = 0; index < count; index++) {
    if (bytes.length - at < LENGTH_BYTES) return undefined;
    const length = view.getUint32(at);
    at += LENGTH_BYTES;
    if (bytes.length - at < length) return undefined;
    const text = textOf(bytes.subarray(at, at + length));
    if (text === undefined) return undefined;
    texts.push(text);
    at += length;
  }
  return { texts, body: bytes.subarray(at) };
}

/** Returns bytes as text; undefined if they are not UTF-8. */
function textOf(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

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
