import type { Clock } from "../../ports/index.ts";

/** Longest wait that setTimeout takes, about 24 days; longer ones are made of several. */
const LONGEST_WAIT_MS = 2_147_483_647;

/** How often a clock with a listener looks whether the wall clock was set. */
const LOOK_EVERY_MS = 1_000;

/** Less than this between two looks is how clocks keep time, not somebody setting them. */
const SMALLEST_STEP_MS = 100;

/**
 * The clock of the machine. `nowMs` is the machine's time as it is, set or not. `monotonicMs` begins with that time and
 * goes on whatever happens to it; a machine that sleeps stops it. Steps are looked for once a second, and only while
 * somebody listens.
 *
 * @example
 * ```ts
 * import { createSystemClock } from "managed-orders/node";
 * const clock = createSystemClock();
 * const cancel = clock.schedule(clock.monotonicMs() + 60_000, () => undefined);
 * cancel();
 * ```
 */
export function createSystemClock(): Clock {
  const [startMs, startedAtMs] = [Date.now(), performance.now()];
  const nowMs = (): number => Date.now();
  const monotonicMs = (): number => startMs + Math.floor(performance.now() - startedAtMs);
  return {
    nowMs,
    monotonicMs,
    schedule: (atMs, run) => startTimer({ nowMs: monotonicMs, atMs, run }),
    soon: (run) => void setImmediate(run),
    onStep: (listener) => watch(() => nowMs() - monotonicMs(), listener),
  };
}

type TimerOptions = Readonly<{ nowMs: () => number; atMs: number; run: () => void }>;

/** A timer may fire early and takes 24 days at most, so whether it is time is asked of the clock. */
function startTimer({ nowMs, atMs, run }: TimerOptions): () => void {
  let handle: NodeJS.Timeout;
  const arm = (): void => {
    handle = setTimeout(check, Math.min(Math.max(atMs - nowMs(), 0), LONGEST_WAIT_MS));
  };
  const check = (): void => (nowMs() >= atMs ? run() : arm());
  arm();
  return () => clearTimeout(handle);
}

/** Looks how far two clocks are apart, and tells when that has changed at once. Keeps no process alive. */
function watch(apartMs: () => number, listener: (stepMs: number) => void): () => void {
  let beforeMs = apartMs();
  const look = (): void => {
    const stepMs = apartMs() - beforeMs;
    beforeMs += stepMs;
    if (Math.abs(stepMs) >= SMALLEST_STEP_MS) listener(stepMs);
  };
  const handle = setInterval(look, LOOK_EVERY_MS);
  handle.unref();
  return () => clearInterval(handle);
}
