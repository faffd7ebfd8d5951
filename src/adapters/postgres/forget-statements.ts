import { ENDED_COLUMNS } from "./ended-columns.ts";

/**
 * The statements that delete ended orders together with their records. What may leave is read first, without a lock;
 * then one statement locks the shard, judges by its epoch, and deletes only what is still as it was read.
 */

/** Locks a shard for a write of its owner. */
const SHARD = `locked AS MATERIALIZED (
  SELECT s.shard FROM managed_orders.shard AS s WHERE s.shard = $1::int4 AND s.epoch = $2::int8
  ORDER BY s.shard FOR UPDATE
)`;

/** Deletion of ended orders with their records. */
export const FORGETTING: Readonly<
  Record<
    | "singles"
    | "lists"
    | "state"
    | "orders"
    | "legs"
    | "listRows"
    | "records"
    | "leave"
    | "present"
    | "leftovers"
    | "beginSweep"
    | "endSweep"
    | "sweep",
    string
  >
> = {
  /** Parents outside lists that ended before a time, earliest end first, after a place. */
  singles: `
SELECT o.shard, o.ended_at_ms, o.order_id FROM managed_orders.ended AS o
WHERE o.list_id IS NULL AND o.ended_at_ms < $1::int8 AND (o.ended_at_ms, o.order_id) > ($2::int8, $3::int8)
ORDER BY o.ended_at_ms, o.order_id LIMIT $4::int8`,
  lists: `
SELECT o.shard, o.ended_at_ms, o.list_id FROM managed_orders.ended_list AS o
WHERE o.ended_at_ms < $1::int8 AND (o.ended_at_ms, o.list_id) > ($2::int8, $3::int8)
ORDER BY o.ended_at_ms, o.list_id LIMIT $4::int8`,
  /** What a departure is judged by: the highest sequence that has left, the newest snapshot, and the last record. */
  state: `
SELECT s.forgotten, coalesce((
    SELECT n.sequence FROM managed_orders.snapshot AS n WHERE n.shard = s.shard), 0), coalesce((
    SELECT j.sequence FROM managed_orders.journal AS j WHERE j.shard = s.shard ORDER BY j.sequence DESC LIMIT 1), 0)
FROM managed_orders.shard AS s WHERE s.shard = $1::int4`,
  orders: `
SELECT ${ENDED_COLUMNS}
WHERE e.shard = $1::int4 AND e.order_id = ANY ($2::int8[]) AND e.list_id IS NULL`,
  legs: `
SELECT ${ENDED_COLUMNS}
WHERE e.shard = $1::int4 AND e.list_id = ANY ($2::int8[])`,
  listRows: `
SELECT l.list_id, l.legs FROM managed_orders.ended_list AS l
WHERE l.shard = $1::int4 AND l.list_id = ANY ($2::int8[])`,
  records: `
SELECT j.sequence, j.record, j.checksum FROM managed_orders.journal AS j
WHERE j.shard = $1::int4 AND j.sequence = ANY ($2::int8[])`,
  /**
   * Deletes departures whole: their rows, the rows of their lists and their records. One of whose rows has been replaced
   * since it was read stays. \`$13\` says that records are left for the sweep.
   */
  leave: `
WITH ${SHARD}, kept AS MATERIALIZED (
  SELECT d.departure FROM locked AS l JOIN managed_orders.ended AS e ON e.shard = l.shard
  JOIN unnest($3::int4[], $4::int8[], $5::text[]) AS d (departure, order_id, record)
    ON d.order_id = e.order_id AND d.record = e.record
  ORDER BY e.shard, e.order_id FOR UPDATE OF e
), whole AS MATERIALIZED (
  SELECT n.departure FROM locked AS l JOIN managed_orders.snapshot AS s ON s.shard = l.shard AND s.sequence > $8::int8
  CROSS JOIN unnest($6::int4[], $7::int8[]) AS n (departure, members)
  WHERE n.members = (SELECT count(*) FROM kept AS k WHERE k.departure = n.departure)
), gone_rows AS (
  DELETE FROM managed_orders.ended AS e USING whole AS w
  JOIN unnest($3::int4[], $4::int8[]) AS d (departure, order_id) ON d.departure = w.departure
  WHERE e.shard = $1::int4 AND e.order_id = d.order_id RETURNING 1
), gone_lists AS (
  DELETE FROM managed_orders.ended_list AS e USING whole AS w
  JOIN unnest($9::int4[], $10::int8[]) AS d (departure, list_id) ON d.departure = w.departure
  WHERE e.shard = $1::int4 AND e.list_id = d.list_id RETURNING 1
), gone_records AS (
  DELETE FROM managed_orders.journal AS j USING whole AS w
  JOIN unnest($11::int4[], $12::int8[]) AS d (departure, sequence) ON d.departure = w.departure
  WHERE j.shard = $1::int4 AND j.sequence = d.sequence RETURNING j.sequence
), raised AS (
  UPDATE managed_orders.shard AS s SET forgotten = h.sequence
  FROM (SELECT max(g.sequence) AS sequence FROM gone_records AS g) AS h
  WHERE s.shard = $1::int4 AND s.forgotten < h.sequence RETURNING 1
), marked AS (
  INSERT INTO managed_orders.leftover (shard, sequence) SELECT l.shard, 1 FROM locked AS l WHERE $13::bool
  ON CONFLICT (shard) DO NOTHING RETURNING 1
)
SELECT (SELECT count(*) FROM locked), (SELECT count(*) FROM whole)`,
  /** Those of some orders of a shard that have a row. */
  present: `
SELECT e.order_id FROM managed_orders.ended AS e WHERE e.shard = $1::int4 AND e.order_id = ANY ($2::int8[])`,
  leftovers: "SELECT f.shard FROM managed_orders.leftover AS f ORDER BY f.shard",
  /** Notes up to which record there may be some of orders without a row. */
  beginSweep: `
WITH ${SHARD}
UPDATE managed_orders.leftover AS f SET sequence = $3::int8 FROM locked AS l
WHERE f.shard = l.shard AND f.sequence IS NULL RETURNING f.shard`,
  /** Records above the snapshot wait for a later sweep. */
  endSweep: `
WITH ${SHARD}
DELETE FROM managed_orders.leftover AS f USING locked AS l
WHERE f.shard = l.shard AND f.sequence <= $3::int8 RETURNING f.shard`,
  /** Deletes records below the snapshot of their shard. */
  sweep: `
WITH ${SHARD}, gone AS (
  DELETE FROM managed_orders.journal AS j USING locked AS l JOIN managed_orders.snapshot AS s ON s.shard = l.shard
  WHERE j.shard = l.shard AND j.sequence = ANY ($3::int8[]) AND j.sequence < s.sequence RETURNING j.sequence
), raised AS (
  UPDATE managed_orders.shard AS s SET forgotten = h.sequence
  FROM (SELECT max(g.sequence) AS sequence FROM gone AS g) AS h
  WHERE s.shard = $1::int4 AND s.forgotten < h.sequence RETURNING 1
)
SELECT (SELECT count(*) FROM locked), (SELECT count(*) FROM gone)`,
};
