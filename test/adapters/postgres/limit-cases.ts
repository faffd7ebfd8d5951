import { describe, expect, it } from "vitest";
import { createManualClock } from "../../../src/adapters/memory/index.ts";
import { openPostgresStore, type PostgresStore } from "../../../src/adapters/postgres/index.ts";
import { limitTable } from "../../../src/adapters/postgres/limit-table.ts";
import type { placesOn } from "./places.ts";

const START_MS = 1_767_355_200_000;
const DAY_MS = 86_400_000;
const DAY = START_MS / DAY_MS - 0.5;

/** Declares tests of order counts and bans. */
export function limitCases(places: ReturnType<typeof placesOn>): void {
  describe("postgres order counts and bans", () => {
    it("decision XC: counts of several nodes add up, each node reads the others', and old rows are deleted", async () => {
      const { options, schema, remove } = places.create();
      const clock = createManualClock({ startMs: START_MS });
      const stores: PostgresStore[] = [];
      const open = async (weightPerMinute: number) => {
        const store = await openPostgresStore(options);
        stores.push(store);
        return await store.openRateLimiter({ clock, weightPerMinute });
      };
      const one = await open(1);
      one.takeOrders({ accountId: 2 ** 40, count: 3 });
      for (let n = 0; n < 11; n++) one.weigh({ address: "2001:db8:0:1::/64", weight: 2 });
      await one.flush();
      const two = await open(1_000);
      expect((await two.weigh({ address: "2001:db8:0:1::/64", weight: 1 })).refused).toEqual({
        kind: "ban",
        untilMs: START_MS + 120_000,
      });
      expect((await two.takeOrders({ accountId: 2 ** 40, count: 2 })).counts.perDay).toBe(5);
      await two.flush();
      await two.flush();
      const three = await open(1_000);
      expect((await three.takeOrders({ accountId: 2 ** 40, count: 1 })).counts.perDay).toBe(6);
      await clock.advanceBy(4 * DAY_MS);
      three.takeOrders({ accountId: 2 ** 40, count: 1 });
      await three.flush();
      expect(await places.execute(`SELECT orders FROM ${schema}.order_count`)).toEqual([["1"]]);
      expect(await places.execute(`SELECT address FROM ${schema}.ban`)).toEqual([]);
      for (const store of stores) await store.close();
      await remove();
    });

    it("decision XC: a write that arrives late, or twice, changes nothing", async () => {
      const { options, schema, remove } = places.create();
      const store = await openPostgresStore(options);
      const database = places.database(schema);
      const table = limitTable(database);
      const put = (write: number, orders: number): unknown =>
        table.putCounts({ day: DAY, writer: 7, write, orders: [{ accountId: 1, orders }] });
      await put(1, 4);
      await put(3, 9);
      await put(2, 5);
      await put(3, 8);
      const page = { day: DAY, afterAccount: 0, afterWriter: 0, limit: 9 };
      expect(await table.counts(page)).toEqual([{ accountId: 1, writer: 7, orders: 9 }]);
      await table.putBans([{ address: "a", untilMs: 9, lengthMs: 2 }]);
      await table.putBans([{ address: "a", untilMs: 8, lengthMs: 4 }]);
      expect(await table.bans({ afterMs: 0, afterAddress: "", limit: 9 })).toEqual([
        { address: "a", untilMs: 9, lengthMs: 2 },
      ]);
      await database.close();
      await store.close();
      await remove();
    });
  });
}
