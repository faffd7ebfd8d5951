import { optionalOption, optionsOf, portOption, wholeOption } from "../common/index.ts";
import { encodeQuery, type RequestParameters, sign, signBody } from "../signing/index.ts";
import type { CallOptions } from "./api.ts";
import { ProtocolError, type Redact, type Refusal, RefusedError, TransportError } from "./errors.ts";
import {
  type AbortLike,
  type ClientClock,
  exchange,
  LONGEST_HOLD_MS,
  type Platform,
  pause,
  throwIfAborted,
  type WireCall,
  within,
} from "./http.ts";
import { interpret } from "./replies.ts";
import { CLIENT_ROUTES, type Route } from "./routes.ts";

/** Settings of a client with all defaults filled in. */
export type CallerSettings = Readonly<{
  baseUrl: string;
  credentials: Credentials | undefined;
  recvWindowMs: number;
  timeoutMs: number;
  readAttempts: number;
  longestWaitMs: number;
  clockKeepMs: number;
  settleMs: number;
  maxReplyBytes: number;
}>;

/** One call of a route. `onSend` learns the timestamp of the request just before it is sent. */
export type Call<T> = Readonly<{
  route: Route<T>;
  parameters: RequestParameters;
  options: CallOptions;
  onSend?: (timestamp: number) => void;
}>;

const CALL_OPTIONS = /* @__PURE__ */ optionsOf<CallOptions>({
  signal: optionalOption(
    portOption<AbortLike>("AbortSignal", { addEventListener: "required", removeEventListener: "required" }),
  ),
  timeoutMs: optionalOption(wholeOption({ from: 1 }, " of milliseconds")),
});

const TIMESTAMP_REFUSED = -1021;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 4000;

/**
 * Calls routes: signs, sends, reads the reply. A request that reads is sent again a bounded number of times after a
 * failure that may pass; any other request is sent once.
 */
export class Caller {
  readonly settings: CallerSettings;
  readonly platform: Platform;
  readonly serverClock: ServerClock;
  protected readonly stamps: Stamps;
  readonly #gate: RequestGate;
  protected readonly redact: Redact;
  #reading: Promise<void> | undefined;

  constructor(settings: CallerSettings, platform: Platform, redact: Redact) {
    this.settings = settings;
    this.platform = platform;
    this.serverClock = new ServerClock(platform.clock, settings.clockKeepMs);
    this.stamps = new Stamps(platform.random());
    this.#gate = new RequestGate(platform.clock);
    this.redact = redact;
  }

  /** Resolves to the reply of a route. Rejects with a ClientError. */
  async call<T>(call: Call<T>): Promise<T> {
    CALL_OPTIONS(call.options, "options");
    const attempts = call.route.access === "TRADE" ? 1 : this.settings.readAttempts;
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#attempt(call);
      } catch (error) {
        const waitMs = attempt < attempts ? this.#waitAfter(error, attempt) : undefined;
        if (waitMs === undefined) throw error;
        await pause(this.platform.clock, waitMs, call.options.signal);
      }
    }
  }

  async #attempt<T>(call: Call<T>): Promise<T> {
    const { route, options } = call;
    if (this.#needsTime(route, options)) await this.#readServerClock(options);
    try {
      return await this.send(call);
    } catch (error) {
      this.#gate.observe(error);
      throw error instanceof RefusedError && error.code === TIMESTAMP_REFUSED ? this.#untimely(error) : error;
    }
  }

  /** Returns the refusal of a timestamp with what the client knows of the clocks. The next call reads the server's anew. */
  #untimely(error: RefusedError): RefusedError {
    const { code, msg, field, status, retryAfterMs, remedy = "" } = error;
    const aheadMs = this.serverClock.wallAheadMs();
    this.serverClock.reset();
    if (aheadMs === undefined) return error;
    const seen = `This machine's clock was ${Math.abs(aheadMs)} ms ${aheadMs < 0 ? "behind" : "ahead of"} the server's when it was compared last.`;
    const details = { code, msg, field, status, retryAfterMs, remedy: `${remedy} ${seen}`.trimStart() };
    return new RefusedError(details, { cause: error, sent: error.sent });
  }

  /** Reads the server's clock if a request of a route needs a reading and there is none. Rejects with a ClientError. */
  async requireServerTime(route: Route<unknown>, options: CallOptions): Promise<void> {
    CALL_OPTIONS(options, "options");
    if (this.#needsTime(route, options)) await this.#readServerClock(options);
  }

  /** Returns whether the server's clock must be read first. Throws a ClientError if nothing may be sent now. */
  #needsTime(route: Route<unknown>, { signal }: CallOptions): boolean {
    throwIfAborted(signal);
    this.#gate.requireOpen(route);
    return route.scheme !== "NONE" && this.settings.credentials !== undefined && this.serverClock.isStale;
  }

  /** Sends a call once and resolves to its reply. */
  protected async send<T>(call: Call<T>): Promise<T> {
    const { route, options } = call;
    const nowMs = this.serverClock.nowMs();
    const wire =
      route.scheme === "NONE" ? publicCall({ ...this.settings, ...call }) : this.#signed(call, nowMs);
    call.onSend?.(nowMs);
    const { timeoutMs = this.settings.timeoutMs, signal } = options;
    const bounds = { timeoutMs, signal, maxReplyBytes: this.settings.maxReplyBytes, redact: this.redact };
    return interpret(await exchange(this.platform, wire, bounds), route.read, this.redact);
  }

  /** Returns the key of the client. Throws a TypeError if it has none. */
  protected requireCredentials(): Credentials {
    const { credentials } = this.settings;
    if (credentials !== undefined) return credentials;
    throw new TypeError("createClient.apiKey is missing: pass it and the secret for signed calls");
  }

  #signed({ route, parameters }: Call<unknown>, nowMs: number): WireCall {
    const { baseUrl, recvWindowMs } = this.settings;
    const credentials = this.requireCredentials();
    const proof = { stamp: this.stamps.next(nowMs, recvWindowMs), nonce: this.stamps.nonce(nowMs) };
    return signedCall({ baseUrl, route, parameters }, credentials, proof);
  }

  /** Reads the server's clock; calls that need it at the same time share one reading. */
  async #readServerClock({ signal, timeoutMs = this.settings.timeoutMs }: CallOptions): Promise<void> {
    this.#reading ??= this.#readOnce().finally(() => {
      this.#reading = undefined;
    });
    const reading = this.#reading;
    await within(this.platform.clock, { timeoutMs, signal }, () => reading);
  }

  async #readOnce(): Promise<void> {
    const { clock } = this.platform;
    let sentAtMs = clock.monotonicMs();
    const onSend = (): void => {
      sentAtMs = clock.monotonicMs();
    };
    const { serverTime } = await this.call({
      route: CLIENT_ROUTES.time,
      parameters: {},
      options: {},
      onSend,
    });
    this.serverClock.observe({ serverMs: serverTime, sentAtMs, receivedAtMs: clock.monotonicMs() });
  }

  /** Returns how long to wait before a request that reads is sent again; undefined if it is not. */
  #waitAfter(error: unknown, attempt: number): number | undefined {
    if (!mayPass(error)) return undefined;
    if (error instanceof RefusedError && error.code === TIMESTAMP_REFUSED) return 0;
    const retryAfterMs = "retryAfterMs" in error ? error.retryAfterMs : undefined;
    if (retryAfterMs !== undefined)
      return retryAfterMs <= this.settings.longestWaitMs ? retryAfterMs : undefined;
    const most = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attempt - 1));
    return Math.floor(most * (0.5 + this.platform.random() / 2));
  }
}

/** Problems of a reply that may come from a proxy between client and service. */
const UNREADABLE: readonly string[] = ["empty", "not JSON", "not text"];

/** Returns whether the same read may succeed later. The body of a failure may be that of a proxy. */
function mayPass(error: unknown): error is TransportError | ProtocolError | RefusedError {
  if (error instanceof TransportError) return error.reason !== "aborted";
  if (error instanceof ProtocolError) return UNREADABLE.includes(error.problem) || isPassing(error.status);
  if (!(error instanceof RefusedError)) return false;
  return error.code === TIMESTAMP_REFUSED || isPassing(error.status);
}

const isPassing = (status = 0): boolean => status === 408 || status === 429 || status >= 500;

/** Code of a refusal because of too many orders. It concerns placements, and amends, which count as orders. */
const TOO_MANY_ORDERS = -1015;
/** Text of a refusal whose own text cannot be read. */
const TOO_MANY_REQUESTS = "Too many requests; the server asked for a wait.";

/** Remembers until when the server wants no further requests. To go on would lengthen a ban. */
export class RequestGate {
  readonly #clock: ClientClock;
  /** Monotonic times. */
  #allUntilMs = -Infinity;
  #ordersUntilMs = -Infinity;
  #refusal: Refusal | undefined;

  constructor(clock: ClientClock) {
    this.#clock = clock;
  }

  /** Takes in a refusal that says how long to wait, of the service or of a proxy before it. */
  observe(error: unknown): void {
    if (!(error instanceof RefusedError || error instanceof ProtocolError)) return;
    const { status, retryAfterMs } = error;
    if (status !== 429 || retryAfterMs === undefined) return;
    const untilMs = this.#clock.monotonicMs() + Math.min(retryAfterMs, LONGEST_HOLD_MS);
    const refusal: Refusal = error instanceof RefusedError ? error : { msg: TOO_MANY_REQUESTS, status };
    this.#refusal = refusal;
    this.#ordersUntilMs = Math.max(this.#ordersUntilMs, untilMs);
    if (refusal.code !== TOO_MANY_ORDERS) this.#allUntilMs = Math.max(this.#allUntilMs, untilMs);
  }

  /** Throws the last refusal again, with the time that is left, if the server does not want a request yet. */
  requireOpen({ access, verb }: Route<unknown>): void {
    const isOrder = access === "TRADE" && (verb === "POST" || verb === "PUT");
    const untilMs = isOrder ? this.#ordersUntilMs : this.#allUntilMs;
    const retryAfterMs = untilMs - this.#clock.monotonicMs();
    if (retryAfterMs <= 0 || this.#refusal === undefined) return;
    const { code, msg, remedy, status } = this.#refusal;
    throw new RefusedError({ msg, retryAfterMs, code, remedy, status }, { sent: false });
  }
}

/** One reading of the server's clock: its time, and the client's monotonic time before and after. */
type ClockReading = Readonly<{ serverMs: number; sentAtMs: number; receivedAtMs: number }>;

/** A difference between the wall clock and the monotonic clock that only a sleep of the machine explains. */
const SLEEP_MS = 1000;

/**
 * An estimate of the server's time that is never ahead of it. A reading says that the server's clock had reached
 * `serverMs` when the reply arrived; from then on the estimate advances with the monotonic clock. It is late by the
 * time that the reply took, however the round trip is divided between the two directions. A timestamp that is late is
 * valid for the whole receive window; one that is early by a second is refused.
 */
export class ServerClock {
  readonly #clock: ClientClock;
  readonly #retentionMs: number;
  /** Server time minus monotonic time, and the wall clock minus monotonic time, at the last reading. */
  #known: Readonly<{ offsetMs: number; wallOffsetMs: number; atMs: number }> | undefined;

  /** A reading counts for `retentionMs`. */
  constructor(clock: ClientClock, retentionMs: number) {
    this.#clock = clock;
    this.#retentionMs = retentionMs;
  }

  /** Whether the estimate needs a new reading: there is none, it is old, or the machine has slept since. */
  get isStale(): boolean {
    if (this.#known === undefined) return true;
    const { wallOffsetMs, atMs } = this.#known;
    const monotonicMs = this.#clock.monotonicMs();
    const sleptMs = this.#clock.nowMs() - monotonicMs - wallOffsetMs;
    return monotonicMs - atMs >= this.#retentionMs || Math.abs(sleptMs) > SLEEP_MS;
  }

  /** Returns the estimate in whole epoch milliseconds; the wall clock before the first reading. */
  nowMs(): number {
    if (this.#known === undefined) return this.#clock.nowMs();
    return Math.floor(this.#clock.monotonicMs() + this.#known.offsetMs);
  }

  /**
   * Takes a reading. The earlier estimate stays if it is ahead of the reading and the reading does not rule it out:
   * it was under way for less time, and is the closer of two lower bounds.
   */
  observe({ serverMs, sentAtMs, receivedAtMs }: ClockReading): void {
    const lowest = serverMs - receivedAtMs;
    const highest = serverMs + 1 - sentAtMs;
    const earlier = this.isStale ? undefined : this.#known?.offsetMs;
    const offsetMs = earlier !== undefined && earlier > lowest && earlier < highest ? earlier : lowest;
    const wallOffsetMs = this.#clock.nowMs() - this.#clock.monotonicMs();
    this.#known = { offsetMs, wallOffsetMs, atMs: receivedAtMs };
  }

  /** Returns how far the wall clock is ahead of the server's by the last reading; undefined before the first. */
  wallAheadMs(): number | undefined {
    return this.#known && Math.round(this.#known.wallOffsetMs - this.#known.offsetMs);
  }

  /** Drops the estimate, because the server refused a timestamp. */
  reset(): void {
    this.#known = undefined;
  }
}

/** What makes a signed request fresh and unlike every other. */
export type Stamp = Readonly<{ timestamp: number; recvWindow: string }>;

/** Parts of a millisecond that a receive window may state. */
const PARTS = 1000;

/**
 * Makes stamps and nonces. The service refuses a signature that it has seen for another request, and two requests with the
 * same parameters and timestamp have one signature. So each stamp takes another thousandth off the receive window, which
 * never widens it; a stamp comes back only after a thousand others in the same millisecond. Source: contract, Version 2 GET
 * queries 3.
 */
class Stamps {
  #count: number;
  #nonce = 0;

  /** `start` is a random number from 0 to below 1, so that two clients of one key rarely make the same stamp. */
  constructor(start: number) {
    this.#count = Math.floor(start * PARTS);
  }

  /** Returns the next stamp; `recvWindowMs` is a whole number. */
  next(nowMs: number, recvWindowMs: number): Stamp {
    const part = this.#count++ % PARTS;
    const recvWindow =
      part === 0 ? `${recvWindowMs}` : `${recvWindowMs - 1}.${String(PARTS - part).padStart(3, "0")}`;
    return { timestamp: nowMs, recvWindow };
  }

  /** Returns a whole number above every earlier one, from microseconds of the server's time. */
  nonce(nowMs: number): number {
    this.#nonce = Math.max(nowMs * 1000, this.#nonce + 1);
    return this.#nonce;
  }
}

/** An API key and its secret. */
export type Credentials = Readonly<{ apiKey: string; secret: string }>;

/** What a request is made of. The base address has no slash at its end. */
export type Target = Readonly<{ baseUrl: string; route: Route<unknown>; parameters: RequestParameters }>;

/** Returns a request that needs no signature. */
function publicCall({ baseUrl, route, parameters }: Target): WireCall {
  return { url: urlOf(baseUrl, route, encodeQuery(parameters)), method: route.verb, headers: {} };
}

/**
 * Returns a signed request. The text that is signed is the text that is sent: it is made once. Every request carries a
 * timestamp, so that no copy of it is accepted after its receive window; POST and DELETE, and all of version 3, carry a
 * nonce too. The signature travels in a header and so stays out of the logs of addresses. Source: contract,
 * Authentication.
 */
function signedCall(
  { baseUrl, route, parameters }: Target,
  { apiKey, secret }: Credentials,
  { stamp, nonce }: Readonly<{ stamp: Stamp; nonce: number }>,
): WireCall {
  const { verb, scheme } = route;
  const own = scheme === "V2_QUERY" ? stamp : { nonce, ...stamp };
  const headers = { "X-MBX-APIKEY": apiKey };
  if (verb === "POST") {
    const query = encodeQuery(own);
    const { body, signature } = signBody({ secret, query, parameters: withExactIds(parameters) });
    return {
      url: urlOf(baseUrl, route, query),
      method: verb,
      headers: { ...headers, signature, "Content-Type": "application/json" },
      body,
    };
  }
  const query = encodeQuery({ ...parameters, ...own });
  const signature = sign({ secret, payload: query });
  return { url: urlOf(baseUrl, route, query), method: verb, headers: { ...headers, signature } };
}

function urlOf(baseUrl: string, { path }: Route<unknown>, query: string): string {
  return `${baseUrl}${path}${query === "" ? "" : `?${query}`}`;
}

const DIGITS = /^-?[0-9]+$/;

/** In JSON an id is a number; a bigint is written as its digits. */
function withExactIds(parameters: RequestParameters): RequestParameters {
  const exact: Record<string, RequestParameters[string]> = { ...parameters };
  for (const name of ["orderId", "cancelOrderId"]) {
    const id = parameters[name];
    if (typeof id === "string" && DIGITS.test(id)) exact[name] = BigInt(id);
  }
  return exact;
}
