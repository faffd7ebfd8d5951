import type { Core } from "./core.ts";

/** How long an append counts that no later one has outlasted. */
const RETAINED_MS = 60_000;

/** How long appends take, which the deadlines of children allow for (decision 53). Times are monotonic. */
export class AppendTimes {
  readonly #core: Pick<Core, "monotonicMs" | "settings">;
  /** When the appends under way were asked for, oldest first. */
  readonly #open: number[] = [];
  #longestMs = 0;
  #longestUntilMs = 0;

  constructor(core: Pick<Core, "monotonicMs" | "settings">) {
    this.#core = core;
  }

  /** Notes that the store is asked for an append. The returned function notes that it has answered, or that it was given up. */
  requested(): () => void {
    const requestedAtMs = this.#core.monotonicMs();
    this.#open.push(requestedAtMs);
    return () => {
      this.#open.splice(this.#open.indexOf(requestedAtMs), 1);
      const nowMs = this.#core.monotonicMs();
      const tookMs = nowMs - requestedAtMs;
      if (tookMs < this.#longestMs && nowMs < this.#longestUntilMs) return;
      this.#longestMs = tookMs;
      this.#longestUntilMs = nowMs + RETAINED_MS;
    };
  }

  /**
   * How long a record that is decided now may wait for the store: for the append under way and for its own, each as long as
   * the longest of the last minute, and at most `hostTimeoutMs`.
   */
  get allowanceMs(): number {
    const nowMs = this.#core.monotonicMs();
    const longestMs = nowMs < this.#longestUntilMs ? this.#longestMs : 0;
    const [oldest] = this.#open;
    const openMs = oldest === undefined ? 0 : nowMs - oldest;
    return 2 * Math.min(Math.ceil(Math.max(longestMs, openMs)), this.#core.settings.hostTimeoutMs);
  }
}
