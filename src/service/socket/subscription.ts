import type { EventSink } from "./account-streams.ts";

/** What a subscription does with its connection and its account. */
export type SubscriptionHost = Readonly<{
  /** Whether its owner may still see the account; asked before anything goes out. */
  allowed: () => Promise<boolean>;
  send: EventSink;
  /** It may not go on, or more waits for `allowed` than may wait. */
  ended: (why: "refused" | "overrun") => void;
}>;

/**
 * One subscription of one connection. Events that come while it is being asked whether its owner may still see them wait
 * and go out together, in order; nothing goes out before {@link start}. Source: decisions 39, 45 and 49; I07.
 */
export class Subscription {
  readonly #host: SubscriptionHost;
  readonly #maxWaitingBytes: number;
  #waiting: string[] = [];
  #waitingBytes = 0;
  #running = true;
  #live = true;

  constructor(host: SubscriptionHost, maxWaitingBytes: number) {
    this.#host = host;
    this.#maxWaitingBytes = maxWaitingBytes;
  }

  /** Takes an event of the account. */
  push(event: string): void {
    if (!this.#live) return;
    this.#waiting.push(event);
    this.#waitingBytes += event.length;
    if (this.#waitingBytes > this.#maxWaitingBytes) return this.#end("overrun");
    if (!this.#running) void this.#run();
  }

  /** Its reply has been sent: events may follow. */
  start(): void {
    void this.#run();
  }

  /** Nothing goes out any more. */
  stop(): void {
    this.#live = false;
    this.#waiting = [];
  }

  async #run(): Promise<void> {
    this.#running = true;
    while (this.#live && this.#waiting.length > 0) {
      const allowed = await this.#host.allowed();
      const events = this.#waiting;
      this.#waiting = [];
      this.#waitingBytes = 0;
      if (!this.#live) break;
      if (!allowed) return this.#end("refused");
      for (const event of events) if (this.#live) this.#host.send(event);
    }
    this.#running = false;
  }

  #end(why: "refused" | "overrun"): void {
    this.stop();
    this.#host.ended(why);
  }
}
