import type { IncomingMessage } from "node:http";
import type { Clock } from "../../ports/index.ts";
import { Refusal } from "./refusal.ts";

/** Bounds of a body. */
export type BodyBounds = Readonly<{
  clock: Clock;
  bodyBytes: number;
  bodyMs: number;
  crowdedOut: AbortSignal;
}>;

/**
 * Resolves to the bytes of a body. Rejects with a Refusal TOO_LARGE, SLOW_BODY or, if it is crowded out, BUSY, and with
 * an Error if the connection ends first.
 */
export function readBytes(
  request: IncomingMessage,
  { clock, bodyBytes, bodyMs, crowdedOut }: BodyBounds,
): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const cancel = clock.schedule(clock.monotonicMs() + bodyMs, () => end(new Refusal("SLOW_BODY")));
    const end = (error: Error): void => {
      cancel();
      request.pause();
      reject(error);
    };
    const crowded = (): void => end(new Refusal("BUSY"));
    if (crowdedOut.aborted) return crowded();
    crowdedOut.addEventListener("abort", crowded);
    request.on("data", (chunk: Buffer) => {
      length += chunk.length;
      if (length > bodyBytes) end(new Refusal("TOO_LARGE"));
      else chunks.push(chunk);
    });
    request.on("end", () => {
      cancel();
      resolve(Buffer.concat(chunks));
    });
    const broken = (): void => end(new Error("the connection ended"));
    request.on("error", broken);
    request.on("close", broken);
  });
}
