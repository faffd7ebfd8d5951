import { TransportError } from "../errors/transport-error.ts";
import type { AbortLike, ClientClock } from "./platform.ts";

/** Bounds of a wait: the longest time, and a signal that ends it earlier. */
export type Bounds = Readonly<{ timeoutMs: number; signal?: AbortLike | undefined }>;

/**
 * The longest that a client sends nothing because a server asks for a wait: the longest ban. A longer wait is a mistake of
 * a server or of a proxy before it, which would stop the client for ever.
 */
export const LONGEST_HOLD_MS: number = 3 * 86_400_000;

/**
 * Runs work until it settles, the time is up or the caller aborts, whichever comes first. The work gets a signal that
 * aborts in the last two cases; the returned promise does not wait for work that ignores it. Rejects with a
 * TransportError "timeout" or "aborted".
 */
export async function within<T>(
  clock: ClientClock,
  { timeoutMs, signal }: Bounds,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  throwIfAborted(signal);
  const controller = new AbortController();
  let stop = (_error: TransportError): void => {};
  const stopped = new Promise<never>((_resolve, reject) => {
    stop = (error) => {
      reject(error);
      controller.abort();
    };
  });
  const cancelTimer = clock.schedule(clock.monotonicMs() + timeoutMs, () =>
    stop(new TransportError("timeout")),
  );
  const onAbort = (): void => stop(new TransportError("aborted"));
  signal?.addEventListener("abort", onAbort);
  try {
    return await Promise.race([stopped, work(controller.signal)]);
  } finally {
    cancelTimer();
    signal?.removeEventListener("abort", onAbort);
  }
}

/** Resolves after a pause. Rejects with a TransportError "aborted" if the caller aborts it. */
export async function pause(
  clock: ClientClock,
  durationMs: number,
  signal: AbortLike | undefined,
): Promise<void> {
  try {
    await within(clock, { timeoutMs: durationMs, signal }, () => new Promise<never>(() => {}));
  } catch (error) {
    if (!(error instanceof TransportError && error.reason === "timeout")) throw error;
  }
}

/** Throws a TransportError "aborted" if the signal has aborted already. */
export function throwIfAborted(signal: AbortLike | undefined): void {
  if (signal?.aborted === true) throw new TransportError("aborted");
}
