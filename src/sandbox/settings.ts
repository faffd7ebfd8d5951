import type { Crash } from "./crash-points.ts";
import {
  apiKey,
  apiSecret,
  blockList,
  crash,
  factor,
  host,
  type MarketSetting,
  marketSetting,
  oneOf,
  onOrOff,
  optional,
  optionalPort,
  originList,
  port,
  type RateLimits,
  rateLimits,
  routeList,
  type SettingReader,
  type StoreSetting,
  shown,
  storeSetting,
  wholeNumber,
} from "./setting-readers.ts";
import { SettingsError } from "./settings-error.ts";
import { EPOCH_MS } from "./whole-number.ts";

/** All settings of a sandbox, parsed and checked. Durations are in milliseconds. */
export type SandboxSettings = Readonly<{
  host: string;
  port: number | "auto";
  /** Threads for the work before and after the service; 0: none. */
  frontThreads: number;
  controlPort: number | "auto" | "off";
  store: StoreSetting;
  market: MarketSetting;
  marketSeed: number;
  marketSpeed: number;
  clock: "real" | "manual";
  clockStartMs: number | undefined;
  quoteMaxAgeMs: number;
  submitDeadlineMs: number;
  venueQuietMs: number;
  /** How long the paper venue remembers a child after its outcome was reported. */
  venueForgetsAfterMs: number;
  retryMinMs: number;
  retryMaxMs: number;
  rateLimits: RateLimits | "off";
  replayGuard: boolean;
  businessErrors200: boolean;
  /** Web origins whose scripts may use the service; undefined: none. */
  allowedOrigins: readonly string[] | undefined;
  /** Proxies whose X-Forwarded-For counts; undefined: none. */
  trustedProxies: readonly string[] | undefined;
  /** Last path segments that GET and POST serve; undefined: all. */
  getAllowlist: readonly string[] | undefined;
  postAllowlist: readonly string[] | undefined;
  retentionDays: number;
  /** Number of records of one shard after which its snapshot is written. */
  snapshotEvery: number;
  /** Point at which the process kills itself, for crash tests; undefined: none. */
  crashAt: Crash | undefined;
  advancedOrders: boolean;
  /** Whether refusals of new orders are kept in the store, instead of only the newest 16 of each account in memory. */
  persistRejections: boolean;
  /** Key and secret of the demo account, if they were given. */
  demoKey: Readonly<{ apiKey: string; secret: string }> | undefined;
  log: "text" | "json";
}>;

type Option<T> = Readonly<{ fallback: string; meaning: string; read: SettingReader<T> }>;

const option = <T>(fallback: string, meaning: string, read: SettingReader<T>): Option<T> => ({
  fallback,
  meaning,
  read,
});

const durationMs = wholeNumber({ min: 1, max: 31_536_000_000 });
/** At least a minute, so that a child that was just settled can still be looked up. */
const longMs = wholeNumber({ min: 60_000, max: 31_536_000_000 });
const delayMs = wholeNumber({ min: 0, max: 31_536_000_000 });
const seed = wholeNumber({ min: 0, max: 4_294_967_295 });
const records = wholeNumber({ min: 1, max: 1_000_000_000 });
const threads = wholeNumber({ min: 0, max: 64 });
const days = wholeNumber({ min: 1, max: 36_500 });

const OPTIONS = {
  HOST: option("127.0.0.1", "address that REST and WebSocket listen on", host),
  PORT: option("8080", "their port; auto = a free one", port),
  FRONT_THREADS: option(
    "0",
    "threads for HTTP, WebSocket and signatures, beside that of the engine",
    threads,
  ),
  CONTROL_PORT: option("8081", "port of the control interface, loopback only; auto, off", optionalPort),
  STORE: option("sqlite:./data/managed-orders.db", "also memory:", storeSetting),
  MARKET: option("synthetic", "also manual, or replay:QUOTES.csv[,TRADES.csv]", marketSetting),
  MARKET_SEED: option("1", "seed of the synthetic market", seed),
  MARKET_SPEED: option("1", "speed of a replay on the real clock", factor),
  CLOCK: option("real", "manual = time moves only by the control interface", oneOf("real", "manual")),
  CLOCK_START: option(
    "",
    "epoch ms at which a manual clock starts for the first time",
    optional(wholeNumber(EPOCH_MS)),
  ),
  QUOTE_MAX_AGE_MS: option("5000", "older quotes do not count", durationMs),
  SUBMIT_DEADLINE_MS: option("2000", "how long a child may take to reach the venue", durationMs),
  VENUE_QUIET_MS: option("2000", "wait after the deadline before a missing child is settled", delayMs),
  VENUE_FORGETS_AFTER_MS: option("172800000", "how long the venue knows a child that is settled", longMs),
  RETRY_MIN_MS: option("100", "first wait after a child that filled nothing", durationMs),
  RETRY_MAX_MS: option("5000", "longest such wait", durationMs),
  RATE_LIMITS: option("default", "off, or weight=6000,orders10s=50,orders1d=160000,banMs=120000", rateLimits),
  REPLAY_GUARD: option("true", "a signature serves one method and path only", onOrOff),
  BUSINESS_ERRORS_200: option("false", "business errors with HTTP 200 in place of 400", onOrOff),
  ALLOWED_ORIGINS: option("", "web origins whose scripts may use the service; * = every origin", originList),
  TRUSTED_PROXIES: option("", "addresses or CIDR blocks whose X-Forwarded-For counts", blockList),
  GET_ALLOWLIST: option("", "last path segments that GET serves, such as orderStatus,allOrders", routeList),
  POST_ALLOWLIST: option("", "the same for POST", routeList),
  RETENTION_DAYS: option("30", "how long an ended order is kept", days),
  SNAPSHOT_EVERY: option("20000", "records of a shard between two snapshots of it", records),
  CRASH_AT: option("", "the process kills itself at a named point, such as after-load", optional(crash)),
  LIQUIDITY_API_ADVANCED_ORDERS_ENABLED: option("true", "whether advanced orders can be placed", onOrOff),
  ORDER_REJECT_PERSISTENCE_ENABLED: option("false", "refusals of new orders outlive a restart", onOrOff),
  SANDBOX_API_KEY: option("", "key of demo account 1; generated once", optional(apiKey)),
  SANDBOX_API_SECRET: option("", "its secret; generated once", optional(apiSecret)),
  LOG: option("text", "json = one JSON line when ready", oneOf("text", "json")),
} as const satisfies Record<string, Option<unknown>>;

type Name = keyof typeof OPTIONS;
type Values = { readonly [K in Name]: ReturnType<(typeof OPTIONS)[K]["read"]> };

const NAMES = Object.keys(OPTIONS) as readonly Name[];

const flagOf = (name: Name): string => `--${name.toLowerCase().replaceAll("_", "-")}`;

const NAME_OF_FLAG: ReadonlyMap<string, Name> = new Map(NAMES.map((name) => [flagOf(name), name]));

/** Sources of settings: environment variables by name, and the command line after the command. */
export type SettingSources = Readonly<{
  env: Readonly<Record<string, string | undefined>>;
  argv: readonly string[];
}>;

/**
 * Reads every setting. Flags take precedence over variables. Unknown and empty variables are ignored. Throws a
 * SettingsError with one line about the first invalid setting.
 */
export function readSettings(sources: SettingSources): SandboxSettings {
  const flags = readFlags(sources.argv);
  const values = Object.fromEntries(
    NAMES.map((name) => [name, readValue(name, sources.env, flags)]),
  ) as Values;
  checkTogether(values);
  return settingsOf(values);
}

function readFlags(argv: readonly string[]): ReadonlyMap<Name, string> {
  const flags = new Map<Name, string>();
  for (let index = 0; index < argv.length; index++) {
    const argument = argv[index] ?? "";
    const [flag = "", ...rest] = argument.split("=");
    const name = NAME_OF_FLAG.get(flag);
    if (name === undefined)
      throw new SettingsError(`unknown argument ${shown(argument)}; --help lists all settings`);
    if (flags.has(name)) throw new SettingsError(`${flag} was given twice`);
    const value = argument.includes("=") ? rest.join("=") : argv[++index];
    if (value === undefined || value === "") throw new SettingsError(`${flag} needs a value`);
    flags.set(name, value);
  }
  return flags;
}

function readValue(name: Name, env: SettingSources["env"], flags: ReadonlyMap<Name, string>): unknown {
  const flag = flags.get(name);
  const text = flag ?? (env[name] || OPTIONS[name].fallback);
  try {
    return OPTIONS[name].read(text);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    throw new SettingsError(`${flag === undefined ? name : flagOf(name)}: ${error.message}`);
  }
}

function checkTogether(values: Values): void {
  const { PORT, CONTROL_PORT, RETRY_MIN_MS, RETRY_MAX_MS, SANDBOX_API_KEY, SANDBOX_API_SECRET } = values;
  if (PORT === CONTROL_PORT && PORT !== "auto")
    throw new SettingsError("CONTROL_PORT: must differ from PORT");
  if (RETRY_MAX_MS < RETRY_MIN_MS) throw new SettingsError("RETRY_MAX_MS: must not be below RETRY_MIN_MS");
  if ((SANDBOX_API_KEY === undefined) !== (SANDBOX_API_SECRET === undefined)) {
    throw new SettingsError("SANDBOX_API_KEY: goes together with SANDBOX_API_SECRET; set both or neither");
  }
}

function settingsOf(values: Values): SandboxSettings {
  const { SANDBOX_API_KEY: key, SANDBOX_API_SECRET: secret } = values;
  return {
    host: values.HOST,
    port: values.PORT,
    frontThreads: values.FRONT_THREADS,
    controlPort: values.CONTROL_PORT,
    store: values.STORE,
    market: values.MARKET,
    marketSeed: values.MARKET_SEED,
    marketSpeed: values.MARKET_SPEED,
    clock: values.CLOCK,
    clockStartMs: values.CLOCK_START,
    quoteMaxAgeMs: values.QUOTE_MAX_AGE_MS,
    submitDeadlineMs: values.SUBMIT_DEADLINE_MS,
    venueQuietMs: values.VENUE_QUIET_MS,
    venueForgetsAfterMs: values.VENUE_FORGETS_AFTER_MS,
    retryMinMs: values.RETRY_MIN_MS,
    retryMaxMs: values.RETRY_MAX_MS,
    rateLimits: values.RATE_LIMITS,
    replayGuard: values.REPLAY_GUARD,
    businessErrors200: values.BUSINESS_ERRORS_200,
    allowedOrigins: values.ALLOWED_ORIGINS,
    trustedProxies: values.TRUSTED_PROXIES,
    getAllowlist: values.GET_ALLOWLIST,
    postAllowlist: values.POST_ALLOWLIST,
    retentionDays: values.RETENTION_DAYS,
    snapshotEvery: values.SNAPSHOT_EVERY,
    crashAt: values.CRASH_AT,
    advancedOrders: values.LIQUIDITY_API_ADVANCED_ORDERS_ENABLED,
    persistRejections: values.ORDER_REJECT_PERSISTENCE_ENABLED,
    demoKey: key === undefined || secret === undefined ? undefined : { apiKey: key, secret },
    log: values.LOG,
  };
}

/** Returns whether the command line asks for {@link settingsHelp}. */
export function asksForHelp(argv: readonly string[]): boolean {
  return argv.includes("--help") || argv.includes("-h");
}

/** Returns every setting with its default and meaning, for `--help`. */
export function settingsHelp(): string {
  const width = Math.max(...NAMES.map((name) => flagOf(name).length)) + 2;
  const lines = NAMES.map((name) => {
    const { fallback, meaning } = OPTIONS[name];
    return `  ${flagOf(name).padEnd(width)}${meaning}${fallback === "" ? "" : ` (${fallback})`}`;
  });
  return [
    "managed-orders sandbox [--setting value ...]",
    "",
    "Settings with their defaults. Each is read from the environment too, as PORT for --port; the flag wins.",
    "",
    ...lines,
    "",
  ].join("\n");
}

/** Returns the path of the paper venue's record, beside the store; undefined if the store is in memory. */
export function venueRecordPath(store: StoreSetting): string | undefined {
  return store.kind === "memory" ? undefined : `${store.path.replace(/\.db$/, "")}.venue.jsonl`;
}
