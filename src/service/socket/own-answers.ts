import { OrderError } from "../../errors/index.ts";
import { readAccountId } from "../../host-answers/index.ts";
import { readRequestToken, readSubscription } from "../../requests/index.ts";
import { hasAccess, type Proof } from "../access/authentication.ts";
import { accountOf, hereOrElsewhere, requireHere } from "../access/ownership.ts";
import { answerCall, answerPublic } from "../rest/handlers.ts";
import type { Answer, ServiceParts } from "../rest/parts.ts";
import type { AccountStreams } from "./account-streams.ts";
import type { MessageAnswers, MethodCall, OpenStream, StreamSink } from "./answers.ts";
import type { SocketOptions } from "./api.ts";
import { authenticateMessage } from "./authentication.ts";
import { Subscription } from "./subscription.ts";

/** Dependencies of {@link OwnAnswers}. */
export type OwnAnswerParts = Readonly<{
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
 * itself, and access is checked again before events go out. Source: decisions 39, 43 and 45.
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
    const proved = await this.#proved(call);
    const { expiresAtMs } = call;
    return await answerCall({ ...service, expiresAtMs }, { ...proved, route: method.route, parameters: own });
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

  #proved({ method, signed, front, address, connection }: MethodCall): Promise<Proof> {
    return authenticateMessage(this.#parts.service, { method, signed, front, address, connection });
  }

  async #byKey(call: MethodCall): Promise<Subscriber> {
    const { service } = this.#parts;
    const proved = await this.#proved(call);
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
