/// <reference lib="esnext.disposable" preserve="true" />
import type { KeyValueStore, OrderStore, ShardLeases, Storage } from "../../ports/index.ts";
import type { Store, StoredRejections } from "../../store/index.ts";
import { type RetainRecords, recordKey, storeOn } from "../../store/internal.ts";
import { checked } from "../checksums/index.ts";
import type { StoredRateLimiter, StoredRateLimiterOptions } from "../shared/index.ts";
import type { Database } from "./database.ts";
import { withDeadline } from "./deadline.ts";
import { openedDatabase } from "./opening.ts";
import {
  type LeavingRecord,
  type PostgresJournalOptions,
  type PostgresStoreOptions,
  resolved,
  storeOption,
} from "./options.ts";
import { Patience } from "./patience.ts";
import { PostgresStoreError } from "./postgres-error.ts";
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
  const { answerTimeoutMs, elsewhere, ...all } = resolved(options);
  const database = await openedDatabase({ ...all, answerTimeoutMs, elsewhere });
  return storeIn(database, { ...options, answerTimeoutMs, elsewhere });
}

type StoreParts = Pick<PostgresStoreOptions, "rejections" | "journal" | "telemetry"> &
  Readonly<{ answerTimeoutMs: number; elsewhere?: boolean }>;

/** Returns the store on a database whose schema is there. */
export function storeIn(
  database: Database,
  { rejections, journal, telemetry, answerTimeoutMs, elsewhere = false }: StoreParts,
): PostgresStore {
  const patience = new Patience(answerTimeoutMs);
  const storage = checked(
    new PostgresStorage(database, { answerTimeoutMs, elsewhere, patience, telemetry }),
    "database",
  );
  const options = {
    ...(rejections !== undefined && { rejections }),
    journal: { forget: journal?.forget === true },
  };
  const store = storeOn(storage, options, archiving(storage, journal?.archive, answerTimeoutMs));
  return { ...store, leases: patience.leases(leasesOf(store)) };
}

/** Returns the leases of a store whose storage can be shared. */
export function leasesOf({ leases }: Pick<Store, "leases">): ShardLeases {
  if (leases === undefined) throw new Error("a storage with a clock has leases");
  return leases;
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
    if (records.length > 0) await withDeadline((async () => await archive(records))(), answerTimeoutMs, late);
  };
}
