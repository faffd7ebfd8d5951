import type { ServerResponse } from "node:http";
import type { Clock, Telemetry } from "../../ports/index.ts";
import { type JsonInput, writeJson } from "../../wire/index.ts";
import { EventLog, type LogBounds, type LoggedLine } from "./event-log.ts";
import { Refusal } from "./refusal.ts";

/**
 * Bytes that may wait for a slow reader, beside what it missed before it came. A reader with more is cut off, and comes back
 * with its last number.
 */
const MOST_WAITING_BYTES = 8 * 1024 * 1024;

/** Dependencies of a channel. */
export type EventChannelParts = Readonly<{
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
export type OldReader = Pick<Reader, "sinceMs"> & Readonly<{ cut: () => void }>;

type Message = { readonly [name: string]: JsonInput };

/** A stream of numbered events: its newest ones, and those who read it. */
export class EventChannel {
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
