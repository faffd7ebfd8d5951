import { type ErrorName, OrderError } from "../../errors/index.ts";

/** Who waits for the answer to a call: the first thing that it is told counts. */
export type Caller<T> = Readonly<{
  resolve: (value: T) => void;
  reject: (error: unknown) => void;
  /** Tells what becomes of a promise. */
  follow: (answer: Promise<T>) => void;
}>;

/**
 * The calls of callers that have no answer yet: each gets one, whatever the store or the end of the engine does. A call
 * costs its own promise and no more; how that is settled is handed to whoever answers (decision EH).
 */
export class OpenCalls {
  readonly #nowMs: () => number;
  readonly #reading: Line = new Line();
  /** Those that wait for a record to be durable. */
  readonly #deciding: Line = new Line();
  #closed = false;

  /** `nowMs` is the monotonic clock. */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Whether a caller waits. */
  get busy(): boolean {
    return !this.#reading.isEmpty || !this.#deciding.isEmpty;
  }

  /** Makes a call that reads; rejects with ENGINE_CLOSED when the engine is closed, or is before there is an answer. */
  read<T>(call: () => Promise<T>): Promise<T> {
    return this.#open<T>(this.#reading, (caller) => caller.follow(call()));
  }

  /** The same for a call that waits for a record. */
  decide<T>(call: (caller: Caller<T>) => void): Promise<T> {
    return this.#open(this.#deciding, call);
  }

  /**
   * The store does not answer: who has waited for a record since `sinceMs` or longer is told that the outcome is not
   * known. What the call holds, such as its client id, it holds until the store has answered.
   */
  giveUp(sinceMs: number): void {
    this.#deciding.rejectUntil(sinceMs, "UNEXPECTED_RESPONSE");
  }

  /** Answers every call that is open, and every one to come. */
  close(): void {
    this.#closed = true;
    for (const line of [this.#reading, this.#deciding])
      line.rejectUntil(Number.POSITIVE_INFINITY, "ENGINE_CLOSED");
  }

  #open<T>(line: Line, call: (caller: Caller<T>) => void): Promise<T> {
    if (this.#closed) return Promise.reject(new OrderError("ENGINE_CLOSED"));
    return new Promise((resolve, reject) => {
      const open = new OpenCall(line, { resolve, reject, sinceMs: this.#nowMs() });
      try {
        call(open);
      } catch (error) {
        open.reject(error);
      }
    });
  }
}

/**
 * A place in a ring: that of a call, or the first, which is none. Who leaves the ring refers to nobody in it any more. In
 * a `Set` of calls an old table keeps those after it alive, dead or not, with all that was on its way meanwhile.
 */
class Place {
  before: Place = this;
  after: Place = this;

  /** Stands before `next` from now on. */
  enter(next: Place): void {
    this.before = next.before;
    this.after = next;
    this.before.after = this;
    next.before = this;
  }

  leave(): void {
    this.before.after = this.after;
    this.after.before = this.before;
    this.before = this;
    this.after = this;
  }
}

/** Calls in the order in which they came. */
class Line {
  readonly end: Place = new Place();

  get isEmpty(): boolean {
    return this.end.after === this.end;
  }

  /** Answers those that came at `sinceMs` or before. */
  rejectUntil(sinceMs: number, error: ErrorName): void {
    for (let first = this.end.after; isCall(first) && first.sinceMs <= sinceMs; first = this.end.after)
      first.reject(new OrderError(error));
  }
}

type Promised<T> = Readonly<{
  resolve: (value: T) => void;
  reject: (error: unknown) => void;
  sinceMs: number;
}>;

class OpenCall<T> extends Place implements Caller<T> {
  readonly sinceMs: number;
  readonly #resolve: (value: T) => void;
  readonly #reject: (error: unknown) => void;

  constructor(line: Line, { resolve, reject, sinceMs }: Promised<T>) {
    super();
    this.sinceMs = sinceMs;
    this.#resolve = resolve;
    this.#reject = reject;
    this.enter(line.end);
  }

  resolve(value: T): void {
    this.leave();
    this.#resolve(value);
  }

  reject(error: unknown): void {
    this.leave();
    this.#reject(error);
  }

  follow(answer: Promise<T>): void {
    answer.then(
      (value) => this.resolve(value),
      (error: unknown) => this.reject(error),
    );
  }
}

const isCall = (place: Place): place is OpenCall<never> => place instanceof OpenCall;
