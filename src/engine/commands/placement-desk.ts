import { follow, isAwaited, KeyedMutex } from "../../common/index.ts";
import { OrderError } from "../../errors/index.ts";
import type { Awaitable } from "../../ports/index.ts";
import type { PendingRecord, Waiter } from "../core/live-order.ts";
import type { Caller } from "../core/open-calls.ts";

/** A command that makes something new under names of its own. */
export type NamedCommand<T> = Readonly<{
  names: readonly string[];
  /** The answer, or the record that must be durable before there is one; in this step where nothing is waited for. */
  decide: () => Awaitable<T | PendingRecord>;
  answerOf: (durable: PendingRecord) => T;
}>;

/**
 * Where commands wait: for others that want the same names until they are decided, then for the store. Between the
 * command and its durable record there is one object and the promise of the caller, no other (decision EH).
 */
export class PlacementDesk {
  readonly #most: number;
  readonly #names: KeyedMutex = new KeyedMutex();
  #waiting = 0;

  /** `most` may wait at once. */
  constructor(most: number) {
    this.#most = most;
  }

  /** How many wait. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Throws SERVER_BUSY when too many wait; else the caller hears what becomes of the command. */
  enter<T>({ names, decide, answerOf }: NamedCommand<T>, caller: Caller<T>): void {
    if (this.#waiting >= this.#most) throw new OrderError("SERVER_BUSY");
    this.#waiting++;
    const waiting = new Waiting(this, caller, answerOf);
    try {
      const taken = follow(this.#names.runExclusive(names, decide), (decided) => waiting.decided(decided));
      if (isAwaited(taken)) taken.then(undefined, (error: unknown) => waiting.reject(error));
    } catch (error) {
      waiting.reject(error);
    }
  }

  /** One that waited has its answer. */
  leave(): void {
    this.#waiting--;
  }
}

/** One command that waits. */
class Waiting<T> implements Waiter {
  readonly #desk: PlacementDesk;
  readonly #caller: Caller<T>;
  readonly #answerOf: (durable: PendingRecord) => T;
  #record: PendingRecord | undefined;

  constructor(desk: PlacementDesk, caller: Caller<T>, answerOf: (durable: PendingRecord) => T) {
    this.#desk = desk;
    this.#caller = caller;
    this.#answerOf = answerOf;
  }

  decided(decided: T | PendingRecord): void {
    if (!isRecord(decided)) return this.#answer(decided);
    this.#record = decided;
    decided.waiters.push(this);
  }

  /** The record is durable. */
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
