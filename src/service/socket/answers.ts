import { isAwaited } from "../../common/index.ts";
import { OrderError } from "../../errors/index.ts";
import { readAccountId } from "../../host-answers/index.ts";
import {
  type Dialect,
  type MethodDescriptor,
  readRequestToken,
  readSubscription,
} from "../../requests/index.ts";
import { checkFreshness, socketSignature, verifySocketSignature } from "../../signing/internal.ts";
import type { Parameters } from "../../wire/index.ts";
import {
  type AccessParts,
  admit,
  type Front,
  hasAccess,
  type Proof,
  provedAhead,
  provedKey,
  requiredKey,
} from "../access/authentication.ts";
import { accountOf, hereOrElsewhere, requireHere } from "../access/ownership.ts";
import { answerCall, answerPublic } from "../rest/handlers.ts";
import type { Answer, ServiceParts } from "../rest/parts.ts";
import type { AccountStreams, EventSink } from "./account-streams.ts";
import type { SocketOptions } from "./api.ts";

/** A weighed message whose method is served and whose params are read. */
export type MethodCall = Readonly<{
  method: MethodDescriptor;
  signed: Parameters;
  own: Parameters;
  front: Front | undefined;
  /** The message as sent. */
  text: string;
  /** Target of the connection, path and query. */
  target: string;
  dialect: Dialect;
  /** Address of the client. */
  address: string;
  /** Name of the client's connection, if it is one of this node. */
  connection: string | undefined;
  /** Weight that the client's address has used in this minute. */
  usedWeight: number;
  /** Time after which nothing is decided, of a message that another node has received. */
  expiresAtMs: number | undefined;
}>;

/** The whole text of a reply, as another node has made it. */
export type PassedText = Readonly<{ text: string }>;

/**
 * Why a stream ended. `refused`: its client may not see the account any more. `overrun`: events came faster than access
 * could be checked. `moved`: the account's shard has another owner, the node that sent the events cannot be heard, or the
 * host may have missed some.
 */
export type StreamEnd = "refused" | "overrun" | "moved";

/** Receives the events of one stream in order, after it was started, and its end. */
export type StreamSink = Readonly<{ send: (event: string) => void; ended: (why: StreamEnd) => void }>;

/** A stream of an account's events from `sequence` on. Nothing goes out before `start`. `end` may be called again. */
export type OpenStream = Readonly<{
  accountId: number;
  sequence: number;
  streamId: string;
  start: () => void;
  end: () => void;
}>;

/** Who answers the messages of a connection: the service of this node, or the owner of the account that they are about. */
export interface MessageAnswers {
  /** Answers a message that has a route. Throws the OrderError of its refusal. */
  answer(call: MethodCall): Promise<Answer | PassedText>;
  /** Opens the stream that a message asks for. Throws the OrderError of its refusal. */
  subscribe(call: MethodCall, sink: StreamSink): Promise<OpenStream | PassedText>;
}

/**
 * Authenticates a message and checks that it may be served now: signature, key, address list and permission, freshness,
 * replay guard, in that order. Every message authenticates itself. Throws an OrderError as the REST authentication does.
 * The timestamp is required. Source: contract, Authentication, WebSocket; hostile input 95.
 */
async function authenticateMessage(
  parts: AccessParts,
  { method, signed: parameters, address, connection, front }: MethodCall,
): Promise<Proof> {
  const use = { permission: method.access === "TRADE" ? "TRADE" : "READ", address } as const;
  let proved: Pick<Proof, "key" | "signature"> | undefined = front && (await provedAhead(parts, front, use));
  if (proved === undefined) {
    const signed = socketSignature(parameters);
    const apiKey = requiredKey(signed.apiKey);
    const isSigned = (secret: string | undefined): boolean => verifySocketSignature({ secret, signed });
    const asked = provedKey(parts, { ...use, apiKey, isSigned });
    proved = { key: isAwaited(asked) ? await asked : asked, signature: signed.signature };
    front?.proved(proved.key);
  }
  const { key, signature } = proved;
  checkFreshness({
    timestamp: parameters.get("timestamp"),
    recvWindow: parameters.get("recvWindow"),
    nowMs: parts.clock.nowMs(),
    required: true,
  });
  const proof = { ...use, key, signature };
  admit(parts, proof, method, connection);
  return proof;
}

/** Connection and account of a subscription. */
type SubscriptionHost = Readonly<{
  /** Returns whether the owner may still see the account. Called before anything goes out. */
  allowed: () => Promise<boolean>;
  send: EventSink;
  /** Called when the owner has lost access, or when too many bytes wait for `allowed`. */
  ended: (why: "refused" | "overrun") => void;
}>;

/**
 * One subscription of one connection. Each event is sent by an answer of `allowed` that was asked for after it. Events that
 * come while an answer is pending wait for the next one, which they share; all go out in order. Nothing goes out before
 * {@link start}. Source: I07.
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

/** Dependencies of {@link OwnAnswers}. */
type OwnAnswerParts = Readonly<{
  service: ServiceParts;
  streams: AccountStreams;
  requestToken: SocketOptions["requestToken"];
  /** Bytes of events of one stream that wait for the check of its access. */
  maxWaitingBytes: number;
}>;

/** An account whose events are wanted, and a function that checks whether the client may still see it. */
type Subscriber = Readonly<{ accountId: number; allowed: () => Promise<boolean> }>;

/**
 * Answers messages with the handlers of this service, after the same defences as a request. Each message authenticates
 * itself, and access is checked again before events go out.
 */
export class OwnAnswers implements MessageAnswers {
  readonly #parts: OwnAnswerParts;

  constructor(parts: OwnAnswerParts) {
    this.#parts = parts;
  }

  async answer(call: MethodCall): Promise<Answer> {
    const { service } = this.#parts;
    const { method, own } = call;
    if (!("route" in method)) throw new OrderError("UNKNOWN_METHOD");
    if (method.access === "PUBLIC") return await answerPublic(service, method.route, own);
    const proved = await authenticateMessage(service, call);
    const { expiresAtMs } = call;
    const parts = expiresAtMs === undefined ? service : { ...service, expiresAtMs };
    return await answerCall(parts, { ...proved, route: method.route, parameters: own });
  }

  async subscribe(call: MethodCall, sink: StreamSink): Promise<OpenStream> {
    const { method } = call;
    const act = "act" in method ? method.act : undefined;
    return await hereOrElsewhere(this.#parts.service, async () => {
      if (act === "subscribe") return this.#open(call, await this.#byKey(call), sink);
      if (act === "subscribeByToken") return this.#open(call, await this.#byToken(call), sink);
      throw new OrderError("UNKNOWN_METHOD");
    });
  }

  async #byKey(call: MethodCall): Promise<Subscriber> {
    const { service } = this.#parts;
    const proved = await authenticateMessage(service, call);
    const { accounts, clock } = service;
    const accountId = await accountOf(service, proved, readSubscription(call.own));
    const allowed = async (): Promise<boolean> => {
      try {
        const key = await accounts.key(proved.key.apiKey);
        // A key that now belongs to another user or has another secret counts as a different key.
        if (key === undefined || key.secret !== proved.key.secret) return false;
        if (!hasAccess(key, { address: call.address, permission: "READ" })) return false;
        // Events of the time before the account's shard left go out, so its owner does not matter.
        return (
          (await accountOf({ accounts, clock }, { key, permission: "READ" }, { accountId })) === accountId
        );
      } catch {
        return false;
      }
    };
    return { accountId, allowed };
  }

  async #byToken({ own }: MethodCall): Promise<Subscriber> {
    const { requestToken, service } = this.#parts;
    const token = readRequestToken(own);
    const owner = async (): Promise<number | undefined> =>
      await service.questions.query("requestToken", () => requestToken?.(token), readAccountId);
    const accountId = await owner();
    if (accountId === undefined) throw new OrderError("REJECTED_API_KEY");
    requireHere(service, accountId);
    const allowed = (): Promise<boolean> =>
      owner().then(
        (now) => now === accountId,
        () => false,
      );
    return { accountId, allowed };
  }

  #open({ dialect }: MethodCall, { accountId, allowed }: Subscriber, sink: StreamSink): OpenStream {
    const { streams, maxWaitingBytes } = this.#parts;
    const subscription = new Subscription({ ...sink, allowed }, maxWaitingBytes);
    const { sequence, streamId, end } = streams.subscribe(
      { accountId, dialect },
      {
        event: (event) => subscription.push(event),
        moved: () => subscription.finish(() => sink.ended("moved")),
      },
    );
    return {
      ...{ accountId, sequence, streamId },
      start: () => subscription.start(),
      end: () => {
        end();
        subscription.stop();
      },
    };
  }
}
