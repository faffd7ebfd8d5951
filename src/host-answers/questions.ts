import { errorName, isAwaited } from "../common/index.ts";
import { OrderError } from "../errors/index.ts";
import type { Awaitable, Clock, Telemetry } from "../ports/index.ts";
import { UnreadableAnswer } from "./reading.ts";

/** Runs a function of the host. A throw, or the rejection of a returned promise, goes to `failed` and no further. */
export function harmless(run: () => unknown, failed: (error: unknown) => void): void {
  try {
    const done = run();
    if (isAwaited(done)) Promise.resolve(done).catch(failed);
  } catch (error) {
    failed(error);
  }
}

const ignored = (): void => undefined;

type Fields = Parameters<Telemetry["event"]>[2];

/** Characters of one field of an event. The message of an error of the host or of a venue may have any length. */
const MOST_CHARACTERS = 1_000;

/** Returns fields whose texts are cut off after 1,000 characters. */
function bounded(fields: Fields): Fields {
  const isLong = (value: string | number): value is string =>
    typeof value === "string" && value.length > MOST_CHARACTERS;
  if (!Object.values(fields).some(isLong)) return fields;
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      isLong(value) ? `${value.slice(0, MOST_CHARACTERS)}...` : value,
    ]),
  );
}

/**
 * Telemetry that never fails, whatever the host's telemetry does. If the host has none, the first receiver gets the
 * warnings and errors; without a receiver, events are discarded.
 */
export class QuietTelemetry implements Telemetry {
  readonly #own: Telemetry | undefined;
  readonly #receivers: Set<Readonly<{ telemetry: Telemetry }>> = new Set();

  constructor(own: Telemetry | undefined) {
    this.#own = own;
  }

  /** Whether the host has a telemetry. */
  get isOwn(): boolean {
    return this.#own !== undefined;
  }

  event(level: Parameters<Telemetry["event"]>[0], name: string, fields: Fields): void {
    const isProblem = level === "warn" || level === "error";
    const telemetry = this.#own ?? (isProblem ? this.#first() : undefined);
    if (telemetry !== undefined) harmless(() => telemetry.event(level, name, bounded(fields)), ignored);
  }

  /** Adds a receiver, until the returned function is called. */
  reportTo(telemetry: Telemetry): () => void {
    const receiver = { telemetry };
    this.#receivers.add(receiver);
    return () => void this.#receivers.delete(receiver);
  }

  /** Only one receives an event, so that it is written once, however many servers an engine has. */
  #first(): Telemetry | undefined {
    for (const { telemetry } of this.#receivers) return telemetry;
    return undefined;
  }
}

/** Dependencies of {@link Questions}: time, telemetry, and how long an answer may take. */
type QuestionParts = Readonly<{ clock: Clock; telemetry: Telemetry; timeoutMs: number }>;

/** Error of a host that did not answer in time. */
class SilentHost extends Error {
  override readonly name = "SilentHost";
}

/** Reads an answer to a question about something. Throws an UnreadableAnswer. */
type Reader<T, A extends readonly unknown[]> = (answer: unknown, ...about: A) => T;

/**
 * Asks a host. Every question has a deadline on the monotonic clock, and every answer is checked. Any failure (a throw, a
 * rejection, silence or an unreadable answer) is a failure of the service, never a refusal and never a guess. Answers after
 * the deadline are ignored.
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
  query<T, A extends readonly unknown[]>(
    port: string,
    question: () => unknown,
    read: Reader<T, A>,
    ...about: A
  ): Awaitable<T> {
    try {
      const answer = question();
      // A host may return promises of its own implementation.
      if (!isAwaited(answer)) return read(answer, ...about);
      return this.#inTime(
        () => answer,
        (one) => read(one, ...about),
      ).catch((error: unknown) => this.#fail(port, error));
    } catch (error) {
      return this.#fail(port, error);
    }
  }

  /** Like `query`, for an answer that must be synchronous: a promise is an unreadable answer. */
  now<T, A extends readonly unknown[]>(
    port: string,
    question: () => unknown,
    read: Reader<T, A>,
    ...about: A
  ): T {
    try {
      const answer = question();
      // A promise is not an answer here, and its rejection would otherwise be unhandled.
      if (isAwaited(answer)) Promise.resolve(answer).catch(ignored);
      return read(answer, ...about);
    } catch (error) {
      return this.#fail(port, error);
    }
  }

  /**
   * Asks for a change. An OrderError of the host refuses the change. After any other failure its outcome is unknown,
   * -1006.
   */
  async change<T, A extends readonly unknown[]>(
    port: string,
    question: () => unknown,
    read: Reader<T, A>,
    ...about: A
  ): Promise<T> {
    try {
      return await this.#inTime(question, (answer) => read(answer, ...about));
    } catch (error) {
      if (error instanceof OrderError) throw error;
      this.report(port, error);
      throw new OrderError("UNEXPECTED_RESPONSE", {}, { cause: error });
    }
  }

  /** Applies only the deadline, and `read` if there is one. Passes on the host's error unchanged. */
  inTime<T, A extends readonly unknown[]>(
    question: () => Promise<T>,
    read: Reader<T, A> = (answer, ..._about) => answer as T,
    ...about: A
  ): Promise<T> {
    return this.#inTime(question, (answer) => read(answer, ...about));
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
