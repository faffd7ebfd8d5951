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
    (shard, order_id, account_id, client_order_id, ended_at_ms, list_id, record, checksum)
  SELECT v.shard, e.order_id, e.account_id, e.client_order_id, e.ended_at_ms, e.list_id, e.record, e.checksum
  FROM verdict AS v
  JOIN unnest($10::int4[], $11::int8[], $12::int8[], $13::bytea[], $14::int8[], $15::int8[], $16::text[],
    $17::int8[]) AS e (part, order_id, account_id, client_order_id, ended_at_ms, list_id, record, checksum)
    ON e.part = v.part
  WHERE v.durable
  ON CONFLICT (shard, order_id) DO UPDATE SET account_id = excluded.account_id,
    client_order_id = excluded.client_order_id, ended_at_ms = excluded.ended_at_ms, list_id = excluded.list_id,
    record = excluded.record, checksum = excluded.checksum
  RETURNING 1
), new_lists AS (
  INSERT INTO managed_orders.ended_list
    (shard, list_id, account_id, list_client_order_id, accepted_at_ms, ended_at_ms, legs, checksum)
  SELECT v.shard, e.list_id, e.account_id, e.list_client_order_id, e.accepted_at_ms, e.ended_at_ms, e.legs, e.checksum
  FROM verdict AS v
  JOIN unnest($18::int4[], $19::int8[], $20::int8[], $21::bytea[], $22::int8[], $23::int8[], $24::text[], $25::int8[])
    AS e (part, list_id, account_id, list_client_order_id, accepted_at_ms, ended_at_ms, legs, checksum)
    ON e.part = v.part
  WHERE v.durable
  ON CONFLICT (shard, list_id) DO UPDATE SET account_id = excluded.account_id,
    list_client_order_id = excluded.list_client_order_id, accepted_at_ms = excluded.accepted_at_ms,
    ended_at_ms = excluded.ended_at_ms, legs = excluded.legs, checksum = excluded.checksum
  RETURNING 1
)`;

const MARKS = `, new_marks AS (
  INSERT INTO managed_orders.mark (shard, symbol, side, position, price, time_ms, checksum)
  SELECT v.shard, n.symbol, n.side, n.position, n.price, n.time_ms, n.checksum FROM verdict AS v
  JOIN unnest($26::int4[], $27::text[], $28::text[], $29::int8[], $30::int8[], $31::int8[], $32::int8[])
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
  CROSS JOIN unnest($33::text[], $34::int8[], $35::int8[], $36::int8[], $37::int8[], $38::int8[], $39::int8[])
    AS n (symbol, owner, position, bid, ask, time_ms, checksum)
  RETURNING 1
), new_prints AS (
  INSERT INTO managed_orders.print (symbol, id, seen_at_ms, time_ms, price, quantity, fresh, owner, position, checksum)
  SELECT n.symbol, n.id, n.seen_at_ms, n.time_ms, n.price, n.quantity, n.fresh, n.owner, n.position, n.checksum
  FROM market
  CROSS JOIN unnest($40::text[], $41::text[], $42::int8[], $43::int8[], $44::int8[], $45::int8[], $46::bool[],
    $47::int8[], $48::int8[], $49::int8[])
    AS n (symbol, id, seen_at_ms, time_ms, price, quantity, fresh, owner, position, checksum)
  ON CONFLICT (symbol, id) DO NOTHING
  RETURNING 1
)`;

const OUTCOMES = "\nSELECT part, durable FROM verdict ORDER BY part";

/**
 * Appends. The short forms leave out the tables to which nothing is added, because each costs planning time. The rules of
 * `statements.ts` hold here too.
 */
export const APPEND: Readonly<Record<"records" | "orders" | "marks" | "whole", string>> = {
  records: VERDICT + OUTCOMES,
  orders: VERDICT + ENDED + OUTCOMES,
  marks: VERDICT + ENDED + MARKS + OUTCOMES,
  whole: VERDICT + ENDED + MARKS + MARKET + OUTCOMES,
};
