import type { ServerResponse } from "node:http";
import type { Clock, QuoteInput, Telemetry, VenueEvent } from "../../ports/index.ts";
import { type JsonInput, writeJson } from "../../wire/index.ts";
import { Refusal } from "./messages.ts";
import { capabilities, type StreamName } from "./routes.ts";
import type { ServerLimits, VenueServerOptions } from "./server-options.ts";
import { execution, print, quote, report } from "./values.ts";

/** Most characters of the events that one stream keeps. */
const MOST_CHARACTERS = 16 * 1024 * 1024;

/** Most markets whose newest quote is kept. */
const MOST_MARKETS = 10_000;

/**
 * Age in milliseconds from which a reader may have to leave for another one of its address, where all places are taken. Its host
 * may be gone, which its connection may not tell for a quarter of an hour.
 */
const OLD_MS = 60_000;

/** Length of the id of a stream. */
const ID_LENGTH = 22;

/** Where a reader wants to go on: a stream, and the number of the last event that it has read. */
export type ReadFrom = Readonly<{ stream: string; after: number }> | undefined;

type Reports = { readonly channel: EventChannel; readonly leave: () => void; cancel: () => void };

type StreamParts = VenueServerOptions & Readonly<{ bounds: ServerLimits }>;

/**
 * The streams of a server. Quotes and executions of native orders have one channel each. Each new reader of reports gets
 * a channel with a subscription of its own, because the venue tells late fills again to a new listener. That channel is
 * kept for a while when its reader leaves.
 */
export class VenueStreams {
  readonly #parts: StreamParts;
  readonly #reports: Map<string, Reports> = new Map();
  readonly #market: EventChannel;
  readonly #native: EventChannel;
  readonly #leave: (() => void)[] = [];
  readonly #symbols: Set<string> = new Set();

  constructor(parts: StreamParts) {
    this.#parts = parts;
    this.#market = this.#channel();
    this.#native = this.#channel();
    this.#followMarket();
    const { nativeOrders } = parts;
    if (nativeOrders === undefined) return;
    const publishExecution = (json: () => JsonInput): void => publish(this.#native, "execution", json);
    const leave = nativeOrders.subscribe(
      (value) => publishExecution(() => execution.write(value)),
      () => this.#native.lose(),
    );
    this.#leave.push(leave);
  }

  /** Number of connections that read a stream. */
  get readers(): number {
    const reports = [...this.#reports.values()].reduce((sum, { channel }) => sum + channel.readers, 0);
    return reports + this.#market.readers + this.#native.readers;
  }

  /** Writes a stream to a response. Throws a Refusal if that cannot be done. */
  read(name: StreamName, response: ServerResponse, from: ReadFrom): void {
    if (name === "events") return this.#readReports(response, from);
    const channel = name === "market" ? this.#market : this.#native;
    if (from !== undefined && from.stream !== channel.id) throw new Refusal("HISTORY_GONE");
    this.#requireRoom(response, [channel]);
    channel.read(response, from?.after);
  }

  /** Ends all streams. */
  close(): void {
    for (const leave of this.#leave) leave();
    for (const id of [...this.#reports.keys()]) this.#evict(id);
    this.#market.close();
    this.#native.close();
  }

  /**
   * Ensures that one more can read. If all places are taken, the oldest reader from the same address of the same kind of stream
   * leaves, if it has read for long: one that is there comes back by itself. Throws a Refusal if there is none.
   */
  #requireRoom({ socket }: ServerResponse, channels: readonly EventChannel[]): void {
    const { bounds, clock, telemetry } = this.#parts;
    if (this.readers < bounds.streams) return;
    const old = channels.flatMap((channel) => channel.oldestFrom(socket?.remoteAddress) ?? []);
    const [oldest] = old.sort((a, b) => a.sinceMs - b.sinceMs);
    if (oldest === undefined || clock.monotonicMs() - oldest.sinceMs < OLD_MS) throw new Refusal("BUSY");
    telemetry?.event("warn", "venue-http.reader-replaced", { readers: this.readers });
    oldest.cut();
  }

  #readReports(response: ServerResponse, from: ReadFrom): void {
    const known = from && this.#reports.get(from.stream);
    if (from !== undefined && known === undefined) throw new Refusal("HISTORY_GONE");
    // One reader at a time: an older connection of the same reader is broken, and has not noticed it.
    known?.channel.cut();
    this.#requireRoom(
      response,
      [...this.#reports.values()].map(({ channel }) => channel),
    );
    const reports = known ?? this.#openReports();
    reports.cancel();
    try {
      reports.channel.read(response, from?.after ?? 0);
    } catch (error) {
      this.#evict(reports.channel.id);
      throw error;
    }
  }

  #openReports(): Reports {
    const { venue, clock, bounds } = this.#parts;
    this.#makeRoom();
    const channel = this.#channel(() => {
      const reports = this.#reports.get(channel.id);
      if (reports === undefined) return;
      reports.cancel = clock.schedule(clock.monotonicMs() + bounds.keepMs, () => this.#evict(channel.id));
    });
    const leave = venue.subscribe((event: VenueEvent) =>
      publish(channel, "report", () => report.write(event.report)),
    );
    const reports: Reports = { channel, leave, cancel: () => undefined };
    this.#reports.set(channel.id, reports);
    return reports;
  }

  /** Forgets the oldest stream without a reader if there are too many. Throws a Refusal if all have readers. */
  #makeRoom(): void {
    if (this.#reports.size < this.#parts.bounds.streams) return;
    const unread = [...this.#reports.values()].find(({ channel }) => channel.readers === 0);
    if (unread === undefined) throw new Refusal("BUSY");
    this.#evict(unread.channel.id);
  }

  #evict(id: string): void {
    const reports = this.#reports.get(id);
    if (reports === undefined) return;
    this.#reports.delete(id);
    reports.cancel();
    reports.leave();
    reports.channel.close();
  }

  #followMarket(): void {
    const { marketData, clock } = this.#parts;
    if (marketData === undefined) return;
    const leave = marketData.subscribe({
      quote: (value) => {
        if (this.#isKnown(value.symbol)) publishQuote(this.#market, value, clock.nowMs());
        return "counted";
      },
      heartbeat: (symbol) => this.#market.send({ type: "confirmed", symbol }),
      print: (value) => publish(this.#market, "print", () => print.write(value)),
    });
    this.#leave.push(leave);
  }

  #isKnown(symbol: string): boolean {
    if (this.#symbols.has(symbol)) return true;
    if (this.#symbols.size >= MOST_MARKETS) return false;
    this.#symbols.add(symbol);
    return true;
  }

  #channel(left?: () => void): EventChannel {
    const { clock, entropy, telemetry, bounds, venue } = this.#parts;
    const log: LogBounds = { events: bounds.history, characters: MOST_CHARACTERS };
    return new EventChannel({
      ...{ id: entropy.token(ID_LENGTH), clock, telemetry, beatMs: bounds.beatMs, bounds: log, left },
      greeting: () => ({ capabilities: capabilities.write(venue.capabilities) }),
    });
  }
}

/** Publishes an event. One that cannot be written is lost, and the readers begin anew. */
function publish(channel: EventChannel, type: string, json: () => JsonInput): void {
  let value: JsonInput;
  try {
    value = json();
    writeJson(value);
  } catch {
    channel.lose();
    return;
  }
  channel.publish({ type, [type]: value });
}

/**
 * Publishes a quote. One without a time is kept with the time of its arrival: read later, it would otherwise count as a
 * quote of that moment. One that cannot be written is left out, as the engine drops one that it cannot read.
 */
function publishQuote(channel: EventChannel, value: QuoteInput, nowMs: number): void {
  try {
    const event = { type: "quote", quote: quote.write(value) };
    const isTimed = value.timeMs !== undefined;
    const retained = isTimed ? event : { ...event, quote: quote.write({ ...value, timeMs: nowMs }) };
    channel.publish(event, { key: value.symbol, retained });
  } catch {
    return;
  }
}

/**
 * Bytes that may wait for a slow reader, beside what it missed before it came. A reader with more is cut off, and comes back
 * with its last number.
 */
const MOST_WAITING_BYTES = 8 * 1024 * 1024;

/** Dependencies of a channel. */
type EventChannelParts = Readonly<{
  id: string;
  clock: Clock;
  telemetry: Telemetry | undefined;
  beatMs: number;
  bounds: LogBounds;
  /** Members of the first line beside its own. */
  greeting: () => { readonly [name: string]: JsonInput };
  /** Called when the last reader has left. */
  left?: (() => void) | undefined;
}>;

/** A reader: the bytes that may wait for it, where it is, and since when it reads by the monotonic clock. */
type Reader = Readonly<{ mostWaiting: number; address: string | undefined; sinceMs: number }>;

/** A reader that may have to leave for another one. */
type OldReader = Pick<Reader, "sinceMs"> & Readonly<{ cut: () => void }>;

type Message = { readonly [name: string]: JsonInput };

/** A stream of numbered events: its newest ones, and those who read it. */
class EventChannel {
  readonly id: string;
  readonly #parts: EventChannelParts;
  readonly #log: EventLog;
  /** In the order in which they came. */
  readonly #readers: Map<ServerResponse, Reader> = new Map();

  constructor(parts: EventChannelParts) {
    this.id = parts.id;
    this.#parts = parts;
    this.#log = new EventLog(parts.bounds);
  }

  /** Number of connections that read it. */
  get readers(): number {
    return this.#readers.size;
  }

  /**
   * Sends an event to all readers and keeps it, in another form if `retained` is given. `key`: only the newest event with it
   * is kept.
   */
  publish(event: Message, { key, retained }: Readonly<{ key?: string; retained?: Message }> = {}): void {
    const sequence = this.#log.next();
    const text = writeJson(event);
    this.#log.retain({ sequence, text: retained === undefined ? text : writeJson(retained) }, key);
    this.#write(numbered({ sequence, text }));
  }

  /** Sends a message to those who read now. */
  send(message: Message): void {
    this.#write(writeJson(message));
  }

  /** Ends all readers after an event that cannot be written. None of them can go on from before it. */
  lose(): void {
    this.#log.lose();
    this.close();
  }

  /**
   * Writes the stream to a response until one side ends it. With `after`, it begins with the events after that number;
   * without, with the newest of each key. Those have no numbers: the reader takes the number of the first line as read.
   * Throws a Refusal HISTORY_GONE if some of the events are gone.
   */
  read(response: ServerResponse, after: number | undefined): void {
    const missed =
      after === undefined
        ? this.#log.current().map(({ text }) => text)
        : this.#log.after(after)?.map((line) => numbered(line));
    if (missed === undefined) throw new Refusal("HISTORY_GONE");
    const { id, clock, beatMs, greeting } = this.#parts;
    response.writeHead(200, { "content-type": "application/x-ndjson", "cache-control": "no-store" });
    // The first line, and each beat, would otherwise wait for more bytes.
    response.socket?.setNoDelay(true);
    const timeMs = clock.nowMs();
    const hello = { type: "hello", stream: id, seq: after ?? this.#log.last, timeMs, beatMs, ...greeting() };
    response.write(`${writeJson(hello)}\n`);
    // Nothing of what was missed can go out before this turn ends, so that it says nothing of the reader. The log bounds it.
    for (const text of missed) response.write(`${text}\n`);
    this.#readers.set(response, {
      mostWaiting: response.writableLength + MOST_WAITING_BYTES,
      address: response.socket?.remoteAddress,
      sinceMs: clock.monotonicMs(),
    });
    const stop = this.#beat(response);
    response.once("close", () => {
      stop();
      if (this.#readers.delete(response) && this.#readers.size === 0) this.#parts.left?.();
    });
  }

  /** Ends all readers. */
  close(): void {
    for (const response of this.#readers.keys()) response.end();
  }

  /** Cuts off all readers, whose connections may be broken, and forgets them at once. */
  cut(): void {
    for (const response of [...this.#readers.keys()]) this.#cut(response);
  }

  /** Returns the reader from an address that came first; undefined if there is none. */
  oldestFrom(wanted: string | undefined): OldReader | undefined {
    for (const [response, { address, sinceMs }] of this.#readers)
      if (address === wanted) return { sinceMs, cut: () => this.#cut(response) };
    return undefined;
  }

  #cut(response: ServerResponse): void {
    const wasThere = this.#readers.delete(response);
    response.destroy();
    if (wasThere && this.#readers.size === 0) this.#parts.left?.();
  }

  #beat(response: ServerResponse): () => void {
    const { clock, beatMs } = this.#parts;
    const beat = (): void => {
      this.#send(response, writeJson({ type: "beat", timeMs: clock.nowMs() }));
      cancel = clock.schedule(clock.monotonicMs() + beatMs, beat);
    };
    let cancel = clock.schedule(clock.monotonicMs() + beatMs, beat);
    return () => cancel();
  }

  #write(text: string): void {
    for (const response of [...this.#readers.keys()]) this.#send(response, text);
  }

  #send(response: ServerResponse, text: string): void {
    if (response.destroyed || response.writableEnded) return;
    response.write(`${text}\n`);
    if (response.writableLength <= (this.#readers.get(response)?.mostWaiting ?? MOST_WAITING_BYTES)) return;
    this.#parts.telemetry?.event("warn", "venue-http.slow-reader", { stream: this.id });
    response.destroy();
  }
}

/** The text of an event with its number. */
const numbered = ({ sequence, text }: LoggedLine): string => `{"seq":${sequence},${text.slice(1)}`;

/** An event with its number. `text` does not have the number. */
type LoggedLine = Readonly<{ sequence: number; text: string }>;

/** Bounds of a log: most events without a key, and most characters in all events. The caller bounds the keys. */
type LogBounds = Readonly<{ events: number; characters: number }>;

/**
 * The newest events of one stream, for readers that come back after a break. An event with a key replaces the one
 * before it with that key: of quotes, only the newest of each market is needed.
 */
export class EventLog {
  readonly #bounds: LogBounds;
  /** The events without a key, by number. */
  readonly #texts: Map<number, string> = new Map();
  /** The newest event of each key, in order. They go last, because those who begin anew need them. */
  readonly #keyed: Map<string, LoggedLine> = new Map();
  #characters = 0;
  #last = 0;
  /** Number of the newest event that is gone without a newer one of its key. */
  #gone = 0;

  constructor(bounds: LogBounds) {
    this.#bounds = bounds;
  }

  /** Number of the newest event. */
  get last(): number {
    return this.#last;
  }

  /** Returns the number of the next event, which `retain` must be called with. */
  next(): number {
    return ++this.#last;
  }

  /** Keeps an event. */
  retain(line: LoggedLine, key?: string): void {
    if (key === undefined) this.#texts.set(line.sequence, line.text);
    else {
      this.#characters -= this.#keyed.get(key)?.text.length ?? 0;
      this.#keyed.delete(key);
      this.#keyed.set(key, line);
    }
    this.#characters += line.text.length;
    this.#shorten();
  }

  /** Records that an event could not be kept: nobody can go on from before it. */
  lose(): void {
    this.#gone = ++this.#last;
  }

  /** Returns the events after a number; undefined if some of them are gone, or the number was never given. */
  after(sequence: number): readonly LoggedLine[] | undefined {
    if (sequence < this.#gone || sequence > this.#last) return undefined;
    const unkeyed = [...this.#texts].map(([number, text]) => ({ sequence: number, text }));
    const lines = [...unkeyed, ...this.#keyed.values()].filter((line) => line.sequence > sequence);
    return lines.toSorted((a, b) => a.sequence - b.sequence);
  }

  /** Returns the newest event of each key, in order. */
  current(): readonly LoggedLine[] {
    return [...this.#keyed.values()];
  }

  #shorten(): void {
    const { events, characters } = this.#bounds;
    for (const [sequence, text] of this.#texts) {
      if (this.#texts.size <= events && this.#characters <= characters) return;
      this.#texts.delete(sequence);
      this.#dropped({ sequence, text });
    }
    for (const [key, line] of this.#keyed) {
      if (this.#characters <= characters) return;
      this.#keyed.delete(key);
      this.#dropped(line);
    }
  }

  #dropped({ sequence, text }: LoggedLine): void {
    this.#characters -= text.length;
    this.#gone = Math.max(this.#gone, sequence);
  }
}
