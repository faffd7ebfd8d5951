/// <reference lib="esnext.disposable" preserve="true" />
import { errorMessage } from "../../common/index.ts";
import { QuietTelemetry } from "../../host-answers/index.ts";
import type { KeyValueStore, OrderStore, ShardLeases } from "../../ports/index.ts";
import {
  QueuedRejections,
  type StoredRateLimiter,
  type StoredRateLimiterOptions,
  StoredRateLimiters,
} from "../shared/index.ts";
import { Appends } from "./appends.ts";
import type { Database } from "./database.ts";
import { afterMs } from "./deadline.ts";
import { endings } from "./endings.ts";
import { journalLifetime } from "./forgetting.ts";
import { journal } from "./journal.ts";
import { leases } from "./leases.ts";
import { limitTable } from "./limit-table.ts";
import { forgetQuotes, market } from "./market.ts";
import { databaseOn, durabilityProblems, migrate, requireDurable } from "./opening.ts";
import { type PostgresStoreOptions, resolved, storeOption } from "./options.ts";
import { Owner } from "./owner.ts";
import { type PostgresRejections, rejectionTable } from "./rejections.ts";
import { smallValues } from "./small-values.ts";
import { snapshots } from "./snapshots.ts";
import { volume } from "./volume.ts";

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

/** Number of quotes after which those that are not the newest of their market are deleted. */
const QUOTES_KEPT = 4_096;

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
  const database = databaseOn(all);
  try {
    await (all.requireDurability ? requireDurable(database) : durabilityProblems(database));
    await migrate(database);
    return storeOn(database, { ...options, answerTimeoutMs: all.answerTimeoutMs, elsewhere: all.elsewhere });
  } catch (error) {
    await database.close();
    throw error;
  }
}

type StoreParts = Pick<PostgresStoreOptions, "rejections" | "journal" | "telemetry" | "elsewhere"> &
  Readonly<{ answerTimeoutMs: number }>;

/** Returns the store on a database whose schema is there. */
export function storeOn(
  database: Database,
  { rejections: retention, journal: lifetime, telemetry, answerTimeoutMs, elsewhere = false }: StoreParts,
): PostgresStore {
  const owner = new Owner();
  const appends = new Appends(database, owner, answerTimeoutMs);
  const shards = journal(database, owner);
  const images = snapshots(database, owner);
  const rejections = new QueuedRejections(rejectionTable(database), retention ?? {});
  const limiters = new StoredRateLimiters(limitTable(database), afterMs);
  const close = async (): Promise<void> => {
    await rejections.flush();
    await limiters.close();
    appends.close();
    await database.close();
  };
  const quiet = new QuietTelemetry(telemetry);
  let added = 0;
  const forget = (): void => {
    added = 0;
    forgetQuotes(database).catch((error: unknown) =>
      quiet.event("warn", "quotes.kept", { message: errorMessage(error) }),
    );
  };
  return {
    ...shards,
    async fence(round) {
      await shards.fence(round);
      appends.fenced(round.shard);
    },
    async append(batch) {
      database.requireOpen();
      const outcomes = await appends.append(batch);
      added += batch.quotes?.length ?? 0;
      if (added >= QUOTES_KEPT) forget();
      return outcomes;
    },
    ...images,
    ...journalLifetime({ database, owner, answerTimeoutMs, readSnapshot: images.readSnapshot }, lifetime),
    ...market(database, owner),
    ...endings(database, owner),
    ...volume({ database, owner, appends }),
    leases: leases(database, owner, elsewhere),
    close,
    [Symbol.asyncDispose]: close,
    rejections,
    openRateLimiter: (limits) => limiters.open(limits),
    keyValue: smallValues(database),
  };
}
