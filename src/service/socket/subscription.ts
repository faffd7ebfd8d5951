import type { EventSink } from "./account-streams.ts";

/** Connection and account of a subscription. */
export type SubscriptionHost = Readonly<{
  /** Returns whether the owner may still see the account. Called before anything goes out. */
  allowed: () => Promise<boolean>;
  send: EventSink;
  /** Called when the owner has lost access, or when too many bytes wait for `allowed`. */
  ended: (why: "refused" | "overrun") => void;
}>;

/**
 * One subscription of one connection. Each event is sent by an answer of `allowed` that was asked for after it. Events that
 * come while an answer is pending wait for the next one, which they share; all go out in order. Nothing goes out before
 * {@link start}. Source: decisions 39, 45, 49 and AK; I07.
 */
export class Subscription {
  readonly #host: SubscriptionHost;
  readonly #maxWaitingBytes: number;
  #waiting: string[] = [];
  #waitingBytes = 0;
  #running = true;
  #live = true;
  #last: (() => void) | undefined;

  constructor(host: SubscriptionHost, maxWaitingBytes: number) {
    this.#host = host;
    this.#maxWaitingBytes = maxWaitingBytes;
  }

  /** Takes an event of the account. */
  push(event: string): void {
    if (!this.#live || this.#last !== undefined) return;
    this.#waiting.push(event);
    this.#waitingBytes += event.length;
    if (this.#waitingBytes > this.#maxWaitingBytes) return this.#end("overrun");
    if (!this.#running) void this.#run();
  }

  /** Lets events go out. Called after the reply to the subscription was sent. */
  start(): void {
    void this.#run();
  }

  /** Calls `then` after everything that waits has gone out; later events are dropped. */
  finish(then: () => void): void {
    this.#last = then;
    if (!this.#running) void this.#run();
  }

  /** Stops the subscription: nothing goes out any more. */
  stop(): void {
    this.#live = false;
    this.#waiting = [];
  }

  async #run(): Promise<void> {
    this.#running = true;
    while (this.#live && this.#waiting.length > 0) {
      // The host may have read the access before a later event and have changed it since.
      const [events, bytes] = [this.#waiting, this.#waitingBytes];
      this.#waiting = [];
      const allowed = await this.#host.allowed();
      this.#waitingBytes -= bytes;
      if (!this.#live) break;
      if (!allowed) return this.#end("refused");
      for (const event of events) if (this.#live) this.#host.send(event);
    }
    this.#running = false;
    if (!this.#live || this.#last === undefined) return;
    this.stop();
    this.#last();
  }

  #end(why: "refused" | "overrun"): void {
    this.stop();
    this.#host.ended(why);
  }
}
