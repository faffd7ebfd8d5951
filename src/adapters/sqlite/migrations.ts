import type { Database } from "./database.ts";
import { OPERATOR_VIEWS } from "./operator-views.ts";

/** One step of the schema. Its SQL brings a file from the previous version to `version`. */
export type Migration = Readonly<{ version: number; sql: string }>;

/**
 * The steps from an empty file to the newest schema. A released step never changes; every change is a new step.
 *
 * Entries of the journal are stored in order of arrival. If they were stored in order of their keys, every append would write
 * one page per shard: with 64 records from 64 shards, throughput fell to a quarter. `journal_index` maps a key to its
 * position. It is filled in bulk; the counts in `heads` say which is the last position that it contains.
 *
 * Short values are stored beside their keys, in order: one table, with no second place for the key. Long ones are stored in
 * order of arrival, with an index: in order of their keys, a page would hold three of them, two thirds full.
 *
 * What the keys are is said in `src/store/keys.ts`. Before each value stands its checksum, which has eight digits.
 */
export const MIGRATIONS: readonly Migration[] = [
  {
    version: 1,
    sql: `
      -- id says whose an archive is; a restored store gets another one.
      CREATE TABLE state (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
      INSERT INTO state (name, value) VALUES ('id', abs(random() % 9007199254740992));

      -- The row without a key has the counts of the file: transactions that wrote something, the last position that an
      -- entry of the journal got, also if it was deleted, and the last one that the index contains.
      CREATE TABLE heads (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
      INSERT INTO heads (key, value) VALUES ('', '0 0 0');

      CREATE TABLE journal (position INTEGER PRIMARY KEY, code TEXT NOT NULL, value TEXT NOT NULL) STRICT;
      CREATE TABLE journal_index (code TEXT PRIMARY KEY, position INTEGER NOT NULL) STRICT, WITHOUT ROWID;

      CREATE TABLE short (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
      CREATE TABLE long (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;

      ${OPERATOR_VIEWS}
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
