import { sign, verifySignature } from "../../signing/index.ts";
import { type JsonValue, readJson } from "../../wire/index.ts";

/** Header with the time of a signature in epoch milliseconds; in answers, the server's time. */
export const TIME_HEADER = "x-venue-time";

/** Header with the signature: HMAC-SHA256 in hex. */
export const SIGNATURE_HEADER = "x-venue-signature";

/** Header of an answer with the signature of its request. */
export const ANSWERS_HEADER = "x-venue-answers";

/** Returns the time in a header of requests and answers; undefined for anything else. */
export const timeIn = (header: string | string[] | undefined): number | undefined =>
  typeof header === "string" && /^[0-9]{1,15}$/.test(header) ? Number.parseInt(header, 10) : undefined;

/** What a signature covers. `target` is the path with the query, as sent. */
type Signed = Readonly<{ method: string; target: string; timeMs: string; body: Uint8Array }>;

/** Returns the signed bytes: method, target and time, each with a line break, and then the body. */
function payloadOf({ method, target, timeMs, body }: Signed): Uint8Array {
  return Buffer.concat([Buffer.from(`${method}\n${target}\n${timeMs}\n`), body]);
}

/** Returns the signature of a request. */
export const signatureOf = (secret: string, signed: Signed): string =>
  sign({ secret, payload: payloadOf(signed) });

/** Returns whether one of the secrets signed the request. Takes as long for each of them. */
export function isSigned(secrets: readonly string[], signed: Signed, signature: string): boolean {
  const payload = payloadOf(signed);
  const verdicts = secrets.map((secret) => verifySignature({ secret, payload, signature }));
  return verdicts.includes(true);
}

/** Returns the text of bytes in UTF-8. Throws a TypeError for other bytes. */
export const utf8In = (bytes: Uint8Array): string => new TextDecoder("utf-8", { fatal: true }).decode(bytes);

/** Returns the value of JSON in UTF-8. Throws an Error for other bytes. */
export const jsonIn = (bytes: Uint8Array): JsonValue => readJson(utf8In(bytes));

/** Each code of an error answer: its status, and its text for people. */
export const REFUSALS = {
  BAD_REQUEST: [400, "The request cannot be read."],
  BAD_SIGNATURE: [401, "The signature is missing or wrong."],
  STALE: [
    401,
    "The time of the signature is too far from the server's time, which the header x-venue-time has.",
  ],
  NOT_FOUND: [404, "There is no such path."],
  NO_SUCH_PART: [404, "This server does not have this part."],
  WRONG_METHOD: [405, "The path exists with another method."],
  SLOW_BODY: [408, "The body did not arrive in time."],
  CHILD_DIFFERS: [409, "Another child was submitted with this id."],
  OUTCOME_UNKNOWN: [409, "The id was submitted before, and what became of it is not known. Look it up."],
  SIGNED_EARLIER: [409, "The submit was signed before this server started, and may be a copy. Look it up."],
  HISTORY_GONE: [410, "Events after this number are gone. Begin anew, and look up what is open."],
  TOO_LARGE: [413, "The body is too large."],
  FAILED: [500, "The venue failed. The outcome of a change is unknown."],
  BUSY: [503, "Too many requests or streams are open."],
  CLOSING: [503, "The server is closing."],
  NO_ANSWER: [504, "The venue did not answer in time. The outcome of a change is unknown."],
} as const;

/** Code of an error answer. */
type RefusalCode = keyof typeof REFUSALS;

/** An error answer of a server. It never says what the venue said. */
export class Refusal extends Error {
  override readonly name: string = "Refusal";
  readonly code: RefusalCode;

  constructor(code: RefusalCode, detail = "") {
    super(detail === "" ? REFUSALS[code][1] : `${REFUSALS[code][1]} ${detail}`);
    this.code = code;
  }

  /** The HTTP status. */
  get status(): number {
    return REFUSALS[this.code][0];
  }
}
