/**
 * The statements of the store; those of leases, snapshots and some others are in files of their own. Each is one
 * transaction and needs no state of a session. They use only what Postgres 14 to 18, CockroachDB and YugabyteDB share;
 * `test/adapters/postgres/statements.test.ts` checks that. `managed_orders` stands for the schema of the store.
 *
 * Two rules hold for every statement that writes. It locks the rows of `shard` first, in the order of their numbers, and
 * everything else is selected from the locked rows: so the epoch and the round that are compared are those of the moment
 * of the write, although the snapshot of the statement is older than the lock. And each table is written by one
 * subquery, which has a RETURNING clause: CockroachDB demands both.
 */
import { ENDED_COLUMNS } from "./ended-columns.ts";

/**
 * Locks the shards of an append and judges its parts. A part follows if its first record comes after the last one of
 * the journal; 0 stands for a part without records. The search for the last one leaves out what comes before it if the
 * part follows: Postgres would read each of the hundred and more keys of that page of the index. Equal appends at the
 * same time violate the key of the journal, and one of them is sent again.
 */
const VERDICT = `
WITH locked AS MATERIALIZED (
  SELECT s.shard, s.epoch, s.round FROM managed_orders.shard AS s
  WHERE s.shard = ANY ($2::int4[]) ORDER BY s.shard FOR UPDATE
), verdict AS MATERIALIZED (
  SELECT a.part, l.shard, a.epoch > 0 AND a.epoch = l.epoch AND a.round = l.round AND (
    a.first_sequence = 0 OR a.first_sequence = 1 + coalesce((
      SELECT j.sequence FROM managed_orders.journal AS j
      WHERE j.shard = l.shard AND j.sequence >= a.first_sequence - 1 ORDER BY j.sequence DESC LIMIT 1), 0)) AS durable
  FROM locked AS l
  JOIN unnest($1::int4[], $2::int4[], $3::int8[], $4::int8[], $5::int8[])
    AS a (part, shard, epoch, round, first_sequence) ON a.shard = l.shard
), new_records AS (
  INSERT INTO managed_orders.journal (shard, sequence, record, checksum)
  SELECT v.shard, r.sequence, r.record, r.checksum FROM verdict AS v
  JOIN unnest($6::int4[], $7::int8[], $8::text[], $9::int8[]) AS r (part, sequence, record, checksum)
    ON r.part = v.part
  WHERE v.durable
  RETURNING 1
)`;

const ENDED = `, new_ended AS (
  INSERT INTO managed_orders.ended
    (shard, order_id, account_id, client_order_id, ended_at_ms, list_id, record, checksum, summed_sequence)
  SELECT v.shard, e.order_id, e.account_id, e.client_order_id, e.ended_at_ms, e.list_id, e.record, e.checksum,
    e.summed_sequence FROM verdict AS v
  JOIN unnest($10::int4[], $11::int8[], $12::int8[], $13::bytea[], $14::int8[], $15::int8[], $16::text[],
    $17::int8[], $18::int8[]) AS e (part, order_id, account_id, client_order_id, ended_at_ms, list_id, record,
    checksum, summed_sequence) ON e.part = v.part
  WHERE v.durable
  ON CONFLICT (shard, order_id) DO UPDATE SET account_id = excluded.account_id,
    client_order_id = excluded.client_order_id, ended_at_ms = excluded.ended_at_ms, list_id = excluded.list_id,
    record = excluded.record, checksum = excluded.checksum, summed_sequence = excluded.summed_sequence
  RETURNING 1
), new_lists AS (
  INSERT INTO managed_orders.ended_list
    (shard, list_id, account_id, list_client_order_id, accepted_at_ms, ended_at_ms, legs, checksum)
  SELECT v.shard, e.list_id, e.account_id, e.list_client_order_id, e.accepted_at_ms, e.ended_at_ms, e.legs, e.checksum
  FROM verdict AS v
  JOIN unnest($19::int4[], $20::int8[], $21::int8[], $22::bytea[], $23::int8[], $24::int8[], $25::text[], $26::int8[])
    AS e (part, list_id, account_id, list_client_order_id, accepted_at_ms, ended_at_ms, legs, checksum)
    ON e.part = v.part
  WHERE v.durable
  ON CONFLICT (shard, list_id) DO UPDATE SET account_id = excluded.account_id,
    list_client_order_id = excluded.list_client_order_id, accepted_at_ms = excluded.accepted_at_ms,
    ended_at_ms = excluded.ended_at_ms, legs = excluded.legs, checksum = excluded.checksum
  RETURNING 1
)`;

const MARKS = `, new_marks AS (
  INSERT INTO managed_orders.shard_mark (shard, symbol, side, position, price, time_ms, checksum)
  SELECT v.shard, n.symbol, n.side, n.position, n.price, n.time_ms, n.checksum FROM verdict AS v
  JOIN unnest($27::int4[], $28::text[], $29::text[], $30::int8[], $31::int8[], $32::int8[], $33::int8[])
    AS n (part, symbol, side, position, price, time_ms, checksum) ON n.part = v.part
  WHERE v.durable
  ON CONFLICT (shard, symbol, side, position) DO UPDATE SET price = excluded.price, time_ms = excluded.time_ms,
    checksum = excluded.checksum
  RETURNING 1
)`;

/** The market journal is the part of the shard after the last one. */
const MARKET = `, market AS MATERIALIZED (
  SELECT v.part FROM verdict AS v WHERE v.shard = 256 AND v.durable
), new_quotes AS (
  INSERT INTO managed_orders.quote (symbol, owner, position, bid, ask, time_ms, checksum)
  SELECT n.symbol, n.owner, n.position, n.bid, n.ask, n.time_ms, n.checksum FROM market
  CROSS JOIN unnest($34::text[], $35::int8[], $36::int8[], $37::int8[], $38::int8[], $39::int8[], $40::int8[])
    AS n (symbol, owner, position, bid, ask, time_ms, checksum)
  RETURNING 1
), new_prints AS (
  INSERT INTO managed_orders.print (symbol, id, seen_at_ms, time_ms, price, quantity, fresh, owner, position, checksum)
  SELECT n.symbol, n.id, n.seen_at_ms, n.time_ms, n.price, n.quantity, n.fresh, n.owner, n.position, n.checksum
  FROM market
  CROSS JOIN unnest($41::text[], $42::text[], $43::int8[], $44::int8[], $45::int8[], $46::int8[], $47::bool[],
    $48::int8[], $49::int8[], $50::int8[])
    AS n (symbol, id, seen_at_ms, time_ms, price, quantity, fresh, owner, position, checksum)
  ON CONFLICT (symbol, id) DO NOTHING
  RETURNING 1
)`;

const OUTCOMES = "\nSELECT part, durable FROM verdict ORDER BY part";

/** Locks the market journal for a write of its owner. */
const OWNER = `owner AS MATERIALIZED (
  SELECT s.shard FROM managed_orders.shard AS s WHERE s.shard = 256 AND s.epoch = $1::int8 ORDER BY s.shard FOR UPDATE
)`;

/** Locks a shard for a write of its owner, or the market journal. */
const ONE_SHARD = `owner AS MATERIALIZED (
  SELECT s.shard FROM managed_orders.shard AS s
  WHERE s.shard = $2::int4 AND s.epoch = $1::int8 ORDER BY s.shard FOR UPDATE
)`;

type Texts<Name extends string> = Readonly<Record<Name, string>>;

/** Appends. The short forms leave out the tables to which nothing is added, because each costs planning time. */
export const APPEND: Texts<"records" | "orders" | "marks" | "whole"> = {
  records: VERDICT + OUTCOMES,
  orders: VERDICT + ENDED + OUTCOMES,
  marks: VERDICT + ENDED + MARKS + OUTCOMES,
  whole: VERDICT + ENDED + MARKS + MARKET + OUTCOMES,
};

/** Shards: owners, rounds, heads, records. */
export const JOURNAL: Texts<"acquire" | "fence" | "head" | "heads" | "owned" | "read"> = {
  /** Raises every epoch, that of the market journal included, and begins its round 0. */
  acquire: `
WITH locked AS MATERIALIZED (
  SELECT s.shard FROM managed_orders.shard AS s ORDER BY s.shard FOR UPDATE
)
UPDATE managed_orders.shard AS s SET epoch = s.epoch + 1, round = 0, incarnation = NULL
FROM locked AS l WHERE s.shard = l.shard RETURNING s.shard, s.epoch`,
  fence: `
UPDATE managed_orders.shard SET round = $3::int8
WHERE shard = $1::int4 AND epoch = $2::int8 AND round < $3::int8 RETURNING shard`,
  head: `
SELECT s.shard, s.epoch, s.forgotten, coalesce((
    SELECT j.sequence FROM managed_orders.journal AS j WHERE j.shard = s.shard ORDER BY j.sequence DESC LIMIT 1), 0)
FROM managed_orders.shard AS s WHERE s.shard = $1::int4`,
  heads: `
SELECT s.shard, s.epoch, s.forgotten, coalesce((
    SELECT j.sequence FROM managed_orders.journal AS j WHERE j.shard = s.shard ORDER BY j.sequence DESC LIMIT 1), 0)
FROM managed_orders.shard AS s WHERE s.shard < 256 ORDER BY s.shard`,
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

const MARK_COLUMNS =
  "m.shard, m.symbol, m.side, m.position, m.price, m.time_ms, m.checksum FROM managed_orders.shard_mark AS m";

/** Marks, and the market journal: last quotes, executed volume. */
export const MARKETS: Texts<
  | "owner"
  | "marks"
  | "marksOf"
  | "deleteMarks"
  | "hasOldMarks"
  | "adoptOldMarks"
  | "dropOldMarks"
  | "quotes"
  | "deleteQuotes"
  | "totals"
  | "totalsOf"
  | "bars"
  | "barsOf"
  | "priceBars"
  | "priceBarsOf"
  | "prints"
  | "summed"
  | "sum"
  | "deletePrints"
  | "deleteBars"
  | "deletePriceBars"
> = {
  owner: `WITH ${OWNER} SELECT count(*) FROM owner`,
  marks: `SELECT ${MARK_COLUMNS}`,
  marksOf: `SELECT ${MARK_COLUMNS} WHERE m.shard = ANY ($1::int4[])`,
  /** Marks of shards with the caller's epoch only. */
  deleteMarks: `
DELETE FROM managed_orders.shard_mark AS m
USING managed_orders.shard AS s, unnest($1::int4[], $2::int8[], $3::text[], $4::text[], $5::int8[])
  AS d (shard, epoch, symbol, side, position)
WHERE s.shard = d.shard AND s.epoch = d.epoch AND m.shard = d.shard AND m.symbol = d.symbol AND m.side = d.side
  AND m.position = d.position RETURNING m.position`,
  /** Marks of a program of an earlier version, which wrote them for all shards. */
  hasOldMarks: "SELECT m.position FROM managed_orders.mark AS m LIMIT 1",
  adoptOldMarks: `
WITH ${ONE_SHARD}
INSERT INTO managed_orders.shard_mark (shard, symbol, side, position, price, time_ms)
SELECT s.shard, m.symbol, m.side, m.position, m.price, m.time_ms
FROM owner AS o CROSS JOIN managed_orders.mark AS m CROSS JOIN managed_orders.shard AS s WHERE s.shard < 256
ON CONFLICT (shard, symbol, side, position) DO NOTHING RETURNING 1`,
  dropOldMarks: `
WITH ${ONE_SHARD}
DELETE FROM managed_orders.mark AS m USING owner AS o
WHERE EXISTS (SELECT 1 FROM managed_orders.shard_mark AS n
  WHERE n.symbol = m.symbol AND n.side = m.side AND n.position = m.position) RETURNING m.position`,
  quotes: `
SELECT DISTINCT ON (q.symbol) q.symbol, q.owner, q.position, q.bid, q.ask, q.time_ms, q.checksum
FROM managed_orders.quote AS q ORDER BY q.symbol, q.owner DESC, q.position DESC`,
  /** Deletes the quotes of each symbol before a place. */
  deleteQuotes: `
DELETE FROM managed_orders.quote AS q USING unnest($1::text[], $2::int8[], $3::int8[]) AS k (symbol, owner, position)
WHERE q.symbol = k.symbol AND (q.owner, q.position) < (k.owner, k.position) RETURNING q.position`,
  totals: "SELECT v.symbol, v.total FROM managed_orders.volume_total AS v",
  totalsOf:
    "SELECT v.symbol, v.total FROM managed_orders.volume_total AS v WHERE v.symbol = ANY ($1::text[])",
  bars: `
SELECT v.symbol, v.minute_ms, v.quantity FROM managed_orders.volume_bar AS v
WHERE (v.symbol, v.minute_ms) > ($1::text, $2::int8) ORDER BY v.symbol, v.minute_ms LIMIT $3::int8`,
  barsOf: `
SELECT v.symbol, v.minute_ms, v.quantity FROM managed_orders.volume_bar AS v
JOIN unnest($1::text[], $2::int8[]) AS k (symbol, minute_ms) ON k.symbol = v.symbol AND k.minute_ms = v.minute_ms`,
  priceBars: `
SELECT v.symbol, v.length_ms, v.start_ms, v.open, v.high, v.low, v.close, v.opened_at_ms, v.closed_at_ms, v.quantity,
  v.quote_quantity, v.prints FROM managed_orders.price_bar AS v
WHERE (v.symbol, v.length_ms, v.start_ms) > ($1::text, $2::int8, $3::int8)
ORDER BY v.symbol, v.length_ms, v.start_ms LIMIT $4::int8`,
  priceBarsOf: `
SELECT v.symbol, v.length_ms, v.start_ms, v.open, v.high, v.low, v.close, v.opened_at_ms, v.closed_at_ms, v.quantity,
  v.quote_quantity, v.prints FROM managed_orders.price_bar AS v
JOIN unnest($1::text[], $2::int8[], $3::int8[]) AS k (symbol, length_ms, start_ms)
  ON k.symbol = v.symbol AND k.length_ms = v.length_ms AND k.start_ms = v.start_ms`,
  /** In the order in which they were counted. */
  prints: `
SELECT p.symbol, p.id, p.seen_at_ms, p.time_ms, p.price, p.quantity, p.fresh, p.owner, p.position, p.checksum
FROM managed_orders.print AS p WHERE (p.owner, p.position) > ($1::int8, $2::int8)
ORDER BY p.owner, p.position LIMIT $3::int8`,
  summed: "SELECT f.owner, f.position FROM managed_orders.summed AS f WHERE f.id = 0",
  /** Writes the sums that include the prints up to a place, if the sums were those up to the place before. */
  sum: `
WITH ${OWNER}, place AS (
  UPDATE managed_orders.summed AS f SET owner = $2::int8, position = $3::int8
  FROM owner WHERE f.id = 0 AND f.owner = $4::int8 AND f.position = $5::int8 RETURNING f.id
), totals AS (
  INSERT INTO managed_orders.volume_total (symbol, total)
  SELECT n.symbol, n.total FROM place CROSS JOIN unnest($6::text[], $7::text[]) AS n (symbol, total)
  ON CONFLICT (symbol) DO UPDATE SET total = excluded.total
  RETURNING 1
), bars AS (
  INSERT INTO managed_orders.volume_bar (symbol, minute_ms, quantity)
  SELECT n.symbol, n.minute_ms, n.quantity FROM place
  CROSS JOIN unnest($8::text[], $9::int8[], $10::text[]) AS n (symbol, minute_ms, quantity)
  ON CONFLICT (symbol, minute_ms) DO UPDATE SET quantity = excluded.quantity
  RETURNING 1
), price_bars AS (
  INSERT INTO managed_orders.price_bar (symbol, length_ms, start_ms, open, high, low, close, opened_at_ms,
    closed_at_ms, quantity, quote_quantity, prints)
  SELECT n.symbol, n.length_ms, n.start_ms, n.open, n.high, n.low, n.close, n.opened_at_ms, n.closed_at_ms,
    n.quantity, n.quote_quantity, n.prints FROM place
  CROSS JOIN unnest($11::text[], $12::int8[], $13::int8[], $14::int8[], $15::int8[], $16::int8[], $17::int8[],
    $18::int8[], $19::int8[], $20::text[], $21::text[], $22::int8[]) AS n (symbol, length_ms, start_ms, open, high,
    low, close, opened_at_ms, closed_at_ms, quantity, quote_quantity, prints)
  ON CONFLICT (symbol, length_ms, start_ms) DO UPDATE SET open = excluded.open, high = excluded.high,
    low = excluded.low, close = excluded.close, opened_at_ms = excluded.opened_at_ms,
    closed_at_ms = excluded.closed_at_ms, quantity = excluded.quantity, quote_quantity = excluded.quote_quantity,
    prints = excluded.prints
  RETURNING 1
)
SELECT (SELECT count(*) FROM owner), (SELECT count(*) FROM place)`,
  /** Only prints that are in the sums. */
  deletePrints: `
WITH ${OWNER}, old AS MATERIALIZED (
  SELECT p.symbol, p.id FROM managed_orders.print AS p JOIN managed_orders.summed AS f
    ON f.id = 0 AND (p.owner, p.position) <= (f.owner, f.position)
  WHERE p.seen_at_ms < $2::int8 ORDER BY p.seen_at_ms LIMIT $3::int8
), gone AS (
  DELETE FROM managed_orders.print AS p USING owner, old
  WHERE p.symbol = old.symbol AND p.id = old.id RETURNING p.id
)
SELECT (SELECT count(*) FROM owner), (SELECT count(*) FROM gone)`,
  deleteBars: `
WITH ${OWNER}, old AS MATERIALIZED (
  SELECT v.symbol, v.minute_ms FROM managed_orders.volume_bar AS v WHERE v.minute_ms < $2::int8 LIMIT $3::int8
), gone AS (
  DELETE FROM managed_orders.volume_bar AS v USING owner, old
  WHERE v.symbol = old.symbol AND v.minute_ms = old.minute_ms RETURNING v.minute_ms
)
SELECT (SELECT count(*) FROM owner), (SELECT count(*) FROM gone)`,
  deletePriceBars: `
WITH ${OWNER}, old AS MATERIALIZED (
  SELECT v.symbol, v.start_ms FROM managed_orders.price_bar AS v
  WHERE v.length_ms = $2::int8 AND v.start_ms < $3::int8 LIMIT $4::int8
), gone AS (
  DELETE FROM managed_orders.price_bar AS v USING owner, old
  WHERE v.symbol = old.symbol AND v.length_ms = $2::int8 AND v.start_ms = old.start_ms RETURNING v.start_ms
)
SELECT (SELECT count(*) FROM owner), (SELECT count(*) FROM gone)`,
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
