import type { ServerResponse } from "node:http";
import type { QuoteInput, VenueEvent } from "../../ports/index.ts";
import { type JsonInput, writeJson } from "../../wire/index.ts";
import { EventChannel } from "./channel.ts";
import type { LogBounds } from "./event-log.ts";
import { execution } from "./native-values.ts";
import { Refusal } from "./refusal.ts";
import { capabilities, type StreamName } from "./routes.ts";
import type { ServerLimits, VenueServerOptions } from "./server-options.ts";
import { print, quote, report } from "./values.ts";

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
