/// <reference lib="esnext.disposable" preserve="true" />
import { type OptionCheck, optionalOption, optionsOf, withDeadline } from "../../common/index.ts";
import type { KeyValueStore, OrderStore, ShardHead, ShardLeases, Storage } from "../../ports/index.ts";
import type { StoredRejections } from "../../store/index.ts";
import { headerIn, headerKey, type RetainRecords, recordKey, storeOn } from "../../store/internal.ts";
import { checked } from "../checksums/index.ts";
import type { StoredRateLimiter, StoredRateLimiterOptions } from "../shared/index.ts";
import { after, textIn } from "./connection.ts";
import type { Database } from "./database.ts";
import {
  databaseOn,
  type LeavingRecord,
  openedDatabase,
  type PostgresJournalOptions,
  type PostgresStoreOptions,
  requireCurrent,
  requireDurable,
  resolved,
  schemaCreationIn,
  schemaOption,
  storeOption,
  timeoutOption,
  urlOption,
} from "./opening.ts";
import { PostgresStoreError } from "./postgres-error.ts";
import { COPYING, FIRST_VERSIONS_CREATION, MIGRATIONS, NOTE_STEP, OPENING } from "./schema.ts";
import { PostgresStorage } from "./storage.ts";

/** Rejections that survive a restart of the process. */
export type PostgresRejections = StoredRejections;

/**
 * An order store in a Postgres database. The same schema holds small values of the host and retained rejections. An
 * engine closes its store; `await using` closes one that has no engine.
 */
export interface PostgresStore extends OrderStore, AsyncDisposable {
  /** Lets several processes share the store. */
  readonly leases: ShardLeases;
  readonly keyValue: KeyValueStore;
  readonly rejections: PostgresRejections;
  /**
   * Opens a rate limiter that begins with the orders of the day and the bans in the database. It writes bans at once and
   * orders once a second, and no request waits for that; closing the store writes the rest. Of several nodes, open it in
   * the one that has taken over. Rejects if the database cannot be read, and with a TypeError or RangeError that names an
   * option that is missing, unknown or wrong.
   */
  openRateLimiter(options: StoredRateLimiterOptions): Promise<StoredRateLimiter>;
}

/**
 * Opens an order store in a Postgres database, and creates its schema if it is missing. Every append is one statement,
 * which is durable when the append resolves. The last caller of `acquire` owns the shards, on whatever machine it runs
 * (I60). Needs the package pg. Throws a TypeError or RangeError that names an option that is missing, unknown or wrong.
 * Rejects with an Error that says what to do if pg cannot be loaded, if the server cannot be reached or refuses the
 * user, if its settings lose acknowledged orders, or if the schema holds tables of another application or is too new.
 *
 * @example
 * ```ts
 * import { openPostgresStore, type PostgresStore } from "managed-orders/postgres";
 *
 * export const openStore = (): Promise<PostgresStore> =>
 *   openPostgresStore({ url: "postgres://orders@localhost:5432/exchange" });
 * ```
 */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<PostgresStore> {
  storeOption(options, "openPostgresStore");
  const all = resolved(options);
  return storeIn(await openedDatabase(all), { ...options, ...all });
}

type StoreParts = Pick<PostgresStoreOptions, "rejections" | "journal" | "telemetry"> &
  Readonly<{ answerTimeoutMs: number; elsewhere?: boolean }>;

/** Returns the store on a database whose schema is there. */
export function storeIn(
  database: Database,
  { rejections, journal, telemetry, answerTimeoutMs, elsewhere = false }: StoreParts,
): PostgresStore {
  const unchecked = new PostgresStorage(database, { answerTimeoutMs, elsewhere, telemetry });
  const storage = checked(unchecked, "database");
  const options = {
    ...(rejections !== undefined && { rejections }),
    journal: { prune: journal?.prune === true },
  };
  const store = storeOn(storage, options, archiving(storage, journal?.archive, answerTimeoutMs));
  return { ...store, leases: unchecked.patience.leases(store.leases) };
}

/** Returns what gives records to the host before they are deleted, if it wants them. */
function archiving(
  storage: Storage,
  archive: PostgresJournalOptions["archive"],
  answerTimeoutMs: number,
): RetainRecords | undefined {
  if (archive === undefined) return undefined;
  const late = (): Error =>
    new PostgresStoreError(
      `journal.archive has not answered for ${answerTimeoutMs} ms: nothing was deleted`,
      "ETIMEDOUT",
    );
  return async (places) => {
    const texts = await storage.get(places.map(({ shard, sequence }) => recordKey(shard, sequence)));
    const records = places.flatMap(({ shard, sequence }, place): readonly LeavingRecord[] => {
      const text = texts[place];
      return text === undefined ? [] : [{ shard, sequence, text }];
    });
    if (records.length > 0)
      await withDeadline((async () => await archive(records))(), after(answerTimeoutMs), late);
  };
}

/** Where the database of a cluster is. */
export interface PostgresClusterOptions extends Pick<PostgresStoreOptions, "url" | "schema"> {
  /** Milliseconds within which the server must answer each question; default 5,000. */
  readonly answerTimeoutMs?: number;
}

/** What a shard holds, as far as the database tells it cheaply. */
export interface ShardContents {
  readonly shard: number;
  /** The owner's number among all that the shard has had. */
  readonly epoch: number;
  /** Sequence of the last record. */
  readonly sequence: number;
  /** The newest snapshot: the sequence of the last record in it, and how many open parents it has. */
  readonly snapshot?: Readonly<{ sequence: number; parents: number }>;
}

/** The nodes and shards of a Postgres store, for an operator. It owns nothing and changes no schema. */
export interface PostgresCluster extends AsyncDisposable {
  /** Reads the nodes and the owners of the shards, says what is wanted of a node, and assigns shards to nodes. */
  readonly leases: Pick<ShardLeases, "heads" | "nodes" | "want" | "assign">;
  /** Reads what every shard holds, by number. */
  contents(): Promise<readonly ShardContents[]>;
  /** Closes the connections. */
  close(): Promise<void>;
}

const clusterOption: OptionCheck = optionsOf<PostgresClusterOptions>({
  url: urlOption,
  schema: optionalOption(schemaOption),
  answerTimeoutMs: optionalOption(timeoutOption),
});

/**
 * Opens the nodes of a Postgres store to an operator, beside the nodes themselves. Throws a TypeError or RangeError that
 * names an option that is missing, unknown or wrong. Rejects with an Error that says what to do if the server cannot be
 * reached, or if the schema holds no store or one of another version: it is never changed.
 *
 * @example
 * ```ts
 * import { openPostgresCluster } from "managed-orders/postgres";
 *
 * export async function owners(url: string): Promise<ReadonlySet<number | undefined>> {
 *   await using cluster = await openPostgresCluster({ url });
 *   const { shards } = await cluster.leases.nodes();
 *   return new Set(shards.map(({ incarnation }) => incarnation));
 * }
 * ```
 */
export async function openPostgresCluster(options: PostgresClusterOptions): Promise<PostgresCluster> {
  clusterOption(options, "openPostgresCluster");
  const { answerTimeoutMs = 5_000 } = options;
  const database = databaseOn({
    ...resolved({ ...options, connections: 3 }),
    ...{ answerTimeoutMs, connectTimeoutMs: answerTimeoutMs },
  });
  try {
    await requireCurrent(database);
  } catch (error) {
    await database.close();
    throw error;
  }
  const unchecked = new PostgresStorage(database, { answerTimeoutMs, elsewhere: false });
  const storage = checked(unchecked, "database");
  const store = storeOn(storage, {});
  const { heads, nodes, want, assign } = unchecked.patience.leases(store.leases);
  return {
    leases: { heads, nodes, want, assign },
    contents: async () => await contentsOf(storage, await heads()),
    close: store.close,
    [Symbol.asyncDispose]: store.close,
  };
}

async function contentsOf(storage: Storage, heads: readonly ShardHead[]): Promise<readonly ShardContents[]> {
  const headers = await storage.get(heads.map(({ shard }) => headerKey(shard)));
  return heads.map(({ shard, epoch, sequence }, place) => {
    const text = headers[place];
    if (text === undefined) return { shard, epoch, sequence };
    const { sequence: last, parents } = headerIn(shard, text);
    return { shard, epoch, sequence, snapshot: { sequence: last, parents } };
  });
}

/** A copy in an empty schema. Nobody can open it as a store before `finish`. */
export interface PostgresCopy {
  /** What is filled: values have their checksums. It is closed with the copy. */
  readonly storage: Storage;
  /** Makes it a store. */
  finish(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Begins a copy in a schema without tables, which it creates if it is missing. Rejects like `openPostgresStore`, and with
 * the code TARGET_NOT_EMPTY if the schema has tables.
 */
export async function beginPostgresCopy(
  options: Pick<PostgresStoreOptions, "url" | "schema">,
): Promise<PostgresCopy> {
  storeOption(options, "beginPostgresCopy");
  const all = resolved(options);
  const database = databaseOn(all);
  try {
    await requireDurable(database);
    await requireEmpty(database);
    await begin(database);
    for (const step of MIGRATIONS) await database.script([NOTE_STEP(step), ...step.sql]);
  } catch (error) {
    await database.close();
    throw error;
  }
  const storage = new PostgresStorage(database, all);
  return {
    storage,
    async finish() {
      const rows = await database.write(COPYING.finish);
      if (rows.length !== 1) throw new Error("another process has finished or removed the copy");
    },
    close: () => storage.close(),
  };
}

/** Marks the schema. A store that another process has opened there meanwhile must stay one: then the copy is refused. */
async function begin(database: Database): Promise<void> {
  const creation = [...(await schemaCreationIn(database)), FIRST_VERSIONS_CREATION];
  try {
    await database.script([...creation, COPYING.begin]);
  } catch (error) {
    await requireEmpty(database);
    throw error;
  }
}

async function requireEmpty(database: Database): Promise<void> {
  const { schema, database: name } = database.place;
  const tables = (await database.read(OPENING.tables, [schema])).map((row) => textIn(row, 0));
  if (tables.length === 0) return;
  throw new PostgresStoreError(
    `the schema ${schema} of ${name} is not empty (${tables.slice(0, 3).join(", ")}): choose another schema, or remove it with DROP SCHEMA "${schema}" CASCADE if you do not need it`,
    "TARGET_NOT_EMPTY",
  );
}
