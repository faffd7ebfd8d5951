import { OrderError } from "../../errors/index.ts";

type OpenCall = Readonly<{ reject: (error: OrderError) => void; sinceMs: number }>;

/** The calls of callers that have no answer yet: each gets one, whatever the store or the end of the engine does. */
export class OpenCalls {
  readonly #nowMs: () => number;
  readonly #reading: Set<OpenCall> = new Set();
  /** Those that wait for a record to be durable. */
  readonly #deciding: Set<OpenCall> = new Set();
  #closed = false;

  /** `nowMs` is the monotonic clock. */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Makes a call that reads; rejects with ENGINE_CLOSED when the engine is closed, or is before there is an answer. */
  read<T>(call: () => Promise<T>): Promise<T> {
    return this.#take(this.#reading, call);
  }

  /** The same for a call that waits for a record. */
  decide<T>(call: () => Promise<T>): Promise<T> {
    return this.#take(this.#deciding, call);
  }

  /**
   * The store does not answer: who has waited for a record since `sinceMs` or longer is told that the outcome is not
   * known. What the call holds, such as its client id, it holds until the store has answered.
   */
  giveUp(sinceMs: number): void {
    for (const call of this.#deciding) {
      if (call.sinceMs > sinceMs) continue;
      this.#deciding.delete(call);
      call.reject(new OrderError("UNEXPECTED_RESPONSE"));
    }
  }

  /** Answers every call that is open, and every one to come. */
  close(): void {
    this.#closed = true;
    for (const calls of [this.#reading, this.#deciding]) {
      for (const { reject } of calls) reject(new OrderError("ENGINE_CLOSED"));
      calls.clear();
    }
  }

  #take<T>(calls: Set<OpenCall>, call: () => Promise<T>): Promise<T> {
    if (this.#closed) return Promise.reject(new OrderError("ENGINE_CLOSED"));
    return new Promise((resolve, reject) => {
      const open = { reject, sinceMs: this.#nowMs() };
      const answer = call();
      calls.add(open);
      answer.then(resolve, reject).finally(() => calls.delete(open));
    });
  }
}
