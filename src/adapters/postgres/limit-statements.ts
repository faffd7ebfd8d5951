/**
 * Statements for order counts and bans. `managed_orders` stands for the schema, as in `statements.ts`. Each row of a count
 * has one writer, and a later end of a ban replaces an earlier one: so no order of writers matters, and they lock no
 * shards.
 */
export const LIMITS: Readonly<
  Record<
    "join" | "counts" | "bans" | "putCounts" | "putBans" | "forgetCounts" | "forgetBans" | "endOfOldest",
    string
  >
> = {
  join: "UPDATE managed_orders.incarnation AS i SET last = i.last + 1 WHERE i.id = 1 RETURNING i.last",
  /**
   * The key in its order, and no sum: without statistics, which a table that is new each day may lack, the server would
   * sort the whole day for each page.
   */
  counts: `
SELECT c.account_id, c.writer, c.orders FROM managed_orders.order_count AS c
WHERE (c.day, c.account_id, c.writer) > ($1::int8, $2::int8, $3::int8) AND c.day <= $1::int8
ORDER BY c.day, c.account_id, c.writer LIMIT $4::int8`,
  bans: `
SELECT b.address, b.until_ms, b.length_ms FROM managed_orders.ban AS b
WHERE (b.until_ms, b.address) > ($1::int8, $2::text) ORDER BY b.until_ms, b.address LIMIT $3::int8`,
  /** A write that arrives after a later one changes nothing. */
  putCounts: `
INSERT INTO managed_orders.order_count AS c (day, account_id, writer, orders, write)
SELECT $1::int8, n.account_id, $2::int8, n.orders, $3::int8
FROM unnest($4::int8[], $5::int8[]) AS n (account_id, orders)
ON CONFLICT (day, account_id, writer) DO UPDATE SET orders = excluded.orders, write = excluded.write
WHERE c.write < excluded.write RETURNING 1`,
  /** Addresses in one order, so that two writers of the same ones do not wait for each other. */
  putBans: `
INSERT INTO managed_orders.ban AS b (address, until_ms, length_ms)
SELECT n.address, n.until_ms, n.length_ms
FROM unnest($1::text[], $2::int8[], $3::int8[]) AS n (address, until_ms, length_ms) ORDER BY n.address
ON CONFLICT (address) DO UPDATE SET until_ms = excluded.until_ms, length_ms = excluded.length_ms
WHERE b.until_ms < excluded.until_ms RETURNING 1`,
  forgetCounts: `
DELETE FROM managed_orders.order_count AS c USING (
  SELECT o.day, o.account_id, o.writer FROM managed_orders.order_count AS o
  WHERE o.day < $1::int8 ORDER BY o.day, o.account_id, o.writer LIMIT $2::int8
) AS old WHERE c.day = old.day AND c.account_id = old.account_id AND c.writer = old.writer RETURNING 1`,
  /** One that was extended meanwhile stays. */
  forgetBans: `
DELETE FROM managed_orders.ban AS b USING (
  SELECT o.address FROM managed_orders.ban AS o WHERE o.until_ms < $1::int8 ORDER BY o.until_ms LIMIT $2::int8
) AS old WHERE b.address = old.address AND b.until_ms < $1::int8 RETURNING 1`,
  endOfOldest: `
SELECT b.until_ms FROM managed_orders.ban AS b ORDER BY b.until_ms DESC, b.address DESC LIMIT 1 OFFSET $1::int8`,
};
