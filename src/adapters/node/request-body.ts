import type { IncomingMessage } from "node:http";
import { MAX_BODY_BYTES } from "../../service/index.ts";

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
  return BigInt(request.headers["content-length"] ?? 0) > limit;
}

/** A body of which not a byte was read. */
export const UNREAD_BODY: RequestBody = { bytes: TOO_LARGE, cut: true };

/**
 * Reads the body of a request, in memory at most {@link MAX_BODY_BYTES}. Rejects with `signal`'s reason when that comes
 * first, and when the connection breaks.
 */
export function readRequestBody(request: IncomingMessage, signal: AbortSignal): Promise<RequestBody> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let received = 0;
    request.on("data", (chunk: Buffer) => {
      received += chunk.length;
      if (received <= MAX_BODY_BYTES) chunks.push(chunk);
      else if (received > MAX_BODY_BYTES + READ_AWAY_BYTES) resolve({ bytes: TOO_LARGE, cut: true });
    });
    request.on("end", () => {
      const tooLarge = received > MAX_BODY_BYTES;
      resolve({ bytes: tooLarge ? TOO_LARGE : Buffer.concat(chunks), cut: tooLarge });
    });
    request.on("error", reject);
    request.on("close", () => reject(new Error("the connection broke")));
    signal.addEventListener("abort", () => reject(signal.reason));
  });
}
