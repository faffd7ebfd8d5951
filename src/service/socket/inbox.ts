import { networkOf } from "../../common/index.ts";
import type { Awaitable, RateLimiter, WeightVerdict } from "../../ports/index.ts";
import type { Front } from "../access/authentication.ts";
import { type WeightRequest, weigh } from "../access/rate-limits.ts";
import { MESSAGE_COST } from "../traffic/api.ts";
import { type TrafficTurns, turnCost } from "../traffic/turns.ts";
import { CLOSE, type ServiceConnection } from "./connection.ts";

/**
 * Counts the weight of a message: in the turn in which it has begun, as REST does before a request begins, and in the limit
 * of its address.
 */
export function weighMessage(
  service: Readonly<{ rateLimiter: Pick<RateLimiter, "weigh">; turns: TrafficTurns }>,
  use: WeightRequest,
): Awaitable<WeightVerdict> {
  service.turns.add(networkOf(use.address), turnCost({ bytes: 0, weight: use.weight }));
  return weigh(service, use);
}

/** Connection, limits and callbacks of an inbox. */
type RequestInboxHost = Readonly<{
  connection: ServiceConnection;
  turns: TrafficTurns;
  /** The network in whose turns the messages begin. */
  network: string;
  /** Messages that wait for an answer. One more closes the connection. */
  maxUnanswered: number;
  /** Whether a message begins only when the one before it is answered. */
  oneByOne: boolean;
  /** Answers a message, which it weighs with {@link weighMessage} before it waits for anything; never rejects. */
  serve: (text: string, front: Front | undefined) => Promise<void>;
  /** Called when every message is answered. */
  idle: () => void;
}>;

type Message = Readonly<{ text: string; cost: number; front: Front | undefined }>;

/**
 * The messages of one connection. No part of a message is parsed before its turn. Messages that have not begun when the
 * connection ends are dropped. Source: hostile input 94.
 */
export class RequestInbox {
  readonly #host: RequestInboxHost;
  #waiting: Message[] = [];
  #inTurn = false;
  #unanswered = 0;

  constructor(host: RequestInboxHost) {
    this.#host = host;
  }

  /** Number of messages received and not yet answered. */
  get unanswered(): number {
    return this.#unanswered;
  }

  /** Takes a message if the connection accepts it. */
  take(text: string, front?: Front): void {
    const { connection, maxUnanswered } = this.#host;
    if (!connection.takesText(text)) return;
    if (this.#unanswered >= maxUnanswered) {
      return connection.close(CLOSE.policy, `more than ${maxUnanswered} requests without an answer`);
    }
    const cost = text.length + MESSAGE_COST;
    if (!connection.hold("unread", cost)) return;
    this.#unanswered++;
    this.#waiting.push({ text, cost, front });
    if (!this.#inTurn) this.#next();
  }

  /** Drops the waiting messages, because the connection has ended. */
  clear(): void {
    this.#unanswered -= this.#waiting.length;
    this.#waiting = [];
  }

  #next(): void {
    const message = this.#waiting[0];
    this.#inTurn = message !== undefined;
    if (message === undefined) return;
    const { turns, network, oneByOne } = this.#host;
    turns.begin(network, { bytes: message.cost, beside: 0 }, () => {
      // The connection may have ended while the message waited.
      const begun = this.#waiting.shift();
      const served = begun === undefined ? Promise.resolve() : this.#serve(begun);
      if (oneByOne) void served.then(() => this.#next());
      else this.#next();
    });
  }

  async #serve({ text, cost, front }: Message): Promise<void> {
    const { connection, serve, idle } = this.#host;
    connection.hold("unread", -cost);
    if (connection.hold("unanswered", cost)) await serve(text, front);
    connection.hold("unanswered", -cost);
    this.#unanswered--;
    if (this.#unanswered === 0) idle();
  }
}
