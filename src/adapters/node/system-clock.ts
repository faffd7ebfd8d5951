import type { Clock } from "../../ports/index.ts";

/** Longest wait that setTimeout takes, about 24 days; longer ones are made of several. */
const LONGEST_WAIT_MS = 2_147_483_647;

/**
 * The clock of the machine. When the machine's time is set back it stands still until that time has passed again, so
 * that nothing expires twice (I55).
 *
 * @example
 * ```ts
 * import { createSystemClock } from "managed-orders/node";
 * const clock = createSystemClock();
 * const cancel = clock.schedule(clock.nowMs() + 60_000, () => undefined);
 * cancel();
 * ```
 */
export function createSystemClock(): Clock {
  let latestMs = 0;
  const nowMs = (): number => {
    latestMs = Math.max(latestMs, Date.now());
    return latestMs;
  };
  return {
    nowMs,
    schedule: (atMs, run) => startTimer({ nowMs, atMs, run }),
    soon: (run) => void setImmediate(run),
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
