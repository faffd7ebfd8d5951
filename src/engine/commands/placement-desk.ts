import { follow, isAwaited, KeyedMutex } from "../../common/index.ts";
import type { Awaitable } from "../../ports/index.ts";
import { EngineError } from "../core/engine-error.ts";
import { awaitRecord, type PendingRecord, type Waiter } from "../core/live-order.ts";
import type { OpenCaller } from "../core/open-calls.ts";

/** A command that creates something under names of its own. */
type NamedCommand<T> = Readonly<{
  names: readonly string[];
  /**
   * Returns the answer, or the record that must be durable before there is one. Synchronous when nothing is waited
   * for.
   */
  decide: () => Awaitable<T | PendingRecord>;
  answerOf: (durable: PendingRecord) => T;
}>;

/**
 * The queue of placement commands. A command first waits for others with the same names to be decided, then for the store.
 * Between the command and its durable record exist only one object and the caller's promise.
 */
export class PlacementDesk {
  readonly #most: number;
  readonly #names: KeyedMutex = new KeyedMutex();
  #waiting = 0;

  /** Creates a desk on which `most` commands may wait at once. */
  constructor(most: number) {
    this.#most = most;
  }

  /** Number of waiting commands. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Throws SERVER_BUSY when too many commands wait. Otherwise passes the outcome of the command to the caller. */
  enter<T>({ names, decide, answerOf }: NamedCommand<T>, caller: OpenCaller<T>): void {
    if (this.#waiting >= this.#most) throw new EngineError("SERVER_BUSY", { setting: "maxPendingCommands" });
    this.#waiting++;
    const waiting = new Waiting(this, caller, answerOf);
    try {
      const taken = follow(this.#names.runExclusive(names, decide), (decided) => waiting.decided(decided));
      if (isAwaited(taken)) taken.then(undefined, (error: unknown) => waiting.reject(error));
    } catch (error) {
      waiting.reject(error);
    }
  }

  /** Subtracts a command that has been answered. */
  leave(): void {
    this.#waiting--;
  }
}

/** One waiting command. */
class Waiting<T> implements Waiter {
  readonly #desk: PlacementDesk;
  readonly #caller: OpenCaller<T>;
  readonly #answerOf: (durable: PendingRecord) => T;
  #record: PendingRecord | undefined;

  constructor(desk: PlacementDesk, caller: OpenCaller<T>, answerOf: (durable: PendingRecord) => T) {
    this.#desk = desk;
    this.#caller = caller;
    this.#answerOf = answerOf;
  }

  decided(decided: T | PendingRecord): void {
    if (!isRecord(decided)) return this.#answer(decided);
    this.#record = decided;
    awaitRecord(decided, this);
  }

  /** Answers the caller: the record is durable. */
  resolve(): void {
    if (this.#record !== undefined) this.#answer(this.#answerOf(this.#record));
  }

  reject(error: unknown): void {
    this.#desk.leave();
    this.#caller.reject(error);
  }

  #answer(answer: T): void {
    this.#desk.leave();
    this.#caller.resolve(answer);
  }
}

const isRecord = (decided: unknown): decided is PendingRecord =>
  typeof decided === "object" && decided !== null && "decision" in decided;
