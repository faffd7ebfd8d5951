/**
 * Statements of a copy into an empty schema, and those that read everything of a store. `managed_orders` stands for the
 * schema, as in `statements.ts`. Nobody else uses the schema while it is copied into, so these lock no shards.
 */
export const COPYING: Readonly<
  Record<
    | ("begin" | "finish" | "records" | "heads" | "prints" | "lists")
    | ("rejections" | "values" | "orderCounts" | "bans"),
    string
  >
> = {
  /** A version that no program can use: the schema is no store until `finish`. */
  begin:
    "INSERT INTO managed_orders.managed_orders_version (version, usable_from) VALUES (2147483647, 2147483647)",
  finish:
    "DELETE FROM managed_orders.managed_orders_version AS v WHERE v.version = 2147483647 RETURNING v.version",
  records: `
WITH added AS (
  INSERT INTO managed_orders.journal (shard, sequence, record, checksum)
  SELECT $1::int4, r.sequence, r.record, r.checksum
  FROM unnest($2::int8[], $3::text[], $4::int8[]) AS r (sequence, record, checksum)
  RETURNING 1
)
SELECT count(*) FROM added`,
  heads: `
UPDATE managed_orders.shard AS s SET epoch = n.epoch, forgotten = n.forgotten
FROM unnest($1::int4[], $2::int8[], $3::int8[]) AS n (shard, epoch, forgotten)
WHERE s.shard = n.shard RETURNING s.shard`,
  /** Prints that the sums include. Their prices and quantities are in the sums alone. */
  prints: `
WITH added AS (
  INSERT INTO managed_orders.print (symbol, id, seen_at_ms, time_ms, price, quantity, fresh, owner, position, checksum)
  SELECT n.symbol, n.id, n.seen_at_ms, n.seen_at_ms, 0, 0, false, 0, n.position, n.checksum
  FROM unnest($1::text[], $2::text[], $3::int8[], $4::int8[], $5::int8[])
    AS n (symbol, id, seen_at_ms, position, checksum)
  RETURNING 1
)
SELECT count(*) FROM added`,
  lists: `
SELECT e.list_id, e.account_id, encode(e.list_client_order_id, 'hex'), e.accepted_at_ms, e.ended_at_ms, e.legs,
  e.checksum FROM managed_orders.ended_list AS e WHERE e.list_id > $1::int8 ORDER BY e.list_id LIMIT $2::int8`,
  rejections: `
SELECT r.rejection_id, r.account_id, r.symbol, r.client_order_id, r.side, r.type, r.time_in_force, r.price,
  r.stop_price, r.quantity, r.code, r.reject_reason, r.error_message, r.time_ms, r.position
FROM managed_orders.api_order_reject AS r
WHERE (r.account_id, r.position) > ($1::int8, $2::int8) ORDER BY r.account_id, r.position LIMIT $3::int8`,
  /** Those of a copy, which are sums of all writers of its source. */
  orderCounts: `
SELECT c.day, c.account_id, c.orders FROM managed_orders.order_count AS c
WHERE (c.day, c.account_id, c.writer) > ($1::int8, $2::int8, 0)
ORDER BY c.day, c.account_id, c.writer LIMIT $3::int8`,
  bans: `
SELECT b.address, b.until_ms, b.length_ms FROM managed_orders.ban AS b
WHERE b.address > $1::text ORDER BY b.address LIMIT $2::int8`,
  /** Without a key, the first ones: an empty key is one. */
  values: `
SELECT v.key, v.value FROM managed_orders.key_value AS v
WHERE $1::text IS NULL OR v.key > $1::text ORDER BY v.key LIMIT $2::int8`,
};
