/**
 * The statements of shards, ended orders, retained values and the opening; all others are in the files whose names end in
 * `-statements`. Each is one transaction and needs no state of a session. They use only what Postgres 14 to 18,
 * CockroachDB and YugabyteDB share; `test/adapters/postgres/statements.test.ts` checks that. `managed_orders` stands for
 * the schema of the store.
 *
 * Two rules hold for every statement that writes. It locks the rows of `shard` first, in the order of their numbers, and
 * everything else is selected from the locked rows: so the epoch and the round that are compared are those of the moment
 * of the write, although the snapshot of the statement is older than the lock. And each table is written by one
 * subquery, which has a RETURNING clause: CockroachDB demands both.
 */
import { ENDED_COLUMNS } from "./ended-columns.ts";

type Texts<Name extends string> = Readonly<Record<Name, string>>;

const HEADS = `
SELECT s.shard, s.epoch, s.forgotten, coalesce((
    SELECT j.sequence FROM managed_orders.journal AS j WHERE j.shard = s.shard ORDER BY j.sequence DESC LIMIT 1), 0)
FROM managed_orders.shard AS s`;

/** Shards: owners, rounds, heads, records. */
export const JOURNAL: Texts<"acquire" | "fence" | "head" | "heads" | "owned" | "read"> = {
  /** Raises every epoch, that of the market journal included, and begins its round 0. */
  acquire: `
WITH locked AS MATERIALIZED (
  SELECT s.shard FROM managed_orders.shard AS s ORDER BY s.shard FOR UPDATE
)
UPDATE managed_orders.shard AS s SET epoch = s.epoch + 1, round = 0, incarnation = NULL, next = NULL
FROM locked AS l WHERE s.shard = l.shard RETURNING s.shard, s.epoch`,
  fence: `
UPDATE managed_orders.shard SET round = $3::int8
WHERE shard = $1::int4 AND epoch = $2::int8 AND round < $3::int8 RETURNING shard`,
  head: `${HEADS} WHERE s.shard = $1::int4`,
  heads: `${HEADS} WHERE s.shard < 256 ORDER BY s.shard`,
  /** Those of the given shards that still have the given epochs. */
  owned: `
SELECT s.shard FROM managed_orders.shard AS s
JOIN unnest($1::int4[], $2::int8[]) AS u (shard, epoch) ON u.shard = s.shard AND u.epoch = s.epoch WHERE s.shard < 256`,
  /**
   * The heads of shards, each with its records above a sequence, by shard and sequence, up to a number of bytes, at least one:
   * all at one moment.
   */
  read: `
SELECT c.shard, c.forgotten, c.last_sequence, c.sequence, c.record, c.checksum FROM (
  SELECT h.shard, h.forgotten, h.last_sequence, p.sequence, p.record, p.checksum,
    sum(octet_length(p.record)) OVER (ORDER BY h.shard, p.sequence) - octet_length(p.record) AS bytes
  FROM (
    SELECT s.shard, s.forgotten, u.known, coalesce((
      SELECT j.sequence FROM managed_orders.journal AS j
      WHERE j.shard = s.shard ORDER BY j.sequence DESC LIMIT 1), 0) AS last_sequence
    FROM managed_orders.shard AS s
    JOIN unnest($1::int4[], $2::int8[]) AS u (shard, known) ON u.shard = s.shard
  ) AS h LEFT JOIN LATERAL (
    SELECT j.sequence, j.record, j.checksum FROM managed_orders.journal AS j
    WHERE j.shard = h.shard AND j.sequence > h.known ORDER BY j.sequence LIMIT $3::int8
  ) AS p ON true
) AS c WHERE c.bytes IS NULL OR c.bytes < $4::int8 ORDER BY c.shard, c.sequence`,
};

const LIST_COLUMNS = `e.list_id, e.account_id, encode(e.list_client_order_id, 'hex'), e.accepted_at_ms, e.ended_at_ms,
  e.legs, e.checksum FROM managed_orders.ended_list AS e`;

/** Leaves out rows `o` of shards whose epoch is not the caller's. */
const OWN = `JOIN managed_orders.shard AS s ON s.shard = o.shard
    JOIN unnest($3::int4[], $4::int8[]) AS u (shard, epoch) ON u.shard = s.shard AND u.epoch = s.epoch`;

/** Marks the shards of rows that are deleted without their records. */
const MARKED = `, marked AS (
  INSERT INTO managed_orders.leftover AS f (shard, sequence) SELECT DISTINCT g.shard, NULL::int8 FROM gone AS g
  ON CONFLICT (shard) DO UPDATE SET sequence = NULL WHERE f.sequence IS NOT NULL
  RETURNING 1
)`;

/** Ended parents and lists. */
export const ENDINGS: Texts<
  | "findById"
  | "findByName"
  | "falling"
  | "rising"
  | "ofShard"
  | "count"
  | "names"
  | "deleteOld"
  | "findListById"
  | "findListByName"
  | "pageLists"
  | "oldLists"
  | "deleteLists"
> = {
  findById: `SELECT ${ENDED_COLUMNS} WHERE e.account_id = $1::int8 AND e.order_id = $2::int8`,
  findByName: `SELECT ${ENDED_COLUMNS} WHERE e.account_id = $1::int8 AND e.client_order_id = $2::bytea`,
  falling: `
SELECT ${ENDED_COLUMNS}
WHERE e.account_id = $1::int8 AND e.order_id < $2::int8 ORDER BY e.order_id DESC LIMIT $3::int8`,
  rising: `
SELECT ${ENDED_COLUMNS}
WHERE e.account_id = $1::int8 AND e.order_id > $2::int8 ORDER BY e.order_id LIMIT $3::int8`,
  ofShard: `
SELECT ${ENDED_COLUMNS}
WHERE e.shard = $1::int4 AND e.order_id < $2::int8 ORDER BY e.order_id DESC LIMIT $3::int8`,
  /** Both at one moment: the snapshot of one statement. */
  count: `
SELECT (SELECT count(*) FROM managed_orders.ended AS e WHERE e.account_id = $1::int8), coalesce((
    SELECT j.sequence FROM managed_orders.journal AS j WHERE j.shard = $2::int4 ORDER BY j.sequence DESC LIMIT 1), 0)`,
  names: `
SELECT e.account_id, encode(e.client_order_id, 'hex') FROM managed_orders.ended AS e
WHERE (e.account_id, e.client_order_id) > ($1::int8, $2::bytea)
ORDER BY e.account_id, e.client_order_id LIMIT $3::int8`,
  /** Parents outside lists. Their records stay, so that their shards are marked for a sweep. */
  deleteOld: `
WITH gone AS (
  DELETE FROM managed_orders.ended AS e USING (
    SELECT o.shard, o.order_id FROM managed_orders.ended AS o ${OWN}
    WHERE o.list_id IS NULL AND o.ended_at_ms < $1::int8 ORDER BY o.ended_at_ms, o.order_id LIMIT $2::int8
  ) AS old WHERE e.shard = old.shard AND e.order_id = old.order_id RETURNING e.shard
)${MARKED}
SELECT (SELECT count(*) FROM gone), (SELECT count(*) FROM marked)`,
  findListById: `SELECT ${LIST_COLUMNS} WHERE e.account_id = $1::int8 AND e.list_id = $2::int8`,
  findListByName: `SELECT ${LIST_COLUMNS} WHERE e.account_id = $1::int8 AND e.list_client_order_id = $2::bytea`,
  pageLists: `
SELECT ${LIST_COLUMNS}
WHERE e.account_id = $1::int8 AND e.accepted_at_ms >= $2::int8 AND e.accepted_at_ms <= $3::int8
ORDER BY e.accepted_at_ms DESC, e.list_id LIMIT $4::int8`,
  /** Lists that may leave, earliest end first, with the number of their rows. */
  oldLists: `
SELECT o.list_id, 1 + (SELECT count(*) FROM managed_orders.ended AS e WHERE e.list_id = o.list_id)
FROM managed_orders.ended_list AS o ${OWN}
WHERE o.ended_at_ms < $1::int8 ORDER BY o.ended_at_ms, o.list_id LIMIT $2::int8`,
  /** Lists with all their legs. */
  deleteLists: `
WITH lists AS (
  DELETE FROM managed_orders.ended_list AS l USING managed_orders.ended_list AS o ${OWN}
  WHERE l.shard = o.shard AND l.list_id = o.list_id AND o.list_id = ANY ($1::int8[]) AND o.ended_at_ms < $2::int8
  RETURNING l.list_id
), legs AS (
  DELETE FROM managed_orders.ended AS e USING lists AS l WHERE e.list_id = l.list_id RETURNING e.shard
), gone AS (
  SELECT l.shard FROM legs AS l
)${MARKED}
SELECT (SELECT count(*) FROM lists) + (SELECT count(*) FROM legs), (SELECT count(*) FROM marked)`,
};

const REJECTION_COLUMNS = `r.rejection_id, r.account_id, r.symbol, r.client_order_id, r.side, r.type, r.time_in_force,
  r.price, r.stop_price, r.quantity, r.code, r.reject_reason, r.error_message, r.time_ms
FROM managed_orders.api_order_reject AS r`;
const REJECTION_FILTER = `r.account_id = $1::int8 AND ($2::text IS NULL OR r.symbol = $2::text)
  AND r.time_ms >= $3::int8 AND r.time_ms <= $4::int8`;

/** Retained rejections, and small values of the host. */
export const VALUES: Texts<
  "addRejections" | "trimRejections" | "dropRejections" | "rejections" | "rejectionsByName" | "get" | "set"
> = {
  /** The positions of an account count up, so that `trim` can compute the last one to delete. */
  addRejections: `
INSERT INTO managed_orders.api_order_reject (account_id, position, rejection_id, symbol, client_order_id, side, type,
  time_in_force, price, stop_price, quantity, code, reject_reason, error_message, time_ms)
SELECT n.account_id, n.place + coalesce((
    SELECT r.position FROM managed_orders.api_order_reject AS r
    WHERE r.account_id = n.account_id ORDER BY r.position DESC LIMIT 1), 0),
  n.rejection_id, n.symbol, n.client_order_id, n.side, n.type, n.time_in_force, n.price, n.stop_price, n.quantity,
  n.code, n.reject_reason, n.error_message, n.time_ms
FROM unnest($1::int8[], $2::int8[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
  $9::text[], $10::text[], $11::text[], $12::int8[], $13::text[], $14::text[], $15::int8[]) AS n (account_id, place,
  rejection_id, symbol, client_order_id, side, type, time_in_force, price, stop_price, quantity, code, reject_reason,
  error_message, time_ms)
RETURNING 1`,
  trimRejections: `
DELETE FROM managed_orders.api_order_reject AS d
WHERE d.account_id = $1::int8 AND d.position <= (
  SELECT max(r.position) FROM managed_orders.api_order_reject AS r WHERE r.account_id = $1::int8) - $2::int8
RETURNING 1`,
  dropRejections: `
DELETE FROM managed_orders.api_order_reject AS d USING (
  SELECT r.account_id, r.position FROM managed_orders.api_order_reject AS r
  WHERE r.time_ms < $1::int8 ORDER BY r.time_ms LIMIT $2::int8
) AS old WHERE d.account_id = old.account_id AND d.position = old.position RETURNING 1`,
  rejections: `
SELECT ${REJECTION_COLUMNS} WHERE ${REJECTION_FILTER} ORDER BY r.position DESC LIMIT $5::int8`,
  rejectionsByName: `
SELECT ${REJECTION_COLUMNS}
WHERE ${REJECTION_FILTER} AND r.client_order_id = $6::text ORDER BY r.position DESC LIMIT $5::int8`,
  get: "SELECT v.value FROM managed_orders.key_value AS v WHERE v.key = $1::text",
  set: `
INSERT INTO managed_orders.key_value (key, value) VALUES ($1::text, $2::text)
ON CONFLICT (key) DO UPDATE SET value = excluded.value RETURNING 1`,
};

/** The opening of a store. */
export const OPENING: Texts<"settings" | "schemas" | "tables" | "versions"> = {
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
