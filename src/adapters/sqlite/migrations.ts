import type { Database } from "./database.ts";

/** One step of the schema. Its SQL brings a file from the previous version to `version`. */
export type Migration = Readonly<{ version: number; sql: string }>;

/**
 * The steps from an empty file to the newest schema. A released step never changes; every change is a new step.
 *
 * Journal rows are stored in order of arrival. If a row were stored beside its shard's other rows, every append would
 * write one page per shard: with 64 records from 64 shards, throughput fell to a quarter. `journal_index` maps a record
 * to its position. It is updated in bulk; `state.indexed` is the last position it contains.
 */
export const MIGRATIONS: readonly Migration[] = [
  {
    version: 1,
    sql: `
      -- id says whose an archive is; a restored store gets another one. limiters counts openings of rate limiters.
      CREATE TABLE state (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
      INSERT INTO state (name, value)
        VALUES ('owner', 0), ('indexed', 0), ('id', abs(random() % 9007199254740992)), ('limiters', 0);

      -- The highest sequence that was deleted; and the highest that a record of an order may have whose row was deleted
      -- alone, 0 for none.
      CREATE TABLE shards (
        shard INTEGER PRIMARY KEY,
        epoch INTEGER NOT NULL,
        sequence INTEGER NOT NULL,
        forgotten INTEGER NOT NULL,
        leftover INTEGER NOT NULL
      ) STRICT;
      INSERT INTO shards (shard, epoch, sequence, forgotten, leftover)
        WITH RECURSIVE counted (shard) AS (SELECT 0 UNION ALL SELECT shard + 1 FROM counted WHERE shard < 255)
        SELECT shard, 0, 0, 0, 0 FROM counted;

      -- A checksum is the CRC-32 over a row, so that one which was changed, moved or zeroed is noticed.
      CREATE TABLE journal (
        position INTEGER PRIMARY KEY,
        shard INTEGER NOT NULL,
        sequence INTEGER NOT NULL,
        record TEXT NOT NULL,
        checksum INTEGER NOT NULL
      ) STRICT;
      CREATE TABLE journal_index (
        shard INTEGER NOT NULL,
        sequence INTEGER NOT NULL,
        position INTEGER NOT NULL,
        PRIMARY KEY (shard, sequence)
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE snapshots (
        generation INTEGER PRIMARY KEY AUTOINCREMENT,
        shard INTEGER NOT NULL,
        sequence INTEGER NOT NULL,
        counter INTEGER NOT NULL,
        parents INTEGER NOT NULL,
        complete INTEGER NOT NULL DEFAULT 0,
        checksum INTEGER NOT NULL
      ) STRICT;
      CREATE INDEX snapshots_of_shard ON snapshots (shard, sequence);
      CREATE TABLE snapshot_parts (
        generation INTEGER NOT NULL,
        part INTEGER NOT NULL,
        parents TEXT NOT NULL,
        checksum INTEGER NOT NULL,
        PRIMARY KEY (generation, part)
      ) STRICT;

      CREATE TABLE ended (
        order_id INTEGER PRIMARY KEY,
        account_id INTEGER NOT NULL,
        client_order_id TEXT NOT NULL,
        shard INTEGER NOT NULL,
        ended_at_ms INTEGER NOT NULL,
        list_id INTEGER,
        record TEXT NOT NULL,
        checksum INTEGER NOT NULL
      ) STRICT;
      -- Each index ends in order_id, the row's own key: pages of an account or shard are read in its order.
      CREATE UNIQUE INDEX ended_client_ids ON ended (account_id, client_order_id);
      CREATE INDEX ended_of_account ON ended (account_id);
      CREATE INDEX ended_of_shard ON ended (shard);
      -- A parent stands in one of the two: by its end, or as a leg that goes only with its list.
      CREATE INDEX ended_by_time ON ended (ended_at_ms) WHERE list_id IS NULL;
      CREATE INDEX ended_of_list ON ended (list_id) WHERE list_id IS NOT NULL;

      -- How many rows of ended an account has, kept with them in the same transaction: a page's total counts no rows.
      CREATE TABLE ended_counts (account_id INTEGER PRIMARY KEY, rows INTEGER NOT NULL) STRICT;
      -- A row that replaces the one of its order is an update, and counts nothing.
      CREATE TRIGGER ended_added AFTER INSERT ON ended BEGIN
        INSERT INTO ended_counts (account_id, rows) VALUES (new.account_id, 1)
          ON CONFLICT (account_id) DO UPDATE SET rows = rows + 1;
      END;
      CREATE TRIGGER ended_removed AFTER DELETE ON ended BEGIN
        UPDATE ended_counts SET rows = rows - 1 WHERE account_id = old.account_id;
      END;

      CREATE TABLE ended_lists (
        list_id INTEGER PRIMARY KEY,
        account_id INTEGER NOT NULL,
        list_client_order_id TEXT NOT NULL,
        accepted_at_ms INTEGER NOT NULL,
        ended_at_ms INTEGER NOT NULL,
        legs TEXT NOT NULL,
        checksum INTEGER NOT NULL
      ) STRICT;
      CREATE UNIQUE INDEX ended_list_client_ids ON ended_lists (account_id, list_client_order_id);
      -- In the order of a page: one of a time long ago begins there, and looks at no list that came later.
      CREATE INDEX ended_lists_of_account ON ended_lists (account_id, accepted_at_ms DESC, list_id);
      CREATE INDEX ended_lists_by_time ON ended_lists (ended_at_ms);

      CREATE TABLE marks (
        symbol TEXT NOT NULL,
        side TEXT NOT NULL CHECK (side IN ('ask', 'bid')),
        shard INTEGER NOT NULL,
        position INTEGER NOT NULL,
        price INTEGER NOT NULL,
        time_ms INTEGER NOT NULL,
        checksum INTEGER NOT NULL,
        PRIMARY KEY (symbol, side, shard, position)
      ) STRICT, WITHOUT ROWID;
      -- The last counted quote of every market with open parents: the first one after an opening is judged by it.
      CREATE TABLE quotes (
        symbol TEXT PRIMARY KEY,
        bid INTEGER NOT NULL,
        ask INTEGER NOT NULL,
        time_ms INTEGER NOT NULL,
        checksum INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE prints (
        symbol TEXT NOT NULL,
        id TEXT NOT NULL,
        seen_at_ms INTEGER NOT NULL,
        PRIMARY KEY (symbol, id)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX prints_by_time ON prints (seen_at_ms);
      -- Sums are text: they may lie beyond 64 bits.
      CREATE TABLE volume_totals (
        symbol TEXT PRIMARY KEY,
        total TEXT NOT NULL CHECK (total <> '' AND total NOT GLOB '*[^0-9]*'),
        checksum INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      -- By minute first: the bars of now lie side by side, however many symbols there are.
      CREATE TABLE volume_bars (
        minute_ms INTEGER NOT NULL,
        symbol TEXT NOT NULL,
        quantity TEXT NOT NULL CHECK (quantity <> '' AND quantity NOT GLOB '*[^0-9]*'),
        checksum INTEGER NOT NULL,
        PRIMARY KEY (minute_ms, symbol)
      ) STRICT, WITHOUT ROWID;
      -- Prices of the prints of a period.
      CREATE TABLE price_bars (
        length_ms INTEGER NOT NULL,
        start_ms INTEGER NOT NULL,
        symbol TEXT NOT NULL,
        open INTEGER NOT NULL,
        high INTEGER NOT NULL,
        low INTEGER NOT NULL,
        close INTEGER NOT NULL,
        opened_at_ms INTEGER NOT NULL,
        closed_at_ms INTEGER NOT NULL,
        quantity TEXT NOT NULL,
        quote_quantity TEXT NOT NULL,
        prints INTEGER NOT NULL,
        checksum INTEGER NOT NULL,
        PRIMARY KEY (length_ms, start_ms, symbol)
      ) STRICT, WITHOUT ROWID;

      -- Amounts are canonical decimal text; what a refused request did not say is NULL.
      CREATE TABLE api_order_reject (
        position INTEGER PRIMARY KEY,
        rejection_id TEXT NOT NULL,
        account_id INTEGER NOT NULL,
        symbol TEXT NOT NULL,
        client_order_id TEXT NOT NULL,
        side TEXT CHECK (side IN ('BUY', 'SELL')),
        type TEXT,
        time_in_force TEXT,
        price TEXT,
        stop_price TEXT,
        quantity TEXT,
        code INTEGER NOT NULL,
        reject_reason TEXT NOT NULL,
        error_message TEXT NOT NULL,
        time_ms INTEGER NOT NULL
      ) STRICT;
      -- Each index ends in position, the row's own key: the newest of an account are read in its order.
      CREATE INDEX api_order_reject_of_account ON api_order_reject (account_id);
      CREATE INDEX api_order_reject_client_ids ON api_order_reject (account_id, client_order_id);
      CREATE INDEX api_order_reject_by_time ON api_order_reject (time_ms);

      -- Orders that each writer, an opening of a rate limiter, has counted on a UTC day.
      CREATE TABLE order_counts (
        day INTEGER NOT NULL,
        account_id INTEGER NOT NULL,
        writer INTEGER NOT NULL,
        orders INTEGER NOT NULL,
        PRIMARY KEY (day, account_id, writer)
      ) STRICT, WITHOUT ROWID;
      CREATE TABLE bans (
        address TEXT PRIMARY KEY,
        until_ms INTEGER NOT NULL,
        length_ms INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX bans_by_end ON bans (until_ms, address);

      CREATE TABLE key_values (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
    `,
  },
];

/** Returns the schema version of the file; 0 for an empty file. */
export function schemaVersion(database: Database): number {
  return database.pragma("user_version", { simple: true }) as number;
}

/** Returns the schema version after the last step. */
export function newestVersion(migrations: readonly Migration[]): number {
  return migrations.at(-1)?.version ?? 0;
}

/** Runs the steps that the file still lacks, each in its own transaction. */
export function migrate(database: Database, migrations: readonly Migration[] = MIGRATIONS): void {
  for (const { version, sql } of migrations) {
    const take = database.transaction(() => {
      // Checked inside the transaction, because another process may have run the step meanwhile.
      if (schemaVersion(database) >= version) return;
      database.exec(sql);
      database.pragma(`user_version = ${version}`);
    });
    if (schemaVersion(database) < version) take.immediate();
  }
}
