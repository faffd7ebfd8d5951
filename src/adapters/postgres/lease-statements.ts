/** The clock of the server in milliseconds. It is told, and decides nothing. */
export const CLOCK_MS: string = "(extract(epoch FROM clock_timestamp()) * 1000)::int8";

/**
 * Nodes that share the store, and which of them owns a shard. The rules of `statements.ts` hold here too. A row of `node`
 * is locked after those of `shard`.
 */
export const LEASES: Readonly<
  Record<
    | "dropDead"
    | "count"
    | "join"
    | "renew"
    | "want"
    | "nodes"
    | "images"
    | "bury"
    | "claim"
    | "release"
    | "assign"
    | "dieAsOwner"
    | "leave",
    string
  >
> = {
  /** Nodes that are dead and own no shard, except the newest. */
  dropDead: `
DELETE FROM managed_orders.node AS d USING (
  SELECT n.incarnation FROM managed_orders.node AS n
  WHERE n.dead AND NOT EXISTS (SELECT 1 FROM managed_orders.shard AS s WHERE s.incarnation = n.incarnation)
  ORDER BY n.incarnation DESC LIMIT 1000 OFFSET $1::int8
) AS old WHERE d.incarnation = old.incarnation RETURNING d.incarnation`,
  count: `
UPDATE managed_orders.incarnation AS i SET last = i.last + 1 WHERE i.id = 0 RETURNING i.last`,
  join: `
INSERT INTO managed_orders.node (incarnation, name, address, version, format, kinds, state, beat, dead, ttl_ms, shares)
VALUES ($1::int8, $2::text, $3::text, $4::text, $5::int8, $6::text, 'following', 0, false, $7::int8, $8::bool)
RETURNING ${CLOCK_MS}`,
  renew: `
WITH renewed AS (
  UPDATE managed_orders.node AS n SET beat = n.beat + 1, state = $2::text, followed = coalesce($3::int8, n.followed)
  WHERE n.incarnation = $1::int8 AND NOT n.dead RETURNING n.wanted
)
SELECT (SELECT count(*) FROM renewed), ${CLOCK_MS}, (SELECT r.wanted FROM renewed AS r)`,
  want: `
UPDATE managed_orders.node AS n SET wanted = $2::text
WHERE n.incarnation = $1::int8 AND NOT n.dead RETURNING n.incarnation`,
  /** Nodes and shards with the market journal, 256, at one moment: rows of shards have a number, those of nodes have none. */
  nodes: `
SELECT s.shard, s.incarnation, s.epoch, '', '', '', 0, '', '', 0, false, 0, '', 0, false, s.next
FROM managed_orders.shard AS s
UNION ALL
SELECT NULL, n.incarnation, 0, n.name, n.address, n.version, n.format, n.kinds, n.state, n.beat, n.dead, n.ttl_ms,
  n.wanted, n.followed, n.shares, NULL
FROM managed_orders.node AS n`,
  /** The newest snapshot of each shard, and how many open parents it has. */
  images: `
SELECT i.shard, i.sequence, i.parents FROM managed_orders.snapshot AS i ORDER BY i.shard`,
  /** The second number is that of living nodes before the statement. */
  bury: `
WITH buried AS (
  UPDATE managed_orders.node AS n SET dead = true
  WHERE n.incarnation = $1::int8 AND n.beat = $2::int8 RETURNING n.incarnation
)
SELECT (SELECT count(*) FROM buried),
  (SELECT count(*) FROM managed_orders.node AS n WHERE n.incarnation = $1::int8 AND NOT n.dead)`,
  /**
   * Owners are read under the lock, their rows with the older snapshot of the statement. That errs on the safe side: a
   * node never comes back to life, and an owner whose row the snapshot may lack has claimed since, which has raised the
   * epoch of the shard above that of the snapshot. With an equal epoch, an owner without a row has left. Rows of shards that
   * the claimant owns already are written as they are, so that the answer waits until the standby server has them.
   */
  claim: `
WITH locked AS MATERIALIZED (
  SELECT s.shard, s.epoch, s.incarnation FROM managed_orders.shard AS s
  JOIN unnest($2::int4[]) AS u (shard) ON u.shard = s.shard ORDER BY s.shard FOR UPDATE OF s
), claimant AS MATERIALIZED (
  SELECT n.incarnation FROM managed_orders.node AS n
  WHERE n.incarnation = $1::int8 AND NOT n.dead ORDER BY n.incarnation FOR UPDATE
), taken AS MATERIALIZED (
  SELECT count(*) AS shards FROM locked AS l
  WHERE l.incarnation IS NOT NULL AND l.incarnation <> $1::int8 AND (
    EXISTS (SELECT 1 FROM managed_orders.node AS n WHERE n.incarnation = l.incarnation AND NOT n.dead)
    OR NOT EXISTS (SELECT 1 FROM managed_orders.shard AS b WHERE b.shard = l.shard AND b.epoch = l.epoch))
)
UPDATE managed_orders.shard AS s SET incarnation = c.incarnation,
  epoch = CASE WHEN l.incarnation = c.incarnation THEN s.epoch ELSE s.epoch + 1 END,
  round = CASE WHEN l.incarnation = c.incarnation THEN s.round ELSE 0 END,
  next = CASE WHEN l.incarnation = c.incarnation THEN s.next END
FROM locked AS l CROSS JOIN claimant AS c CROSS JOIN taken AS t
WHERE s.shard = l.shard AND t.shards = 0 RETURNING s.shard, s.epoch`,
  /** Without an epoch, a shard is released in any. */
  release: `
WITH locked AS MATERIALIZED (
  SELECT s.shard FROM managed_orders.shard AS s
  JOIN unnest($2::int4[], $3::int8[]) AS u (shard, epoch) ON u.shard = s.shard
  WHERE s.incarnation = $1::int8 AND s.epoch = coalesce(u.epoch, s.epoch) ORDER BY s.shard FOR UPDATE OF s
)
UPDATE managed_orders.shard AS s SET incarnation = NULL
FROM locked AS l WHERE s.shard = l.shard AND s.incarnation = $1::int8 RETURNING s.shard`,
  /**
   * The rows of the shards are locked, so that owners are those of the moment of the write. That of the target is read with
   * the older snapshot: an assignment to a node that has died says nothing, whenever it was made. The answer has one number:
   * the shards of the set with this assignment.
   */
  assign: `
WITH locked AS MATERIALIZED (
  SELECT s.shard FROM managed_orders.shard AS s
  WHERE s.shard = ANY ($1::int4[]) ORDER BY s.shard FOR UPDATE
), assigned AS (
  UPDATE managed_orders.shard AS s
  SET next = CASE WHEN $3::int8 IS NULL OR s.incarnation = $3::int8 THEN $2::int8 ELSE s.next END
  FROM locked AS l WHERE s.shard = l.shard AND ($2::int8 IS NULL
    OR EXISTS (SELECT 1 FROM managed_orders.node AS n WHERE n.incarnation = $2::int8 AND NOT n.dead))
  RETURNING s.next
)
SELECT count(*) FROM assigned AS a WHERE NOT a.next IS DISTINCT FROM $2::int8`,
  dieAsOwner: `
UPDATE managed_orders.node AS n SET dead = true
WHERE n.incarnation = $1::int8 AND EXISTS (SELECT 1 FROM managed_orders.shard AS s WHERE s.incarnation = $1::int8)
RETURNING n.incarnation`,
  leave: `
DELETE FROM managed_orders.node AS n
WHERE n.incarnation = $1::int8
  AND NOT EXISTS (SELECT 1 FROM managed_orders.shard AS s WHERE s.incarnation = $1::int8) RETURNING n.incarnation`,
};
