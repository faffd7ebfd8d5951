import type { ClientClock, FetchLike, Platform } from "./http/platform.ts";

/** The longest wait that timers of a platform keep. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Nothing is looked up before a call, so that the module loads on every platform and later replacements count. */
const fetchOfPlatform: FetchLike = (url, request) => globalThis.fetch(url, request);

const monotonicMs = (): number =>
  typeof performance === "undefined" ? Date.now() : performance.timeOrigin + performance.now();

const clockOfPlatform: ClientClock = {
  nowMs: () => Date.now(),
  monotonicMs,
  schedule(atMs, run) {
    const timer = setTimeout(run, Math.min(Math.max(0, atMs - monotonicMs()), LONGEST_TIMER_MS));
    return () => clearTimeout(timer);
  },
};

/** The platform's own fetch, clock and chance. Ids of orders need to differ, not to be secret. */
export const PLATFORM: Platform = {
  fetch: fetchOfPlatform,
  clock: clockOfPlatform,
  random: () => Math.random(),
};
