import { networkOf } from "../../common/index.ts";
import { OrderError } from "../../errors/index.ts";
import { type Dialect, readNothing, readUnsubscription, type SessionAct } from "../../requests/index.ts";
import type { Front } from "../access/front-work.ts";
import { reportRefusal } from "../access/rate-limits.ts";
import type { MethodCall } from "./answers.ts";
import type { SocketPeer } from "./api.ts";
import { CLOSE, type LiveSession, ServiceConnection, type SessionParts } from "./connection.ts";
import { RequestInbox, weighMessage } from "./inbox.ts";
import {
  type MessageHandling,
  type MessageResult,
  type Progress,
  passMessage,
  progressOf,
  textOfFailure,
  textOfResult,
} from "./messages.ts";
import { type SubscriptionAnswer, Subscriptions } from "./subscriptions.ts";

/** Peer, options and end callback of a connection. */
export type PrivateOptions = Readonly<{
  peer: SocketPeer;
  dialect: Dialect;
  returnRateLimits: boolean;
  onEnd: () => void;
}>;

const CONNECTION_ID_LENGTH = 22;

/**
 * A connection to `/ws/listenKey`, or to `/compat/ws-api/v3` in the convention's dialect. Its requests are answered after the same defences as those of REST, by this
 * service or by the owner of their account, and it carries the private stream. Replies are sent as requests complete; the id tells which request a reply answers.
 * Source: contract, WebSocket request methods and Events; decisions 43, 45, 49 and NO.
 */
export class PrivateSession implements LiveSession {
  readonly #parts: SessionParts;
  readonly #handling: MessageHandling;
  readonly connection: ServiceConnection;
  readonly #subscriptions: Subscriptions;
  readonly #inbox: RequestInbox;
  #stopping = false;

  constructor(parts: SessionParts, { peer, dialect, returnRateLimits, onEnd }: PrivateOptions) {
    const { service } = parts;
    const address = service.clientAddress(peer);
    const id = service.entropy.token(CONNECTION_ID_LENGTH);
    this.#parts = parts;
    this.#handling = {
      ...{ parts, dialect, address, target: peer.target, showsLimits: returnRateLimits },
      ...{ id, connection: id },
      weigh: (weight) => weighMessage(service, { address, weight }),
      act: (act, call) => this.#act(act, call),
    };
    this.#subscriptions = new Subscriptions({
      nowMs: () => service.clock.nowMs(),
      send: (text) => this.connection.send("event", text),
      overrun: () => this.connection.close(CLOSE.policy, "events could not be authorised in time"),
    });
    this.connection = new ServiceConnection({ ...parts, peer, address }, () => {
      this.#subscriptions.stop();
      this.#inbox.clear();
      onEnd();
    });
    this.#inbox = new RequestInbox({
      connection: this.connection,
      turns: service.turns,
      network: networkOf(address),
      maxUnanswered: parts.settings.maxUnanswered,
      oneByOne: false,
      serve: (text, front) => this.#serve(progressOf(this.#handling, text, front)),
      idle: () => this.#leaveIfDone(),
    });
  }

  receive(text: string, front?: Front): void {
    this.#inbox.take(text, front);
  }

  shutdown(): void {
    const nowMs = this.#parts.service.clock.nowMs();
    this.connection.send("event", `{"event":{"e":"serverShutdown","E":${nowMs}}}`);
    this.#stopping = true;
    this.#leaveIfDone();
  }

  async #serve(progress: Progress): Promise<void> {
    try {
      const { answer, after } = await passMessage(this.#handling, progress);
      this.connection.send("reply", textOfResult(this.#handling, progress, answer));
      after?.();
    } catch (error) {
      this.#refuse(progress, error);
    }
  }

  #leaveIfDone(): void {
    if (this.#stopping && this.#inbox.unanswered === 0)
      this.connection.close(CLOSE.goingAway, "the service stops");
  }

  #refuse(progress: Progress, error: unknown): void {
    const { request, verdict } = progress;
    this.connection.send("reply", textOfFailure(this.#handling, progress, error));
    if (verdict !== undefined) reportRefusal(this.#parts.service, this.#handling.address, verdict);
    if ("malformed" in request && request.malformed) this.connection.malformed();
  }

  async #act(act: SessionAct, call: MethodCall): Promise<MessageResult> {
    const { own } = call;
    switch (act) {
      case "subscribe":
      case "subscribeByToken":
        return await this.#subscribe(call);
      case "unsubscribe":
        return resultOf(this.#subscriptions.end(readUnsubscription(own).subscriptionId));
      case "subscriptions":
        readNothing(own);
        return { answer: { body: this.#subscriptions.list() } };
    }
  }

  /** Starts a subscription, unless the connection has ended meanwhile. */
  async #subscribe(call: MethodCall): Promise<MessageResult> {
    const { sink, begin } = this.#subscriptions.prepare();
    const stream = await this.#parts.answers.subscribe(call, sink);
    if ("text" in stream) return { answer: stream };
    if (this.connection.open) return resultOf(begin(stream));
    stream.end();
    throw new OrderError("SUBSCRIPTION_INACTIVE");
  }
}

const resultOf = ({ body, after }: SubscriptionAnswer): MessageResult => ({ answer: { body }, after });
