import { OrderError } from "../../errors/index.ts";
import { EngineError } from "./engine-error.ts";
import type { Moment } from "./engine-time.ts";

/** How long a lease lasts, and how much earlier its owner stops relying on it, in milliseconds. */
export type LeaseTerm = Readonly<{ ttlMs: number; marginMs: number }>;

/**
 * Whether an engine may rely on owning its shards now. An engine without a lease always may. One with a lease may from the
 * moment at which its last successful renewal was asked for, until `ttlMs - marginMs` after it by the monotonic clock or
 * the wall clock, whichever comes first: a machine that was suspended has stopped only the former, and a wall clock behind
 * that moment was set. Trust that has lapsed suspends the engine; the next renewal brings it back.
 */
export class Trust {
  readonly #term: LeaseTerm | undefined;
  readonly #now: () => Moment;
  readonly #listeners: Set<() => void> = new Set();
  /** When the last successful renewal was asked for. */
  #renewedAt: Moment | undefined;
  #isOver = false;

  /** Creates the trust of an engine without a lease, or with the term of one. `now` returns both clocks. */
  constructor(now: () => Moment, term?: LeaseTerm) {
    this.#now = now;
    this.#term = term;
  }

  /** Whether the engine has a lease, so that its trust can lapse. */
  get isLeased(): boolean {
    return this.#term !== undefined;
  }

  get holds(): boolean {
    return this.#term === undefined || this.#isWithin(this.#term);
  }

  /** Whether trust has ended for good. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Monotonic time at which trust lapses without a further renewal; undefined while it does not hold. */
  get untilMs(): number | undefined {
    if (this.#term === undefined || this.#renewedAt === undefined || !this.holds) return undefined;
    return this.#renewedAt.monotonicMs + this.#term.ttlMs - this.#term.marginMs;
  }

  /** Throws DISCONNECTED unless trust holds. */
  requireHeld(): void {
    if (!this.holds) throw new EngineError("DISCONNECTED", { lease: "lapsed" });
  }

  /** Extends trust by a renewal that succeeded and was asked for at that moment, and tells all listeners. */
  extend(requestedAt: Moment): void {
    if (this.#isOver || requestedAt.monotonicMs < (this.#renewedAt?.monotonicMs ?? Number.NEGATIVE_INFINITY))
      return;
    this.#renewedAt = requestedAt;
    for (const listener of [...this.#listeners]) listener();
  }

  /** Ends trust for good: the shards are released, or the node was declared dead. */
  end(): void {
    this.#isOver = true;
  }

  /** Calls a listener after every renewal, until the returned function is called. */
  onExtended(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #isWithin({ ttlMs, marginMs }: LeaseTerm): boolean {
    if (this.#isOver || this.#renewedAt === undefined) return false;
    const { monotonicMs, wallMs } = this.#now();
    const [passedMs, passedOnWallMs] = [
      monotonicMs - this.#renewedAt.monotonicMs,
      wallMs - this.#renewedAt.wallMs,
    ];
    return passedMs < ttlMs - marginMs && passedOnWallMs < ttlMs - marginMs && passedOnWallMs >= 0;
  }
}

/** The waiting side of a call. The first result counts. */
export type OpenCaller<T> = Readonly<{
  resolve: (value: T) => void;
  reject: (error: unknown) => void;
  /** Forwards the result of a promise. */
  follow: (answer: Promise<T>) => void;
}>;

/**
 * Calls that have no answer yet. Each call gets one answer, whatever happens to the store or the engine. A call costs only
 * its own promise; the functions that settle it are passed to the part that answers.
 */
export class OpenCalls {
  readonly #nowMs: () => number;
  readonly #trust: Trust;
  readonly #reading: Line = new Line();
  /** Calls that wait for a record to be durable. */
  readonly #deciding: Line = new Line();
  #closed = false;

  /** Creates the set of open calls. */
  constructor({ monotonicMs, trust }: Readonly<{ monotonicMs: () => number; trust: Trust }>) {
    this.#nowMs = monotonicMs;
    this.#trust = trust;
  }

  /** Whether a caller waits. */
  get busy(): boolean {
    return !this.#reading.isEmpty || !this.#deciding.isEmpty;
  }

  /**
   * Opens a call that only reads. Rejects with ENGINE_CLOSED when the engine is closed, or closes before there is an
   * answer, and with DISCONNECTED if trust does not hold when there is one: another engine may know better.
   */
  read<T>(call: () => Promise<T>): Promise<T> {
    const guarded = this.#trust.isLeased ? () => this.#trusted(call) : call;
    return this.#open<T>(this.#reading, (caller) => caller.follow(guarded()));
  }

  /** Opens a call that waits for a record. Rejects as `read` does. */
  decide<T>(call: (caller: OpenCaller<T>) => void): Promise<T> {
    return this.#open(this.#deciding, call);
  }

  /**
   * Rejects the calls that have waited for a record since `sinceMs` or longer: the store does not answer and the
   * outcome is unknown. A call keeps what it holds, such as its client id, until the store has answered.
   */
  abandon(sinceMs: number): void {
    this.#deciding.rejectUntil(sinceMs, () => new OrderError("UNEXPECTED_RESPONSE"));
  }

  /** Rejects every open call and every later one. */
  close(): void {
    this.#closed = true;
    for (const line of [this.#reading, this.#deciding])
      line.rejectUntil(Number.POSITIVE_INFINITY, () => new EngineError("ENGINE_CLOSED"));
  }

  /** Makes a call, and rejects with DISCONNECTED whatever its result unless trust holds after it. */
  async #trusted<T>(call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } finally {
      this.#trust.requireHeld();
    }
  }

  #open<T>(line: Line, call: (caller: OpenCaller<T>) => void): Promise<T> {
    if (this.#closed) return Promise.reject(new EngineError("ENGINE_CLOSED"));
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
 * A place in a ring: a call, or the end of the ring, which is not a call. A place that leaves the ring refers to no
 * other place. A `Set` of calls would not do: its old hash table keeps later calls alive, dead or not, with
 * everything that was under way meanwhile.
 */
class Place {
  before: Place = this;
  after: Place = this;

  /** Inserts this place before `next`. */
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

/** Calls in order of arrival. */
class Line {
  readonly end: Place = new Place();

  get isEmpty(): boolean {
    return this.end.after === this.end;
  }

  /** Rejects the calls that arrived at `sinceMs` or before. */
  rejectUntil(sinceMs: number, errorOf: () => OrderError): void {
    for (let first = this.end.after; isCall(first) && first.sinceMs <= sinceMs; first = this.end.after)
      first.reject(errorOf());
  }
}

type Promised<T> = Readonly<{
  resolve: (value: T) => void;
  reject: (error: unknown) => void;
  sinceMs: number;
}>;

class OpenCall<T> extends Place implements OpenCaller<T> {
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
