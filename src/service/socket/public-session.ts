import { networkOf } from "../../common/index.ts";
import { OrderError } from "../../errors/index.ts";
import { STREAM_METHODS, streamMessageWeight } from "../../requests/index.ts";
import { type JsonInput, type SocketMessage, writeJson } from "../../wire/index.ts";
import { refuseExcess } from "../access/rate-limits.ts";
import { textsIn } from "../rest/parts.ts";
import { refusalOf } from "../rest/replies.ts";
import type { SocketPeer } from "./api.ts";
import { CLOSE, type LiveSession, ServiceConnection, type SocketParts } from "./connection.ts";
import { RequestInbox, weighMessage } from "./inbox.ts";
import { MarketEvent, type MarketReader, type MarketStream } from "./market-streams.ts";
import { envelopeOf } from "./messages.ts";

/** Returns the stream of a name, or undefined if there is none. */
type ReadName = (name: string) => MarketStream | undefined;

/**
 * The streams of a connection: those that a name can mean, and those with which it begins. `reader` is called once for
 * the names of one request. With `isCombined`, each event is sent with the name of its stream.
 */
export type PublicForm = Readonly<{
  reader: () => ReadName;
  first: readonly MarketStream[];
  isCombined: boolean;
}>;

/** Returns the streams of all names, or undefined at the first unknown one. */
export function streamsNamed(names: readonly string[], read: ReadName): readonly MarketStream[] | undefined {
  const streams: MarketStream[] = [];
  for (const name of names) {
    const stream = read(name);
    if (stream === undefined) return undefined;
    streams.push(stream);
  }
  return streams;
}

/**
 * Refusal of a control frame. Code 1: a value of the wrong type; 2: an invalid request; 3: invalid JSON. Source:
 * convention 4.12.
 */
class ControlError extends Error {
  override readonly name = "ControlError";
  readonly code: 1 | 2 | 3;
  /** Whether the message was not a request at all. */
  readonly malformed: boolean;

  constructor(code: 1 | 2 | 3, message: string, malformed: boolean = false) {
    super(message);
    this.code = code;
    this.malformed = malformed;
  }
}

/**
 * A connection to public streams, which control frames start and stop: `/ws/liquidity`, and the paths of the public
 * convention. Source: convention 4.12.
 */
export class PublicSession implements LiveSession {
  readonly #parts: SocketParts;
  readonly #address: string;
  readonly #network: string;
  readonly connection: ServiceConnection;
  readonly #inbox: RequestInbox;
  readonly #form: PublicForm;
  /** The active streams by name. */
  readonly #streams: Map<string, Readonly<{ stream: MarketStream; end: () => void }>> = new Map();
  readonly #reader: MarketReader;

  constructor(
    parts: SocketParts,
    { peer, onEnd, ...form }: PublicForm & Readonly<{ peer: SocketPeer; onEnd: () => void }>,
  ) {
    this.#parts = parts;
    this.#form = form;
    const address = parts.service.clientAddress(peer);
    this.#address = address;
    this.#network = networkOf(address);
    const { maxWaitingMarketBytes: most } = parts.settings;
    const settings = { ...parts.settings, maxWaitingEventBytes: most, maxWaitingReplyBytes: most };
    this.connection = new ServiceConnection({ ...parts, settings, peer, address }, () => {
      for (const name of [...this.#streams.keys()]) this.#end(name);
      this.#inbox.clear();
      onEnd();
    });
    this.#inbox = new RequestInbox({
      connection: this.connection,
      turns: parts.service.turns,
      network: this.#network,
      maxUnanswered: parts.settings.maxUnanswered,
      oneByOne: true,
      serve: (text) => this.#serve(text),
      idle: () => undefined,
    });
    this.#reader = {
      network: this.#network,
      send: (event) => this.#send(event),
      hold: (bytes) => void this.connection.hold("unread", bytes),
    };
  }

  /** Subscribes to the first streams. Another connection may have taken their places since this one was admitted. */
  begin(): void {
    try {
      this.#subscribe(this.#form.first);
    } catch (error) {
      if (!(error instanceof OrderError)) throw error;
      this.connection.close(CLOSE.tryAgain, error.msg);
    }
  }

  receive(text: string): void {
    this.#inbox.take(text);
  }

  async #serve(text: string): Promise<void> {
    const { service } = this.#parts;
    const message = envelopeOf(text);
    const id = message?.id;
    const names = id === undefined ? undefined : textsIn(message?.params ?? "");
    const weight = streamMessageWeight({ bytes: text.length, names: names?.length ?? 0 });
    const address = this.#address;
    try {
      refuseExcess(service, address, await weighMessage(service, { address, weight }));
      // The limiter may have answered after the connection ended, and nothing would end new streams.
      if (!this.connection.open) return;
      const result = this.#control(message, names);
      this.connection.send("reply", writeJson({ result, id: id ?? null }));
    } catch (error) {
      const { code, message: msg } =
        error instanceof ControlError
          ? error
          : refusalOf(service, error, { fields: { route: "liquidity" }, onlyReads: true });
      this.connection.send("reply", writeJson({ code, msg, id: id ?? null }));
      if (error instanceof ControlError && error.malformed) this.connection.malformed();
    }
  }

  shutdown(): void {
    const nowMs = this.#parts.service.clock.nowMs();
    this.#send(new MarketEvent({ name: "!serverShutdown" }, `{"e":"serverShutdown","E":${nowMs}}`));
    this.connection.close(CLOSE.goingAway, "the service stops");
  }

  /** Does what a message asks for, whose params name these streams if they are a list of texts. */
  #control(message: SocketMessage | undefined, names: readonly string[] | undefined): JsonInput {
    if (message === undefined)
      throw new ControlError(3, "Invalid JSON: expected one object with id, method and params", true);
    const { id, method, params } = message;
    if (id === undefined)
      throw new ControlError(2, "Invalid request: request ID must be an integer, a string or null", true);
    if (method === undefined) throw new ControlError(2, "Invalid request: missing field `method`", true);
    const named = (): readonly MarketStream[] => {
      if (params === undefined) throw new ControlError(2, "Invalid request: missing field `params`");
      if (names !== undefined) return this.#named(names);
      throw new ControlError(1, "Invalid value type: expected an array of stream names");
    };
    switch (method) {
      case "SUBSCRIBE":
        this.#subscribe(named());
        return null;
      case "UNSUBSCRIBE":
        for (const { name } of named()) this.#end(name);
        return null;
      case "LIST_SUBSCRIPTIONS":
        return [...this.#streams.keys()];
      default: {
        const known = STREAM_METHODS.join(", ");
        throw new ControlError(2, `Invalid request: unknown variant, expected one of ${known}`);
      }
    }
  }

  /** Subscribes to all of the streams, or to none if that would be too many. */
  #subscribe(streams: readonly MarketStream[]): void {
    const fresh = new Map(streams.map((stream) => [stream.name, stream]));
    for (const name of this.#streams.keys()) fresh.delete(name);
    if (this.#streams.size + fresh.size > this.#parts.settings.maxStreams) throw tooMany();
    this.#parts.service.traffic.streams.open(this.#network, fresh.size);
    for (const [name, stream] of fresh) {
      this.#streams.set(name, { stream, end: this.#parts.markets.subscribe(stream, this.#reader) });
    }
  }

  /** Sends an event, with the name of its stream if the connection is combined. */
  #send(event: MarketEvent): void {
    this.connection.send("event", this.#form.isCombined ? event.named : event.text);
  }

  #end(name: string): void {
    const stream = this.#streams.get(name);
    if (stream === undefined) return;
    stream.end();
    this.#streams.delete(name);
    this.#parts.service.traffic.streams.close(this.#network, 1);
  }

  /** Returns the streams of names. An active one has its name also without its market. */
  #named(names: readonly string[]): readonly MarketStream[] {
    if (names.length > this.#parts.settings.maxStreams) throw tooMany();
    const read = this.#form.reader();
    const streams = streamsNamed(names, (name) => this.#streams.get(name)?.stream ?? read(name));
    if (streams === undefined) throw new ControlError(2, "Invalid request: unknown stream");
    return streams;
  }
}

const tooMany = (): ControlError => new ControlError(2, "Invalid request: too many parameters");
