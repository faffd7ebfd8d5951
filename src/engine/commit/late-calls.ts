import type { Core } from "../core/core.ts";
import type { OpenCalls } from "../core/open-calls.ts";
import type { Timers } from "../time/timers.ts";

/** Answers the calls that have waited for a record for `hostTimeoutMs`, while the store is silent. */
export class LateCalls {
  readonly #core: Core;
  readonly #parts: Readonly<{ timers: Timers; calls: OpenCalls }>;

  constructor(core: Core, parts: Readonly<{ timers: Timers; calls: OpenCalls }>) {
    this.#core = core;
    this.#parts = parts;
  }

  /** Answers them each time that `hostTimeoutMs` has passed, until the returned function is called. Calls a function before. */
  watch(before: () => void = () => undefined): () => void {
    const { hostTimeoutMs } = this.#core.settings;
    const late = (): void => {
      before();
      this.#parts.calls.abandon(this.#core.monotonicMs() - hostTimeoutMs);
      cancel = this.#parts.timers.after(hostTimeoutMs, late);
    };
    let cancel = this.#parts.timers.after(hostTimeoutMs, late);
    return () => cancel();
  }
}
