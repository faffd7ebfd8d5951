import { OrderError } from "../../errors/index.ts";
import type { Dialect } from "../../requests/index.ts";
import type { JsonInput } from "../../wire/index.ts";
import type { AccountStreams } from "./account-streams.ts";
import { Subscription } from "./subscription.ts";

/** Dependencies of the subscriptions on their connection. */
export type SubscriptionsHost = Readonly<{
  streams: AccountStreams;
  dialect: Dialect;
  nowMs: () => number;
  send: (text: string) => void;
  /** Called when events arrive faster than access can be checked. */
  overrun: () => void;
  maxWaitingBytes: number;
}>;

/** A new subscription: its account, and a function that checks whether its owner may still see the account. */
export type Subscriber = Readonly<{ accountId: number; allowed: () => Promise<boolean> }>;

/** The reply to a change of the subscriptions, and a step to run after sending it. */
export type SubscriptionAnswer = Readonly<{ body: JsonInput; after: () => void }>;

type Active = Readonly<{ accountId: number; end: () => void }>;

/** Number of subscription ids that one connection may use. Source: convention 4.5. */
const MAX_IDS = 65_536;

/** The subscriptions of one connection, at most one per account. Source: decision 45; convention 4.5. */
export class Subscriptions {
  readonly #host: SubscriptionsHost;
  readonly #active: Map<number, Active> = new Map();
  #nextId = 0;

  constructor(host: SubscriptionsHost) {
    this.#host = host;
  }

  /**
   * Starts a subscription. The answer contains the number of the last event before it; every later event follows the
   * answer. Throws an OrderError: -2035 if the account already has a subscription here, -2042 if no ids are left.
   */
  begin({ accountId, allowed }: Subscriber): SubscriptionAnswer {
    if ([...this.#active.values()].some((active) => active.accountId === accountId)) {
      throw new OrderError("SUBSCRIPTION_ACTIVE");
    }
    if (this.#nextId >= MAX_IDS) throw new OrderError("TOO_MANY_SUBSCRIPTIONS");
    const { streams, dialect, send, maxWaitingBytes } = this.#host;
    const subscriptionId = this.#nextId++;
    const subscription = new Subscription(
      {
        allowed,
        send: (event) => send(wrapped(subscriptionId, event)),
        ended: (why) => this.#ended(subscriptionId, why),
      },
      maxWaitingBytes,
    );
    const { sequence, end } = streams.subscribe({ accountId, dialect }, (event) => subscription.push(event));
    const stop = (): void => {
      end();
      subscription.stop();
    };
    this.#active.set(subscriptionId, { accountId, end: stop });
    const body = { subscriptionId, accountId, sequence, streamId: streams.streamId };
    return { body, after: () => subscription.start() };
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
        for (const id of ids) this.#tellEnd(id);
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

  #ended(subscriptionId: number, why: "refused" | "overrun"): void {
    this.#drop(subscriptionId);
    if (why === "overrun") this.#host.overrun();
    else this.#tellEnd(subscriptionId);
  }

  #drop(subscriptionId: number): void {
    this.#active.get(subscriptionId)?.end();
    this.#active.delete(subscriptionId);
  }

  #tellEnd(subscriptionId: number): void {
    const event = `{"e":"eventStreamTerminated","E":${this.#host.nowMs()}}`;
    this.#host.send(wrapped(subscriptionId, event));
  }
}

const wrapped = (subscriptionId: number, event: string): string =>
  `{"subscriptionId":${subscriptionId},"event":${event}}`;
