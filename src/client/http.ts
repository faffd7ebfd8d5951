import { ClientError, ProtocolError, type Redact, TransportError } from "./errors.ts";

declare global {
  // As in `src/ports/execution-venue.ts`, which has its comment.
  interface AbortSignal {}
}

/** An `AbortSignal`, or an object with these members, that can abort a call. */
export interface AbortLike {
  readonly aborted: boolean;
  /** Calls a listener when the call is to be aborted. */
  addEventListener(type: "abort", listener: () => void): void;
  /** Removes a listener. */
  removeEventListener(type: "abort", listener: () => void): void;
}

/** Time and timers of a client. `monotonicMs` never falls; only differences of it are meaningful. */
export interface ClientClock {
  /** Returns the wall clock in epoch milliseconds. */
  nowMs(): number;
  /** Returns milliseconds that never fall. */
  monotonicMs(): number;
  /** Runs a function once `monotonicMs` has reached `atMs`. The returned function cancels it. */
  schedule(atMs: number, run: () => void): () => void;
}

/** A request as a client hands it to `fetch`. */
export interface FetchRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Always `manual`: a signed request never goes to another address. */
  readonly redirect: "manual";
  readonly signal: AbortSignal;
}

/** A reader of the bytes of a reply. */
export interface ByteReader {
  /** Resolves to the next bytes, or to `done`. Rejects if the connection breaks. */
  read(): Promise<Readonly<{ done: boolean; value?: Uint8Array | undefined }>>;
  /** Ends reading; the rest of the reply is discarded. */
  cancel(): Promise<unknown>;
}

/** The headers of a reply. */
export interface ReplyHeaders {
  /** Returns the value of a header, whose name is in lower case, or null. */
  get(name: string): string | null;
}

/** The body of a reply. */
export interface ReplyBody {
  /** Returns a reader of its bytes. */
  getReader(): ByteReader;
}

/** The part of the response of `fetch` that a client uses. A platform may leave `body` out, as React Native does. */
export interface FetchResponse {
  readonly status: number;
  readonly headers: ReplyHeaders;
  readonly body?: ReplyBody | null;
  /** Resolves to the whole body as text. */
  text(): Promise<string>;
}

/** The function that sends requests: `globalThis.fetch`, or one like it. */
export type FetchLike = (url: string, request: FetchRequest) => Promise<FetchResponse>;

/** What a client needs of its platform. */
export interface Platform {
  readonly fetch: FetchLike;
  readonly clock: ClientClock;
  /** Returns a random number from 0 to below 1, for ids and pauses. It need not be unpredictable. */
  readonly random: () => number;
}

/** Bounds of a wait: the longest time, and a signal that ends it earlier. */
export type Bounds = Readonly<{ timeoutMs: number; signal?: AbortLike | undefined }>;

/**
 * The longest that a client sends nothing because a server asks for a wait: the longest ban. A longer wait is a mistake of
 * a server or of a proxy before it, which would stop the client for ever.
 */
export const LONGEST_HOLD_MS: number = 3 * 86_400_000;

/**
 * Runs work until it settles, the time is up or the caller aborts, whichever comes first. The work gets a signal that
 * aborts in the last two cases; the returned promise does not wait for work that ignores it. Rejects with a
 * TransportError "timeout" or "aborted".
 */
export async function within<T>(
  clock: ClientClock,
  { timeoutMs, signal }: Bounds,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  throwIfAborted(signal);
  const controller = new AbortController();
  let stop = (_error: TransportError): void => {};
  const stopped = new Promise<never>((_resolve, reject) => {
    stop = (error) => {
      reject(error);
      controller.abort();
    };
  });
  const cancelTimer = clock.schedule(clock.monotonicMs() + timeoutMs, () =>
    stop(new TransportError("timeout")),
  );
  const onAbort = (): void => stop(new TransportError("aborted"));
  signal?.addEventListener("abort", onAbort);
  try {
    return await Promise.race([stopped, work(controller.signal)]);
  } finally {
    cancelTimer();
    signal?.removeEventListener("abort", onAbort);
  }
}

/** Resolves after a pause. Rejects with a TransportError "aborted" if the caller aborts it. */
export async function pause(
  clock: ClientClock,
  durationMs: number,
  signal: AbortLike | undefined,
): Promise<void> {
  try {
    await within(clock, { timeoutMs: durationMs, signal }, () => new Promise<never>(() => {}));
  } catch (error) {
    if (!(error instanceof TransportError && error.reason === "timeout")) throw error;
  }
}

/** Throws a TransportError "aborted" if the signal has aborted already. */
export function throwIfAborted(signal: AbortLike | undefined): void {
  if (signal?.aborted === true) throw new TransportError("aborted");
}

/** How many bytes to read, and the wait that the reply demands. */
type Reading = Readonly<{ maxBytes: number; retryAfterMs: number | undefined }>;

/**
 * Reads the body of a response as text, at most `maxBytes` of it; cancels the rest. Throws a ProtocolError "too large",
 * or "not text" for bytes that are not UTF-8. A platform without streams or TextDecoder reads the text as a whole, if
 * its declared length allows.
 */
export async function readBody(
  response: FetchResponse,
  { maxBytes, retryAfterMs }: Reading,
): Promise<string> {
  const { status, headers, body } = response;
  const reader = body?.getReader?.();
  const refuse = (): ProtocolError => {
    // The connection is given up; that it fails is no news.
    reader?.cancel().catch(() => undefined);
    return new ProtocolError({ problem: "too large", status, retryAfterMs });
  };
  if (Number.parseInt(headers.get("Content-Length") ?? "0", 10) > maxBytes) throw refuse();
  if (reader === undefined || typeof TextDecoder === "undefined") {
    const text = await response.text();
    if (text.length > maxBytes) throw refuse();
    return text;
  }
  const bytes = await readBytes(reader, maxBytes);
  if (bytes === undefined) throw refuse();
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new ProtocolError({ problem: "not text", status, retryAfterMs });
  }
}

/** Resolves to all bytes, or to undefined as soon as there are more than `maxBytes`. */
async function readBytes(reader: ByteReader, maxBytes: number): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    if (value === undefined) continue;
    length += value.length;
    if (length > maxBytes) return undefined;
    chunks.push(value);
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

/**
 * Returns a detail of a failure together with a hint if this is a page of another origin than the address. A browser hides
 * from the page why a request without a reply has failed, also if the reason is that the service does not allow the origin.
 */
export function withOriginHint(detail: string | undefined, url: string): string | undefined {
  const { location } = globalThis as Readonly<{ location?: Readonly<{ origin?: unknown }> }>;
  const origin = location?.origin;
  if (typeof origin !== "string" || origin === new URL(url.replace(/^ws/, "http")).origin) return detail;
  const hint = `\`allowedOrigins\` of the service may lack ${origin}`;
  return detail === undefined ? hint : `${detail}; ${hint}`;
}

/** A request that is ready to be sent. */
export type WireCall = Readonly<{ url: string }> & Omit<FetchRequest, "redirect" | "signal">;

/** A reply as it came. */
export type WireReply = Readonly<{ status: number; text: string; retryAfterMs?: number | undefined }>;

/** How long to wait for a reply, and how much of it to read. */
type ExchangeBounds = Bounds & Readonly<{ maxReplyBytes: number }>;

/**
 * Sends a request once and reads its reply. Rejects with a TransportError if no reply came, and with a ProtocolError if
 * its body is too large or not UTF-8. What the platform says about a failure is passed on without secrets.
 */
export async function exchange(
  { fetch, clock }: Platform,
  { url, ...call }: WireCall,
  { maxReplyBytes, redact, ...bounds }: ExchangeBounds & Readonly<{ redact: Redact }>,
): Promise<WireReply> {
  return await within(clock, bounds, async (signal) => {
    let isAnswered = false;
    try {
      const response = await fetch(url, { ...call, redirect: "manual", signal });
      isAnswered = true;
      const retryAfterMs = waitOf(response.headers, clock.nowMs());
      const text = await readBody(response, { maxBytes: maxReplyBytes, retryAfterMs });
      return { status: response.status, text, retryAfterMs };
    } catch (error) {
      if (error instanceof ClientError) throw error;
      const detail = redact(detailOf(error));
      throw new TransportError("connection", isAnswered ? detail : withOriginHint(detail, url));
    }
  });
}

const SECONDS = /^[0-9]{1,9}$/;

/**
 * Reads Retry-After: whole seconds, or an HTTP date. A date counts from the date of the reply: the client's own clock,
 * which takes its place where a browser hides it, may be wrong.
 */
function waitOf(headers: ReplyHeaders, nowMs: number): number | undefined {
  const retryAfter = headers.get("Retry-After");
  if (retryAfter === null) return undefined;
  if (SECONDS.test(retryAfter)) return Number.parseInt(retryAfter, 10) * 1000;
  const sentMs = Date.parse(headers.get("Date") ?? "");
  const atMs = Date.parse(retryAfter);
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - (Number.isNaN(sentMs) ? nowMs : sentMs));
}

/** Returns message and code of a failure and of its causes. The objects themselves may hold the request's headers. */
function detailOf(error: unknown): string {
  const parts: string[] = [];
  for (let at = error, depth = 0; at instanceof Error && depth < 4; at = at.cause, depth++) {
    const code = "code" in at && typeof at.code === "string" && !at.message.includes(at.code) ? at.code : "";
    parts.push([at.message, code].filter((part) => part !== "").join(" "));
  }
  return parts.length === 0 ? String(error) : parts.join(": ");
}
