import { sign, verifySignature } from "../../signing/index.ts";

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
export type Signed = Readonly<{ method: string; target: string; timeMs: string; body: Uint8Array }>;

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
