import { errorName, Pause } from "../../common/index.ts";
import { harmless } from "../../host-answers/index.ts";
import type { Telemetry } from "../../ports/index.ts";
import { readJson } from "../../wire/index.ts";
import { type AbandonExchange, VenueHttpError, type VenueLink } from "./link.ts";
import { utf8In } from "./messages.ts";
import { type Manifest, STREAMS, type StreamName } from "./routes.ts";

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;

/** Members of a message, whose types have not been checked. */
export type StreamMessage = Readonly<Record<string, unknown>>;

/** Dependencies of the parts of a remote venue. */
export type RemoteParts = Readonly<{
  link: VenueLink;
  manifest: Manifest;
  streams: FollowedStreams;
  telemetry: Telemetry | undefined;
}>;

/** Connections to a server, and how long a stream may be silent. */
type Following = Readonly<{ link: VenueLink; silenceMs: number; telemetry: Telemetry | undefined }>;

/** What a stream is followed for. */
type StreamListener = Readonly<{
  /** Called with the first message of each connection. `isAnew`: events before it may have been missed. */
  began?: (hello: StreamMessage, isAnew: boolean) => void;
  /** Called with each event, in order and once, and with each message that has no number. */
  received: (message: StreamMessage) => void;
}>;

/** State of a stream. */
export interface StreamState {
  readonly name: StreamName;
  /** Whether it is connected. */
  readonly isLive: boolean;
  /** Number of the last event. */
  readonly after: number;
}

/** The streams of a server that are followed. */
export class FollowedStreams {
  readonly #following: Following;
  readonly #followers: Set<VenueFollower> = new Set();

  constructor(following: Following) {
    this.#following = following;
  }

  /** States of the streams. */
  get states(): readonly StreamState[] {
    return [...this.#followers].map(({ state }) => state);
  }

  /** Follows a stream until the returned function is called. */
  follow(name: StreamName, listener: StreamListener): () => void {
    const follower = new VenueFollower({ ...this.#following, ...listener, name });
    this.#followers.add(follower);
    return () => {
      follower.close();
      this.#followers.delete(follower);
    };
  }

  /** Ends all streams. */
  close(): void {
    for (const follower of this.#followers) follower.close();
    this.#followers.clear();
  }
}

/**
 * Follows one stream until it is closed. After a break it goes on from the last event that it has heard; if the server no
 * longer has what came after it, it begins anew.
 */
class VenueFollower {
  readonly #parts: Following & StreamListener & Readonly<{ name: StreamName }>;
  #stream: string | undefined;
  #after = 0;
  #isLive = false;
  #isClosed = false;
  #pauseMs = FIRST_PAUSE_MS;
  #end: AbandonExchange = () => undefined;
  readonly #pause: Pause = new Pause();
  #problem = "";

  constructor(parts: Following & StreamListener & Readonly<{ name: StreamName }>) {
    this.#parts = parts;
    void this.#follow();
  }

  get state(): StreamState {
    return { name: this.#parts.name, isLive: this.#isLive, after: this.#after };
  }

  /** Ends the stream. Nothing is heard any more. */
  close(): void {
    this.#isClosed = true;
    this.#end("closed");
    this.#pause.end();
  }

  async #follow(): Promise<void> {
    while (!this.#isClosed) {
      try {
        await this.#read();
        this.#down("the server ended the stream");
      } catch (error) {
        this.#failed(error);
      }
      this.#isLive = false;
      if (this.#isClosed) return;
      const { clock } = this.#parts.link;
      const untilMs = clock.monotonicMs() + this.#pauseMs;
      this.#pauseMs = Math.min(2 * this.#pauseMs, LONGEST_PAUSE_MS);
      await this.#pause.until((over) => clock.schedule(untilMs, over));
    }
  }

  #failed(error: unknown): void {
    const code = error instanceof VenueHttpError ? error.code : undefined;
    if (code === "HISTORY_GONE" && this.#stream !== undefined) {
      this.#stream = undefined;
      this.#report("warn", "venue-http.history-gone", {});
      return;
    }
    this.#down(error instanceof VenueHttpError ? error.message : errorName(error));
  }

  /** Reports a break once for each cause. */
  #down(problem: string): void {
    if (this.#isClosed || problem === this.#problem) return;
    this.#problem = problem;
    this.#report("warn", "venue-http.down", { problem });
  }

  #report(level: "warn" | "info", name: string, fields: Readonly<Record<string, string>>): void {
    this.#parts.telemetry?.event(level, name, { stream: this.#parts.name, ...fields });
  }

  /** Reads one connection until it ends. Rejects if it cannot be opened, breaks, is silent or cannot be read. */
  async #read(): Promise<void> {
    const { link, name, silenceMs } = this.#parts;
    const from = this.#stream === undefined ? "" : `?stream=${this.#stream}&after=${this.#after}`;
    const { answer, end } = await link.stream(`${STREAMS[name].path}${from}`);
    this.#end = end;
    if (this.#isClosed) return end("closed");
    const { clock } = link;
    let receivedAtMs = clock.monotonicMs();
    let problem: string | undefined;
    const stop = (why: string): void => {
      problem ??= why;
      end(why);
    };
    const look = (): void => {
      if (clock.monotonicMs() - receivedAtMs >= silenceMs) stop(`nothing heard for ${silenceMs} ms`);
      else cancel = clock.schedule(receivedAtMs + silenceMs, look);
    };
    let cancel = clock.schedule(receivedAtMs + silenceMs, look);
    const lines = new Lines();
    try {
      for await (const bytes of answer as AsyncIterable<Uint8Array>) {
        const whole = lines.take(bytes);
        if (whole === undefined) this.#unreadable(end);
        // Only whole lines count: single bytes at long intervals would keep a dead stream.
        if (whole.length > 0) receivedAtMs = clock.monotonicMs();
        for (const line of whole) if (!this.#take(line)) this.#unreadable(end);
        if (this.#isClosed) return end("closed");
      }
    } catch (cause) {
      if (cause instanceof VenueHttpError) throw cause;
      throw new VenueHttpError("unanswered", problem ?? "the connection broke", { cause });
    } finally {
      cancel();
    }
  }

  /** Gives up a stream that breaks the protocol. Reading it again from the same place would not help. */
  #unreadable(end: AbandonExchange): never {
    end("unreadable");
    this.#stream = undefined;
    throw new VenueHttpError("unreadable", "the stream breaks the protocol");
  }

  /** Takes one line. Returns whether it is of the protocol. */
  #take(line: string): boolean {
    const message = messageOf(line);
    if (message === undefined) return false;
    if (!this.#isLive) return message["type"] === "hello" && this.#begin(message);
    const { seq } = message;
    this.#pauseMs = FIRST_PAUSE_MS;
    if (seq === undefined) {
      this.#receive(message);
      return true;
    }
    if (!isNumber(seq)) return false;
    if (seq <= this.#after) return true;
    this.#after = seq;
    this.#receive(message);
    return true;
  }

  #begin(hello: StreamMessage): boolean {
    const { stream, seq } = hello;
    if (typeof stream !== "string" || !/^[0-9A-Za-z_-]{1,64}$/.test(stream) || !isNumber(seq)) return false;
    // A server that goes on after a later event than it was asked for has lost those between them, and may not know it. One
    // that goes on after an earlier one numbers anew: its next events would be taken for old ones.
    const isAnew = this.#stream !== stream || seq !== this.#after;
    this.#stream = stream;
    if (isAnew) this.#after = seq;
    this.#isLive = true;
    if (this.#problem !== "") this.#report("info", "venue-http.up", {});
    this.#problem = "";
    harmless(
      () => this.#parts.began?.(hello, isAnew),
      () => undefined,
    );
    return true;
  }

  #receive(message: StreamMessage): void {
    if (this.#isClosed) return;
    harmless(
      () => this.#parts.received(message),
      () => this.#report("warn", "venue-http.listener-failed", {}),
    );
  }
}

const isNumber = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

function messageOf(line: string): StreamMessage | undefined {
  try {
    const value = readJson(line);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? (value as StreamMessage) : undefined;
  } catch {
    return undefined;
  }
}

/** Most bytes of one line of a stream. */
const MOST_LINE_BYTES = 8 * 1024 * 1024;

const LINE_BREAK = 10;

/** Divides the bytes of a stream into lines. */
class Lines {
  #parts: Uint8Array[] = [];
  #length = 0;

  /** Returns the lines that these bytes complete; undefined if a line is too long or not UTF-8. */
  take(bytes: Uint8Array): readonly string[] | undefined {
    const lines: string[] = [];
    let from = 0;
    for (let end = bytes.indexOf(LINE_BREAK); end >= 0; end = bytes.indexOf(LINE_BREAK, from)) {
      if (!this.#add(bytes.subarray(from, end))) return undefined;
      const text = textOf(Buffer.concat(this.#parts));
      if (text === undefined) return undefined;
      lines.push(text);
      this.#parts = [];
      this.#length = 0;
      from = end + 1;
    }
    return this.#add(bytes.subarray(from)) ? lines : undefined;
  }

  #add(bytes: Uint8Array): boolean {
    this.#length += bytes.length;
    if (bytes.length > 0) this.#parts.push(bytes);
    return this.#length <= MOST_LINE_BYTES;
  }
}

function textOf(bytes: Uint8Array): string | undefined {
  try {
    return utf8In(bytes);
  } catch {
    return undefined;
  }
}
