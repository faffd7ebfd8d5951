import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createManualClock, type ManualClock } from "../../../src/adapters/memory/index.ts";
import { openSqliteStore, type SqliteStore } from "../../../src/adapters/sqlite/index.ts";
import { testRateLimiter } from "../../../src/conformance/index.ts";
import { countIn, rowIn, type TemporaryPlace, temporaryPlace, writeRows } from "./temporary-place.ts";

testRateLimiter(
  { describe, it },
  {
    name: "sqlite",
    supports: { limits: true, connect: true, bans: true, durable: true, nodes: true },
    async createPlace({ limits, startMs }) {
      const { path, remove } = temporaryPlace();
      const clock = createManualClock({ startMs });
      let store = openSqliteStore({ exclusive: false, path });
      const open = () => store.openRateLimiter({ clock, ...limits });
      return {
        limiter: await open(),
        advanceBy: (ms) => clock.advanceBy(ms),
        async reopen() {
          await store.close();
          store = openSqliteStore({ exclusive: false, path });
          return await open();
        },
        openBeside: open,
        async remove() {
          await store.close();
          remove();
        },
      };
    },
  },
);

const START_MS = 1_767_355_200_000;
const DAY_MS = 86_400_000;

describe("sqlite order counts and bans", () => {
  let place: TemporaryPlace;
  let clock: ManualClock;
  const stores: SqliteStore[] = [];
  const open = (): SqliteStore => {
    const store = openSqliteStore({ exclusive: false, path: place.path });
    stores.push(store);
    return store;
  };
  beforeEach(() => {
    place = temporaryPlace();
    clock = createManualClock({ startMs: START_MS });
  });
  afterEach(async () => {
    for (const store of stores.splice(0)) await store.close();
    place.remove();
  });
  const BAN = "ban 192.0.2.1";
  const banEnd = (untilMs: number): string => `banend ${String(untilMs).padStart(16, "0")} 192.0.2.1`;

  it("counts of several writers add up, and each is written as often as it likes", async () => {
    const [first, second] = [open(), open()];
    const one = await first.openRateLimiter({ clock });
    const two = await second.openRateLimiter({ clock });
    for (let n = 0; n < 3; n++) {
      one.takeOrders({ accountId: 1, count: 1 });
      two.takeOrders({ accountId: 1, count: 2 });
      await one.flush();
      await two.flush();
    }
    expect(countIn(place.path, "orders")).toBe(2);
    const third = await open().openRateLimiter({ clock });
    expect((await third.takeOrders({ accountId: 1, count: 1 })).counts.perDay).toBe(10);
  });

  it("rows of days before yesterday, and bans that ended three days ago, are deleted", async () => {
    const limiter = await open().openRateLimiter({ clock, weightPerMinute: 1 });
    limiter.takeOrders({ accountId: 1, count: 1 });
    for (let n = 0; n < 11; n++) limiter.weigh({ address: "192.0.2.1", weight: 2 });
    await limiter.flush();
    expect(countIn(place.path, "ban")).toBe(1);
    await clock.advanceBy(DAY_MS);
    limiter.takeOrders({ accountId: 1, count: 1 });
    await limiter.flush();
    expect(countIn(place.path, "orders")).toBe(2);
    await clock.advanceBy(3 * DAY_MS);
    limiter.takeOrders({ accountId: 1, count: 1 });
    await limiter.flush();
    expect(countIn(place.path, "orders")).toBe(1);
    expect(countIn(place.path, "ban")).toBe(0);
  });

  it("of two ends of a ban the later one stays, in either order", async () => {
    const store = open();
    const limiter = await store.openRateLimiter({ clock, weightPerMinute: 1 });
    const ban = (): void => {
      for (let n = 0; n < 11; n++) limiter.weigh({ address: "192.0.2.1", weight: 2 });
    };
    ban();
    await limiter.flush();
    const untilMs = START_MS + 120_000;
    expect(rowIn(place.path, BAN)).toBe(`${untilMs} 120000`);
    const later: readonly [string, string] = [BAN, `${untilMs + 900_000} 120000`];
    writeRows(place.path, [later, [banEnd(untilMs)], [banEnd(untilMs + 900_000), ""]]);
    await clock.advanceBy(120_000);
    ban();
    await limiter.flush();
    expect(rowIn(place.path, BAN)).toBe(later[1]);
  });

  it("a ban of a clock that was years ahead lasts no longer than it was to last", async () => {
    const store = open();
    const untilMs = START_MS + 900 * DAY_MS;
    writeRows(place.path, [
      [BAN, `${untilMs} 120000`],
      [banEnd(untilMs), ""],
    ]);
    const limiter = await store.openRateLimiter({ clock });
    const weigh = () => limiter.weigh({ address: "192.0.2.1", weight: 1 });
    expect((await weigh()).refused).toEqual({ kind: "ban", untilMs: START_MS + 120_000 });
    await clock.advanceBy(120_000);
    expect((await weigh()).refused).toBeUndefined();
  });

  it("a store that is closed takes nothing more, and its limiter goes on counting", async () => {
    const store = open();
    const limiter = await store.openRateLimiter({ clock });
    limiter.takeOrders({ accountId: 1, count: 1 });
    await store.close();
    expect((await limiter.takeOrders({ accountId: 1, count: 1 })).counts.perDay).toBe(2);
    await limiter.flush();
    const day = String(Math.floor(START_MS / DAY_MS)).padStart(16, "0");
    const [account, writer] = ["1", "1"].map((number) => number.padStart(16, "0"));
    expect(rowIn(place.path, `orders ${day} ${account} ${writer}`)).toMatch(/^1 /);
    await expect(store.openRateLimiter({ clock })).rejects.toThrow("the store is closed");
  });
});
