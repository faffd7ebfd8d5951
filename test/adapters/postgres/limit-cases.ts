import { describe, expect, it } from "vitest";
import { createManualClock } from "../../../src/adapters/memory/index.ts";
import { openPostgresStore, type PostgresStore } from "../../../src/adapters/postgres/index.ts";
import type { placesOn } from "./places.ts";

const START_MS = 1_767_355_200_000;
const DAY_MS = 86_400_000;

/** Declares tests of order counts and bans. */
export function limitCases(places: ReturnType<typeof placesOn>): void {
  describe("postgres order counts and bans", () => {
    it("counts of several nodes add up, each node reads the others', and old rows are deleted", async () => {
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
      const values = await places.execute(
        `SELECT substr(value, 9) FROM ${schema}.entry WHERE value IS NOT NULL AND (key LIKE 'orders %' OR key LIKE 'ban%')`,
      );
      expect(values).toEqual([["1 1"]]);
      for (const store of stores) await store.close();
      await remove();
    });
  });
}
