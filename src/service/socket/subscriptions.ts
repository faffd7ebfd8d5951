import { OrderError } from "../../errors/index.ts";
import type { JsonInput } from "../../wire/index.ts";
import type { OpenStream, StreamEnd, StreamSink } from "./answers.ts";

/** Dependencies of the subscriptions on their connection. */
export type SubscriptionsHost = Readonly<{
  nowMs: () => number;
  send: (text: string) => void;
  /** Called when events arrive faster than access can be checked. */
  overrun: () => void;
}>;

/** A subscription that waits for its stream: where the stream's events go, and the step that makes it one. */
export type NewSubscription = Readonly<{
  sink: StreamSink;
  /**
   * Starts the subscription. The answer contains the number of the last event before it; every later event follows the
   * answer. Ends the stream and throws an OrderError: -2035 if the account already has a subscription here, -2042 if no
   * ids are left, or as many are active as are allowed.
   */
  begin: (stream: OpenStream) => SubscriptionAnswer;
}>;

/** The reply to a change of the subscriptions, and a step to run after sending it. */
export type SubscriptionAnswer = Readonly<{ body: JsonInput; after: () => void }>;

type Active = Readonly<{ accountId: number; end: () => void }>;

/** Number of subscription ids that one connection may use, and of active ones. Source: convention 4.5. */
const MAX_IDS = 65_536;
const MAX_ACTIVE = 1_000;

/** The subscriptions of one connection, at most one per account. Source: decision 45; convention 4.5. */
export class Subscriptions {
  readonly #host: SubscriptionsHost;
  readonly #active: Map<number, Active> = new Map();
  #nextId = 0;

  constructor(host: SubscriptionsHost) {
    this.#host = host;
  }

  /** Prepares a subscription. A stream that ends before its subscription has begun ends it after its reply. */
  prepare(): NewSubscription {
    let id: number | undefined;
    let over: StreamEnd | undefined;
    return {
      sink: {
        send: (event) => {
          if (id !== undefined) this.#host.send(wrapped(id, event));
        },
        ended: (why) => {
          over = why;
          if (id !== undefined) this.#ended(id, why);
        },
      },
      begin: (stream) => {
        const subscriptionId = this.#taken(stream);
        const { accountId, sequence, streamId, start } = stream;
        const after = (): void => {
          id = subscriptionId;
          if (over === undefined) start();
          else this.#ended(subscriptionId, over);
        };
        return { body: { subscriptionId, accountId, sequence, streamId }, after };
      },
    };
  }

  #taken({ accountId, end }: OpenStream): number {
    const isActive = [...this.#active.values()].some((active) => active.accountId === accountId);
    const isFull = this.#nextId >= MAX_IDS || this.#active.size >= MAX_ACTIVE;
    if (isActive || isFull) {
      end();
      throw new OrderError(isActive ? "SUBSCRIPTION_ACTIVE" : "TOO_MANY_SUBSCRIPTIONS");
    }
    const subscriptionId = this.#nextId++;
    this.#active.set(subscriptionId, { accountId, end });
    return subscriptionId;
  }

  /** Ends one subscription, or all of them. Throws an OrderError -2036 if there is no such subscription. */
  end(subscriptionId: number | undefined): SubscriptionAnswer {
    if (subscriptionId !== undefined && !this.#active.has(subscriptionId)) {
      throw new OrderError("SUBSCRIPTION_INACTIVE");
    }
    const ids = subscriptionId === undefined ? [...this.#active.keys()] : [subscriptionId];
    for (const id of ids) this.#drop(id);
    return {
      body: {},
      after: () => {
        for (const id of ids) this.#reportEnd(id);
      },
    };
  }

  /** Returns the active subscriptions, oldest first. */
  list(): JsonInput {
    return [...this.#active].map(([subscriptionId, { accountId }]) => ({ subscriptionId, accountId }));
  }

  /** Ends all subscriptions, because the connection has ended. */
  stop(): void {
    for (const id of [...this.#active.keys()]) this.#drop(id);
  }

  #ended(subscriptionId: number, why: StreamEnd): void {
    if (!this.#active.has(subscriptionId)) return;
    this.#drop(subscriptionId);
    if (why === "overrun") this.#host.overrun();
    else this.#reportEnd(subscriptionId);
  }

  #drop(subscriptionId: number): void {
    this.#active.get(subscriptionId)?.end();
    this.#active.delete(subscriptionId);
  }

  #reportEnd(subscriptionId: number): void {
    const event = `{"e":"eventStreamTerminated","E":${this.#host.nowMs()}}`;
    this.#host.send(wrapped(subscriptionId, event));
  }
}

const wrapped = (subscriptionId: number, event: string): string =>
  `{"subscriptionId":${subscriptionId},"event":${event}}`;
