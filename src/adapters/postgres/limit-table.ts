import type { KeptBan, LimitTable } from "../shared/index.ts";
import { transposed } from "./append-columns.ts";
import type { Database } from "./database.ts";
import type { Row } from "./driver.ts";
import { LIMITS } from "./limit-statements.ts";
import { asGiven, storable, textIn, wholeIn } from "./reading.ts";

/** The tables of order counts and bans in a database. */
export function limitTable(database: Database): LimitTable {
  return {
    async join() {
      const [row] = await database.write(LIMITS.join);
      return wholeIn(row, 0);
    },
    async counts({ day, afterAccount, afterWriter, limit }) {
      const rows = await database.read(LIMITS.counts, [day, afterAccount, afterWriter, limit]);
      return rows.map((row) => ({
        ...{ accountId: wholeIn(row, 0), writer: wholeIn(row, 1), orders: wholeIn(row, 2) },
      }));
    },
    async bans({ afterMs, afterAddress, limit }) {
      const rows = await database.read(LIMITS.bans, [afterMs, storable(afterAddress), limit]);
      return rows.map(banOf);
    },
    async putCounts({ day, writer, write, orders }) {
      const columns = transposed(
        orders.map(({ accountId, orders: count }) => [accountId, count]),
        2,
      );
      await database.write(LIMITS.putCounts, [day, writer, write, ...columns]);
    },
    async putBans(bans) {
      const rows = bans.map(({ address, untilMs, lengthMs }) => [storable(address), untilMs, lengthMs]);
      await database.write(LIMITS.putBans, transposed(rows, 3));
    },
    async forget({ beforeDay, endedBeforeMs, limit }) {
      const counts = await database.write(LIMITS.forgetCounts, [beforeDay, limit]);
      const bans = await database.write(LIMITS.forgetBans, [endedBeforeMs, limit]);
      return counts.length + bans.length;
    },
    async endOfOldest(most) {
      const [row] = await database.read(LIMITS.endOfOldest, [most]);
      return row && wholeIn(row, 0);
    },
  };
}

/** Returns a ban of a row. */
export function banOf(row: Row): KeptBan {
  return { address: asGiven(textIn(row, 0)), untilMs: wholeIn(row, 1), lengthMs: wholeIn(row, 2) };
}
