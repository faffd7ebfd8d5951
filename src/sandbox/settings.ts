import { MOST_THREADS } from "../adapters/node/internal.ts";
import type { Listing } from "./catalogue.ts";
import type { Crash } from "./faults.ts";
import { EPOCH_MS, SettingsError } from "./input.ts";
import { PEER_OPTIONS, type PeerSetting, peersOf } from "./peer-settings.ts";
import {
  apiKey,
  apiSecret,
  blockList,
  catalogueFile,
  controlUrl,
  crash,
  factor,
  hasPassword,
  host,
  type MarketSetting,
  marketSetting,
  oneOf,
  onOrOff,
  option,
  optional,
  optionalPort,
  optionalSetting,
  originList,
  port,
  type RateLimitSettings,
  rateLimits,
  readTable,
  routeList,
  type SettingReader,
  type SettingSources,
  type SettingTable,
  type SettingValues,
  type StoreSetting,
  secretOption,
  storeSetting,
  tableHelp,
  type VenueAddress,
  venueSecret,
  venueUrl,
  wholeNumber,
} from "./setting.ts";

/** All settings of a sandbox, parsed and checked. Durations are in milliseconds. */
export type SandboxSettings = Readonly<{
  host: string;
  port: number | "auto";
  /** Threads for the work before and after the service; 0: none. */
  frontThreads: number;
  controlPort: number | "auto" | "off";
  store: StoreSetting;
  /** Term of the lease of a sandbox on Postgres. */
  leaseTtlMs: number;
  /** Whether the sandboxes on one Postgres share the shards, instead of one of them owning all. */
  shares: boolean;
  /** Link to the other sandboxes on the same Postgres; undefined: requests are not forwarded. */
  peers: PeerSetting | undefined;
  /** Venue in a process of its own; undefined: the paper venue of this process. */
  venue: VenueAddress | undefined;
  /** Folder of the venue's record if the store is in Postgres. */
  venueFolder: string;
  /** Markets; undefined: those of the sandbox. */
  catalogue: readonly Listing[] | undefined;
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
  rateLimits: RateLimitSettings | "off";
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

const durationMs = wholeNumber({ min: 1, max: 31_536_000_000 });
/** At least a minute, so that a child that was just settled can still be looked up. */
const longMs = wholeNumber({ min: 60_000, max: 31_536_000_000 });
const delayMs = wholeNumber({ min: 0, max: 31_536_000_000 });
const seed = wholeNumber({ min: 0, max: 4_294_967_295 });
const records = wholeNumber({ min: 1, max: 1_000_000_000 });
const threads = wholeNumber({ min: 0, max: MOST_THREADS });
const folder: SettingReader<string> = (text) => text;
const ttlMs = wholeNumber({ min: 500, max: 600_000 });
const days = wholeNumber({ min: 1, max: 36_500 });

const OPTIONS = {
  HOST: option("127.0.0.1", "address on which REST and WebSocket listen", host),
  PORT: option("8080", "port of REST and WebSocket; auto = a free port", port),
  FRONT_THREADS: option(
    "0",
    "threads for HTTP, WebSocket and signatures, in addition to the engine's thread",
    threads,
  ),
  CONTROL_PORT: option(
    "8081",
    "port of the control interface, on loopback only; auto = a free port, off = none",
    optionalPort,
  ),
  STORE: {
    ...option(
      "sqlite:./data/managed-orders.db",
      "sqlite:PATH, postgres://user@host:5432/database[?schema=NAME], or memory: for a store that ends with the process",
      storeSetting,
    ),
    isSecret: hasPassword,
  },
  LEASE_TTL_MS: option(
    "10000",
    "time in ms after which a sandbox on Postgres without a sign of life may be replaced; the same for all on one store",
    ttlMs,
  ),
  SHARES: option(
    "false",
    "whether all sandboxes on the same Postgres serve, each with a part of the accounts, in place of one of them with all; the same for all on one store. Needs VENUE and PEER_PORT",
    onOrOff,
  ),
  ...PEER_OPTIONS,
  VENUE: optional(
    "URL of a venue in a process of its own, such as http://127.0.0.1:8090; empty = a paper venue in this process. MARKET, MARKET_SEED, CATALOGUE, VENUE_FOLDER and VENUE_FORGETS_AFTER_MS are then settings of that process",
    venueUrl,
  ),
  VENUE_SECRET: secretOption("secret that VENUE shares with its clients", optionalSetting(venueSecret)),
  VENUE_CONTROL: option(
    "http://127.0.0.1:8091",
    "control interface of VENUE, to which calls about venue, market and funds go; off = none",
    controlUrl,
  ),
  VENUE_FOLDER: option(
    "./data",
    "folder of the venue's record for a store in Postgres; the same for all sandboxes on it",
    folder,
  ),
  MARKET: option(
    "synthetic",
    "source of quotes: synthetic, manual or replay:QUOTES.csv[,TRADES.csv]",
    marketSetting,
  ),
  CATALOGUE: optional(
    "file of the markets, with the header symbol,name,price, such as BTC/USD,Bitcoin,60000; at most 500, all against USD; empty = BTC, ETH, SOL and one for staking",
    catalogueFile,
  ),
  MARKET_SEED: option("1", "seed of the synthetic market", seed),
  MARKET_SPEED: option("1", "speed of a replay on the real clock", factor),
  CLOCK: option(
    "real",
    "real, or manual = time moves only through the control interface",
    oneOf("real", "manual"),
  ),
  CLOCK_START: optional("time in epoch ms at which a manual clock first starts", wholeNumber(EPOCH_MS)),
  QUOTE_MAX_AGE_MS: option("5000", "age in ms above which a quote does not count", durationMs),
  SUBMIT_DEADLINE_MS: option("2000", "maximum time in ms for a child to reach the venue", durationMs),
  VENUE_QUIET_MS: option("2000", "time in ms after the deadline before a missing child is settled", delayMs),
  VENUE_FORGETS_AFTER_MS: option(
    "172800000",
    "time in ms for which the venue remembers a settled child",
    longMs,
  ),
  RETRY_MIN_MS: option("100", "first pause in ms after a child that filled nothing", durationMs),
  RETRY_MAX_MS: option("5000", "longest such pause in ms", durationMs),
  RATE_LIMITS: option(
    "default",
    "default, off, or weight=6000,orders10s=50,orders1d=160000,banMs=120000",
    rateLimits,
  ),
  REPLAY_GUARD: option("true", "accept a signature for one use only; queries may share a signature", onOrOff),
  BUSINESS_ERRORS_200: option("false", "send business errors with HTTP 200 instead of 400", onOrOff),
  ALLOWED_ORIGINS: optional(
    "web origins whose scripts may use the service, separated by commas; * = every origin",
    originList,
  ),
  TRUSTED_PROXIES: optional(
    "addresses or CIDR blocks of proxies whose X-Forwarded-For is trusted, separated by commas",
    blockList,
  ),
  GET_ALLOWLIST: optional(
    "last path segments of the routes that GET serves, such as orderStatus,allOrders; empty = all",
    routeList,
  ),
  POST_ALLOWLIST: optional("last path segments of the routes that POST serves; empty = all", routeList),
  RETENTION_DAYS: option("30", "days for which an ended order is kept", days),
  SNAPSHOT_EVERY: option("20000", "number of records between two snapshots of a shard", records),
  CRASH_AT: optional("named point at which the process kills itself, such as after-load", crash),
  LIQUIDITY_API_ADVANCED_ORDERS_ENABLED: option("true", "whether advanced orders can be placed", onOrOff),
  ORDER_REJECT_PERSISTENCE_ENABLED: option("false", "keep refusals of new orders across restarts", onOrOff),
  SANDBOX_API_KEY: optional("API key of demo account 1; generated once if empty", apiKey),
  SANDBOX_API_SECRET: secretOption(
    "API secret of demo account 1; generated once if empty",
    optionalSetting(apiSecret),
  ),
  LOG: option("text", "text, or json = one JSON line when ready", oneOf("text", "json")),
} as const satisfies SettingTable;

type Values = SettingValues<typeof OPTIONS>;

/**
 * Reads every setting. Flags take precedence over variables. Unknown and empty variables are ignored. Throws a
 * SettingsError with one line about the first invalid setting.
 */
export function readSettings(sources: SettingSources): SandboxSettings {
  const values = readTable(OPTIONS, sources);
  checkTogether(values);
  return settingsOf(values);
}

function checkTogether(values: Values): void {
  const { PORT, CONTROL_PORT, STORE, CLOCK, RETRY_MIN_MS, RETRY_MAX_MS } = values;
  if (PORT === CONTROL_PORT && PORT !== "auto")
    throw new SettingsError("CONTROL_PORT: must differ from PORT");
  if (STORE.kind === "postgres" && CLOCK === "manual")
    throw new SettingsError(
      "CLOCK: must be real with a store in Postgres, because its leases run on real time",
    );
  checkVenue(values);
  checkShares(values);
  if (RETRY_MAX_MS < RETRY_MIN_MS) throw new SettingsError("RETRY_MAX_MS: must be at least RETRY_MIN_MS");
  if ((values.SANDBOX_API_KEY === undefined) !== (values.SANDBOX_API_SECRET === undefined)) {
    throw new SettingsError(
      "SANDBOX_API_KEY: must be set together with SANDBOX_API_SECRET; set both or neither",
    );
  }
}

function checkVenue({ VENUE, VENUE_SECRET, CLOCK, MARKET }: Values): void {
  if (VENUE === undefined) return;
  if (VENUE_SECRET === undefined)
    throw new SettingsError("VENUE_SECRET: must be set together with VENUE, to the secret of that venue");
  if (CLOCK === "manual")
    throw new SettingsError("CLOCK: must be real with VENUE, because the venue runs on real time");
  if (MARKET.kind === "replay")
    throw new SettingsError("MARKET: must not be a replay with VENUE, which sends its own quotes");
}

function checkShares({ SHARES, STORE, VENUE, PEER_PORT }: Values): void {
  if (!SHARES) return;
  if (STORE.kind !== "postgres")
    throw new SettingsError(
      "SHARES: must be false without a store in Postgres, which several sandboxes share",
    );
  if (VENUE === undefined)
    throw new SettingsError(
      "SHARES: must be false without VENUE, because a paper venue in one sandbox cannot serve the others",
    );
  if (PEER_PORT === "off")
    throw new SettingsError(
      "SHARES: must be false without PEER_PORT, because each sandbox answers for all accounts and asks the others",
    );
}

function settingsOf(values: Values): SandboxSettings {
  const { SANDBOX_API_KEY: key, SANDBOX_API_SECRET: secret } = values;
  const { VENUE: url, VENUE_SECRET: venueSecret, VENUE_CONTROL } = values;
  return {
    host: values.HOST,
    port: values.PORT,
    frontThreads: values.FRONT_THREADS,
    controlPort: values.CONTROL_PORT,
    store: values.STORE,
    leaseTtlMs: values.LEASE_TTL_MS,
    shares: values.SHARES,
    peers: peersOf(values),
    venue:
      url === undefined || venueSecret === undefined
        ? undefined
        : { url, secret: venueSecret, controlUrl: VENUE_CONTROL },
    venueFolder: values.VENUE_FOLDER,
    catalogue: values.CATALOGUE,
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
export function requestsHelp(argv: readonly string[]): boolean {
  return argv.includes("--help") || argv.includes("-h");
}

/** Returns every setting with its default and meaning, for `--help`. */
export function settingsHelp(): string {
  return [
    "managed-orders sandbox [--setting value ...]",
    "",
    "Settings, with their defaults in parentheses. Each is also read from the environment, such as PORT for --port; the flag takes precedence.",
    "",
    ...tableHelp(OPTIONS),
    "",
  ].join("\n");
}

/** Returns the path of the paper venue's record beside a store in a file; undefined for any other store. */
export function venueRecordPath(store: StoreSetting): string | undefined {
  return store.kind === "sqlite" ? `${store.path.replace(/\.db$/, "")}.venue.jsonl` : undefined;
}

/** All settings of a paper venue in a process of its own, parsed and checked. */
export type VenueSettings = Readonly<{
  host: string;
  port: number | "auto";
  controlPort: number | "auto" | "off";
  /** Path of its record; undefined: in memory. */
  recordPath: string | undefined;
  /** The secret that it shares with its clients. */
  secret: string;
  /** Markets; undefined: those of the sandbox. */
  catalogue: readonly Listing[] | undefined;
  market: Exclude<MarketSetting, { kind: "replay" }>;
  marketSeed: number;
  forgetsAfterMs: number;
  log: "text" | "json";
}>;

const record: SettingReader<string | undefined> = (text) => (text === "memory:" ? undefined : text);

const marketOf: SettingReader<VenueSettings["market"]> = (text) => {
  const market = marketSetting(text);
  if (market.kind === "replay") throw new SettingsError("must be synthetic or manual");
  return market;
};

const VENUE_OPTIONS = {
  HOST: option("127.0.0.1", "address on which the venue listens", host),
  PORT: option("8090", "port of the venue; auto = a free port", port),
  CONTROL_PORT: { ...OPTIONS.CONTROL_PORT, fallback: "8091" },
  VENUE_RECORD: option("./data/venue.jsonl", "file of the venue's record, or memory:", record),
  VENUE_SECRET: secretOption("secret that the venue shares with its clients", venueSecret),
  MARKET: option("synthetic", "source of quotes: synthetic or manual", marketOf),
  ...{ CATALOGUE: OPTIONS.CATALOGUE, MARKET_SEED: OPTIONS.MARKET_SEED },
  ...{ VENUE_FORGETS_AFTER_MS: OPTIONS.VENUE_FORGETS_AFTER_MS, LOG: OPTIONS.LOG },
} as const satisfies SettingTable;

/** Reads every setting. Throws a SettingsError with one line about the first invalid one, and never shows the secret. */
export function readVenueSettings(sources: SettingSources): VenueSettings {
  const values = readTable(VENUE_OPTIONS, sources);
  if (values.PORT === values.CONTROL_PORT && values.PORT !== "auto")
    throw new SettingsError("CONTROL_PORT: must differ from PORT");
  return {
    host: values.HOST,
    port: values.PORT,
    controlPort: values.CONTROL_PORT,
    recordPath: values.VENUE_RECORD,
    secret: values.VENUE_SECRET,
    catalogue: values.CATALOGUE,
    market: values.MARKET,
    marketSeed: values.MARKET_SEED,
    forgetsAfterMs: values.VENUE_FORGETS_AFTER_MS,
    log: values.LOG,
  };
}

/** Returns every setting with its default and meaning, for `--help`. */
export function venueHelp(): string {
  return [
    "managed-orders venue [--setting value ...]      runs the paper venue of a sandbox in a process of its own",
    "",
    ...tableHelp(VENUE_OPTIONS),
    "",
  ].join("\n");
}
