import {
  flagOption,
  functionOption,
  type OptionCheck,
  optionalOption,
  optionsOf,
  textOption,
  wholeOption,
} from "../../common/index.ts";
import type { Awaitable, Telemetry } from "../../ports/index.ts";
import { telemetryOption } from "../../ports/internal.ts";
import type { StoredRejectionOptions } from "../../store/index.ts";
import { storeOptions } from "../../store/internal.ts";

/** Options for retained rejections. */
export type PostgresRejectionOptions = StoredRejectionOptions;

/** A record that leaves the store. The text contains shard and sequence too. */
export interface LeavingRecord {
  readonly shard: number;
  readonly sequence: number;
  readonly text: string;
}

/** Lifetime of the journal (decisions TA and XA). */
export interface PostgresJournalOptions {
  /** If true, the records of an order are deleted with its row, when retention deletes it. Default false. */
  readonly forget?: boolean;
  /**
   * Receives records before they are deleted. They are deleted when the answer resolves; if it rejects, or takes longer
   * than `answerTimeoutMs`, they stay, and the next hour tries again. So a record may come more than once, always with
   * the same text. Requires `forget`.
   */
  readonly archive?: (records: readonly LeavingRecord[]) => Awaitable<void>;
}

const journalOptions: OptionCheck = optionsOf<PostgresJournalOptions>({
  forget: optionalOption(flagOption),
  archive: optionalOption(functionOption("receives records before they are deleted")),
});

/** Checks the options of a journal. Throws a RangeError for an archive without `forget`. */
const journalOption: OptionCheck = (value, name) => {
  journalOptions(value, name);
  const { forget, archive } = value as PostgresJournalOptions;
  if (archive === undefined || forget === true) return;
  throw new RangeError(`${name}.archive needs ${name}.forget: true: without it, no record leaves the store`);
};

/** Where the database is, and bounds of the connections to it. */
export interface PostgresStoreOptions {
  /** URL of the database, such as `postgres://user@host:5432/database`. No message shows its password. */
  readonly url: string;
  /** Name of the schema; default `managed_orders`. The store creates it, and everything in it is the store's. */
  readonly schema?: string;
  /** Most connections of this store; default 8. Two of them are kept for appends and takeovers. */
  readonly connections?: number;
  /** Most reads, and most writes, that may wait for a connection; default 1,000. Further ones are rejected. */
  readonly waiting?: number;
  /** Milliseconds within which a connection must be made; default 5,000. */
  readonly connectTimeoutMs?: number;
  /** Milliseconds within which a statement must be answered; default 30,000. Appends are never given up. */
  readonly answerTimeoutMs?: number;
  /**
   * If true, the default, refuses a server whose settings lose orders after they were acknowledged. With false, such a
   * server can be used for tests.
   */
  readonly requireDurability?: boolean;
  /**
   * Whether the server runs on another machine than this process: not on this one and not in a container of it. Nodes then take
   * its clock as a witness when their own says a time far ahead (decision 52). Default false: it may be the same clock.
   */
  readonly elsewhere?: boolean;
  readonly rejections?: PostgresRejectionOptions;
  readonly journal?: PostgresJournalOptions;
  /** Receives an event when work in the background fails. */
  readonly telemetry?: Telemetry;
}

/** Options with their defaults. */
export type ResolvedOptions = Required<Omit<PostgresStoreOptions, "rejections" | "journal" | "telemetry">>;

const LONGEST_MS = 2_147_483_647;
const timeoutOption = wholeOption({ from: 1, to: LONGEST_MS }, " of milliseconds");

/** Checks a URL, and never shows it: it may contain a password. */
export const urlOption: OptionCheck = (value, name) => {
  if (typeof value === "string" && databaseOf(value) !== undefined) return;
  const wanted = "the URL of a database such as postgres://user@host:5432/database";
  if (value === undefined) throw new TypeError(`${name} is missing: pass ${wanted}`);
  const encoded = "write /, ?, # and @ of a password as %2F, %3F, %23 and %40";
  const message = `${name} must be ${wanted}; ${encoded}; its value is not shown, because it may contain a password`;
  throw typeof value === "string" ? new RangeError(message) : new TypeError(message);
};

/** Checks the name of a schema. */
export const schemaOption: OptionCheck = textOption(
  "a name of lower-case letters, digits and _, at most 63 characters",
  (text) => /^[a-z_][a-z0-9_]{0,62}$/.test(text),
);

/** Checks the options of a store. */
export const storeOption: OptionCheck = optionsOf<PostgresStoreOptions>({
  url: urlOption,
  schema: optionalOption(schemaOption),
  connections: optionalOption(wholeOption({ from: 3, to: 1_000 })),
  waiting: optionalOption(wholeOption({ from: 1 })),
  connectTimeoutMs: optionalOption(timeoutOption),
  answerTimeoutMs: optionalOption(timeoutOption),
  requireDurability: optionalOption(flagOption),
  elsewhere: optionalOption(flagOption),
  rejections: storeOptions.rejections,
  journal: optionalOption(journalOption),
  telemetry: optionalOption(telemetryOption),
});

/** Returns the options with their defaults. */
export function resolved(options: PostgresStoreOptions): ResolvedOptions {
  const { rejections: _rejections, journal: _journal, telemetry: _telemetry, ...given } = options;
  return {
    schema: "managed_orders",
    connections: 8,
    waiting: 1_000,
    connectTimeoutMs: 5_000,
    answerTimeoutMs: 30_000,
    requireDurability: true,
    elsewhere: false,
    ...given,
  };
}

/** Returns host, port and database of a URL, as messages name them; undefined for anything else. */
export function databaseOf(url: string): string | undefined {
  let parts: URL;
  try {
    parts = new URL(url);
  } catch {
    return undefined;
  }
  if (!["postgres:", "postgresql:"].includes(parts.protocol) || isCutInPassword(parts)) return undefined;
  const host = parts.host === "" ? (parts.searchParams.get("host") ?? "localhost") : parts.host;
  return `database ${parts.pathname.slice(1) || "of the user"} on ${host}`;
}

/**
 * Whether the host seems to end in a password that is not encoded: what follows the character that ends the host contains
 * the @ that should come before it. Host and database then are parts of the password.
 */
function isCutInPassword({ pathname, search, hash }: URL): boolean {
  return pathname.includes("@") || hash !== "" || (pathname === "" && search.includes("@"));
}
