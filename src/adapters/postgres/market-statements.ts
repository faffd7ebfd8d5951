/** Locks the market journal for a write of its owner. */
const OWNER = `owner AS MATERIALIZED (
  SELECT s.shard FROM managed_orders.shard AS s WHERE s.shard = 256 AND s.epoch = $1::int8 ORDER BY s.shard FOR UPDATE
)`;

const MARK_COLUMNS =
  "m.shard, m.symbol, m.side, m.position, m.price, m.time_ms, m.checksum FROM managed_orders.mark AS m";

/** Marks, and the market journal: last quotes, executed volume. The rules of `statements.ts` hold here too. */
export const MARKETS: Readonly<
  Record<
    | "owner"
    | "marks"
    | "marksOf"
    | "deleteMarks"
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
    | "deletePriceBars",
    string
  >
> = {
  owner: `WITH ${OWNER} SELECT count(*) FROM owner`,
  marks: `SELECT ${MARK_COLUMNS}`,
  marksOf: `SELECT ${MARK_COLUMNS} WHERE m.shard = ANY ($1::int4[])`,
  /** Marks of shards with the caller's epoch only. */
  deleteMarks: `
DELETE FROM managed_orders.mark AS m
USING managed_orders.shard AS s, unnest($1::int4[], $2::int8[], $3::text[], $4::text[], $5::int8[])
  AS d (shard, epoch, symbol, side, position)
WHERE s.shard = d.shard AND s.epoch = d.epoch AND m.shard = d.shard AND m.symbol = d.symbol AND m.side = d.side
  AND m.position = d.position RETURNING m.position`,
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
