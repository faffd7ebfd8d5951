import type { Listing } from "./catalogue.ts";
import {
  host,
  type MarketSetting,
  marketSetting,
  oneOf,
  optionalPort,
  port,
  type SettingReader,
  venueSecret,
  wholeNumber,
} from "./setting-readers.ts";
import {
  option,
  readTable,
  type SettingSources,
  type SettingTable,
  secretOption,
  tableHelp,
} from "./setting-table.ts";
import { catalogueOption } from "./settings.ts";
import { SettingsError } from "./settings-error.ts";

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

const OPTIONS = {
  HOST: option("127.0.0.1", "address on which the venue listens", host),
  PORT: option("8090", "port of the venue; auto = a free port", port),
  CONTROL_PORT: option(
    "8091",
    "port of the control interface, on loopback only; auto = a free port, off = none",
    optionalPort,
  ),
  VENUE_RECORD: option("./data/venue.jsonl", "file of the venue's record, or memory:", record),
  VENUE_SECRET: secretOption("secret that the venue shares with its clients", venueSecret),
  MARKET: option("synthetic", "source of quotes: synthetic or manual", marketOf),
  CATALOGUE: catalogueOption,
  MARKET_SEED: option("1", "seed of the synthetic market", wholeNumber({ min: 0, max: 4_294_967_295 })),
  VENUE_FORGETS_AFTER_MS: option(
    "172800000",
    "time in ms for which the venue remembers a settled child",
    wholeNumber({ min: 60_000, max: 31_536_000_000 }),
  ),
  LOG: option("text", "text, or json = one JSON line when ready", oneOf("text", "json")),
} as const satisfies SettingTable;

/** Reads every setting. Throws a SettingsError with one line about the first invalid one, and never shows the secret. */
export function readVenueSettings(sources: SettingSources): VenueSettings {
  const values = readTable(OPTIONS, sources);
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
    ...tableHelp(OPTIONS),
    "",
  ].join("\n");
}
