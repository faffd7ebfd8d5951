import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { databaseOf } from "../adapters/postgres/internal.ts";
import { addressOf } from "../adapters/venue-http/internal.ts";
import { errorCode, errorMessage } from "../common/index.ts";
import { parseScaled } from "../decimal/index.ts";
import { readAddressBlock } from "../service/internal.ts";
import { type Listing, readListings } from "./catalogue.ts";
import { CRASH_POINTS, type Crash } from "./faults.ts";
import { parseWhole, SettingsError, type WholeRange } from "./input.ts";

/** One setting: its default as text, its meaning for `--help`, its reader, and whether a text of it holds a secret. */
export type Option<T> = Readonly<{
  fallback: string;
  meaning: string;
  read: SettingReader<T>;
  isSecret?: (text: string) => boolean;
}>;

/** The settings of a command by the names of their environment variables. */
export type SettingTable = Readonly<Record<string, Option<unknown>>>;

/** The values of a table. */
export type SettingValues<T extends SettingTable> = { readonly [K in keyof T]: ReturnType<T[K]["read"]> };

/** Sources of settings: environment variables by name, and the command line after the command. */
export type SettingSources = Readonly<{
  env: Readonly<Record<string, string | undefined>>;
  argv: readonly string[];
}>;

/** Returns one setting. */
export const option = <T>(fallback: string, meaning: string, read: SettingReader<T>): Option<T> => ({
  ...{ fallback, meaning, read },
});

/** Returns a setting that may be left out. */
export const optional = <T>(meaning: string, read: SettingReader<T>): Option<T | undefined> =>
  option("", meaning, optionalSetting(read));

/**
 * Returns a setting whose text is a secret. Other users of a machine can read arguments: it comes in a variable, or in a
 * file that `NAME_FILE` names, such as `/dev/stdin`.
 */
export const secretOption = <T>(meaning: string, read: SettingReader<T>): Option<T> => ({
  ...option("", meaning, read),
  isSecret: () => true,
});

const flagOf = (name: string): string => `--${name.toLowerCase().replaceAll("_", "-")}`;

/**
 * Reads every setting of a table. Flags take precedence over variables. Unknown and empty variables are ignored. Throws
 * a SettingsError with one line about the first invalid setting.
 */
export function readTable<T extends SettingTable>(table: T, sources: SettingSources): SettingValues<T> {
  const flags = readFlags(table, sources.argv);
  const env = withFiles(table, sources.env);
  const values = Object.entries(table).map(([name, { fallback, read }]) => {
    const flag = flags.get(name);
    try {
      return [name, read(flag ?? (env[name] || fallback))];
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error;
      throw new SettingsError(`${flag === undefined ? name : flagOf(name)}: ${error.message}`);
    }
  });
  return Object.fromEntries(values) as SettingValues<T>;
}

/** Returns the variables with the secrets whose variable names a file. The line break at its end does not count. */
function withFiles(table: SettingTable, env: SettingSources["env"]): SettingSources["env"] {
  const read: Record<string, string | undefined> = { ...env };
  for (const [name, { isSecret }] of Object.entries(table)) {
    const path = env[`${name}_FILE`];
    if (isSecret === undefined || !path) continue;
    if (env[name]) throw new SettingsError(`${name} and ${name}_FILE are both set: set one of them`);
    try {
      read[name] = readFileSync(path, "utf8").replace(/\r?\n$/, "");
    } catch (error) {
      throw new SettingsError(
        `${name}_FILE: the file cannot be read (${errorCode(error) ?? errorMessage(error)})`,
      );
    }
  }
  return read;
}

function readFlags(table: SettingTable, argv: readonly string[]): ReadonlyMap<string, string> {
  const nameOfFlag = new Map(Object.keys(table).map((name) => [flagOf(name), name]));
  const flags = new Map<string, string>();
  for (let index = 0; index < argv.length; index++) {
    const argument = argv[index] ?? "";
    const [flag = "", ...rest] = argument.split("=");
    const name = nameOfFlag.get(flag);
    if (name === undefined)
      throw new SettingsError(`unknown argument ${shownSetting(argument)}: use --help to list all settings`);
    if (flags.has(name)) throw new SettingsError(`${flag} was given twice`);
    const value = argument.includes("=") ? rest.join("=") : argv[++index];
    if (value === undefined || value === "") throw new SettingsError(`${flag} needs a value`);
    if (table[name]?.isSecret?.(value) === true)
      throw new SettingsError(
        `${flag}: other users of this machine can read arguments: set the variable ${name}, or ${name}_FILE to the path of a file with it`,
      );
    flags.set(name, value);
  }
  return flags;
}

/** Returns a line about each setting of a table, with its default and meaning. A secret has no flag. */
export function tableHelp(table: SettingTable): readonly string[] {
  const rows = Object.entries(table).map(([name, { fallback, meaning, isSecret }]) => ({
    title: isSecret?.("") === true ? `${name}, ${name}_FILE` : flagOf(name),
    meaning: `${meaning}${fallback === "" ? "" : ` (${fallback})`}`,
  }));
  const width = Math.max(...rows.map(({ title }) => title.length)) + 2;
  return rows.map(({ title, meaning }) => `  ${title.padEnd(width)}${meaning}`);
}

/** Parses the text of one setting. Throws a SettingsError that states the valid values, without the setting's name. */
export type SettingReader<T> = (text: string) => T;

/** Location of the engine's store. `url` may contain a password, so it is never shown. */
export type StoreSetting =
  | Readonly<{ kind: "sqlite"; path: string }>
  | Readonly<{ kind: "postgres"; url: string; schema?: string }>
  | Readonly<{ kind: "memory" }>;

/** Source of quotes and prints. */
export type MarketSetting =
  | Readonly<{ kind: "synthetic" }>
  | Readonly<{ kind: "manual" }>
  | Readonly<{ kind: "replay"; quotesPath: string; tradesPath?: string }>;

/** A venue in a process of its own. `controlUrl`: its control interface; undefined: not to be asked. */
export type VenueAddress = Readonly<{ url: string; secret: string; controlUrl: string | undefined }>;

/** Request limits of the service. */
export type RateLimitSettings = Readonly<{
  weightPerMinute: number;
  ordersPer10Seconds: number;
  ordersPerDay: number;
  banMs: number;
}>;

const LONGEST_SHOWN = 60;

/** Formats a value for a message: quoted, on one line, truncated. */
function shown(text: string): string {
  return JSON.stringify(text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text);
}

/**
 * Formats a word that was not understood, up to its first `:`, `=` or `@`: a password may follow, in a URL of another
 * form or as the value of a setting whose name is misspelt.
 */
export function shownSetting(text: string): string {
  const [name = ""] = text.split(/[:=@]/);
  return shown(name === text ? text : `${name}…`);
}

const refuse = (what: string, text: string): never => {
  throw new SettingsError(`must be ${what}, not ${shown(text)}`);
};

/** Parses a whole number in a range. */
export function wholeNumber(range: WholeRange): SettingReader<number> {
  return (text) =>
    parseWhole(text, range) ?? refuse(`a whole number from ${range.min} to ${range.max}`, text);
}

/** Parses one word of a list. */
export function oneOf<T extends string>(...words: readonly T[]): SettingReader<T> {
  return (text) => words.find((word) => word === text) ?? refuse(words.join(" or "), text);
}

/** Parses `true` or `false`. */
export const onOrOff: SettingReader<boolean> = (text) => oneOf("true", "false")(text) === "true";

/** Makes a setting optional: empty text means that it is not set. */
export function optionalSetting<T>(read: SettingReader<T>): SettingReader<T | undefined> {
  return (text) => (text === "" ? undefined : read(text));
}

/** Parses comma-separated items, each of which must pass. */
const listOf =
  (passes: (item: string) => boolean, what: string): SettingReader<readonly string[]> =>
  (text) => {
    const items = text.split(",");
    return items.every(passes) ? items : refuse(what, text);
  };

const matching =
  (pattern: RegExp, what: string): SettingReader<string> =>
  (text) =>
    pattern.test(text) ? text : refuse(what, text);

/** Parses text that must pass. The message does not show it, because it is a secret or may contain one. */
const unshown =
  (passes: (text: string) => boolean, problem: string): SettingReader<string> =>
  (text) => {
    if (passes(text)) return text;
    throw new SettingsError(problem);
  };

const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[^/\s]+$/;

/** Parses web origins, or `*`. */
export const originList: SettingReader<readonly string[]> = listOf(
  (item) => item === "*" || ORIGIN.test(item),
  "origins such as https://desk.example.com, or *",
);

/** Parses addresses and CIDR blocks. */
export const blockList: SettingReader<readonly string[]> = listOf(
  (item) => readAddressBlock(item) !== undefined,
  "addresses or CIDR blocks such as 10.0.0.0/8",
);

/** Parses the last path segments of routes. */
export const routeList: SettingReader<readonly string[]> = listOf(
  (item) => /^[A-Za-z0-9]+$/.test(item),
  "last path segments of routes, such as orderStatus,allOrders",
);

const portNumber = wholeNumber({ min: 0, max: 65_535 });

/** Parses a port, or `auto` (or 0) for a free one. */
export const port: SettingReader<number | "auto"> = (text) =>
  text === "auto" ? text : portNumber(text) || "auto";

/** Parses a port like {@link port}, or `off`. */
export const optionalPort: SettingReader<number | "auto" | "off"> = (text) =>
  text === "off" ? text : port(text);

/** Parses a host name or address to listen on. */
export const host: SettingReader<string> = matching(/^[A-Za-z0-9._:%-]{1,255}$/, "a host name or an address");

/** Parses a factor above 0 with at most six decimals. */
export const factor: SettingReader<number> = (text) => {
  const millionths = parseScaled(text, 6);
  if (typeof millionths === "number" && millionths > 0) return millionths / 1_000_000;
  return refuse("a number above 0 with at most six decimals", text);
};

/** Parses `sqlite:PATH`, the URL of a Postgres database, or `memory:`. */
export const storeSetting: SettingReader<StoreSetting> = (text) => {
  if (/^postgres(ql)?:/.test(text)) return postgresSetting(text);
  if (text === "memory:") return { kind: "memory" };
  const path = /^sqlite:(.+)$/.exec(text)?.[1];
  if (path !== undefined) return { kind: "sqlite", path };
  throw new SettingsError(
    `must be sqlite:PATH, postgres://user@host:5432/database or memory:, not ${shownSetting(text)}`,
  );
};

/** Returns whether the text of a store is a URL with a password. */
export const hasPassword = (text: string): boolean =>
  /^postgres(ql)?:/.test(text) && URL.canParse(text) && new URL(text).password !== "";

/** Parses a store in an argument of a command, which other users of the machine can read. The message shows nothing of it. */
export const storeArgument: SettingReader<StoreSetting> = (text) => {
  if (!hasPassword(text)) return storeSetting(text);
  throw new SettingsError(
    "other users of this machine can read arguments: leave the password out of the URL and set the variable PGPASSWORD",
  );
};

/** The parameter `schema` is ours; all others go to the driver. The message shows nothing of the URL. */
function postgresSetting(text: string): StoreSetting {
  if (databaseOf(text) === undefined)
    throw new SettingsError(
      "must be the URL of a database such as postgres://user@host:5432/database; its value is not shown, because it may contain a password",
    );
  const url = new URL(text);
  const schema = url.searchParams.get("schema");
  if (schema === null) return { kind: "postgres", url: text };
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema))
    return refuse("a URL whose schema has lower-case letters, digits and _, at most 63 characters", schema);
  url.searchParams.delete("schema");
  return { kind: "postgres", url: url.href, schema };
}

/** Parses `synthetic`, `manual` or `replay:QUOTES.csv[,TRADES.csv]`. */
export const marketSetting: SettingReader<MarketSetting> = (text) => {
  if (text === "synthetic" || text === "manual") return { kind: text };
  const paths = /^replay:(.*)$/.exec(text)?.[1]?.split(",") ?? [];
  const [quotesPath, tradesPath, ...more] = paths;
  if (quotesPath === undefined || paths.includes("") || more.length > 0) {
    return refuse("synthetic, manual or replay:QUOTES.csv[,TRADES.csv]", text);
  }
  return { kind: "replay", quotesPath, ...(tradesPath === undefined ? {} : { tradesPath }) };
};

/** Parses the path of a catalogue file, and reads it. */
export const catalogueFile: SettingReader<readonly Listing[]> = (path) => {
  try {
    return readListings(readFileSync(path, "utf8"));
  } catch (error) {
    if (error instanceof SettingsError) throw new SettingsError(`${basename(path)} ${error.message}`);
    throw new SettingsError(`${basename(path)} cannot be read (${errorCode(error) ?? errorMessage(error)})`);
  }
};

const DEFAULT_LIMITS: RateLimitSettings = {
  weightPerMinute: 6_000,
  ordersPer10Seconds: 50,
  ordersPerDay: 160_000,
  banMs: 120_000,
};

const LIMIT_NAMES: ReadonlyMap<string, keyof RateLimitSettings> = new Map([
  ["weight", "weightPerMinute"],
  ["orders10s", "ordersPer10Seconds"],
  ["orders1d", "ordersPerDay"],
  ["banMs", "banMs"],
]);

const limitValue = wholeNumber({ min: 1, max: 1_000_000_000 });

/** Parses `default`, `off`, or limits by name. Limits that are not named keep their defaults. */
export const rateLimits: SettingReader<RateLimitSettings | "off"> = (text) => {
  if (text === "off") return text;
  if (text === "default") return DEFAULT_LIMITS;
  const named = new Map<keyof RateLimitSettings, number>();
  for (const item of text.split(",")) {
    const [name = "", value = "", ...more] = item.split("=");
    const limit = LIMIT_NAMES.get(name);
    if (limit === undefined || named.has(limit) || more.length > 0) {
      return refuse(`default, off or ${[...LIMIT_NAMES.keys()].join("=…,")}=…`, text);
    }
    named.set(limit, limitValue(value));
  }
  return { ...DEFAULT_LIMITS, ...Object.fromEntries(named) };
};

const skipped = wholeNumber({ min: 0, max: 1_000_000_000 });

/** Parses a named point, optionally with a colon and the number of times it is passed before. */
export const crash: SettingReader<Crash> = (text) => {
  const [name = "", skip = "0", ...more] = text.split(":");
  const at = CRASH_POINTS.find((point) => point === name);
  if (at === undefined || more.length > 0) return refuse(`one of ${CRASH_POINTS.join(", ")}`, text);
  return { at, skip: skipped(skip) };
};

/** Parses an API key that a client can send in a header. */
export const apiKey: SettingReader<string> = matching(
  /^[A-Za-z0-9_-]{1,128}$/,
  "1 to 128 letters, digits, - or _",
);

/** Parses a secret. */
export const apiSecret: SettingReader<string> = unshown(
  (text) => /^[!-~]{1,256}$/.test(text),
  "must be 1 to 256 visible ASCII characters",
);

const secretFor = (sharers: string): SettingReader<string> =>
  unshown(
    (text) => /^[ -~]{16,256}$/.test(text),
    `must be 16 to 256 printable ASCII characters, the same for ${sharers}`,
  );

/** Parses the secret that a venue shares with its clients. */
export const venueSecret: SettingReader<string> = secretFor("the venue and its clients");

/** Parses the secret that sandboxes on one store share. */
export const sharedSecret: SettingReader<string> = secretFor("all sandboxes on one store");

/** Parses comma-separated DNS names. Returns undefined for empty text. */
export const nameList: SettingReader<readonly string[] | undefined> = optionalSetting(
  listOf((item) => /^[A-Za-z0-9._-]{1,253}$/.test(item), "DNS names separated by commas"),
);

/** Parses the URL of a venue server, which may contain a password. */
export const venueUrl: SettingReader<string> = unshown(
  (text) => addressOf(text) !== undefined,
  "must be the URL of a venue such as http://127.0.0.1:8090, without user, password, query and fragment",
);

/** Parses the address of a control interface, which is on loopback, or `off`. */
export const controlUrl: SettingReader<string | undefined> = (text) => {
  if (text === "off") return undefined;
  const address = addressOf(text);
  const isLoopback = /^http:\/\/(127\.0\.0\.1|localhost|\[::1\])(:[0-9]+)?$/.test(address?.origin ?? "");
  if (isLoopback && address?.prefix === "") return address.origin;
  throw new SettingsError("must be an address of this machine such as http://127.0.0.1:8091, or off");
};
