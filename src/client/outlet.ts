import { Listeners } from "./socket.ts";

/** What an outlet hands out: events that are told apart by `kind`. */
type Kinded = Readonly<{ kind: string }>;

/** What an iterator yields in place of the events that it was too slow for. */
export interface OverrunEvent {
  readonly kind: "overrun";
  /** How many events were dropped. */
  readonly dropped: number;
}

type PendingRead<E> = Readonly<{
  resolve: (result: IteratorResult<E, undefined>) => void;
  reject: (error: unknown) => void;
}>;

/**
 * Hands events to listeners at once, and to each iterator in its own pace. What waits for an iterator is bounded: if it
 * is too much, all of it is dropped, and the iterator yields how many events that were.
 */
export class Outlet<E extends Kinded> {
  readonly #maxWaiting: number;
  readonly #listeners: Map<string, Listeners<E>> = new Map();
  readonly #readers: Set<Reader<E>> = new Set();
  #end: Readonly<{ error: unknown }> | undefined;

  constructor(maxWaiting: number) {
    this.#maxWaiting = maxWaiting;
  }

  /** Calls a function with each event of a kind. The returned function stops that. */
  on<K extends E["kind"]>(kind: K, listener: (event: Extract<E, { kind: K }>) => void): () => void {
    const listeners = this.#listeners.get(kind) ?? new Listeners<E>();
    this.#listeners.set(kind, listeners);
    return listeners.add(listener as (event: E) => void);
  }

  /** Hands an event out, until the end. */
  emit(event: E): void {
    if (this.#end !== undefined) return;
    this.#listeners.get(event.kind)?.notify(event);
    for (const reader of this.#readers) reader.push(event);
  }

  /** Hands out no more. Ends every iterator, with an error or without, once it has yielded what waits. */
  end(error?: unknown): void {
    if (this.#end !== undefined) return;
    this.#end = { error };
    for (const listeners of this.#listeners.values()) listeners.clear();
    for (const reader of this.#readers) reader.end(this.#end);
    this.#readers.clear();
  }

  /** Returns an iterator of the events from now on. */
  iterate(): AsyncIterableIterator<E | OverrunEvent> {
    const reader = new Reader<E>(this.#maxWaiting, () => this.#readers.delete(reader));
    if (this.#end === undefined) this.#readers.add(reader);
    else reader.end(this.#end);
    return reader;
  }
}

class Reader<E> implements AsyncIterableIterator<E | OverrunEvent> {
  readonly #maxWaiting: number;
  readonly #leave: () => void;
  #waiting: E[] = [];
  #dropped = 0;
  #pending: PendingRead<E | OverrunEvent>[] = [];
  #end: Readonly<{ error: unknown }> | undefined;

  constructor(maxWaiting: number, leave: () => void) {
    this.#maxWaiting = maxWaiting;
    this.#leave = leave;
  }

  push(event: E): void {
    const pending = this.#pending.shift();
    if (pending !== undefined) return pending.resolve({ done: false, value: event });
    this.#waiting.push(event);
    if (this.#waiting.length <= this.#maxWaiting) return;
    this.#dropped += this.#waiting.length;
    this.#waiting = [];
  }

  end(end: Readonly<{ error: unknown }>): void {
    this.#end = end;
    for (const pending of this.#pending.splice(0)) this.#settle(pending);
  }

  next(): Promise<IteratorResult<E | OverrunEvent, undefined>> {
    return new Promise((resolve, reject) => this.#settle({ resolve, reject }));
  }

  async return(): Promise<IteratorResult<E | OverrunEvent, undefined>> {
    this.#leave();
    this.#waiting = [];
    this.#dropped = 0;
    this.end({ error: undefined });
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #settle(pending: PendingRead<E | OverrunEvent>): void {
    if (this.#dropped > 0) {
      const dropped = this.#dropped;
      this.#dropped = 0;
      return pending.resolve({ done: false, value: { kind: "overrun", dropped } });
    }
    const value = this.#waiting.shift();
    if (value !== undefined) return pending.resolve({ done: false, value });
    if (this.#end === undefined) return void this.#pending.push(pending);
    const { error } = this.#end;
    this.#end = { error: undefined };
    if (error === undefined) pending.resolve({ done: true, value: undefined });
    else pending.reject(error);
  }
}
