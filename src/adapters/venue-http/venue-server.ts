import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { errorName } from "../../common/index.ts";
import { checkedClock, QuietTelemetry } from "../../host-answers/index.ts";
import type { Clock } from "../../ports/index.ts";
import { type JsonInput, writeJson } from "../../wire/index.ts";
import { Unproved } from "../shared/index.ts";
import { type Handler, handlersOf, ReceivedSubmissions } from "./handlers.ts";
import {
  ANSWERS_HEADER,
  isSigned,
  jsonIn,
  Refusal,
  SIGNATURE_HEADER,
  TIME_HEADER,
  timeIn,
} from "./messages.ts";
import { STREAMS, type StreamName, VENUE_ROUTES, type VenueRouteName } from "./routes.ts";
import {
  DEFAULT_LIMITS,
  type ServerLimits,
  serverOption,
  type VenueServerOptions,
} from "./server-options.ts";
import { type ReadFrom, VenueStreams } from "./venue-streams.ts";

/** A venue behind HTTP. */
export interface VenueServer {
  /**
   * Answers one request. Resolves when the answer has been handed to the connection, and never rejects. Pass the objects
   * of node:http; the body must not have been read.
   */
  answer(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** Answers all requests of a server of node:http or node:https, and limits the time for their heads. */
  attach(server: Server): void;
  /**
   * Ends the streams, stops listening to the venue, and refuses further requests, also those whose body has not come whole.
   * Requests that wait for the venue are answered.
   */
  close(): void;
}

const HEAD_MS = 10_000;
const WHOLE_REQUEST_MS = 30_000;
/** Longer than clients keep an idle connection, so that none of them sends a request into a closing one. */
const IDLE_MS = 75_000;

/**
 * Serves a venue over the protocol of docs/venue-http.md, for an engine in another process. A child is handed to the venue
 * at most once, also if its request arrives twice or is replayed. Mount {@link VenueServer.answer} in a server of the host,
 * or hand a server of its own to {@link VenueServer.attach}; TLS is that server's. Throws a TypeError or RangeError that
 * names an option that is missing, unknown or wrong.
 *
 * @example
 * ```ts
 * import { createServer } from "node:http";
 * import { createEntropy, createSystemClock } from "managed-orders/node";
 * import type { ExecutionVenue } from "managed-orders/ports";
 * import { createVenueServer } from "managed-orders/venue-http";
 * const serve = (venue: ExecutionVenue, secret: string) => {
 *   const server = createServer();
 *   createVenueServer({ venue, secret, clock: createSystemClock(), entropy: createEntropy() }).attach(server);
 *   return server.listen(8090, "127.0.0.1");
 * };
 * ```
 */
export function createVenueServer(options: VenueServerOptions): VenueServer {
  serverOption(options, "createVenueServer");
  return new HttpVenue(options);
}

type Routed =
  | Readonly<{ kind: "call"; handler: Handler }>
  | Readonly<{ kind: "stream"; name: StreamName; from: ReadFrom }>;

class HttpVenue implements VenueServer {
  readonly #options: VenueServerOptions;
  readonly #limits: ServerLimits;
  readonly #secrets: readonly string[];
  readonly #streams: VenueStreams;
  readonly #calls: ReadonlyMap<string, Readonly<{ method: string; handler: Handler }>>;
  readonly #startedAtMs: number;
  readonly #startedMonotonicMs: number;
  readonly #unproved: Unproved = new Unproved(() => this.#report("venue-http.crowded", {}));
  /** Requests that are proved and wait for the venue. */
  #requests = 0;
  #isClosed = false;

  constructor(given: VenueServerOptions) {
    const telemetry = new QuietTelemetry(given.telemetry);
    const options = { ...given, telemetry, clock: checkedClock(given.clock, telemetry) };
    const { venue, clock, secret, previousSecret, prefix = "" } = options;
    this.#options = options;
    this.#limits = { ...DEFAULT_LIMITS, ...options.limits };
    this.#secrets = previousSecret === undefined ? [secret] : [secret, previousSecret];
    this.#startedAtMs = clock.nowMs();
    this.#startedMonotonicMs = clock.monotonicMs();
    const { freshMs } = this.#limits;
    const submissions = new ReceivedSubmissions({ venue, clock, freshMs, startedAtMs: this.#startedAtMs });
    const handlers = handlersOf({ ...options, submissions });
    const names = Object.keys(VENUE_ROUTES) as VenueRouteName[];
    this.#calls = new Map(
      names.map((name) => [
        `${prefix}${VENUE_ROUTES[name].path}`,
        { method: VENUE_ROUTES[name].method, handler: handlers[name] },
      ]),
    );
    this.#streams = new VenueStreams({ ...options, bounds: this.#limits });
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const ended = new AbortController();
    response.once("close", () => ended.abort());
    try {
      if (this.#isClosed) throw new Refusal("CLOSING");
      await this.#serve(request, response, ended.signal);
    } catch (error) {
      this.#refuse(request, response, error);
    }
  }

  attach(server: Server): void {
    server.headersTimeout = HEAD_MS;
    server.requestTimeout = WHOLE_REQUEST_MS;
    server.keepAliveTimeout = IDLE_MS;
    server.on("request", (request, response) => void this.answer(request, response));
  }

  close(): void {
    this.#isClosed = true;
    this.#streams.close();
  }

  /** The time by which signatures are judged. It cannot be set, so that no signature becomes fresh a second time. */
  #nowMs(): number {
    return this.#startedAtMs + this.#options.clock.monotonicMs() - this.#startedMonotonicMs;
  }

  async #serve(request: IncomingMessage, response: ServerResponse, ended: AbortSignal): Promise<void> {
    const routed = this.#routeOf(request);
    const signedAtMs = this.#signedAtMs(request);
    const body = await this.#bodyOf(request);
    response.setHeader(ANSWERS_HEADER, this.#verified(request, body));
    this.#unproved.proved(addressOf(request));
    // A stream would never be ended, and the venue may be closed by now.
    if (this.#isClosed) throw new Refusal("CLOSING");
    // The body may have taken long: a copy must not be taken for fresh after its id was forgotten.
    this.#signedAtMs(request);
    if (routed.kind === "stream") {
      // Behind an unanswered request it would not learn that its reader has left.
      if (response.socket === null)
        throw new Refusal("BAD_REQUEST", "A stream needs a connection without other requests.");
      response.setHeader(TIME_HEADER, String(this.#nowMs()));
      return this.#streams.read(routed.name, response, routed.from);
    }
    if (this.#requests >= this.#limits.requests) throw new Refusal("BUSY");
    const call = { body: jsonOf(request, body), signedAtMs };
    this.#requests++;
    try {
      this.#send(response, 200, await this.#inTime(routed.handler, call, ended));
    } finally {
      this.#requests--;
    }
  }

  /** Resolves to the body of a request. Until it has come, anybody may have sent the request. */
  async #bodyOf(request: IncomingMessage): Promise<Uint8Array> {
    const crowdedOut = new AbortController();
    const leave = this.#unproved.enter(addressOf(request), () => crowdedOut.abort());
    try {
      const { clock } = this.#options;
      return await readBytes(request, { ...this.#limits, clock, crowdedOut: crowdedOut.signal });
    } finally {
      leave();
    }
  }

  #routeOf({ method = "", url = "" }: IncomingMessage): Routed {
    const [path = "", query = ""] = url.split("?", 2);
    const call = this.#calls.get(path);
    if (call !== undefined) {
      if (call.method !== method) throw new Refusal("WRONG_METHOD");
      return { kind: "call", handler: call.handler };
    }
    const { prefix = "" } = this.#options;
    const name = (Object.keys(STREAMS) as StreamName[]).find(
      (stream) => `${prefix}${STREAMS[stream].path}` === path,
    );
    if (name === undefined) throw new Refusal("NOT_FOUND");
    if (method !== "GET") throw new Refusal("WRONG_METHOD");
    const { marketData, nativeOrders } = this.#options;
    const isThere = { events: true, market: marketData, native: nativeOrders }[name] !== undefined;
    if (!isThere) throw new Refusal("NO_SUCH_PART");
    return { kind: "stream", name, from: readFrom(query) };
  }

  /** Returns the time of the signature. Its freshness is cheap to check, so it comes before the body is read. */
  #signedAtMs({ headers }: IncomingMessage): number {
    const timeMs = timeIn(headers[TIME_HEADER]);
    if (timeMs === undefined) throw new Refusal("BAD_SIGNATURE");
    if (Math.abs(this.#nowMs() - timeMs) > this.#limits.freshMs) throw new Refusal("STALE");
    return timeMs;
  }

  /** Returns the signature of a request. Throws a Refusal for a wrong one. */
  #verified({ method = "", url: target = "", headers }: IncomingMessage, body: Uint8Array): string {
    const signature = headers[SIGNATURE_HEADER];
    const signed = { method, target, timeMs: String(headers[TIME_HEADER]), body };
    const isRight = typeof signature === "string" && isSigned(this.#secrets, signed, signature);
    if (!isRight) throw new Refusal("BAD_SIGNATURE");
    return signature;
  }

  /** Resolves to the answer of the venue. Aborts and rejects when the client has left, or when it takes too long. */
  #inTime(
    handler: Handler,
    call: Readonly<{ body: unknown; signedAtMs: number }>,
    ended: AbortSignal,
  ): Promise<JsonInput> {
    const { clock } = this.#options;
    const controller = new AbortController();
    return new Promise((resolve, reject) => {
      const abandon = (): void => {
        stop();
        controller.abort();
        reject(new Refusal("NO_ANSWER"));
      };
      const cancel = clock.schedule(clock.monotonicMs() + this.#limits.answerMs, abandon);
      // The client leaves after each answer too, and the venue must not be told then that nobody waits.
      const stop = (): void => {
        cancel();
        ended.removeEventListener("abort", abandon);
      };
      ended.addEventListener("abort", abandon);
      if (ended.aborted) abandon();
      else
        handler({ ...call, signal: controller.signal })
          .then(resolve, reject)
          .finally(stop);
    });
  }

  #refuse(request: IncomingMessage, response: ServerResponse, error: unknown): void {
    const refusal = error instanceof Refusal ? error : new Refusal("FAILED");
    const { code, status, message } = refusal;
    if (code === "FAILED")
      this.#report("venue-http.failed", { path: pathOf(request), error: errorName(error) });
    else if (status === 401) this.#report("venue-http.refused", { path: pathOf(request), code });
    if (response.headersSent || response.destroyed) return void response.destroy();
    // What is left of the body would be taken as the next request.
    if (!request.complete) response.setHeader("connection", "close");
    this.#send(response, status, { error: { code, message } });
  }

  /** Sends an answer with the time of this moment, by which the client signs what it asks next. */
  #send(response: ServerResponse, status: number, body: JsonInput): void {
    response.setHeader(TIME_HEADER, String(this.#nowMs()));
    send(response, status, body);
  }

  #report(name: string, fields: Readonly<Record<string, string>>): void {
    this.#options.telemetry?.event("warn", name, fields);
  }
}

const addressOf = ({ socket }: IncomingMessage): string => socket.remoteAddress ?? "";

const pathOf = ({ url = "" }: IncomingMessage): string => (url.split("?", 1)[0] ?? "").slice(0, 64);

const FROM = /^stream=([0-9A-Za-z_-]{1,64})&after=([0-9]{1,15})$/;

/** Reads where a reader goes on. Throws a Refusal for any other query. */
function readFrom(query: string): ReadFrom {
  if (query === "") return undefined;
  const [, stream, after = ""] = FROM.exec(query) ?? [];
  if (stream === undefined) throw new Refusal("BAD_REQUEST", "The query must be stream=...&after=...");
  return { stream, after: Number.parseInt(after, 10) };
}

/** Returns the parsed body. A GET has none. Throws a Refusal. */
function jsonOf({ method }: IncomingMessage, body: Uint8Array): unknown {
  if (method === "GET") {
    if (body.length > 0) throw new Refusal("BAD_REQUEST", "A GET has no body.");
    return {};
  }
  try {
    return jsonIn(body);
  } catch {
    throw new Refusal("BAD_REQUEST", "The body must be JSON in UTF-8.");
  }
}

function send(response: ServerResponse, status: number, body: JsonInput): void {
  if (response.destroyed) return;
  const text = writeJson(body);
  const length = String(Buffer.byteLength(text));
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": length,
    "cache-control": "no-store",
  });
  response.end(text);
}

type BodyBounds = Readonly<{
  clock: Clock;
  bodyBytes: number;
  bodyMs: number;
  crowdedOut: AbortSignal;
}>;

/**
 * Resolves to the bytes of a body. Rejects with a Refusal TOO_LARGE, SLOW_BODY or, if it is crowded out, BUSY, and with
 * an Error if the connection ends first.
 */
function readBytes(
  request: IncomingMessage,
  { clock, bodyBytes, bodyMs, crowdedOut }: BodyBounds,
): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const cancel = clock.schedule(clock.monotonicMs() + bodyMs, () => end(new Refusal("SLOW_BODY")));
    const end = (error: Error): void => {
      cancel();
      request.pause();
      reject(error);
    };
    const crowded = (): void => end(new Refusal("BUSY"));
    if (crowdedOut.aborted) return crowded();
    crowdedOut.addEventListener("abort", crowded);
    request.on("data", (chunk: Buffer) => {
      length += chunk.length;
      if (length > bodyBytes) end(new Refusal("TOO_LARGE"));
      else chunks.push(chunk);
    });
    request.on("end", () => {
      cancel();
      resolve(Buffer.concat(chunks));
    });
    const broken = (): void => end(new Error("the connection ended"));
    request.on("error", broken);
    request.on("close", broken);
  });
}
