import type { Database } from "./database.ts";

/**
 * Views for operators: orders and lists that have ended, and refused orders. Nothing of this package reads them. The members
 * of a value begin after the eight digits of its checksum. A price has steps of 10^-8 and a quantity of 10^-6; one beyond
 * 2^53 steps is in a member `n`.
 *
 * | view | columns |
 * |---|---|
 * | `managed_order` | `order_id`, `account_id`, `client_order_id`, `list_id`, `symbol`, `side`, `type`, `time_in_force`, `price`, `stop_price`, `quantity`, `executed_quantity`, `status`, `reason`, `accepted_at_ms`, `ended_at_ms` |
 * | `managed_list` | `list_id`, `account_id`, `list_client_order_id`, `accepted_at_ms`, `ended_at_ms`, `legs` |
 * | `api_order_reject` | `position`, `rejection_id`, `account_id`, `symbol`, `client_order_id`, `side`, `type`, `time_in_force`, `price`, `stop_price`, `quantity`, `code`, `reject_reason`, `error_message`, `time_ms` |
 */
const OPERATOR_VIEWS: string = `
      CREATE VIEW managed_order AS SELECT
        ${columns(
          "$.parent",
          `order_id orderId, account_id accountId, client_order_id intent.clientOrderId, list_id list.listId,
           symbol intent.symbol, side intent.side, type intent.type, time_in_force intent.timeInForce`,
        )},
        ${amount("$.parent.intent.price", 8)} AS price,
        ${amount("$.parent.intent.stopPrice", 8)} AS stop_price,
        ${amount("$.parent.intent.quantity", 6)} AS quantity,
        ${amount("$.parent.executedQuantity", 6)} AS executed_quantity,
        ${columns(
          "$.parent",
          "status ended.status, reason ended.reason, accepted_at_ms acceptedAtMs, ended_at_ms ended.atMs",
        )}
      FROM (${texts("ended")});

      CREATE VIEW managed_list AS SELECT
        ${columns(
          "$",
          `list_id listId, account_id accountId, list_client_order_id listClientOrderId, accepted_at_ms acceptedAtMs,
           ended_at_ms endedAtMs, legs legs`,
        )}
      FROM (${texts("list")});

      CREATE VIEW api_order_reject AS SELECT
        CAST(substr(key, -16) AS INTEGER) AS position,
        ${columns(
          "$",
          `rejection_id rejectionId, account_id accountId, symbol symbol, client_order_id clientOrderId, side side,
           type type, time_in_force timeInForce, price price, stop_price stopPrice, quantity quantity, code code,
           reject_reason rejectReason, error_message errorMessage, time_ms timeMs`,
        )}
      FROM (${texts("reject")});
`;

/** Selects the rows of a kind without their checksums. */
function texts(kind: string): string {
  return `SELECT key, substr(value, 9) AS text FROM long WHERE key >= '${kind} ' AND key < '${kind}!'`;
}

/** Selects members: each name of a column stands before the member. */
function columns(root: string, named: string): string {
  return named
    .split(",")
    .map((each) => {
      const [name, member] = each.trim().split(" ");
      return `json_extract(text, '${root}.${member}') AS ${name}`;
    })
    .join(", ");
}

/** Selects an amount as a decimal number with this number of places. */
function amount(path: string, places: number): string {
  const steps = `CAST(coalesce(json_extract(text, '${path}.n'), json_extract(text, '${path}')) AS INTEGER)`;
  const whole = 10 ** places;
  return `CASE WHEN json_type(text, '${path}') IS NOT NULL
          THEN printf('%d.%0${places}d', ${steps} / ${whole}, ${steps} % ${whole}) END`;
}

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

/** The schema version after the last step. */
export const NEWEST_VERSION: number = MIGRATIONS.at(-1)?.version ?? 0;

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

/** Returns the id of a store, which its file got when it was created or restored. It says whose an archive is. */
export function storeIdOf(database: Database): number {
  const id = database.prepare<[], number>("SELECT value FROM state WHERE name = 'id'").pluck().get();
  if (id === undefined) throw new Error("the store has no id");
  return id;
}

/** Gives a store another id and no archive, because it is a copy whose journal goes on in another way. */
export function renewStoreId(database: Database): void {
  // As in the schema: a number that JavaScript can represent.
  database.exec("UPDATE state SET value = abs(random() % 9007199254740992) WHERE name = 'id'");
  database.exec("DELETE FROM state WHERE name = 'archive'");
}

/** Returns whether a store has an archive. */
export function hasArchive(database: Database): boolean {
  return database.prepare("SELECT 1 FROM state WHERE name = 'archive'").get() !== undefined;
}

/** Notes in a store that it has an archive. Call it when the archive names the store. */
export function noteArchive(database: Database): void {
  database.exec("INSERT OR IGNORE INTO state (name, value) VALUES ('archive', 1)");
}

/**
 * What a file of this package is. A backup is never opened as a store: orders that are open in it may have been executed
 * since.
 */
export type FileKind = "store" | "backup";

/** The application id in the header of each kind of file ("mord" and "mobk" in ASCII). */
const APPLICATION_IDS: Readonly<Record<FileKind, number>> = { store: 0x6d6f7264, backup: 0x6d6f626b };

/** Returns the kind of a file, undefined for an empty one and for one of another program. */
export function kindOf(database: Database): FileKind | undefined {
  const application = database.pragma("application_id", { simple: true });
  if (application === APPLICATION_IDS.store) return "store";
  return application === APPLICATION_IDS.backup ? "backup" : undefined;
}

/** Writes the kind of a file to its header. */
export function markAs(database: Database, kind: FileKind): void {
  database.pragma(`application_id = ${APPLICATION_IDS[kind]}`);
}
