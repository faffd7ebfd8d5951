import { ClientError, RefusedError } from "./errors.ts";
import { type AbortLike, LONGEST_HOLD_MS, type Platform, pause } from "./http.ts";
import type { SocketLink } from "./socket.ts";

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
/**
 * Codes of refusals that pass: failures of the service, too many requests, a service that closes, a timestamp that the
 * next estimate of the server's time corrects, and the state of the subscriptions of one connection, which ends with it.
 */
const PASSING: readonly (number | undefined)[] = [
  ...[-1000, -1001, -1003, -1007, -1008, -1016, -1021],
  ...[-2035, -2036, -2042],
];

/** Learns why a session has ended, and after how long the next one begins. */
type OnPause = (error: Error, pauseMs: number) => void;

/**
 * Runs sessions one after another, until the caller aborts or a session fails in a way that the next one would too. The
 * first one that is not refused is followed at once, the others after growing pauses of random length. A session that
 * lasted longer than the longest pause makes the pauses short again. Rejects with the error of the last session.
 */
export async function again(
  { clock, random }: Pick<Platform, "clock" | "random">,
  session: () => Promise<never>,
  signal: AbortLike,
  onPause?: OnPause,
): Promise<never> {
  for (let failures = 0; ; failures++) {
    const beganAtMs = clock.monotonicMs();
    try {
      return await session();
    } catch (error) {
      if (signal.aborted || isFinal(error)) throw error;
      if (clock.monotonicMs() - beganAtMs > LONGEST_PAUSE_MS) failures = 0;
      const pauseMs = pauseAfter(error, failures, random);
      onPause?.(error as Error, pauseMs);
      if (pauseMs > 0) await pause(clock, pauseMs, signal);
    }
  }
}

function pauseAfter(error: unknown, failures: number, random: () => number): number {
  const isRefused = error instanceof RefusedError;
  if (failures === 0 && !isRefused) return 0;
  const most = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (isRefused ? failures : failures - 1));
  const retryAfterMs = isRefused ? Math.min(error.retryAfterMs ?? 0, LONGEST_HOLD_MS) : 0;
  return Math.max(retryAfterMs, Math.floor(most * (0.5 + random() / 2)));
}

/** A connection with automatic reconnects that lasts until it is closed or fails permanently. */
export interface Lasting {
  /** Resolves when it has ended: to the error that ended it, or to undefined after `close`. */
  readonly ended: Promise<Error | undefined>;
  /** Ends the work and its connection. No listener is called after that. */
  close(): void;
}

/** Runs sessions over a link until it is closed; calls a function at its end, which may come before `ended` resolves. */
export function lasting(
  { platform, link }: Readonly<{ platform: Platform; link: SocketLink }>,
  session: (signal: AbortSignal) => Promise<never>,
  onEnd: (why: Error | undefined) => void,
  onPause?: OnPause,
): Lasting {
  const controller = new AbortController();
  const { signal } = controller;
  const ended = again(platform, () => session(signal), signal, onPause).catch((error: unknown) => {
    link.close();
    const why = signal.aborted ? undefined : (error as Error);
    onEnd(why);
    return why;
  });
  const close = (): void => {
    controller.abort();
    link.close();
    // What the session still does must not be heard.
    onEnd(undefined);
  };
  return { ended, close };
}

/** Returns whether another session would fail in the same way, as with a key that may not read. */
function isFinal(error: unknown): boolean {
  if (!(error instanceof ClientError)) return true;
  if (!(error instanceof RefusedError)) return false;
  const { code, status = 0 } = error;
  const passes = status >= 500 || [408, 418, 429].includes(status) || PASSING.includes(code);
  return !passes;
}
