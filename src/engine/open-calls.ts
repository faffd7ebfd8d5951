import { OrderError } from "../errors/index.ts";

/** The calls of callers that have no answer yet: each gets one, also when the engine is closed under it. */
export class OpenCalls {
  readonly #open: Set<(error: OrderError) => void> = new Set();
  #closed = false;

  /** Makes a call; rejects with ENGINE_CLOSED when the engine is closed, or is before there is an answer. */
  take<T>(call: () => Promise<T>): Promise<T> {
    if (this.#closed) return Promise.reject(new OrderError("ENGINE_CLOSED"));
    return new Promise((resolve, reject) => {
      const answer = call();
      this.#open.add(reject);
      answer.then(resolve, reject).finally(() => this.#open.delete(reject));
    });
  }

  /** Answers every call that is open, and every one to come. */
  close(): void {
    this.#closed = true;
    for (const reject of this.#open) reject(new OrderError("ENGINE_CLOSED"));
    this.#open.clear();
  }
}
