import { ProtocolError } from "../errors/protocol-error.ts";
import type { ClientClock } from "../http/platform.ts";
import type { ClientConnection, Members } from "./connection.ts";

/**
 * The messages of a connection that wait to be worked on, in order. It fails once the connection has ended and all of
 * them were taken; if too many wait, it ends the connection.
 */
export class MessageInbox<T> {
  #waiting: T[] = [];
  #failure: Readonly<{ error: unknown }> | undefined;
  #wake: (() => void) | undefined;
  readonly #leave: readonly (() => void)[];

  /** `read` returns undefined for a message that does not concern the inbox, and throws for one that ends it. */
  constructor(connection: ClientConnection, maxWaiting: number, read: (message: Members) => T | undefined) {
    const take = (message: Members): void => {
      try {
        const item = "id" in message ? undefined : read(message);
        if (item === undefined || this.#failure !== undefined) return;
        this.#waiting.push(item);
        if (this.#waiting.length > maxWaiting) throw new ProtocolError({ problem: "too large", status: 101 });
      } catch (error) {
        this.fail(error);
      }
      this.#wake?.();
    };
    this.#leave = [connection.onMessage(take), connection.onEnd((error) => this.fail(error))];
  }

  /** Returns everything that waits, and empties the inbox. */
  drain(): readonly T[] {
    return this.#waiting.splice(0);
  }

  /** Puts items back in front of the others. */
  requeue(items: readonly T[]): void {
    this.#waiting = [...items, ...this.#waiting];
  }

  /** What waits, in order. */
  get waiting(): readonly T[] {
    return this.#waiting;
  }

  /** Makes {@link next} fail once nothing waits. */
  fail(error: unknown): void {
    this.#failure ??= { error };
    this.#wake?.();
  }

  /** Resolves to the next item, or to undefined if none comes in this time. Rejects once the inbox has failed. */
  async next(clock: ClientClock, withinMs: number): Promise<T | undefined> {
    if (this.#waiting.length === 0 && this.#failure === undefined) await this.#pause(clock, withinMs);
    const item = this.#waiting.shift();
    if (item === undefined && this.#failure !== undefined) throw this.#failure.error;
    return item;
  }

  /** Takes no further message. */
  leave(): void {
    for (const leave of this.#leave) leave();
  }

  async #pause(clock: ClientClock, withinMs: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const cancel = clock.schedule(clock.monotonicMs() + withinMs, resolve);
      this.#wake = () => {
        cancel();
        resolve();
      };
    });
    this.#wake = undefined;
  }
}
