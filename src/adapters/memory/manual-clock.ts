import { nextTurn, numberOption, type OptionCheck, optionsOf } from "../../common/index.ts";
import type { Clock } from "../../ports/index.ts";

/** Waits until all work is done that does not depend on the passing of time; for example, `idle` of an engine. */
export type Settle = () => Promise<unknown>;

/** A clock that moves only when the program moves it. Its wall clock can be set. */
export interface ManualClock extends Clock {
  /** Calls a listener with the milliseconds of every `stepWall`, until the returned function is called. */
  onStep(listener: (stepMs: number) => void): () => void;
  /**
   * Moves the clock until the wall clock shows a time in epoch milliseconds. Runs every timer that becomes due, in
   * order and at its own time, including timers that are set meanwhile. Waits with `settle` before each step, by
   * default for all promises that can settle without external input. Rejects with a RangeError for a time that has
   * passed.
   */
  advanceTo(ms: number, settle?: Settle): Promise<void>;
  /** Moves the clock by a number of milliseconds in the same way. */
  advanceBy(ms: number, settle?: Settle): Promise<void>;
  /**
   * Moves the clock at once to a time in epoch milliseconds, if no timer becomes due until then, and returns whether it
   * did. The caller must know that all other work is at rest. Returns false for a time that has passed.
   */
  skipTo(ms: number): boolean;
  /** Sets the wall clock forward, or back for a negative number of milliseconds. No time passes. */
  stepWall(ms: number): void;
}

const timeMs = numberOption({ from: 0 }, " of epoch milliseconds");
const clockOption: OptionCheck = optionsOf<Readonly<{ startMs: number }>>({ startMs: timeMs });
const durationMs: OptionCheck = numberOption({}, " of milliseconds");

type Timer = Readonly<{ atMs: number; run: () => void }>;

/**
 * Creates a clock for tests, simulations and replays. It starts at `startMs`, in epoch milliseconds. A timer set for a
 * time that has already come runs as a microtask. Throws a TypeError or RangeError for a time that is not a number of
 * milliseconds.
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
  clockOption(options, "createManualClock");
  let monotonicMs = options.startMs;
  /** Offset of the wall clock from setting it. */
  let setMs = 0;
  /** Sorted by time, then by age. */
  const timers: Timer[] = [];
  const listeners: Set<(stepMs: number) => void> = new Set();
  const takeDue = (untilMs: number): Timer | undefined => {
    const first = timers[0];
    return first !== undefined && first.atMs <= untilMs ? timers.shift() : undefined;
  };
  const moveTo = async (ms: number, settle: Settle = nextTurn): Promise<void> => {
    if (!(ms >= monotonicMs)) {
      const [fromMs, toMs] = [monotonicMs + setMs, ms + setMs];
      throw new RangeError(`the clock is at ${fromMs} ms and cannot go back to ${toMs} ms`);
    }
    await settle();
    for (let timer = takeDue(ms); timer !== undefined; timer = takeDue(ms)) {
      monotonicMs = Math.max(monotonicMs, timer.atMs);
      timer.run();
      await settle();
    }
    monotonicMs = Math.max(monotonicMs, ms);
  };
  return {
    nowMs: () => monotonicMs + setMs,
    monotonicMs: () => monotonicMs,
    schedule(atMs, run) {
      const timer = { atMs, run };
      const later = timers.findIndex((other) => other.atMs > atMs);
      timers.splice(later < 0 ? timers.length : later, 0, timer);
      if (atMs <= monotonicMs) inMicrotask(() => takeDue(monotonicMs)?.run());
      return () => {
        const index = timers.indexOf(timer);
        if (index >= 0) timers.splice(index, 1);
      };
    },
    soon: inMicrotask,
    async advanceTo(ms, settle) {
      timeMs(ms, "clock.advanceTo");
      await moveTo(ms - setMs, settle);
    },
    skipTo(ms) {
      const untilMs = ms - setMs;
      const [first] = timers;
      if (!(untilMs >= monotonicMs) || (first !== undefined && first.atMs <= untilMs)) return false;
      monotonicMs = untilMs;
      return true;
    },
    async advanceBy(ms, settle) {
      durationMs(ms, "clock.advanceBy");
      await moveTo(monotonicMs + ms, settle);
    },
    stepWall(ms) {
      durationMs(ms, "clock.stepWall");
      setMs += ms;
      for (const listener of [...listeners]) listener(ms);
    },
    onStep(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** Runs as a microtask, also under the fake timers of a test framework, which replace `queueMicrotask` and never run it. */
const inMicrotask = (run: () => void): void => void Promise.resolve().then(run);
