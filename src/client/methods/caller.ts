import { optionalOption, optionsOf, portOption, wholeOption } from "../../common/index.ts";
import type { RequestParameters } from "../../signing/index.ts";
import { ServerClock } from "../auth/server-clock.ts";
import { Stamps } from "../auth/stamps.ts";
import { ProtocolError } from "../errors/protocol-error.ts";
import type { Redact } from "../errors/redaction.ts";
import { RefusedError } from "../errors/refused-error.ts";
import { TransportError } from "../errors/transport-error.ts";
import { pause, throwIfAborted, within } from "../http/deadline.ts";
import { exchange, type WireCall } from "../http/exchange.ts";
import type { AbortLike, Platform } from "../http/platform.ts";
import { interpret } from "../replies/interpret.ts";
import { RequestGate } from "./gate.ts";
import type { CallOptions } from "./parameters.ts";
import { CLIENT_ROUTES, type Route } from "./routes.ts";
import { type Credentials, publicCall, signedCall } from "./signed-call.ts";

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
      this.#gate.learn(error);
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
  async knowServerTime(route: Route<unknown>, options: CallOptions): Promise<void> {
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
    this.serverClock.learn({ serverMs: serverTime, sentAtMs, receivedAtMs: clock.monotonicMs() });
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
