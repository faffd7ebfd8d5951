import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { StoredRateLimiter } from "../../../src/adapters/shared/index.ts";
import { LimitDatabase } from "../../support/limit-database.ts";

const LATE_MS = 5_000;
const PAUSE_MS = 1_000;

const one = (accountId: number) => ({ accountId, count: 1 });
const all = (): boolean => true;
const perDay = async (limiter: StoredRateLimiter, accountId: number): Promise<number> =>
  (await limiter.takeOrders(one(accountId))).counts.perDay;

describe("the orders of a day move with their account", () => {
  it("the next node counts on where the one before stopped, and the limit of the day is one", async () => {
    const database = new LimitDatabase();
    const [from, to] = [await database.open({ ordersPerDay: 3 }), await database.open({ ordersPerDay: 3 })];
    for (let n = 0; n < 3; n++) from.takeOrders(one(1));
    await from.lost?.();
    await to.gained?.(all);
    expect((await to.takeOrders(one(1))).refused?.window).toBe("perDay");
  });

  it("what was lost is written at once, without waiting for the second", async () => {
    const database = new LimitDatabase();
    const limiter = await database.open();
    limiter.takeOrders(one(1));
    expect(database.rows.size).toBe(0);
    await limiter.lost?.();
    expect([...database.rows.values()]).toEqual([
      { day: expect.any(Number), accountId: 1, writer: 1, orders: 1 },
    ]);
  });

  it("what is counted while the counts of others are read stays, and counts once", async () => {
    const database = new LimitDatabase();
    const [from, to] = [await database.open(), await database.open()];
    for (let n = 0; n < 4; n++) from.takeOrders(one(1));
    await from.lost?.();
    database.beforePage = () => void to.takeOrders(one(1));
    const read = to.gained?.(all);
    to.takeOrders(one(1));
    await read;
    database.beforePage = () => undefined;
    const pages = 2;
    expect(await perDay(to, 1)).toBe(4 + 1 + pages + 1);
    await to.gained?.(all);
    expect(await perDay(to, 1)).toBe(4 + 1 + pages + 2);
  });

  it("an account that comes back counts what every node has counted", async () => {
    const database = new LimitDatabase();
    const nodes = [await database.open(), await database.open()] as const;
    const counted: number[] = [];
    for (let move = 0; move < 6; move++) {
      const [here, there] = move % 2 === 0 ? nodes : [nodes[1], nodes[0]];
      counted.push(await perDay(here, 1));
      await here.lost?.();
      await there.gained?.(all);
    }
    expect(counted).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it("accounts of other nodes are not read into memory", async () => {
    const database = new LimitDatabase();
    const [from, to] = [await database.open(), await database.open()];
    for (const accountId of [1, 2, 3]) from.takeOrders(one(accountId));
    await from.lost?.();
    await to.gained?.((accountId) => accountId === 2);
    expect([await perDay(to, 1), await perDay(to, 2), await perDay(to, 3)]).toEqual([1, 2, 1]);
  });

  it("what the node before wrote late is read once more, five seconds after the last account that came", async () => {
    const database = new LimitDatabase();
    const [from, to] = [await database.open(), await database.open()];
    await database.due(LATE_MS);
    await to.gained?.(all);
    await to.gained?.(all);
    expect(database.timers.filter(({ delayMs }) => delayMs === LATE_MS)).toHaveLength(1);
    from.takeOrders(one(1));
    await from.flush();
    await database.due(LATE_MS);
    expect(await perDay(to, 1)).toBe(2);
    // The second account came while the first waited, so that its own five seconds end later.
    from.takeOrders(one(1));
    await from.flush();
    await database.due(LATE_MS);
    expect(await perDay(to, 1)).toBe(4);
    expect(database.timers.filter(({ delayMs }) => delayMs === LATE_MS)).toEqual([]);
  });

  it("an account that comes during a read is read after it", async () => {
    const database = new LimitDatabase();
    const [from, to] = [await database.open(), await database.open()];
    for (const accountId of [1, 2, 3, 4, 5]) from.takeOrders(one(accountId));
    await from.lost?.();
    let page = 0;
    database.beforePage = () => {
      // The row of account 1 was in the page before.
      if (++page === 2) void to.gained?.(all);
    };
    await to.gained?.((accountId) => accountId === 5);
    expect([await perDay(to, 1), await perDay(to, 5)]).toEqual([2, 2]);
  });

  it("bans stay as they are: they are read at an opening only", async () => {
    const database = new LimitDatabase();
    const limiter = await database.open();
    await database.due(LATE_MS);
    const before = database.calls.filter((call) => call === "bans").length;
    await limiter.gained?.(all);
    await database.due(LATE_MS);
    expect(database.calls.filter((call) => call === "bans")).toHaveLength(before);
  });

  it("a long read does not delay the write of what a crash could lose", async () => {
    const database = new LimitDatabase();
    const [from, to] = [await database.open(), await database.open()];
    for (let accountId = 0; accountId < 9; accountId++) from.takeOrders(one(accountId));
    await from.lost?.();
    database.calls.length = 0;
    let page = 0;
    database.beforePage = () => {
      if (++page !== 2) return;
      to.takeOrders(one(1));
      void to.lost?.();
    };
    await to.gained?.(all);
    expect(database.calls).toEqual(["read", "read", "write", "read", "read", "read", "read"]);
  });

  it("while the database is away it is read a second later, and no call fails", async () => {
    const database = new LimitDatabase();
    const [from, to] = [await database.open(), await database.open()];
    from.takeOrders(one(1));
    await from.lost?.();
    database.isAway = true;
    await to.gained?.(all);
    to.takeOrders(one(2));
    await to.lost?.();
    expect(database.reported).toEqual(["limits.failed", "limits.failed"]);
    database.isAway = false;
    await database.due(PAUSE_MS);
    expect(await perDay(to, 1)).toBe(2);
    expect(database.rows.get(database.place(2, 2))?.orders).toBe(1);
  });

  it("a limiter that is closed reads and writes nothing, and leaves no timer", async () => {
    const database = new LimitDatabase();
    const limiter = await database.open();
    await limiter.gained?.(all);
    await database.close();
    database.calls.length = 0;
    await limiter.gained?.(all);
    await limiter.lost?.();
    expect([database.calls, database.timers]).toEqual([[], []]);
  });

  it("whatever moves where, an account has counted all of its orders", async () => {
    const node = fc.constantFrom(0, 1, 2);
    const account = fc.constantFrom(1, 2, 3);
    const step = fc.oneof(
      fc.record({ kind: fc.constantFrom("order" as const), account, count: fc.constantFrom(1, 2) }),
      fc.record({ kind: fc.constantFrom("return" as const), account, count: fc.constantFrom(1, 2) }),
      fc.record({ kind: fc.constantFrom("move" as const), account, node }),
    );
    const run = async (steps: readonly Step[]) => {
      const database = new LimitDatabase();
      const limiters = [await database.open(), await database.open(), await database.open()];
      const owners = new Map([1, 2, 3].map((accountId) => [accountId, 0]));
      const totals = new Map<number, number>();
      for (const { account: accountId, ...done } of steps) {
        const owner = limiters[owners.get(accountId) ?? 0];
        if (owner === undefined) throw new Error("no limiter");
        if (done.kind === "move") {
          owners.set(accountId, done.node);
          await owner.lost?.();
          await limiters[done.node]?.gained?.((id) => owners.get(id) === done.node);
          continue;
        }
        const { counts, takenAtMs } = await owner.takeOrders({ accountId, count: done.count });
        const total = (totals.get(accountId) ?? 0) + done.count;
        expect(counts.perDay).toBe(total);
        if (done.kind === "order") totals.set(accountId, total);
        else await owner.returnOrders({ accountId, count: done.count, takenAtMs });
      }
    };
    await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 25 }), run), { numRuns: 60 });
  });
});

type Step = Readonly<{ account: number }> &
  (Readonly<{ kind: "order" | "return"; count: number }> | Readonly<{ kind: "move"; node: number }>);
