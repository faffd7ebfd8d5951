import type { Core } from "../core/core.ts";
import type { OpenCalls } from "../core/open-calls.ts";
import type { Timers } from "../time/timers.ts";

/**
 * Answers the calls that have waited for a record for `hostTimeoutMs`, while the store is silent: each time that this time has
 * passed, until the returned function is called. Calls a function before.
 */
export function watchLateCalls(
  { settings, monotonicMs }: Core,
  { timers, calls }: Readonly<{ timers: Timers; calls: OpenCalls }>,
  before: () => void = () => undefined,
): () => void {
  const { hostTimeoutMs } = settings;
  const late = (): void => {
    before();
    calls.abandon(monotonicMs() - hostTimeoutMs);
    cancel = timers.after(hostTimeoutMs, late);
  };
  let cancel = timers.after(hostTimeoutMs, late);
  return () => cancel();
}
