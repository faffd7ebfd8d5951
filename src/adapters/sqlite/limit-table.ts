import type { KeptBan, LimitTable, WrittenOrders } from "../shared/index.ts";
import type { Database } from "./database.ts";

type Counts = Parameters<LimitTable["putCounts"]>[0];

/** Runs work on the open database, and names the file in its errors. */
type Guarded = <T>(run: () => T) => Promise<T>;

/** Prepares the statements for order counts and bans. */
export function limitTable(database: Database, guarded: Guarded): LimitTable {
  const join = database
    .prepare<[], number>("UPDATE state SET value = value + 1 WHERE name = 'limiters' RETURNING value")
    .pluck();
  const counts = database.prepare<[Parameters<LimitTable["counts"]>[0]], WrittenOrders>(
    `SELECT account_id AS accountId, writer, orders FROM order_counts
     WHERE day = @day AND (account_id, writer) > (@afterAccount, @afterWriter)
     ORDER BY account_id, writer LIMIT @limit`,
  );
  const bans = database.prepare<[Parameters<LimitTable["bans"]>[0]], KeptBan>(
    `SELECT address, until_ms AS untilMs, length_ms AS lengthMs FROM bans
     WHERE (until_ms, address) > (@afterMs, @afterAddress) ORDER BY until_ms, address LIMIT @limit`,
  );
  const endOfOldest = database
    .prepare<[most: number], number>(
      "SELECT until_ms FROM bans ORDER BY until_ms DESC, address DESC LIMIT 1 OFFSET ?",
    )
    .pluck();
  const { putCounts, putBans, forget } = writes(database);
  return {
    join: () => guarded(() => join.get() ?? 0),
    counts: (page) => guarded(() => counts.all(page)),
    bans: (page) => guarded(() => bans.all(page)),
    endOfOldest: (most) => guarded(() => endOfOldest.get(most)),
    putCounts: (all) => guarded(() => putCounts(all)),
    putBans: (all) => guarded(() => putBans(all)),
    forget: (range) => guarded(() => forget(range)),
  };
}

type Writes = Readonly<{
  putCounts: (counts: Counts) => void;
  putBans: (bans: readonly KeptBan[]) => void;
  forget: (range: Parameters<LimitTable["forget"]>[0]) => number;
}>;

function writes(database: Database): Writes {
  const putCount = database.prepare<[day: number, accountId: number, writer: number, orders: number]>(
    "INSERT OR REPLACE INTO order_counts (day, account_id, writer, orders) VALUES (?, ?, ?, ?)",
  );
  const putBan = database.prepare<[KeptBan]>(
    `INSERT INTO bans (address, until_ms, length_ms) VALUES (@address, @untilMs, @lengthMs)
     ON CONFLICT (address) DO UPDATE SET until_ms = excluded.until_ms, length_ms = excluded.length_ms
     WHERE until_ms < excluded.until_ms`,
  );
  const dropCounts = database.prepare<[beforeDay: number, limit: number]>(
    `DELETE FROM order_counts WHERE (day, account_id, writer) IN
       (SELECT day, account_id, writer FROM order_counts WHERE day < ? LIMIT ?)`,
  );
  const dropBans = database.prepare<[endedBeforeMs: number, limit: number]>(
    "DELETE FROM bans WHERE address IN (SELECT address FROM bans WHERE until_ms < ? ORDER BY until_ms LIMIT ?)",
  );
  const putCounts = database.transaction(({ day, writer, orders }: Counts) => {
    for (const { accountId, orders: count } of orders) putCount.run(day, accountId, writer, count);
  });
  const putBans = database.transaction((bans: readonly KeptBan[]) => {
    for (const ban of bans) putBan.run(ban);
  });
  const forget = database.transaction((range: Parameters<LimitTable["forget"]>[0]): number => {
    const { beforeDay, endedBeforeMs, limit } = range;
    return dropCounts.run(beforeDay, limit).changes + dropBans.run(endedBeforeMs, limit).changes;
  });
  return { putCounts: putCounts.immediate, putBans: putBans.immediate, forget: forget.immediate };
}
