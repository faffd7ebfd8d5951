import {
  errorCode,
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
import { prunedJournalOption, storeOptions } from "../../store/internal.ts";
import { loadDriver, type Row, textIn, wholeIn } from "./connection.ts";
import { Database, Pool } from "./database.ts";
import { PostgresStoreError, sqlState } from "./postgres-error.ts";
import {
  MIGRATIONS,
  type Migration,
  NOTE_STEP,
  OPENING,
  SCHEMA_CREATION,
  VERSIONS_CREATION,
} from "./schema.ts";

/** Options for retained rejections. */
export type PostgresRejectionOptions = StoredRejectionOptions;

/** A record that leaves the store. The text contains shard and sequence too. */
export interface LeavingRecord {
  readonly shard: number;
  readonly sequence: number;
  readonly text: string;
}

/** Lifetime of the journal. */
export interface PostgresJournalOptions {
  /** If true, the records of an order are deleted with its row, when retention deletes it. Default false. */
  readonly prune?: boolean;
  /**
   * Receives records before they are deleted. They are deleted when the answer resolves; if it rejects, or takes longer
   * than `answerTimeoutMs`, they stay, and the next hour tries again. So a record may come more than once, always with
   * the same text. Requires `prune`.
   */
  readonly archive?: (records: readonly LeavingRecord[]) => Awaitable<void>;
}

const journalOption: OptionCheck = prunedJournalOption(
  optionsOf<PostgresJournalOptions>({
    prune: optionalOption(flagOption),
    archive: optionalOption(functionOption("receives records before they are deleted")),
  }),
);

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
   * Whether the server runs on another machine than this process: not on this one and not in a container of it. Nodes then
   * take its clock as a witness when their own says a time far ahead. Default false: it may be the same clock.
   */
  readonly elsewhere?: boolean;
  readonly rejections?: PostgresRejectionOptions;
  readonly journal?: PostgresJournalOptions;
  /** Receives an event when work in the background fails. */
  readonly telemetry?: Telemetry;
}

/** Options with their defaults. */
type ResolvedOptions = Required<Omit<PostgresStoreOptions, "rejections" | "journal" | "telemetry">>;

/** Checks a number of milliseconds of a timer. */
export const timeoutOption: OptionCheck = wholeOption({ from: 1, to: 2_147_483_647 }, " of milliseconds");

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

const OLDEST_SERVER = 140_000;

/** Version in a schema that is being copied into, see `COPYING.begin`. */
const UNFINISHED_COPY = 2_147_483_647;

/** Opens the database of a store, and creates its schema if it is missing. Rejects like `openPostgresStore`. */
export async function openedDatabase(options: ResolvedOptions): Promise<Database> {
  const database = databaseOn(options);
  try {
    await (options.requireDurability ? requireDurable(database) : durabilityProblems(database));
    await migrate(database);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Returns the database of a store, to which nothing is connected yet. */
export function databaseOn(options: ResolvedOptions): Database {
  const pool = new Pool({ ...options, driver: loadDriver() });
  return new Database(pool, { database: databaseOf(options.url) ?? "", schema: options.schema });
}

/**
 * Returns what a host must change, so that an order that was acknowledged cannot be lost. Throws if the server is too old,
 * cannot be written, or cannot keep every text.
 */
export async function durabilityProblems(database: Database): Promise<readonly string[]> {
  const [row] = await database.read(OPENING.settings);
  const name = database.place.database;
  const version = textIn(row, 0);
  const [number, commit, standbys, fsync, pages, readOnly, messages, encoding] = (row ?? []).slice(1);
  if (version.startsWith("PostgreSQL") && !version.includes("-YB-") && wholeIn(row, 1) < OLDEST_SERVER)
    throw new PostgresStoreError(
      `${name} runs Postgres ${number}: use Postgres 14 or later`,
      "SERVER_VERSION",
    );
  if (readOnly === "on")
    throw new PostgresStoreError(
      `${name} is read-only, such as a standby: use the URL of the primary server`,
      "25006",
    );
  if (typeof encoding === "string" && !LOSSLESS_ENCODINGS.includes(encoding))
    throw new PostgresStoreError(
      `${name} has the encoding ${encoding}, which lacks characters that a venue may send: create the database with ENCODING 'UTF8'`,
      "ENCODING",
    );
  const problems: string[] = [];
  if (commit === "off")
    problems.push("synchronous_commit is off: a crash of the server loses the last orders; set it to on");
  if ((commit === "local" || commit === "remote_write") && (standbys ?? "") !== "")
    problems.push(
      `synchronous_commit is ${commit}: a failover to a standby loses the last orders; set it to on`,
    );
  if (fsync === "off") problems.push("fsync is off: a crash of the machine loses orders; set it to on");
  if (pages === "off")
    problems.push("full_page_writes is off: a crash of the machine may damage the database; set it to on");
  if (messages !== undefined && messages !== null && !SHOWS_WARNINGS.includes(messages))
    problems.push(
      `client_min_messages is ${messages}: the server hides that a commit has not reached its standby; set it to notice`,
    );
  return problems;
}

/** Throws a PostgresStoreError for a server that is too old, cannot be written, cannot keep every text, or would lose orders. */
export async function requireDurable(database: Database): Promise<void> {
  const problems = await durabilityProblems(database);
  if (problems.length > 0)
    throw new PostgresStoreError(
      `${database.place.database} would lose acknowledged orders: ${problems.join("; ")}`,
      "NOT_DURABLE",
    );
}

/** Encodings in which every text can be kept. The second one keeps bytes as they come. */
const LOSSLESS_ENCODINGS = ["UTF8", "SQL_ASCII"];

const SHOWS_WARNINGS = "debug5 debug4 debug3 debug2 debug1 debug log notice warning".split(" ");

/** What the server answers to a user who may not use a schema or read a table. */
const NO_RIGHTS = "42501";

/** What the server answers about a table or a schema that is not there. */
const NOT_THERE = ["42P01", "3F000"];

/** How often the schema is looked at again because another process is creating it. */
const ATTEMPTS = 20;

/** What two processes that create the same schema at once answer to one of them: the object exists already. */
const EXISTS = ["23505", "42P06", "42P07", "42710", "40001", "XX000"];

/**
 * Creates the schema, or runs the steps that it lacks, each as one transaction. Throws if it holds tables of another
 * application, or is too new.
 */
export async function migrate(
  database: Database,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<void> {
  let isCreated = false;
  for (let attempt = 1; ; attempt++) {
    const missing = await missingSteps(database, migrations, isCreated);
    const [step] = missing;
    if (step === undefined) return;
    try {
      if (step === "create")
        await database.script([...(await schemaCreationIn(database)), VERSIONS_CREATION]);
      else await database.script([NOTE_STEP(step), ...step.sql]);
      isCreated = true;
    } catch (error) {
      const state = sqlState((error as Error).cause);
      if (attempt === ATTEMPTS || state === undefined || !EXISTS.includes(state)) throw error;
    }
  }
}

/** Returns the statement that creates the schema if it is missing: the right to create schemas is demanded by it alone. */
export async function schemaCreationIn(database: Database): Promise<readonly string[]> {
  const schemas = await database.read(OPENING.schemas, [database.place.schema]);
  return schemas.length === 0 ? [SCHEMA_CREATION] : [];
}

/** Throws unless the schema is there and has every step: whoever only looks must not change what nodes of another version use. */
export async function requireCurrent(database: Database): Promise<void> {
  const [step] = await missingSteps(database, MIGRATIONS);
  if (step === undefined) return;
  const { place } = database;
  if (step === "create") throw await absent(database);
  throw new PostgresStoreError(
    `the schema ${place.schema} of ${place.database} lacks step ${step.version}, which this version of managed-orders needs: use the version of the nodes, or open a node of this version first`,
    "OLDER_SCHEMA",
  );
}

/** Returns why nothing is seen of a store: it may be there for other users. */
async function absent(database: Database): Promise<Error> {
  const { schema, database: name } = database.place;
  const problem = await database.read(OPENING.versions).then(
    () => undefined,
    (error: unknown) => error,
  );
  if (problem instanceof PostgresStoreError && problem.code === NO_RIGHTS)
    return new PostgresStoreError(
      `the user has no rights to ${schema} in ${name}: use the user of the nodes (${NO_RIGHTS})`,
      NO_RIGHTS,
      problem,
    );
  if (problem instanceof Error && !NOT_THERE.includes(errorCode(problem))) return problem;
  return new PostgresStoreError(`the schema ${schema} of ${name} holds no store`, "NO_STORE");
}

/** With `isCreated`, the table of the versions is there, although a user without a right to it does not see it. */
async function missingSteps(
  database: Database,
  migrations: readonly Migration[],
  isCreated = false,
): Promise<readonly ("create" | Migration)[]> {
  const { schema } = database.place;
  const tables = (await database.read(OPENING.tables, [schema])).map((row) => textIn(row, 0));
  if (!isCreated && !tables.includes("managed_orders_version")) {
    if (tables.length > 0) throw foreign(database, tables);
    return ["create"];
  }
  const versions = await database.read(OPENING.versions);
  requireUsable(database, versions, migrations);
  const done = versions.map((row) => wholeIn(row, 0));
  return migrations.filter(({ version }) => !done.includes(version));
}

function foreign({ place }: Database, tables: readonly string[]): Error {
  const names = tables.slice(0, 3).join(", ");
  return new PostgresStoreError(
    `the schema ${place.schema} of ${place.database} holds tables of another application (${names}): choose another schema with the option \`schema\``,
    "FOREIGN_SCHEMA",
  );
}

/**
 * A newer schema says from which version on its programs can share it. A program of an older version is refused: it
 * would not know what the newer ones rely on.
 */
function requireUsable(
  { place }: Database,
  versions: readonly Row[],
  migrations: readonly Migration[],
): void {
  const newest = versions.at(-1);
  const known = migrations.at(-1)?.version ?? 0;
  if (newest === undefined || wholeIn(newest, 1) <= known) return;
  if (wholeIn(newest, 0) === UNFINISHED_COPY)
    throw new PostgresStoreError(
      `the schema ${place.schema} of ${place.database} holds a copy that was not finished: remove it with DROP SCHEMA "${place.schema}" CASCADE and copy again`,
      "UNFINISHED_COPY",
    );
  throw new PostgresStoreError(
    `the schema ${place.schema} of ${place.database} has version ${wholeIn(newest, 0)}, which programs from version ${wholeIn(newest, 1)} on can use, but this version of managed-orders knows versions up to ${known}: update managed-orders`,
    "NEWER_SCHEMA",
  );
}
