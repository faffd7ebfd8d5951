import { OrderError } from "../../errors/index.ts";
import { readAccountId } from "../../host-answers/index.ts";
import type { OrderCounts, WeightVerdict } from "../../ports/index.ts";
import {
  type Dialect,
  type MethodDescriptor,
  readNothing,
  readRequestToken,
  readSubscription,
  readUnsubscription,
  type SessionAct,
} from "../../requests/index.ts";
import type { Parameters } from "../../wire/index.ts";
import { demandAccess, type Proof } from "../access/authentication.ts";
import type { Front } from "../access/front-work.ts";
import { networkOf } from "../access/ip-address.ts";
import { accountOf } from "../access/ownership.ts";
import { demandWeight, tellRefusal, weigh } from "../access/rate-limits.ts";
import { refusalOf } from "../rest/failures.ts";
import { answerCall, answerPublic } from "../rest/handlers.ts";
import type { Answer } from "../rest/parts.ts";
import { UNKNOWN_WEIGHT } from "../rest/routing.ts";
import type { SocketPeer } from "./api.ts";
import { authenticateMessage } from "./authentication.ts";
import { CLOSE, Connection, type LiveSession, type SocketParts } from "./connection.ts";
import { Inbox } from "./inbox.ts";
import { type ReplyStamp, refusalText, resultText } from "./replies.ts";
import {
  readSocketParameters,
  requestOf,
  type SocketRequest,
  socketParametersOf,
  weightOfRequest,
} from "./request.ts";
import { type SubscriptionAnswer, Subscriptions } from "./subscriptions.ts";

/** Peer, options and end callback of a connection. */
export type PrivateOptions = Readonly<{
  peer: SocketPeer;
  dialect: Dialect;
  returnRateLimits: boolean;
  onEnd: () => void;
}>;

/** State of a request while it is being answered. */
type Progress = {
  readonly request: SocketRequest;
  readonly front: Front | undefined;
  verdict?: WeightVerdict;
  orders?: OrderCounts | undefined;
  showsLimits: boolean;
};

/** The answer to a request, and a step to run after sending it. */
type MessageResult = Readonly<{ answer: Answer; after?: () => void }>;

type MethodCall = Readonly<{
  method: MethodDescriptor;
  signed: Parameters;
  own: Parameters;
  front: Front | undefined;
}>;

const CONNECTION_ID_LENGTH = 22;

/**
 * A connection to `/ws/listenKey`, or to `/compat/ws-api/v3` in the convention's dialect. It answers request methods with the REST handlers, after the same defences, and
 * carries the private stream. Replies are sent as requests complete; the id tells which request a reply answers.
 * Source: contract, WebSocket request methods and Events; decisions 43, 45, 49 and NO.
 */
export class PrivateSession implements LiveSession {
  readonly #parts: SocketParts;
  readonly #address: string;
  readonly #showsLimits: boolean;
  readonly #dialect: Dialect;
  readonly #id: string;
  readonly connection: Connection;
  readonly #subscriptions: Subscriptions;
  readonly #inbox: Inbox;
  #stopping = false;

  constructor(parts: SocketParts, { peer, dialect, returnRateLimits, onEnd }: PrivateOptions) {
    this.#parts = parts;
    this.#address = parts.service.clientAddress(peer);
    this.#showsLimits = returnRateLimits;
    this.#dialect = dialect;
    this.#id = parts.service.entropy.token(CONNECTION_ID_LENGTH);
    const { service } = parts;
    this.#subscriptions = new Subscriptions({
      streams: parts.streams,
      dialect,
      nowMs: () => service.clock.nowMs(),
      send: (text) => this.connection.send("event", text),
      overrun: () => this.connection.close(CLOSE.policy, "events could not be authorised in time"),
      maxWaitingBytes: parts.settings.maxWaitingEventBytes,
    });
    this.connection = new Connection({ ...parts, peer, address: this.#address }, () => {
      this.#subscriptions.stop();
      this.#inbox.clear();
      onEnd();
    });
    this.#inbox = new Inbox({
      connection: this.connection,
      turns: service.turns,
      network: networkOf(this.#address),
      maxUnanswered: parts.settings.maxUnanswered,
      oneByOne: false,
      serve: (text, front) => this.#serve(requestOf(text, front, dialect), front),
      idle: () => this.#leaveIfDone(),
    });
  }

  receive(text: string, front?: Front): void {
    this.#inbox.take(text, front);
  }

  shutdown(): void {
    this.connection.send("event", `{"event":{"e":"serverShutdown","E":${this.#nowMs()}}}`);
    this.#stopping = true;
    this.#leaveIfDone();
  }

  async #serve(request: SocketRequest, front: Front | undefined): Promise<void> {
    const progress: Progress = { request, front, showsLimits: this.#showsLimits };
    try {
      const { answer, after } = await this.#pass(progress);
      this.connection.send("reply", resultText(answer, this.#stamp(progress)));
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
    const { service } = this.#parts;
    const method = "method" in request ? request.method : undefined;
    const refusal = refusalOf(service, error, {
      fields: { connectionId: this.#id, method: method?.name ?? "none" },
      onlyReads: method?.access !== "TRADE",
    });
    const mayBe200 = service.settings.businessErrorsAs200 === true && this.#dialect === "own";
    const context = { businessAs200: mayBe200, nowMs: this.#nowMs() };
    this.connection.send("reply", refusalText(refusal, this.#stamp(progress), context));
    if (verdict !== undefined) tellRefusal(service, this.#address, verdict);
    if ("malformed" in request && request.malformed) this.connection.malformed();
  }

  #stamp({ request, verdict, orders, showsLimits }: Progress): ReplyStamp {
    const { limits } = this.#parts.service.rateLimiter;
    const weight = verdict && { weight: verdict.used };
    return { id: request.id, used: showsLimits ? { limits, orders, ...weight } : undefined };
  }

  /** Runs the defences of every message in order, then its handler. Source: hostile inputs, Defences in order. */
  async #pass(progress: Progress): Promise<MessageResult> {
    const { request, front } = progress;
    const { service } = this.#parts;
    const weight = "method" in request ? weightOfRequest(request, front, this.#dialect) : UNKNOWN_WEIGHT;
    const verdict = await weigh(service, { address: this.#address, weight });
    progress.verdict = verdict;
    demandWeight(service, verdict);
    if ("problem" in request) throw request.problem;
    const { method } = request;
    if (!this.#isServed(method)) throw new OrderError("UNKNOWN_METHOD");
    const read = front?.worked && socketParametersOf(front.worked.parameters, this.#dialect);
    const { returnRateLimits, ...parameters } = read ?? readSocketParameters(request.params, this.#dialect);
    progress.showsLimits = returnRateLimits ?? this.#showsLimits;
    const call = { method, front, ...parameters };
    return "act" in method ? await this.#act(method.act, call) : await this.#answer(progress, call);
  }

  #isServed(method: MethodDescriptor): boolean {
    if ("route" in method) return this.#parts.serves(method.route);
    return method.act !== "subscribeByToken" || this.#parts.requestToken !== undefined;
  }

  async #answer(progress: Progress, call: MethodCall): Promise<MessageResult> {
    const { method, own } = call;
    if (!("route" in method)) throw new OrderError("UNKNOWN_METHOD");
    if (method.access === "PUBLIC")
      return { answer: await answerPublic(this.#parts.service, method.route, own) };
    const proved = await this.#proved(call);
    const answer = await answerCall(this.#parts.service, { ...proved, route: method.route, parameters: own });
    progress.orders = answer.counts;
    return { answer };
  }

  #proved({ method, signed, front }: MethodCall): Promise<Proof> {
    return authenticateMessage(this.#parts.service, { method, signed, front, address: this.#address });
  }

  async #act(act: SessionAct, call: MethodCall): Promise<MessageResult> {
    const { own } = call;
    switch (act) {
      case "subscribe":
        return resultOf(await this.#subscribe(call));
      case "subscribeByToken":
        return resultOf(await this.#subscribeByToken(readRequestToken(own)));
      case "unsubscribe":
        return resultOf(this.#subscriptions.end(readUnsubscription(own).subscriptionId));
      case "subscriptions":
        readNothing(own);
        return { answer: { body: this.#subscriptions.list() } };
    }
  }

  async #subscribe(call: MethodCall): Promise<SubscriptionAnswer> {
    const { service } = this.#parts;
    const proved = await this.#proved(call);
    const accountId = await accountOf(service, proved, readSubscription(call.own));
    const allowed = async (): Promise<boolean> => {
      try {
        const key = await service.accounts.key(proved.key.apiKey);
        // A key that now belongs to another user or has another secret counts as a different key.
        if (key === undefined || key.secret !== proved.key.secret) return false;
        demandAccess(key, { address: this.#address, permission: "READ" });
        return (await accountOf(service, { key, permission: "READ" }, { accountId })) === accountId;
      } catch {
        return false;
      }
    };
    return this.#begin({ accountId, allowed });
  }

  async #subscribeByToken(token: string): Promise<SubscriptionAnswer> {
    const { requestToken, service } = this.#parts;
    const owner = async (): Promise<number | undefined> =>
      await service.questions.ask("requestToken", () => requestToken?.(token), readAccountId);
    const accountId = await owner();
    if (accountId === undefined) throw new OrderError("REJECTED_API_KEY");
    const allowed = (): Promise<boolean> =>
      owner().then(
        (now) => now === accountId,
        () => false,
      );
    return this.#begin({ accountId, allowed });
  }

  /** Starts a subscription, unless the connection has ended meanwhile. */
  #begin(subscriber: Readonly<{ accountId: number; allowed: () => Promise<boolean> }>): SubscriptionAnswer {
    if (!this.connection.open) throw new OrderError("SUBSCRIPTION_INACTIVE");
    return this.#subscriptions.begin(subscriber);
  }

  #nowMs(): number {
    return this.#parts.service.clock.nowMs();
  }
}

const resultOf = ({ body, after }: SubscriptionAnswer): MessageResult => ({ answer: { body }, after });
