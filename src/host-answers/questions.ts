import { errorName, isAwaited } from "../common/index.ts";
import { OrderError } from "../errors/index.ts";
import type { Awaitable, Clock, Telemetry } from "../ports/index.ts";
import { UnreadableAnswer } from "./reading.ts";

/** Dependencies of {@link Questions}: time, telemetry, and how long an answer may take. */
export type QuestionParts = Readonly<{ clock: Clock; telemetry: Telemetry; timeoutMs: number }>;

/** Error of a host that did not answer in time. */
export class SilentHost extends Error {
  override readonly name = "SilentHost";
}

/**
 * Asks a host. Every question has a deadline on the monotonic clock, and every answer is checked. Any failure (a
 * throw, a rejection, silence or an unreadable answer) is a failure of the service, never a refusal and never a guess
 * (decision CC). Answers after the deadline are ignored.
 */
export class Questions {
  readonly #parts: QuestionParts;

  constructor(parts: QuestionParts) {
    this.#parts = parts;
  }

  /**
   * Returns the checked answer, synchronously if the host answers synchronously. Throws or rejects with an OrderError
   * -1001 otherwise.
   */
  query<T>(port: string, question: () => unknown, read: (answer: unknown) => T): Awaitable<T> {
    try {
      const answer = question();
      // A host may return promises of its own implementation.
      if (!isAwaited(answer)) return read(answer);
      return this.#inTime(() => answer, read).catch((error: unknown) => this.#fail(port, error));
    } catch (error) {
      return this.#fail(port, error);
    }
  }

  /** Like `query`, for an answer that must be synchronous: a promise is an unreadable answer. */
  now<T>(port: string, question: () => unknown, read: (answer: unknown) => T): T {
    try {
      const answer = question();
      // A promise is not an answer here, and its rejection would otherwise be unhandled.
      if (isAwaited(answer)) Promise.resolve(answer).catch(ignored);
      return read(answer);
    } catch (error) {
      return this.#fail(port, error);
    }
  }

  /**
   * Asks for a change. An OrderError of the host refuses the change. After any other failure its outcome is unknown,
   * -1006.
   */
  async change<T>(port: string, question: () => unknown, read: (answer: unknown) => T): Promise<T> {
    try {
      return await this.#inTime(question, read);
    } catch (error) {
      if (error instanceof OrderError) throw error;
      this.report(port, error);
      throw new OrderError("UNEXPECTED_RESPONSE", {}, { cause: error });
    }
  }

  /** Applies only the deadline, and `read` if there is one. Passes on the host's error unchanged. */
  inTime<T>(question: () => Promise<T>, read: (answer: unknown) => T = (answer) => answer as T): Promise<T> {
    return this.#inTime(question, read);
  }

  /** Like `inTime`, for an answer that may be long: the deadline starts anew whenever the host reports progress. */
  whileProgressing<T>(question: (progressed: () => void) => Promise<T>): Promise<T> {
    return this.#inTime(question, (answer) => answer as T);
  }

  /** Reports a failure of a port to the operator, without texts of the host. */
  report(port: string, error: unknown): void {
    this.#parts.telemetry.event("warn", "host.failed", { port, problem: problemWith(error) });
  }

  #fail(port: string, cause: unknown): never {
    this.report(port, cause);
    const message = `${port} of the host failed (${problemWith(cause)}): nothing was stored, so call again; \`cause\` has the error`;
    throw new OrderError("DISCONNECTED", {}, { cause, message });
  }

  #inTime<T>(question: (progressed: () => void) => unknown, read: (answer: unknown) => T): Promise<T> {
    const { clock, timeoutMs } = this.#parts;
    return new Promise((resolve, reject) => {
      let lateAtMs = clock.monotonicMs() + timeoutMs;
      const answer = question(() => {
        lateAtMs = clock.monotonicMs() + timeoutMs;
      });
      const late = (): void => {
        // It has reported progress since.
        if (clock.monotonicMs() < lateAtMs) cancel = clock.schedule(lateAtMs, late);
        else reject(new SilentHost(`no answer within ${timeoutMs} ms`));
      };
      let cancel = clock.schedule(lateAtMs, late);
      Promise.resolve(answer)
        .then(read)
        .then(resolve, reject)
        .finally(() => cancel());
    });
  }
}

/** Returns the problem with an answer, without texts of the host. */
function problemWith(error: unknown): string {
  const known = error instanceof UnreadableAnswer || error instanceof SilentHost;
  return known ? error.message : errorName(error);
}

const ignored = (): void => undefined;
