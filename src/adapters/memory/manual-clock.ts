import type { Clock } from "../../ports/index.ts";
import { nextTurn } from "./next-turn.ts";

/** Waits until everything that needs no time has happened, such as the `idle` of an engine. */
export type Settle = () => Promise<unknown>;

/** A clock that moves only when told to. */
export type ManualClock = Clock &
  Readonly<{
    /**
     * Moves to a time in epoch milliseconds and runs every timer due on the way, in order and at its time, also those
     * that are set on the way. Waits with `settle` before each step, by default for all promises that wait for
     * nothing outside. Rejects with a RangeError for a time that has passed.
     */
    advanceTo(ms: number, settle?: Settle): Promise<void>;
    /** The same for a number of milliseconds from now. */
    advanceBy(ms: number, settle?: Settle): Promise<void>;
  }>;

type Timer = Readonly<{ atMs: number; run: () => void }>;

/**
 * A clock for tests, simulations and replays; starts at `startMs`, epoch milliseconds. A timer set for a time that
 * has come already runs as a microtask.
 *
 * @example
 * ```ts
 * import { createManualClock } from "managed-orders/memory";
 * const clock = createManualClock({ startMs: 0 });
 * clock.schedule(5_000, () => console.log(clock.nowMs())); // 5000
 * await clock.advanceBy(60_000);
 * console.log(clock.nowMs()); // 60000
 * ```
 */
export function createManualClock(options: Readonly<{ startMs: number }>): ManualClock {
  let nowMs = options.startMs;
  /** By time, then by age. */
  const timers: Timer[] = [];
  const takeDue = (untilMs: number): Timer | undefined => {
    const first = timers[0];
    return first !== undefined && first.atMs <= untilMs ? timers.shift() : undefined;
  };
  const advanceTo = async (ms: number, settle: Settle = nextTurn): Promise<void> => {
    if (!(ms >= nowMs)) throw new RangeError(`the clock stands at ${nowMs} and cannot go back to ${ms}`);
    await settle();
    for (let timer = takeDue(ms); timer !== undefined; timer = takeDue(ms)) {
      nowMs = Math.max(nowMs, timer.atMs);
      timer.run();
      await settle();
    }
    nowMs = Math.max(nowMs, ms);
  };
  return {
    nowMs: () => nowMs,
    schedule(atMs, run) {
      const timer = { atMs, run };
      insertTimer(timers, timer);
      if (atMs <= nowMs) queueMicrotask(() => takeDue(nowMs)?.run());
      return () => removeTimer(timers, timer);
    },
    soon: (run) => queueMicrotask(run),
    advanceTo,
    advanceBy: (ms, settle) => advanceTo(nowMs + ms, settle),
  };
}

function insertTimer(timers: Timer[], timer: Timer): void {
  const later = timers.findIndex(({ atMs }) => atMs > timer.atMs);
  timers.splice(later < 0 ? timers.length : later, 0, timer);
}

function removeTimer(timers: Timer[], timer: Timer): void {
  const index = timers.indexOf(timer);
  if (index >= 0) timers.splice(index, 1);
}
