import {
  Agent,
  type ClientRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request as plain,
} from "node:http";
import { Agent as SecureAgent, request as secure } from "node:https";
import type { Socket } from "node:net";
import {
  errorCode,
  errorMessage,
  type OptionCheck,
  objectOption,
  optionalOption,
  optionsOf,
  recognisedAs,
  sharedSecretOption,
  wholeOption,
} from "../../common/index.ts";
import { problemOf, UnreadableAnswer } from "../../host-answers/index.ts";
import type { Clock, Telemetry } from "../../ports/index.ts";
import { clockOption, telemetryOption } from "../../ports/internal.ts";
import { type JsonValue, writeJson } from "../../wire/index.ts";
import { ANSWERS_HEADER, jsonIn, SIGNATURE_HEADER, signatureOf, TIME_HEADER, timeIn } from "./messages.ts";
import type { VenueRoute } from "./routes.ts";
import { durationOption } from "./server-options.ts";

/** Where a venue server is, and bounds of the calls to it. */
export interface VenueClientOptions {
  /** Address of the server, such as `https://venue.internal:8443`, with the server's prefix if it has one. */
  readonly url: string;
  /** The shared secret, of at least 16 characters. No message shows it. */
  readonly secret: string;
  readonly clock: Clock;
  /**
   * Makes the connections: an Agent of node:http or node:https, with certificates for TLS or mutual TLS. Default: one
   * that keeps at most 64 connections.
   */
  readonly agent?: Agent;
  readonly telemetry?: Telemetry;
  /** Milliseconds within which the server must answer a call; default 10,000. */
  readonly timeoutMs?: number;
  /** Milliseconds without a line after which a stream counts as broken; default 15,000, three beats of a server. */
  readonly silenceMs?: number;
  /**
   * Milliseconds within which the server must answer the first call; default 10,000. The call for its instruments, which
   * follows, has `timeoutMs`.
   */
  readonly openWithinMs?: number;
  /** Milliseconds between two readings of the instruments; default 10,000. */
  readonly instrumentsEveryMs?: number;
  /** Most calls at a time; default 1,000. A further call is rejected as `unsent`. */
  readonly calls?: number;
}

const urlOption: OptionCheck = (value, name) => {
  const wanted = "the URL of a venue server such as https://venue.internal:8443";
  if (value === undefined) throw new TypeError(`${name} is missing: pass ${wanted}`);
  if (typeof value !== "string") throw new TypeError(`${name} must be ${wanted}`);
  if (addressOf(value) === undefined)
    throw new RangeError(`${name} must be ${wanted}, without user, password, query and fragment`);
};

/** Checks the options of a venue client. */
export const clientOption: OptionCheck = optionsOf<VenueClientOptions>({
  url: urlOption,
  secret: sharedSecretOption,
  clock: clockOption,
  agent: optionalOption(objectOption("an Agent of node:http or node:https")),
  telemetry: optionalOption(telemetryOption),
  timeoutMs: optionalOption(durationOption),
  silenceMs: optionalOption(durationOption),
  openWithinMs: optionalOption(durationOption),
  instrumentsEveryMs: optionalOption(durationOption),
  calls: optionalOption(wholeOption({ from: 1, to: 1_000_000 })),
});

/** Address of a server: its origin, and the prefix of its paths. */
type Address = Readonly<{ origin: string; prefix: string; isSecure: boolean }>;

/** Returns the address in a URL; undefined for anything else. */
export function addressOf(url: string): Address | undefined {
  let parts: URL;
  try {
    parts = new URL(url);
  } catch {
    return undefined;
  }
  const { protocol, username, password, search, hash, origin, pathname } = parts;
  const isPlain = username === "" && password === "" && search === "" && hash === "";
  if (!isPlain || (protocol !== "http:" && protocol !== "https:")) return undefined;
  return { origin, prefix: pathname.replace(/\/$/, ""), isSecure: protocol === "https:" };
}

/**
 * What is known of a call that failed. `unsent`: nothing of it was written, so it had no effect. `unanswered`: no whole
 * answer came. `refused`: the server answered with an error. `unreadable`: the answer is not one of the protocol.
 */
export type VenueHttpProblem = "unsent" | "unanswered" | "refused" | "unreadable";

/**
 * Error of a call to a venue server. Unless it is `unsent`, the outcome of a change is unknown.
 *
 * @example
 * ```ts
 * import { VenueHttpError } from "managed-orders/venue-http";
 * const nothingWasSent = async (ask: () => Promise<unknown>) => {
 *   const error = await ask().catch((caught: unknown) => caught);
 *   return error instanceof VenueHttpError && error.problem === "unsent";
 * };
 * ```
 */
export class VenueHttpError extends Error {
  /** Recognises an error of this class, also one of another copy of the package. */
  static override readonly [Symbol.hasInstance]: (value: unknown) => boolean =
    /* @__PURE__ */ recognisedAs("VenueHttpError");
  override readonly name: string = "VenueHttpError";
  readonly problem: VenueHttpProblem;
  /** Code of the server's error answer, such as BUSY; undefined without one. */
  readonly code: string | undefined;

  /** Creates the error of one call. `message` must not contain the secret. */
  constructor(
    problem: VenueHttpProblem,
    message: string,
    options?: ErrorOptions & Readonly<{ code?: string }>,
  ) {
    super(message, options);
    this.problem = problem;
    this.code = options?.code;
  }
}

/** One request as it goes out. */
type WrittenRequest = Readonly<{
  url: string;
  method: string;
  headers: OutgoingHttpHeaders;
  body: Uint8Array;
  agent: Agent;
}>;

/** Ends a request: with an error for its caller. */
export type AbandonExchange = (why: string) => void;

/**
 * Sends one request. Resolves to the head of the answer, whose body has not been read. Rejects with a VenueHttpError:
 * `unsent` if no connection was made, and `unanswered` as soon as bytes may have been written. `begun` receives the
 * function that ends it.
 */
function exchangeWithVenue(
  outgoing: WrittenRequest,
  begun: (abandon: AbandonExchange) => void,
): Promise<IncomingMessage> {
  const { url, method, headers, body, agent } = outgoing;
  return new Promise((resolve, reject) => {
    const isSecure = url.startsWith("https:");
    const request = (isSecure ? secure : plain)(url, { method, headers, agent });
    const mayHaveWritten = watchConnection(request, isSecure);
    let why: string | undefined;
    begun((reason) => {
      why ??= reason;
      request.destroy();
    });
    const fail = (cause: unknown): void => {
      const problem = mayHaveWritten() ? "unanswered" : "unsent";
      const reason = why ?? `${errorMessage(cause)} (${errorCode(cause)})`;
      reject(new VenueHttpError(problem, `${method} ${new URL(url).pathname}: ${reason}`, { cause }));
    };
    request.on("response", resolve);
    request.on("error", fail);
    request.on("close", () => fail(new Error("the connection ended")));
    // Other answers than a response have no meaning here, and would keep their connection open.
    request.on("upgrade", (_answer, socket) => socket.destroy());
    request.end(body);
  });
}

/**
 * Watches whether bytes of a request can have left this process. Before a new connection is made, and made secure, none
 * can. A connection that was used before takes them at once.
 */
function watchConnection(request: ClientRequest, isSecure: boolean): () => boolean {
  let mayHaveWritten = false;
  request.on("socket", (socket: Socket) => {
    if (request.reusedSocket || !socket.connecting) {
      mayHaveWritten = true;
      return;
    }
    socket.once(isSecure ? "secureConnect" : "connect", () => {
      mayHaveWritten = true;
    });
  });
  return () => mayHaveWritten;
}

/** Most bytes of an answer. The longest that the protocol allows is a report of 10,000 executions. */
const MOST_ANSWER_BYTES = 16 * 1024 * 1024;

/** Most bytes of an error answer that are read. */
const MOST_ERROR_BYTES = 65_536;

/** An idle connection is closed before servers usually close it, so that no request is written into a closing one. */
const IDLE_MS = 4_000;
const MOST_CONNECTIONS = 64;

const TIMEOUT_MS = 10_000;
const MOST_CALLS = 1_000;

type Outgoing = Readonly<{ method: string; path: string; body: Uint8Array }>;

/** Ends a call early: at a signal, or at the latest after some milliseconds. */
type CallBounds = Readonly<{ signal?: AbortSignal; timeoutMs?: number }>;

const ignored = (): void => undefined;

/** The connections to one server: signed requests, each with bounds of time and size. */
export class VenueLink {
  readonly clock: Clock;
  readonly #address: Address;
  readonly #secret: string;
  readonly #agent: Agent;
  readonly #isOwnAgent: boolean;
  readonly #timeoutMs: number;
  readonly #mostCalls: number;
  readonly #open: Set<AbandonExchange> = new Set();
  /** What to add to the monotonic clock for the server's time; undefined before its first answer. */
  #aheadMs: number | undefined;
  #calls = 0;
  #isClosed = false;

  constructor(options: VenueClientOptions) {
    const { url, secret, clock, agent, timeoutMs = TIMEOUT_MS, calls = MOST_CALLS } = options;
    const address = addressOf(url);
    if (address === undefined) throw new RangeError("the URL was not checked");
    this.clock = clock;
    this.#address = address;
    this.#secret = secret;
    this.#isOwnAgent = agent === undefined;
    this.#agent = agent ?? ownAgent(address);
    this.#timeoutMs = timeoutMs;
    this.#mostCalls = calls;
  }

  /** Number of calls without an answer. */
  get calls(): number {
    return this.#calls;
  }

  /** Whether it was closed. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Calls a route. Resolves to its checked answer. Rejects with a VenueHttpError and with nothing else. */
  async call<Q, A>(
    { method, path, request, answer }: VenueRoute<Q, A>,
    requested: Q,
    bounds: CallBounds = {},
  ): Promise<A> {
    const text = method === "GET" ? "" : writeJson(request.write(requested));
    const reply = await this.#counted(() => this.#request({ method, path, body: Buffer.from(text) }, bounds));
    return readable(path, () => answer.read(jsonOf(reply), "the answer"));
  }

  /**
   * Opens a stream. Resolves to the answer, whose body is the stream, and to the function that ends it. Rejects as
   * {@link VenueLink.call} does.
   */
  async stream(path: string): Promise<Readonly<{ answer: IncomingMessage; end: AbandonExchange }>> {
    let end: AbandonExchange = ignored;
    const cancel = this.#later(this.#timeoutMs, () => end("no answer in time"));
    try {
      const answer = await this.#send({ method: "GET", path, body: new Uint8Array() }, (abandon) => {
        end = abandon;
      });
      if (answer.statusCode !== 200) throw await this.#errorOf(path, answer);
      return { answer, end };
    } catch (error) {
      end("the stream was refused");
      throw error;
    } finally {
      cancel();
    }
  }

  /** Ends every request and every connection. */
  close(): void {
    this.#isClosed = true;
    for (const abandon of [...this.#open]) abandon("the client was closed");
    if (this.#isOwnAgent) this.#agent.destroy();
  }

  async #counted<T>(work: () => Promise<T>): Promise<T> {
    if (this.#calls >= this.#mostCalls)
      throw new VenueHttpError("unsent", `${this.#mostCalls} calls wait for an answer already`);
    this.#calls++;
    try {
      return await work();
    } finally {
      this.#calls--;
    }
  }

  /** Resolves to the body of a good answer. */
  async #request(
    outgoing: Outgoing,
    { signal, timeoutMs = this.#timeoutMs }: CallBounds,
  ): Promise<Uint8Array> {
    const { path } = outgoing;
    if (signal?.aborted === true) throw new VenueHttpError("unsent", `${path}: aborted`);
    let end: AbandonExchange = ignored;
    const abort = (): void => end("aborted");
    const cancel = this.#later(timeoutMs, () => end(`no answer within ${timeoutMs} ms`));
    signal?.addEventListener("abort", abort);
    try {
      const answer = await this.#send(outgoing, (abandon) => {
        end = abandon;
      });
      if (answer.statusCode !== 200) throw await this.#errorOf(path, answer);
      return await bytesOf(path, answer, MOST_ANSWER_BYTES);
    } finally {
      cancel();
      signal?.removeEventListener("abort", abort);
    }
  }

  async #send(
    { method, path, body }: Outgoing,
    begun: (abandon: AbandonExchange) => void,
  ): Promise<IncomingMessage> {
    if (this.#isClosed) throw new VenueHttpError("unsent", `${path}: the client was closed`);
    const { origin, prefix } = this.#address;
    const target = `${prefix}${path}`;
    const timeMs = String(this.#serverNowMs());
    const signature = signatureOf(this.#secret, { method, target, timeMs, body });
    let own: AbandonExchange = ignored;
    const headers = {
      [TIME_HEADER]: timeMs,
      [SIGNATURE_HEADER]: signature,
      ...(method !== "GET" && { "content-type": "application/json", "content-length": String(body.length) }),
    };
    const agent = this.#agent;
    const answered = exchangeWithVenue(
      { url: `${origin}${target}`, method, headers, body, agent },
      (abandon) => {
        own = abandon;
        this.#open.add(own);
        begun(own);
      },
    );
    const release = (): void => void this.#open.delete(own);
    answered.then((answer) => answer.once("close", release), release);
    const answer = await answered;
    // A proxy that answers twice shifts all further answers of the connection. "Not found" does not say of which child.
    const about = answer.headers[ANSWERS_HEADER] ?? signature;
    if (about !== signature) {
      own("another answer");
      throw new VenueHttpError("unreadable", `${path}: the answer is about another request`);
    }
    this.#observeTime(answer.headers[TIME_HEADER]);
    return answer;
  }

  #serverNowMs(): number {
    if (this.#aheadMs === undefined) return this.clock.nowMs();
    return Math.max(0, this.clock.monotonicMs() + this.#aheadMs);
  }

  /** Signatures are judged by the server's time, which its answers tell. */
  #observeTime(reply: string | string[] | undefined): void {
    const timeMs = timeIn(reply);
    if (timeMs !== undefined) this.#aheadMs = timeMs - this.clock.monotonicMs();
  }

  async #errorOf(path: string, answer: IncomingMessage): Promise<VenueHttpError> {
    const status = answer.statusCode ?? 0;
    let code = "";
    try {
      const reply = jsonOf(await bytesOf(path, answer, MOST_ERROR_BYTES)) as { error?: { code?: unknown } };
      const given = reply.error?.code;
      if (typeof given === "string" && /^[A-Z_]{1,40}$/.test(given)) code = given;
    } catch {
      // The status says enough: an error page of a proxy has no code.
      answer.destroy();
    }
    const message = `${path}: the server answered ${status} ${code}`.trim();
    return new VenueHttpError("refused", message, code === "" ? {} : { code });
  }

  #later(afterMs: number, run: () => void): () => void {
    return this.clock.schedule(this.clock.monotonicMs() + afterMs, run);
  }
}

function ownAgent({ isSecure }: Address): Agent {
  const bounds = { keepAlive: true, maxSockets: MOST_CONNECTIONS, maxFreeSockets: 16, timeout: IDLE_MS };
  return isSecure ? new SecureAgent(bounds) : new Agent(bounds);
}

/** Resolves to the whole body of an answer. Rejects if it ends early or is too long. */
async function bytesOf(path: string, answer: IncomingMessage, most: number): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > most) break;
      chunks.push(chunk);
    }
  } catch (cause) {
    throw new VenueHttpError("unanswered", `${path}: the answer broke off`, { cause });
  }
  if (length > most)
    throw new VenueHttpError("unreadable", `${path}: the answer has more than ${most} bytes`);
  if (!answer.complete) throw new VenueHttpError("unanswered", `${path}: the answer broke off`);
  return Buffer.concat(chunks);
}

/** Parses bytes as JSON in UTF-8. Throws an UnreadableAnswer. */
function jsonOf(bytes: Uint8Array): JsonValue {
  try {
    return jsonIn(bytes);
  } catch {
    throw new UnreadableAnswer("the answer is not JSON in UTF-8");
  }
}

/** Runs a reader of an answer. What it throws would otherwise be taken for a definite refusal. */
function readable<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw new VenueHttpError("unreadable", `${path}: ${problemOf(cause)}`, { cause });
  }
}
