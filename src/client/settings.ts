import {
  functionOption,
  type OptionCheck,
  type OptionChecks,
  optionalOption,
  optionsOf,
  portOption,
  textOption,
  wholeOption,
} from "../common/index.ts";
import type { CallerSettings } from "./caller.ts";
import { type LocalChecks, type Redact, redactionOf } from "./errors.ts";
import type { ClientClock, FetchLike, Platform } from "./http.ts";

/** Options of {@link createClient}. */
export interface ClientOptions {
  /** Address of the service, such as `https://api.example.com`; a trailing `/api` is accepted. */
  readonly baseUrl: string;
  /** API key. Public calls need none. */
  readonly apiKey?: string | undefined;
  /** Secret of the key. The client never prints or sends it. */
  readonly secret?: string | undefined;
  /** Checks of orders before they are sent, such as `localChecks`. Without them only the service checks. */
  readonly checks?: LocalChecks | undefined;
  /** How long a signed request is valid, in whole milliseconds from 1 to 60,000; default 5,000. */
  readonly recvWindowMs?: number | undefined;
  /** How long to wait for a reply, in milliseconds; default 10,000. */
  readonly timeoutMs?: number | undefined;
  /** Maximum number of times that a request that only reads is sent; default 3. */
  readonly readAttempts?: number | undefined;
  /** The longest wait that the server may ask for before a read is sent again, in milliseconds; default 10,000. */
  readonly longestWaitMs?: number | undefined;
  /** How long a reading of the server's clock is used, in milliseconds; default 300,000. */
  readonly clockKeepMs?: number | undefined;
  /**
   * How long the service may take to store a request that it accepted, in milliseconds. The default, 40,000, allows for
   * seven calls to the host of at most 5 seconds each, and a margin. `reconcile()` reports `not placed` only after this
   * time.
   */
  readonly settleMs?: number | undefined;
  /** The largest reply that is read, in bytes; default 8,388,608. */
  readonly maxReplyBytes?: number | undefined;
  /** Sends the requests; default `globalThis.fetch`, looked up at each call. */
  readonly fetch?: FetchLike | undefined;
  /** Time and timers; default those of the platform. */
  readonly clock?: ClientClock | undefined;
  /** Returns a random number from 0 to below 1; default `Math.random`. */
  readonly random?: (() => number) | undefined;
}

/** Neither query nor fragment, and no credentials, which would be sent along. */
const ADDRESS = /^https?:\/\/[^\s?#@]+$/;
const KEY = /^[\x21-\x7e]{1,256}$/;

const MS = " of milliseconds";
const fromOne = optionalOption(wholeOption({ from: 1 }, MS));
const fromZero = optionalOption(wholeOption({ from: 0 }, MS));

/** Checks a text that no message shows: a key may end with the line break of its file. */
const unshown =
  (wanted: string, fits: RegExp): OptionCheck =>
  (value, name) => {
    if (typeof value !== "string" || !fits.test(value)) throw new TypeError(`${name} must be ${wanted}`);
  };

const AN_ADDRESS = "an address such as https://api.example.com";

/** Checks the address. One with credentials is not shown. */
const baseUrlOption: OptionCheck = (value, name) =>
  (typeof value === "string" && value.includes("@")
    ? unshown(AN_ADDRESS, ADDRESS)
    : textOption(AN_ADDRESS, (text) => ADDRESS.test(text)))(value, name);

/** Checks of the options that every function of the client takes. */
export const clientChecks = (): OptionChecks<ClientOptions> => ({
  baseUrl: baseUrlOption,
  apiKey: optionalOption(unshown("1 to 256 printable characters without spaces", KEY)),
  secret: optionalOption(unshown("a string that is not empty", /./s)),
  checks: optionalOption(portOption<LocalChecks>("LocalChecks", { order: "required", list: "required" })),
  recvWindowMs: optionalOption(wholeOption({ from: 1, to: 60_000 }, MS)),
  timeoutMs: fromOne,
  readAttempts: optionalOption(wholeOption({ from: 1 })),
  longestWaitMs: fromZero,
  clockKeepMs: fromZero,
  settleMs: fromZero,
  maxReplyBytes: optionalOption(wholeOption({ from: 1 })),
  fetch: optionalOption(functionOption("sends a request as fetch does")),
  clock: optionalOption(
    portOption<ClientClock>("ClientClock", {
      nowMs: "required",
      monotonicMs: "required",
      schedule: "required",
    }),
  ),
  random: optionalOption(functionOption("returns a number from 0 to below 1")),
});

const CLIENT_OPTIONS = /* @__PURE__ */ (() => optionsOf<ClientOptions>(clientChecks()))();

/** What a client is made of. */
export type Prepared = Readonly<{ settings: CallerSettings; platform: Platform; redact: Redact }>;

/** Checks the options of `createClient`. Throws the error of a wrong option; it never shows the secret. */
export function requireClientOptions(options: ClientOptions): void {
  CLIENT_OPTIONS(options, "createClient");
}

/** Fills in the defaults of checked options. Throws a TypeError for a key without its secret, or the reverse. */
export function prepared(options: ClientOptions, name: string): Prepared {
  const { apiKey, secret, baseUrl, fetch, clock, random } = options;
  if ((apiKey === undefined) !== (secret === undefined))
    throw new TypeError(`${name}.apiKey and ${name}.secret must be passed together`);
  const credentials = apiKey === undefined || secret === undefined ? undefined : { apiKey, secret };
  return {
    settings: {
      credentials,
      baseUrl: baseUrl.replace(/(\/api)?\/*$/, ""),
      recvWindowMs: options.recvWindowMs ?? 5_000,
      timeoutMs: options.timeoutMs ?? 10_000,
      readAttempts: options.readAttempts ?? 3,
      longestWaitMs: options.longestWaitMs ?? 10_000,
      clockKeepMs: options.clockKeepMs ?? 300_000,
      settleMs: options.settleMs ?? 40_000,
      maxReplyBytes: options.maxReplyBytes ?? 8 * 1024 * 1024,
    },
    platform: {
      fetch: fetch ?? PLATFORM.fetch,
      clock: clock ?? PLATFORM.clock,
      random: random ?? PLATFORM.random,
    },
    redact: redactionOf(credentials === undefined ? [] : [credentials.secret, credentials.apiKey]),
  };
}

/** The longest wait that timers of a platform keep. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Nothing is looked up before a call, so that the module loads on every platform and later replacements count. */
const fetchOfPlatform: FetchLike = (url, request) => globalThis.fetch(url, request);

/** Only differences count, so no platform needs to have `performance.timeOrigin`: that of React Native may lack it. */
const monotonicMs = (): number => (typeof performance === "undefined" ? Date.now() : performance.now());

/**
 * Returns the delay of a timer that must not run before a time. Timers take whole milliseconds, and begin with a reading
 * of a clock without fractions.
 */
const delayUntil = (atMs: number): number =>
  Math.min(Math.ceil(Math.max(0, atMs - monotonicMs())) + 1, LONGEST_TIMER_MS);

const clockOfPlatform: ClientClock = {
  nowMs: () => Date.now(),
  monotonicMs,
  schedule(atMs, run) {
    const timer = setTimeout(run, delayUntil(atMs));
    return () => clearTimeout(timer);
  },
};

/** The platform's own fetch, clock and chance. Ids of orders need to differ, not to be secret. */
export const PLATFORM: Platform = {
  fetch: fetchOfPlatform,
  clock: clockOfPlatform,
  random: () => Math.random(),
};

const LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const RANDOM_LETTERS = 12;

/**
 * Returns a new client id: the time and 71 random bits, in 22 characters. It never begins with the reserved `aqc-`.
 * Source: contract, Order input fields.
 */
export function newClientId(nowMs: number, random: () => number): string {
  let id = `c${Math.max(0, nowMs).toString(36)}-`;
  for (let count = 0; count < RANDOM_LETTERS; count++)
    id += LETTERS.charAt(Math.floor(random() * LETTERS.length));
  return id;
}
