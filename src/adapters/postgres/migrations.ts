/** One step of the schema. */
export type Migration = Readonly<{
  /** The version that the step leads to. */
  version: number;
  /** The oldest version of the schema whose programs can work with this one, side by side with newer ones. */
  usableFrom: number;
  sql: readonly string[];
}>;

/**
 * The steps from an empty schema to the newest one. A released step never changes. A step only adds: tables, columns
 * that may be absent, indexes. So programs of two neighbouring versions can use one database side by side.
 *
 * Row 256 of `shard` is the market journal. Nothing is updated by an append: a row that every append updates leaves a
 * chain of dead versions that grows as long as a backup's snapshot is open. So heads are read from the keys of the
 * journal, the last quote of a market is its newest row, and the sums of volume lag behind the prints (`summed`).
 */
export const MIGRATIONS: readonly Migration[] = [
  {
    version: 1,
    usableFrom: 1,
    sql: [
      // `incarnation` is the node that owns the shard, `next` the one to which it shall give it; every new owner ends that.
      `CREATE TABLE managed_orders.shard (
        shard int4 PRIMARY KEY,
        epoch int8 NOT NULL,
        round int8 NOT NULL,
        forgotten int8 NOT NULL,
        incarnation int8,
        next int8
      )`,
      `INSERT INTO managed_orders.shard (shard, epoch, round, forgotten)
        SELECT n, 0, 0, 0 FROM generate_series(0, 256) AS g (n)`,
      // Counts the nodes in row 0, whatever rows of them are left, and in row 1 the openings of rate limiters.
      "CREATE TABLE managed_orders.incarnation (id int4 PRIMARY KEY, last int8 NOT NULL)",
      "INSERT INTO managed_orders.incarnation (id, last) VALUES (0, 0), (1, 0)",
      // `wanted` is what an operator wants of the node, and `followed` how far it has read.
      `CREATE TABLE managed_orders.node (
        incarnation int8 PRIMARY KEY,
        name text NOT NULL,
        address text NOT NULL,
        version text NOT NULL,
        format int8 NOT NULL,
        kinds text NOT NULL,
        state text NOT NULL,
        beat int8 NOT NULL,
        dead bool NOT NULL,
        ttl_ms int8 NOT NULL,
        shares bool NOT NULL,
        wanted text,
        followed int8
      )`,
      `CREATE TABLE managed_orders.journal (
        shard int4 NOT NULL,
        sequence int8 NOT NULL,
        record text NOT NULL,
        checksum int8 NOT NULL,
        PRIMARY KEY (shard, sequence)
      )`,
      // Shards that may have records of orders whose row is gone, and up to which record; NULL is not known yet.
      "CREATE TABLE managed_orders.leftover (shard int4 PRIMARY KEY, sequence int8)",
      `CREATE TABLE managed_orders.snapshot (
        shard int4 PRIMARY KEY,
        generation text NOT NULL,
        sequence int8 NOT NULL,
        counter int8 NOT NULL,
        parents int8 NOT NULL,
        checksum int8 NOT NULL
      )`,
      `CREATE TABLE managed_orders.snapshot_part (
        shard int4 NOT NULL,
        generation text NOT NULL,
        part int4 NOT NULL,
        parents text NOT NULL,
        checksum int8 NOT NULL,
        PRIMARY KEY (shard, generation, part)
      )`,
      // Client ids are bytes, so that they have one order whatever the collation of the database.
      `CREATE TABLE managed_orders.ended (
        shard int4 NOT NULL,
        order_id int8 NOT NULL,
        account_id int8 NOT NULL,
        client_order_id bytea NOT NULL,
        ended_at_ms int8 NOT NULL,
        list_id int8,
        record text NOT NULL,
        checksum int8 NOT NULL,
        PRIMARY KEY (shard, order_id),
        CONSTRAINT ended_client_ids UNIQUE (account_id, client_order_id)
      )`,
      "CREATE INDEX ended_of_account ON managed_orders.ended (account_id, order_id)",
      // A parent is in one of the two: by its end, or as a leg that leaves only with its list.
      "CREATE INDEX ended_by_time ON managed_orders.ended (ended_at_ms, order_id) WHERE list_id IS NULL",
      "CREATE INDEX ended_of_list ON managed_orders.ended (list_id) WHERE list_id IS NOT NULL",
      `CREATE TABLE managed_orders.ended_list (
        shard int4 NOT NULL,
        list_id int8 NOT NULL,
        account_id int8 NOT NULL,
        list_client_order_id bytea NOT NULL,
        accepted_at_ms int8 NOT NULL,
        ended_at_ms int8 NOT NULL,
        legs text NOT NULL,
        checksum int8 NOT NULL,
        PRIMARY KEY (shard, list_id),
        CONSTRAINT ended_list_client_ids UNIQUE (account_id, list_client_order_id)
      )`,
      "CREATE INDEX ended_lists_of_account ON managed_orders.ended_list (account_id, accepted_at_ms DESC, list_id)",
      "CREATE INDEX ended_lists_by_id ON managed_orders.ended_list (list_id)",
      "CREATE INDEX ended_lists_by_time ON managed_orders.ended_list (ended_at_ms, list_id)",
      `CREATE TABLE managed_orders.mark (
        shard int4 NOT NULL,
        symbol text NOT NULL,
        side text NOT NULL CHECK (side IN ('ask', 'bid')),
        position int8 NOT NULL,
        price int8 NOT NULL,
        time_ms int8 NOT NULL,
        checksum int8 NOT NULL,
        PRIMARY KEY (shard, symbol, side, position)
      )`,
      `CREATE TABLE managed_orders.quote (
        symbol text NOT NULL,
        owner int8 NOT NULL,
        position int8 NOT NULL,
        bid int8 NOT NULL,
        ask int8 NOT NULL,
        time_ms int8 NOT NULL,
        checksum int8 NOT NULL,
        PRIMARY KEY (symbol, owner, position)
      )`,
      `CREATE TABLE managed_orders.print (
        symbol text NOT NULL,
        id text NOT NULL,
        seen_at_ms int8 NOT NULL,
        time_ms int8 NOT NULL,
        price int8 NOT NULL,
        quantity int8 NOT NULL,
        fresh bool NOT NULL,
        owner int8 NOT NULL,
        position int8 NOT NULL,
        checksum int8 NOT NULL,
        PRIMARY KEY (symbol, id)
      )`,
      "CREATE INDEX prints_by_position ON managed_orders.print (owner, position)",
      "CREATE INDEX prints_by_time ON managed_orders.print (seen_at_ms)",
      // The place of the last print that the sums include. Sums are text: they may exceed 64 bits.
      "CREATE TABLE managed_orders.summed (id int4 PRIMARY KEY, owner int8 NOT NULL, position int8 NOT NULL)",
      "INSERT INTO managed_orders.summed (id, owner, position) VALUES (0, 0, 0)",
      "CREATE TABLE managed_orders.volume_total (symbol text PRIMARY KEY, total text NOT NULL)",
      `CREATE TABLE managed_orders.volume_bar (
        symbol text NOT NULL,
        minute_ms int8 NOT NULL,
        quantity text NOT NULL,
        PRIMARY KEY (symbol, minute_ms)
      )`,
      `CREATE TABLE managed_orders.price_bar (
        symbol text NOT NULL,
        length_ms int8 NOT NULL,
        start_ms int8 NOT NULL,
        open int8 NOT NULL,
        high int8 NOT NULL,
        low int8 NOT NULL,
        close int8 NOT NULL,
        opened_at_ms int8 NOT NULL,
        closed_at_ms int8 NOT NULL,
        quantity text NOT NULL,
        quote_quantity text NOT NULL,
        prints int8 NOT NULL,
        PRIMARY KEY (symbol, length_ms, start_ms)
      )`,
      // Amounts are canonical decimal text. What a refused request did not say is NULL.
      `CREATE TABLE managed_orders.api_order_reject (
        account_id int8 NOT NULL,
        position int8 NOT NULL,
        rejection_id text NOT NULL,
        symbol text NOT NULL,
        client_order_id text NOT NULL,
        side text,
        type text,
        time_in_force text,
        price text,
        stop_price text,
        quantity text,
        code int8 NOT NULL,
        reject_reason text NOT NULL,
        error_message text NOT NULL,
        time_ms int8 NOT NULL,
        PRIMARY KEY (account_id, position)
      )`,
      `CREATE INDEX api_order_reject_client_ids
        ON managed_orders.api_order_reject (account_id, client_order_id, position)`,
      "CREATE INDEX api_order_reject_by_time ON managed_orders.api_order_reject (time_ms)",
      // Orders that each writer, an opening of a rate limiter, has counted on a UTC day, and the number of the write.
      `CREATE TABLE managed_orders.order_count (
        day int8 NOT NULL,
        account_id int8 NOT NULL,
        writer int8 NOT NULL,
        orders int8 NOT NULL,
        write int8 NOT NULL,
        PRIMARY KEY (day, account_id, writer)
      )`,
      `CREATE TABLE managed_orders.ban (
        address text PRIMARY KEY,
        until_ms int8 NOT NULL,
        length_ms int8 NOT NULL
      )`,
      "CREATE INDEX bans_by_end ON managed_orders.ban (until_ms, address)",
      "CREATE TABLE managed_orders.key_value (key text PRIMARY KEY, value text NOT NULL)",
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
