import { describe, expect, it } from "vitest";
import { createManualClock, type ManualClock } from "../../../src/adapters/memory/index.ts";
import {
  type LimitTable,
  type StoredBan,
  type StoredRateLimiterOptions,
  StoredRateLimiters,
  type WrittenOrders,
} from "../../../src/adapters/shared/index.ts";

const START_MS = 1_767_355_200_000;
const DAY_MS = 86_400_000;

/** A table in memory, whose writes a test counts, holds and fails; timers run when a test says so. */
function limiterWorld(options: Partial<StoredRateLimiterOptions> = {}) {
  const clock: ManualClock = createManualClock({ startMs: START_MS });
  const rows = new Map<string, number>();
  const bans = new Map<string, StoredBan>();
  const writes: string[] = [];
  const reported: string[] = [];
  const timers = new Map<number, () => void>();
  const state = {
    fails: false,
    isGone: false,
    others: [] as readonly WrittenOrders[],
    stored: [] as StoredBan[],
  };
  const written = (text: string): void => {
    if (state.fails) throw new Error("no database");
    writes.push(text);
  };
  const there = (): void => {
    if (state.isGone) throw new Error("no database");
  };
  const table: LimitTable = {
    join: () => 1,
    counts: ({ afterAccount, afterWriter }) =>
      state.others
        .filter(
          ({ accountId, writer }) =>
            accountId > afterAccount || (accountId === afterAccount && writer > afterWriter),
        )
        .slice(0, 2),
    bans({ afterMs }) {
      there();
      return state.stored.filter(({ untilMs }) => untilMs > afterMs);
    },
    putCounts({ day, orders }) {
      written(`counts ${orders.length}`);
      for (const one of orders) rows.set(`${day} ${one.accountId}`, one.orders);
    },
    putBans(all) {
      written(`bans ${all.length}`);
      for (const ban of all) bans.set(ban.address, ban);
    },
    prune() {
      there();
      return 0;
    },
    endOfOldest: () => undefined,
  };
  const limiters = new StoredRateLimiters(table, (delayMs, run) => {
    timers.set(delayMs, run);
    return () => void (timers.get(delayMs) === run && timers.delete(delayMs));
  });
  const telemetry = { event: (_level: string, name: string) => void reported.push(name) };
  /** Runs a timer, and resolves when nothing more is written. */
  const due = async (delayMs: number): Promise<void> => {
    const run = timers.get(delayMs);
    timers.delete(delayMs);
    run?.();
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
  };
  const open = () => limiters.open({ clock, telemetry, ...options });
  return { clock, rows, bans, writes, reported, timers, state, limiters, due, open };
}

const one = { accountId: 1, count: 1 };

describe("a limiter that writes later", () => {
  it("writes the counts of a second in one statement, and nothing in the turn of an order", async () => {
    const { open, writes, rows, timers, due } = limiterWorld();
    const limiter = await open();
    for (let n = 0; n < 100; n++) limiter.takeOrders({ accountId: n % 10, count: 1 });
    expect([...timers.keys()]).toEqual([5_000, 1_000]);
    expect(writes).toEqual([]);
    await due(1_000);
    expect(writes).toEqual(["counts 10"]);
    expect(rows.get(`${Math.floor(START_MS / DAY_MS)} 3`)).toBe(10);
    limiter.takeOrders(one);
    await due(1_000);
    expect(writes).toEqual(["counts 10", "counts 1"]);
  });

  it("writes a ban without waiting for the second, once for each ban", async () => {
    const { open, writes, bans, due } = limiterWorld({ weightPerMinute: 1 });
    const limiter = await open();
    for (let n = 0; n < 30; n++) limiter.weigh({ address: "192.0.2.1", weight: 2 });
    await due(0);
    expect(writes).toEqual(["bans 1"]);
    expect(bans.get("192.0.2.1")).toEqual({
      ...{ address: "192.0.2.1", untilMs: START_MS + 120_000, lengthMs: 120_000 },
    });
  });

  it("repeats a write that failed a second later, tells of it, and counts on meanwhile", async () => {
    const { open, state, writes, reported, rows, due } = limiterWorld({ weightPerMinute: 1 });
    const limiter = await open();
    state.fails = true;
    limiter.takeOrders(one);
    for (let n = 0; n < 30; n++) limiter.weigh({ address: "192.0.2.1", weight: 2 });
    await due(1_000);
    limiter.takeOrders(one);
    expect([writes, reported]).toEqual([[], ["limits.failed"]]);
    // One attempt a second, however many addresses are banned meanwhile.
    for (let n = 0; n < 30; n++) limiter.weigh({ address: "192.0.2.2", weight: 2 });
    await due(0);
    expect(reported).toEqual(["limits.failed"]);
    state.fails = false;
    await due(1_000);
    expect(writes).toEqual(["bans 2", "counts 1"]);
    expect([...rows.values()]).toEqual([2]);
  });

  it("begins with what was kept, and reads once more what an earlier owner wrote late", async () => {
    const { open, state, due } = limiterWorld({ weightPerMinute: 100 });
    // In pages of two rows; writer 1 is this one.
    state.others = [
      { accountId: 1, writer: 1, orders: 90 },
      { accountId: 1, writer: 2, orders: 3 },
      { accountId: 1, writer: 3, orders: 2 },
    ];
    const limiter = await open();
    expect((await limiter.takeOrders(one)).counts.perDay).toBe(6);
    state.others = [
      { accountId: 1, writer: 2, orders: 5 },
      { accountId: 1, writer: 3, orders: 2 },
      { accountId: 2, writer: 3, orders: 1 },
    ];
    state.stored = [{ address: "192.0.2.9", untilMs: START_MS + 60_000, lengthMs: 120_000 }];
    await due(5_000);
    expect((await limiter.takeOrders(one)).counts.perDay).toBe(9);
    expect((await limiter.takeOrders({ accountId: 2, count: 1 })).counts.perDay).toBe(2);
    expect((await limiter.weigh({ address: "192.0.2.9", weight: 1 })).refused).toEqual({
      ...{ kind: "ban", untilMs: START_MS + 60_000 },
    });
  });

  it("doubles the ban of an address whose last ban was kept", async () => {
    const { open, state, bans, due } = limiterWorld({ weightPerMinute: 1 });
    state.stored = [{ address: "192.0.2.1", untilMs: START_MS - 60_000, lengthMs: 240_000 }];
    const limiter = await open();
    for (let n = 0; n < 30; n++) limiter.weigh({ address: "192.0.2.1", weight: 2 });
    await due(0);
    expect(bans.get("192.0.2.1")?.lengthMs).toBe(480_000);
  });

  it("without enforcement it counts and refuses nothing, not even an address whose ban was kept", async () => {
    const { open, state } = limiterWorld({ enforce: false });
    state.stored = [{ address: "192.0.2.1", untilMs: START_MS + 60_000, lengthMs: 120_000 }];
    const limiter = await open();
    expect(limiter.weigh({ address: "192.0.2.1", weight: 2 })).toEqual({ used: 2 });
    expect(limiter.weigh({ address: "192.0.2.1", weight: 2 })).toEqual({ used: 4 });
  });

  it("leaves the rows of a day alone when the next one has begun", async () => {
    const { open, clock, rows, due } = limiterWorld();
    const limiter = await open();
    limiter.takeOrders(one);
    await due(1_000);
    limiter.takeOrders(one);
    await clock.advanceBy(DAY_MS);
    await due(1_000);
    limiter.takeOrders({ accountId: 1, count: 4 });
    await due(1_000);
    expect([...rows.values()]).toEqual([1, 4]);
  });

  it("keeps no more accounts and addresses in memory than it may while nothing can be written", async () => {
    const { open, state, writes, due } = limiterWorld({ weightPerMinute: 1, maxTracked: 3 });
    const limiter = await open();
    state.fails = true;
    for (let n = 0; n < 10; n++) {
      limiter.takeOrders({ accountId: n, count: 1 });
      for (let m = 0; m < 11; m++) limiter.weigh({ address: `192.0.2.${n}`, weight: 2 });
    }
    await due(1_000);
    state.fails = false;
    await due(1_000);
    expect(writes).toEqual(["bans 3", "counts 3"]);
  });

  it("writes what is left when it is closed, even if a write has just failed, and no timer is left", async () => {
    const { open, state, limiters, rows, timers, due } = limiterWorld();
    const limiter = await open();
    state.fails = true;
    limiter.takeOrders(one);
    await due(1_000);
    state.fails = false;
    await limiters.close();
    expect([...rows.values()]).toEqual([1]);
    limiter.takeOrders(one);
    expect(timers.size).toBe(0);
  });

  it("is not kept until the store closes if its opening has failed", async () => {
    const { open, state, limiters, reported } = limiterWorld();
    state.isGone = true;
    for (let n = 0; n < 3; n++) await expect(open()).rejects.toThrow("no database");
    await limiters.close();
    expect(reported).toEqual([]);
  });
});
