import type { ClientClock, FetchLike, Platform } from "./http/platform.ts";

/** The longest wait that timers of a platform keep. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Nothing is looked up before a call, so that the module loads on every platform and later replacements count. */
const fetchOfPlatform: FetchLike = (url, request) => globalThis.fetch(url, request);

/** Only differences count, so no platform needs to have `performance.timeOrigin`: that of React Native may lack it. */
const monotonicMs = (): number => (typeof performance === "undefined" ? Date.now() : performance.now());

/**
 * Returns the delay of a timer that must not run before a time. Timers take whole milliseconds, and begin with a reading
 * of a clock without fractions.
 */
const delayUntil = (atMs: number): number =>
  Math.min(Math.ceil(Math.max(0, atMs - monotonicMs())) + 1, LONGEST_TIMER_MS);

const clockOfPlatform: ClientClock = {
  nowMs: () => Date.now(),
  monotonicMs,
  schedule(atMs, run) {
    const timer = setTimeout(run, delayUntil(atMs));
    return () => clearTimeout(timer);
  },
};

/** The platform's own fetch, clock and chance. Ids of orders need to differ, not to be secret. */
export const PLATFORM: Platform = {
  fetch: fetchOfPlatform,
  clock: clockOfPlatform,
  random: () => Math.random(),
};
