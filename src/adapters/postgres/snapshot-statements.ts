/**
 * Snapshots. The row of `snapshot` makes the parts of one generation visible. The rules of `statements.ts` hold here too.
 * After the row of the shard, the rows that decide are locked as well: the snapshot of a statement that has waited for the
 * shard shows neither a newer generation nor that parts have been deleted.
 */
export const SNAPSHOTS: Readonly<Record<"addPart" | "finish" | "newest" | "parts" | "dropParts", string>> = {
  /** Of the owner of the shard only, so that one that was replaced leaves no parts behind for long. */
  addPart: `
INSERT INTO managed_orders.snapshot_part (shard, generation, part, parents, checksum)
SELECT s.shard, $2::text, $3::int4, $4::text, $6::int8 FROM managed_orders.shard AS s
WHERE s.shard = $1::int4 AND s.epoch = $5::int8 RETURNING part`,
  /** Of the owner of the shard only, with every part, not ahead of the journal, and not before a later snapshot. */
  finish: `
WITH locked AS MATERIALIZED (
  SELECT s.shard FROM managed_orders.shard AS s WHERE s.shard = $1::int4 AND s.epoch = $2::int8
  ORDER BY s.shard FOR UPDATE
), own AS MATERIALIZED (
  SELECT p.part FROM locked AS l JOIN managed_orders.snapshot_part AS p ON p.shard = l.shard
  WHERE p.generation = $3::text ORDER BY p.shard, p.part FOR UPDATE OF p
), parts AS MATERIALIZED (
  SELECT count(*) AS stored FROM own
), kept AS (
  INSERT INTO managed_orders.snapshot AS s (shard, generation, sequence, counter, parents, checksum)
  SELECT l.shard, $3::text, $4::int8, $5::int8, $6::int8, $8::int8 FROM locked AS l CROSS JOIN parts
  WHERE parts.stored = $7::int8
  ON CONFLICT (shard) DO UPDATE SET generation = excluded.generation, sequence = excluded.sequence,
    counter = excluded.counter, parents = excluded.parents, checksum = excluded.checksum
  WHERE s.sequence <= excluded.sequence
  RETURNING s.shard
)
SELECT (SELECT count(*) FROM locked), (SELECT stored FROM parts), (SELECT count(*) FROM kept)`,
  newest: `
SELECT s.generation, s.sequence, s.counter, s.parents, s.checksum
FROM managed_orders.snapshot AS s WHERE s.shard = $1::int4`,
  parts: `
SELECT p.part, p.parents, p.checksum FROM managed_orders.snapshot_part AS p
WHERE p.shard = $1::int4 AND p.generation = $2::text AND p.part >= $3::int4 ORDER BY p.part LIMIT $4::int8`,
  /** Deletes parts that no visible snapshot has: replaced ones, and those of interrupted writes. */
  dropParts: `
WITH locked AS MATERIALIZED (
  SELECT s.shard FROM managed_orders.shard AS s WHERE s.shard = $1::int4 AND s.epoch = $2::int8
  ORDER BY s.shard FOR UPDATE
), newest AS MATERIALIZED (
  SELECT n.shard, n.generation FROM locked AS l JOIN managed_orders.snapshot AS n ON n.shard = l.shard
  ORDER BY n.shard FOR UPDATE OF n
), old AS MATERIALIZED (
  SELECT p.shard, p.generation, p.part FROM newest AS n
  JOIN managed_orders.snapshot_part AS p ON p.shard = n.shard AND p.generation <> n.generation
  ORDER BY p.generation, p.part LIMIT $3::int8
)
DELETE FROM managed_orders.snapshot_part AS p USING old AS o
WHERE p.shard = o.shard AND p.generation = o.generation AND p.part = o.part RETURNING p.part`,
};
