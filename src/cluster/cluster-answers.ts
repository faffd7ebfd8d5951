import { networkOf } from "../common/index.ts";
import { OrderError } from "../errors/index.ts";
import type { Accounts } from "../ports/index.ts";
import type { SocketOptions } from "../service/index.ts";
import {
  type Answer,
  Elsewhere,
  type MessageAnswers,
  type MethodCall,
  type OpenStream,
  type PassedText,
  type StreamSink,
  Subscription,
} from "../service/internal.ts";
import { type JsonObject, type JsonValue, readJson } from "../wire/index.ts";
import { type Forwarder, messageShard, type Passage } from "./forwarder.ts";
import type { ForwardedForm, PeerAnswer, PeerOutcome, PeerSender } from "./peers/api.ts";
import { endingOnce, type ShardWatch, type StreamSource } from "./shard-watch.ts";

/** Dependencies of {@link ClusterAnswers}. */
type ClusterAnswerParts = Readonly<{
  forwarder: Forwarder;
  accounts: Accounts;
  requestToken: SocketOptions["requestToken"];
  peers: PeerSender | undefined;
  watch: ShardWatch;
  /** The answers of this node's own service, as soon as it has one. */
  own: () => MessageAnswers | undefined;
  /** Bytes of events of one stream that may come before the reply to its subscription has gone out. */
  maxWaitingBytes: number;
}>;

/** Streams of other nodes that the clients of one network may have open. */
const MOST_STREAMS = 1_000;

/** Status of the answer to a message, whatever the answer says, and of that to a subscription that was refused. */
const ANSWERED_STATUS = 200;
const REFUSED_STATUS = 400;

/** The refusal of a message with any other status: it comes from the link, whose text has no id of the message. */
const unanswered = ({ method }: MethodCall): OrderError =>
  new OrderError(method.access === "TRADE" ? "UNEXPECTED_RESPONSE" : "DISCONNECTED");

/** The answer of this node itself stands beside this one, which says only that there is one. */
const ANSWERED: PeerAnswer = { kind: "reply", response: { status: 200, headers: {}, body: "" } };

/**
 * Answers the messages of a node's WebSocket connections: by this node's own service where the account's shard is here,
 * else by the owner of the shard.
 */
export class ClusterAnswers implements MessageAnswers {
  readonly #parts: ClusterAnswerParts;
  /** Number of open streams of other nodes by the client's network. */
  readonly #streams: Map<string, number> = new Map();

  constructor(parts: ClusterAnswerParts) {
    this.#parts = parts;
  }

  async answer(call: MethodCall): Promise<Answer | PassedText> {
    const own = this.#parts.own();
    // Every node that serves has the market.
    if (own !== undefined && call.method.access === "PUBLIC") return await own.answer(call);
    let answer: Answer | PassedText | undefined;
    const here = this.#here(async (answers) => {
      answer = await answers.answer(call);
    });
    const { status, body } = await this.#pass(call, { form: "MESSAGE", here });
    if (answer !== undefined) return answer;
    if (status !== ANSWERED_STATUS) throw unanswered(call);
    return { text: body };
  }

  async subscribe(call: MethodCall, sink: StreamSink): Promise<OpenStream | PassedText> {
    let opened: OpenStream | PassedText | undefined;
    const { sink: once } = endingOnce(sink);
    const incarnations: number[] = [];
    const openHere = this.#here(async (answers) => {
      opened = await answers.subscribe(call, once);
    });
    const here: Passage["here"] = async (request) => {
      incarnations.push(request.incarnation);
      return await openHere(request);
    };
    const remote = new RemoteStream(once, this.#parts.maxWaitingBytes);
    const send: Passage["send"] = async (to) => {
      incarnations.push(to.request.incarnation);
      return await remote.open(() => this.#place(call), this.#parts.peers, to);
    };
    const { status, body } = await this.#pass(call, { form: "SUBSCRIPTION", here, send });
    if (opened === undefined && status === REFUSED_STATUS) return { text: body };
    if (opened === undefined && status !== ANSWERED_STATUS) throw unanswered(call);
    const stream = opened ?? remote.streamOf(body);
    if ("text" in stream) return stream;
    const isSelf = opened !== undefined;
    return this.#watched(stream, { incarnation: incarnations.at(-1) ?? 0, isSelf }, once);
  }

  #here(answer: (own: MessageAnswers) => Promise<void>): Passage["here"] {
    return async () => {
      const own = this.#parts.own();
      if (own === undefined) return { kind: "refused", reason: "ELSEWHERE" };
      try {
        await answer(own);
        return ANSWERED;
      } catch (error) {
        if (error instanceof Elsewhere) return { kind: "refused", reason: "ELSEWHERE", shard: error.shard };
        throw error;
      }
    };
  }

  async #pass(
    call: MethodCall,
    passed: Readonly<{ form: ForwardedForm }> & Pick<Passage, "here" | "send">,
  ): ReturnType<Forwarder["pass"]> {
    const { forwarder, accounts, requestToken: ofToken } = this.#parts;
    const { method, signed: parameters, text, target, address, usedWeight } = call;
    const { form, ...how } = passed;
    const hint = (): Promise<number | undefined> => messageShard({ accounts, ofToken }, parameters);
    const where = await forwarder.ownerAt({ address, hint });
    return await forwarder.pass({
      ...where,
      ...how,
      request: {
        ...{ form, target, usedWeight, remoteAddress: address, method: "GET", rawHeaders: [] },
        body: new TextEncoder().encode(text),
      },
      onlyReads: method.access !== "TRADE",
      isSigned: false,
    });
  }

  /** Counts a stream of the client's network until the returned function is called. */
  #place({ address }: MethodCall): () => void {
    const network = networkOf(address);
    const open = this.#streams.get(network) ?? 0;
    if (open >= MOST_STREAMS) throw new OrderError("TOO_MANY_SUBSCRIPTIONS");
    this.#streams.set(network, open + 1);
    return () => {
      const left = (this.#streams.get(network) ?? 1) - 1;
      if (left > 0) this.#streams.set(network, left);
      else this.#streams.delete(network);
    };
  }

  #watched(stream: OpenStream, source: Omit<StreamSource, "accountId">, once: StreamSink): OpenStream {
    const end = (): void => {
      unwatch();
      stream.end();
    };
    const unwatch = this.#parts.watch.watch({ ...source, accountId: stream.accountId }, () => {
      stream.end();
      once.ended("moved");
    });
    return { ...stream, end };
  }
}

/** A stream of another node. Its events wait until the reply to the client has gone out. */
class RemoteStream {
  readonly #events: Subscription;
  readonly #sink: StreamSink;
  #end: () => void = () => undefined;

  constructor(sink: StreamSink, maxWaitingBytes: number) {
    this.#sink = sink;
    // The owner checks access before it sends an event.
    const allowed = (): Promise<boolean> => Promise.resolve(true);
    const ended: StreamSink["ended"] = (why) => {
      this.#end();
      sink.ended(why);
    };
    this.#events = new Subscription({ send: sink.send, allowed, ended }, maxWaitingBytes);
  }

  /** Asks another node for the stream. `place` counts it, and throws an OrderError above the limit. */
  async open(
    place: () => () => void,
    peers: PeerSender | undefined,
    call: Parameters<PeerSender["send"]>[0],
  ): Promise<PeerOutcome> {
    if (peers?.subscribe === undefined) return { kind: "unsent", reason: "the link carries no streams" };
    const leave = place();
    let hasLeft = false;
    const left = (): void => {
      if (!hasLeft) leave();
      hasLeft = true;
    };
    const { outcome, end } = await peers.subscribe(call, {
      event: (text) => this.#events.push(text),
      ended: () => {
        left();
        this.#events.finish(() => this.#sink.ended("moved"));
      },
    });
    this.#end = () => {
      left();
      this.#events.stop();
      end();
    };
    if (outcome.kind !== "reply" || outcome.response.status !== 200) left();
    return outcome;
  }

  /** Returns the stream that another node has opened. Throws an OrderError -1001 for a reply that cannot be read. */
  streamOf(body: string): OpenStream {
    const { accountId, sequence, streamId } = membersOf(body);
    if (typeof accountId !== "number" || typeof sequence !== "number" || typeof streamId !== "string") {
      this.#end();
      throw new OrderError("DISCONNECTED");
    }
    return {
      ...{ accountId, sequence, streamId },
      start: () => this.#events.start(),
      end: () => this.#end(),
    };
  }
}

function membersOf(body: string): JsonObject {
  try {
    const value = readJson(body);
    return typeof value === "object" && value !== null && !isList(value) ? value : {};
  } catch {
    return {};
  }
}

const isList = (value: JsonObject | readonly JsonValue[]): value is readonly JsonValue[] =>
  Array.isArray(value);
