import type { IncomingMessage } from "node:http";
import { MAX_BODY_BYTES } from "../../service/index.ts";
import { announcedBytes } from "./incoming.ts";

/** How much of a body that is too large is read away, so that its sender gets to read the answer. */
const READ_AWAY_BYTES = 262_144;

/** What the service gets of a body that is too large: one byte too many. */
const TOO_LARGE = new Uint8Array(MAX_BODY_BYTES + 1);

/** A body, and whether something of it is left on the connection, which must end then. */
export type RequestBody = Readonly<{ bytes: Uint8Array; cut: boolean }>;

/**
 * Whether the head of a request announces a body that is not read at all. One that is a little too large is read away,
 * unless its sender asks first (`Expect: 100-continue`).
 */
export function announcesTooMuch(request: IncomingMessage, asksFirst: boolean): boolean {
  const limit = asksFirst ? MAX_BODY_BYTES : MAX_BODY_BYTES + READ_AWAY_BYTES;
  return announcedBytes(request) > limit;
}

/** The body of a request that has none. */
export const NO_BODY: RequestBody = { bytes: new Uint8Array(), cut: false };

/** A body of which not a byte was read. */
export const UNREAD_BODY: RequestBody = { bytes: TOO_LARGE, cut: true };

/** Ends the reading of a body with a reason. */
export type GiveUp = (reason: Error) => void;

/** Who follows the reading of a body. */
export type BodyReader = Readonly<{
  /** Told how to give up. */
  begun: (giveUp: GiveUp) => void;
  /** Told how many bytes more are kept. */
  kept: (bytes: number) => void;
}>;

/**
 * Reads the body of a request, in memory at most {@link MAX_BODY_BYTES}. Rejects with the reason of giving up when that
 * comes first, and when the connection breaks.
 */
export function readRequestBody(request: IncomingMessage, { begun, kept }: BodyReader): Promise<RequestBody> {
  return new Promise((resolve, reject) => {
    begun(reject);
    const chunks: Buffer[] = [];
    let received = 0;
    request.on("data", (chunk: Buffer) => {
      received += chunk.length;
      if (received <= MAX_BODY_BYTES) {
        chunks.push(chunk);
        kept(chunk.length);
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
