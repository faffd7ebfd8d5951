/** Counts what comes in windows of one length and says when it is too much. */
export class WindowCounter {
  readonly #most: number;
  readonly #windowMs: number;
  #startMs = 0;
  #count = 0;

  constructor(limit: Readonly<{ most: number; windowMs: number }>) {
    this.#most = limit.most;
    this.#windowMs = limit.windowMs;
  }

  /** Counts one; false when it is one too many for its window. */
  takes(nowMs: number): boolean {
    if (nowMs - this.#startMs >= this.#windowMs) {
      this.#startMs = nowMs;
      this.#count = 0;
    }
    this.#count++;
    return this.#count <= this.#most;
  }
}
