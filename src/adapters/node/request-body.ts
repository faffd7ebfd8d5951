import type { IncomingMessage } from "node:http";
import { MAX_BODY_BYTES } from "../../service/index.ts";
import { announcedBytes } from "./incoming.ts";

/** Number of bytes of an oversized body that are read and dropped, so that its sender can read the answer. */
const READ_AWAY_BYTES = 262_144;

/** The body that the service gets in place of an oversized one: one byte too large. */
const TOO_LARGE = new Uint8Array(MAX_BODY_BYTES + 1);

/** A body, and whether part of it is left on the connection, which must then be closed. */
export type RequestBody = Readonly<{ bytes: Uint8Array; cut: boolean }>;

/**
 * Returns whether the head of a request announces a body that is not read at all. A body that is slightly too large is
 * read and dropped, unless its sender asks first (`Expect: 100-continue`).
 */
export function announcesTooMuch(request: IncomingMessage, expectsContinue: boolean): boolean {
  const limit = expectsContinue ? MAX_BODY_BYTES : MAX_BODY_BYTES + READ_AWAY_BYTES;
  return announcedBytes(request) > limit;
}

/** The body of a request without one. */
export const NO_BODY: RequestBody = { bytes: new Uint8Array(), cut: false };

/** The result for a body that was not read. */
export const UNREAD_BODY: RequestBody = { bytes: TOO_LARGE, cut: true };

/** Stops the reading of a body with a reason. */
export type AbandonRequest = (reason: Error) => void;

/** Callbacks of the reading of a body. */
export type BodyReader = Readonly<{
  /** Receives the function that stops the reading. */
  begun: (abandon: AbandonRequest) => void;
  /** Receives the number of further bytes kept. */
  retained: (bytes: number) => void;
}>;

/**
 * Reads the body of a request, keeping at most {@link MAX_BODY_BYTES} in memory. Rejects with the reason if the reading
 * is stopped first, and if the connection breaks.
 */
export function readRequestBody(
  request: IncomingMessage,
  { begun, retained }: BodyReader,
): Promise<RequestBody> {
  return new Promise((resolve, reject) => {
    begun(reject);
    const chunks: Buffer[] = [];
    let received = 0;
    request.on("data", (chunk: Buffer) => {
      received += chunk.length;
      if (received <= MAX_BODY_BYTES) {
        chunks.push(chunk);
        retained(chunk.length);
      } else if (received > MAX_BODY_BYTES + READ_AWAY_BYTES) resolve({ bytes: TOO_LARGE, cut: true });
    });
    request.on("end", () => {
      const tooLarge = received > MAX_BODY_BYTES;
      resolve({ bytes: tooLarge ? TOO_LARGE : Buffer.concat(chunks), cut: tooLarge });
    });
    request.on("error", reject);
    request.on("close", () => {
      if (!request.readableEnded) reject(new Error("the connection broke"));
    });
  });
}
