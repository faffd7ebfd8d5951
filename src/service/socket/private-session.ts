import { networkOf } from "../../common/index.ts";
import { OrderError } from "../../errors/index.ts";
import { readNothing, readUnsubscription, type SessionAct } from "../../requests/index.ts";
import { type JsonInput, writeJson } from "../../wire/index.ts";
import type { Front } from "../access/authentication.ts";
import { Elsewhere } from "../access/ownership.ts";
import { reportRefusal } from "../access/rate-limits.ts";
import type { ShardElsewhere } from "../rest/rest-service.ts";
import type { MethodCall, OpenStream, StreamEnd, StreamSink } from "./answers.ts";
import type { SocketPeer } from "./api.ts";
import { CLOSE, type LiveSession, ServiceConnection, type SessionParts } from "./connection.ts";
import { type PrivateForm, privateForm } from "./destinations.ts";
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

/** Dependencies of the subscriptions on their connection. */
type SubscriptionsHost = Readonly<{
  nowMs: () => number;
  send: (text: string) => void;
  /** Called when events arrive faster than access can be checked. */
  overrun: () => void;
}>;

/** Number of subscription ids that one connection may use, and of active ones. Source: convention 4.5. */
const MAX_IDS = 65_536;
const MAX_ACTIVE = 1_000;

/** The subscriptions of one connection, at most one per account. Source: convention 4.5. */
export class Subscriptions {
  readonly #host: SubscriptionsHost;
  readonly #active: Map<number, Pick<OpenStream, "accountId" | "end">> = new Map();
  #nextId = 0;

  constructor(host: SubscriptionsHost) {
    this.#host = host;
  }

  /**
   * Prepares a subscription: returns where the events of its stream go, and `begin`, which makes it one. The answer has the
   * number of the last event before it; every later event follows the answer. A stream that ends before its subscription has
   * begun ends it after its reply. `begin` ends the stream and throws an OrderError: -2035 if the account already has a
   * subscription here, -2042 if no ids are left, or as many are active as are allowed.
   */
  prepare(): Readonly<{ sink: StreamSink; begin: (stream: OpenStream) => MessageResult }> {
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
        return { answer: { body: { subscriptionId, accountId, sequence, streamId } }, after };
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
  end(subscriptionId: number | undefined): MessageResult {
    if (subscriptionId !== undefined && !this.#active.has(subscriptionId)) {
      throw new OrderError("SUBSCRIPTION_INACTIVE");
    }
    const ids = subscriptionId === undefined ? [...this.#active.keys()] : [subscriptionId];
    for (const id of ids) this.#drop(id);
    return {
      answer: { body: {} },
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

const CONNECTION_ID_LENGTH = 22;

/**
 * A connection to `/ws/listenKey`, or to `/compat/ws-api/v3` in the convention's dialect. Its requests are answered after
 * the same defences as those of REST, by this service or by the owner of their account, and it carries the private stream.
 * Replies are sent as requests complete; the id tells which request a reply answers. Source: contract, WebSocket request
 * methods and Events.
 */
export class PrivateSession implements LiveSession {
  readonly #parts: SessionParts;
  readonly #handling: MessageHandling;
  readonly connection: ServiceConnection;
  readonly #subscriptions: Subscriptions;
  readonly #inbox: RequestInbox;
  #stopping = false;

  constructor(
    parts: SessionParts,
    {
      peer,
      dialect,
      returnRateLimits,
      onEnd,
    }: PrivateForm & Readonly<{ peer: SocketPeer; onEnd: () => void }>,
  ) {
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
        return this.#subscriptions.end(readUnsubscription(own).subscriptionId);
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
    if (this.connection.open) return begin(stream);
    stream.end();
    throw new OrderError("SUBSCRIPTION_INACTIVE");
  }
}

/** A message that another node of a cluster has received and weighed. */
export type ForwardedMessage = Readonly<{
  /** Target of the client's connection. */
  target: string;
  /** Address of the client. */
  address: string;
  text: string;
  usedWeight: number;
  /** Time after which nothing is decided. */
  expiresAtMs: number;
}>;

/** The reply to a forwarded message, and the stream that it has opened. */
export type ForwardedReply = Readonly<{ text: string; stream?: OpenStream }>;

const CONNECTION_ID = "forwarded";

/**
 * Answers one message of another node. With a sink, the message asks for a stream: where one is opened, the text says its
 * account, number and id, from which the other node makes the reply. Returns the shard of an account that this node does
 * not own.
 */
export async function answerForwarded(
  parts: SessionParts,
  { target, address, text, usedWeight, expiresAtMs }: ForwardedMessage,
  sink?: StreamSink,
): Promise<ForwardedReply | ShardElsewhere> {
  const form = privateForm(target, parts.service.settings);
  if (form === undefined) throw new OrderError("NOT_FOUND");
  let stream: OpenStream | undefined;
  const handling: MessageHandling = {
    ...{ parts, target, dialect: form.dialect, address, id: CONNECTION_ID, expiresAtMs },
    showsLimits: form.returnRateLimits,
    weigh: () => ({ used: usedWeight }),
    async act(_act, call) {
      const opened = sink && (await parts.answers.subscribe(call, sink));
      if (opened === undefined) throw new OrderError("UNKNOWN_METHOD");
      if ("text" in opened) return { answer: opened };
      stream = opened;
      const { accountId, sequence, streamId } = opened;
      return { answer: { text: writeJson({ accountId, sequence, streamId }) } };
    },
  };
  const progress = progressOf(handling, text);
  try {
    const { answer } = await passMessage(handling, progress);
    return { text: textOfResult(handling, progress, answer), ...(stream && { stream }) };
  } catch (error) {
    if (error instanceof Elsewhere) return { elsewhere: error.shard };
    return { text: textOfFailure(handling, progress, error) };
  }
}
