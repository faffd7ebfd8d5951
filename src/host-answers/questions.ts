import { errorName, isAwaited } from "../common/index.ts";
import { OrderError } from "../errors/index.ts";
import type { Awaitable, Clock, Telemetry } from "../ports/index.ts";
import { UnreadableAnswer } from "./reading.ts";

/** What asking needs: time, telemetry, and how long an answer may take. */
export type QuestionParts = Readonly<{ clock: Clock; telemetry: Telemetry; timeoutMs: number }>;

/** A host did not answer in time. */
export class SilentHost extends Error {
  override readonly name = "SilentHost";
}

/**
 * Asks a host. Every question has a deadline on the monotonic clock, and every answer is read. Whatever goes wrong, a
 * throw, a rejection, silence or an answer that cannot be read, is a failure of the service, never a refusal and never a
 * guess (decision CC). What comes after the deadline is not listened to.
 */
export class Questions {
  readonly #parts: QuestionParts;

  constructor(parts: QuestionParts) {
    this.#parts = parts;
  }

  /** The answer as read, at once when the host has it at once; else throws or rejects with an OrderError -1001. */
  ask<T>(port: string, question: () => unknown, read: (answer: unknown) => T): Awaitable<T> {
    try {
      const answer = question();
      // A host may bring promises of its own making.
      if (!isAwaited(answer)) return read(answer);
      return this.#inTime(answer, read).catch((error: unknown) => this.#fail(port, error));
    } catch (error) {
      return this.#fail(port, error);
    }
  }

  /** The same for what must be there at once: a promise is an answer that cannot be read. */
  now<T>(port: string, question: () => unknown, read: (answer: unknown) => T): T {
    try {
      const answer = question();
      // A promise is no answer here, and nobody else hears when it rejects.
      if (isAwaited(answer)) Promise.resolve(answer).catch(ignored);
      return read(answer);
    } catch (error) {
      return this.#fail(port, error);
    }
  }

  /**
   * Asks for a change: an OrderError of the host refuses it; after anything else nobody knows what became of it, -1006.
   */
  async change<T>(port: string, question: () => unknown, read: (answer: unknown) => T): Promise<T> {
    try {
      return await this.#inTime(question(), read);
    } catch (error) {
      if (error instanceof OrderError) throw error;
      this.tell(port, error);
      throw new OrderError("UNEXPECTED_RESPONSE", {}, { cause: error });
    }
  }

  /** Only the deadline: the answer, or what the host says is wrong, is passed on as it is. */
  inTime<T>(question: () => Promise<T>): Promise<T> {
    return this.#inTime(question(), (answer) => answer as T);
  }

  /** The same for an answer that may be long: the deadline begins anew whenever the host says that it goes on. */
  whileHeard<T>(question: (heard: () => void) => Promise<T>): Promise<T> {
    const { clock, timeoutMs } = this.#parts;
    return new Promise((resolve, reject) => {
      let heardAtMs = clock.monotonicMs();
      let cancel: () => void = () => undefined;
      const look = (): void => {
        const lateAtMs = heardAtMs + timeoutMs;
        if (clock.monotonicMs() < lateAtMs) cancel = clock.schedule(lateAtMs, look);
        else reject(new SilentHost(`no answer within ${timeoutMs} ms`));
      };
      look();
      const heard = (): void => {
        heardAtMs = clock.monotonicMs();
      };
      const answer = new Promise<T>((answered) => answered(question(heard)));
      answer.then(resolve, reject).finally(() => cancel());
    });
  }

  /** Tells the operator what went wrong at a port, without what the host itself may have said. */
  tell(port: string, error: unknown): void {
    const known = error instanceof UnreadableAnswer || error instanceof SilentHost;
    const problem = known ? error.message : errorName(error);
    this.#parts.telemetry.event("warn", "host.failed", { port, problem });
  }

  #fail(port: string, error: unknown): never {
    this.tell(port, error);
    throw new OrderError("DISCONNECTED", {}, { cause: error });
  }

  #inTime<T>(answer: unknown, read: (answer: unknown) => T): Promise<T> {
    const { clock, timeoutMs } = this.#parts;
    return new Promise((resolve, reject) => {
      const late = (): void => reject(new SilentHost(`no answer within ${timeoutMs} ms`));
      const cancel = clock.schedule(clock.monotonicMs() + timeoutMs, late);
      Promise.resolve(answer).then(read).then(resolve, reject).finally(cancel);
    });
  }
}

const ignored = (): void => undefined;
