/**
 * Statements of the opening and of a copy. Like those of `commit.ts`, each is one transaction and needs no state of
 * a session. They use what Postgres 14 to 18, CockroachDB and YugabyteDB share; `test/adapters/postgres/statements.test.ts`
 * checks that. `managed_orders` stands for the schema of the store.
 */

/** The opening of a store. */
export const OPENING: Readonly<Record<"settings" | "schemas" | "tables" | "versions", string>> = {
  /** Settings that decide whether every text can be kept and a commit survives; NULL where a server does not have one. */
  settings: `
SELECT version(), current_setting('server_version_num', true), current_setting('synchronous_commit', true),
  current_setting('synchronous_standby_names', true), current_setting('fsync', true),
  current_setting('full_page_writes', true), current_setting('transaction_read_only', true),
  current_setting('client_min_messages', true), current_setting('server_encoding', true)`,
  /** The schema, if it is there and the user has any right to it. */
  schemas: "SELECT s.schema_name FROM information_schema.schemata AS s WHERE s.schema_name = $1::text",
  /** Tables of the schema, and whether one of them is that of the versions. Those to which the user has no right are missing. */
  tables: `
SELECT t.table_name FROM information_schema.tables AS t WHERE t.table_schema = $1::text ORDER BY t.table_name LIMIT 100`,
  versions:
    "SELECT v.version, v.usable_from FROM managed_orders.managed_orders_version AS v ORDER BY v.version",
};

/** A copy into an empty schema. */
export const COPYING: Readonly<Record<"begin" | "finish", string>> = {
  /** A version that no program can use: the schema is no store until `finish`. */
  begin:
    "INSERT INTO managed_orders.managed_orders_version (version, usable_from) VALUES (2147483647, 2147483647)",
  finish:
    "DELETE FROM managed_orders.managed_orders_version AS v WHERE v.version = 2147483647 RETURNING v.version",
};

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
export const VIEWS: readonly string[] = [
  `CREATE VIEW managed_orders.managed_order AS SELECT
    ${whole("order_id orderId, account_id accountId", "parent")},
    ${text("client_order_id intent.clientOrderId", "parent")}, ${whole("list_id list.listId", "parent")},
    ${text("symbol intent.symbol, side intent.side, type intent.type, time_in_force intent.timeInForce", "parent")},
    ${amount("parent,intent,price", 8)} AS price, ${amount("parent,intent,stopPrice", 8)} AS stop_price,
    ${amount("parent,intent,quantity", 6)} AS quantity, ${amount("parent,executedQuantity", 6)} AS executed_quantity,
    ${text("status ended.status, reason ended.reason", "parent")},
    ${whole("accepted_at_ms acceptedAtMs, ended_at_ms ended.atMs", "parent")}
  FROM (${texts("ended")}) AS v`,
  `CREATE VIEW managed_orders.managed_list AS SELECT
    ${whole("list_id listId, account_id accountId")}, ${text("list_client_order_id listClientOrderId")},
    ${whole("accepted_at_ms acceptedAtMs, ended_at_ms endedAtMs")}, ${text("legs legs")}
  FROM (${texts("list")}) AS v`,
  `CREATE VIEW managed_orders.api_order_reject AS SELECT
    v.position, ${text("rejection_id rejectionId")}, ${whole("account_id accountId")},
    ${text("symbol symbol, client_order_id clientOrderId, side side, type type, time_in_force timeInForce")},
    ${text("price price, stop_price stopPrice, quantity quantity")}, ${whole("code code")},
    ${text("reject_reason rejectReason, error_message errorMessage")}, ${whole("time_ms timeMs")}
  FROM (${texts("reject")}) AS v`,
];

/** Selects the rows of a kind without their checksums. A value that is no JSON is one that the store refuses too. */
function texts(kind: string): string {
  return `
    SELECT right(e.key, 16)::int8 AS position, substr(e.value, 9)::json AS row FROM managed_orders.entry AS e
    WHERE e.key >= '${kind} ' AND e.key < '${kind}!' AND e.value IS NOT NULL`;
}

/** Selects members as text: each name of a column stands before the member. */
function text(named: string, root = ""): string {
  return members(named, root, "");
}

/** Selects members as whole numbers. */
function whole(named: string, root = ""): string {
  return members(named, root, "::int8");
}

function members(named: string, root: string, type: string): string {
  return named
    .split(", ")
    .map((each) => {
      const [name = "", member = ""] = each.split(" ");
      const path = [...(root === "" ? [] : [root]), ...member.split(".")].join(",");
      return `(v.row #>> '{${path}}')${type} AS ${name}`;
    })
    .join(", ");
}

/** Selects an amount as a decimal number with this number of places. */
function amount(path: string, places: number): string {
  const steps = `CASE json_typeof(v.row #> '{${path}}') WHEN 'object' THEN v.row #>> '{${path},n}' ELSE v.row #>> '{${path}}' END`;
  return `round((${steps})::numeric / ${10 ** places}, ${places})`;
}

/** One step of the schema. */
export type Migration = Readonly<{
  /** The version that the step leads to. */
  version: number;
  /** The oldest version of the schema whose programs can work with this one, side by side with newer ones. */
  usableFrom: number;
  sql: readonly string[];
}>;

/**
 * The steps from an empty schema to the newest one. A released step never changes. A step only adds: tables, columns that may
 * be absent, indexes. So programs of two neighbouring versions can use one database side by side.
 * A value of `entry` is never changed in place: dead versions of a row that is
 * updated often would form a chain that every search of it walks, and that grows as long as a backup holds its snapshot. A
 * value that is replaced is deleted, and the new one has the next version, which a search finds first.
 *
 * The row of version 0 stays as long as its key has a value, so that inserting it fails for a key that is there: a first
 * value is that row, and when it is replaced the row loses its value and says so (`replaced`). A row of version 0 without
 * a value that was not replaced is that of a key without a value: a commit that relies on that writes it, and it is deleted
 * after the commit.
 */
export const MIGRATIONS: readonly Migration[] = [
  {
    version: 1,
    usableFrom: 1,
    sql: [
      `CREATE TABLE managed_orders.entry (
        key text COLLATE "C",
        version int8,
        value text,
        replaced bool,
        PRIMARY KEY (key, version)
      ) WITH (fillfactor = 10)`,
      `CREATE TABLE managed_orders.log (
        key text COLLATE "C" PRIMARY KEY,
        value text
      )`,
      // Pages with a row that is no entry, so that the table is never so small that a plan which searches all of it is made:
      // the server would keep that plan while the table grows. These keys are longer than any that is allowed.
      `INSERT INTO managed_orders.entry (key, version)
        SELECT repeat('!', 1100) || n, 0 FROM generate_series(1, 256) AS g (n)`,
      "ALTER TABLE managed_orders.entry SET (fillfactor = 100)",
      ...VIEWS,
    ],
  },
];

/** Creates the schema. The server demands the right to create schemas for it, also where the schema exists. */
export const SCHEMA_CREATION = "CREATE SCHEMA IF NOT EXISTS managed_orders";

const VERSIONS = `managed_orders.managed_orders_version (
    version int4 PRIMARY KEY,
    usable_from int4 NOT NULL
  )`;

/** Creates the table of the versions, which marks the schema as the store's own. */
export const VERSIONS_CREATION: string = `CREATE TABLE IF NOT EXISTS ${VERSIONS}`;

/** The same for a copy, which fails if another process has made the schema a store meanwhile. */
export const FIRST_VERSIONS_CREATION: string = `CREATE TABLE ${VERSIONS}`;

/** Notes a step. It comes first, so that of two processes that run the step at once one waits, and then fails. */
export const NOTE_STEP = (step: Migration): string =>
  `INSERT INTO managed_orders.managed_orders_version (version, usable_from) VALUES (${step.version}, ${step.usableFrom})`;
