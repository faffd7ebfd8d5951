/** Counts occurrences in windows of fixed length and checks them against a limit. */
export class RateWindow {
  readonly #most: number;
  readonly #windowMs: number;
  #startMs = 0;
  #count = 0;

  constructor(limit: Readonly<{ most: number; windowMs: number }>) {
    this.#most = limit.most;
    this.#windowMs = limit.windowMs;
  }

  /** Counts one occurrence. Returns false if it exceeds the limit of its window. */
  takes(nowMs: number): boolean {
    if (nowMs - this.#startMs >= this.#windowMs) {
      this.#startMs = nowMs;
      this.#count = 0;
    }
    this.#count++;
    return this.#count <= this.#most;
  }
}
