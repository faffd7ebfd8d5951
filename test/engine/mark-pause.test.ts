import { describe, expect, it } from "vitest";
import { createMemoryStore } from "../../src/adapters/memory/index.ts";
import { formatPrice } from "../../src/decimal/index.ts";
import { MarkPause } from "../../src/engine/commit/mark-pause.ts";
import type { MarketMark, ParentOrder } from "../../src/model/index.ts";
import type { AppendBatch } from "../../src/ports/index.ts";
import { createWorld, SYMBOL, type World } from "../support/world.ts";

type Watched = Readonly<{ world: World; order: ParentOrder; appends: AppendBatch[] }>;

/** A world with an active trailing order, and the store's writes since. */
async function trailing(): Promise<Watched> {
  const appends: AppendBatch[] = [];
  const world = await createWorld({
    store(disk) {
      const store = createMemoryStore({ disk });
      return {
        ...store,
        append(batch) {
          appends.push(batch);
          return store.append(batch);
        },
      };
    },
  });
  await world.quote("100", "101");
  const order = await world.place({
    side: "SELL",
    type: "TRAILING_STOP_LIMIT",
    trailingDelta: 5_000,
    limitOffset: "1",
  });
  await world.quote("100", "101");
  appends.length = 0;
  return { world, order, appends };
}

const marksIn = (batch: AppendBatch | undefined): readonly MarketMark[] =>
  batch?.shards.flatMap(({ marks = [] }) => marks) ?? [];

const high = ({ engine }: World, bid: number): void =>
  void engine.market.quote({ symbol: SYMBOL, bid: String(bid), ask: "5000" });

const turn = ({ clock }: World): Promise<void> => new Promise((resolve) => clock.soon(resolve));

describe("marks wait for each other, and no other write waits for them", () => {
  it("quotes at one per turn, each a new high, share an append of one row", async () => {
    const { world, appends } = await trailing();
    for (let bid = 101; bid <= 400; bid++) {
      high(world, bid);
      await turn(world);
    }
    expect(appends.length).toBe(0);
    await world.engine.idle();
    expect(appends.length).toBe(1);
    expect(marksIn(appends[0]).map(({ side, price }) => `${side} ${formatPrice(price)}`)).toEqual([
      "bid 400",
    ]);
  });

  it("for at most 20 ms, however long the quotes continue", async () => {
    const { world, appends } = await trailing();
    let longestMs = 0;
    let sinceMs = world.clock.nowMs();
    for (let bid = 101; bid <= 400; bid++) {
      high(world, bid);
      const before = appends.length;
      await world.clock.advanceBy(2, () => turn(world));
      await turn(world);
      if (appends.length > before) sinceMs = world.clock.nowMs();
      longestMs = Math.max(longestMs, world.clock.nowMs() - sinceMs);
    }
    expect(appends.length).toBeGreaterThan(20);
    expect(longestMs).toBeLessThanOrEqual(24);
  });

  it("and for at most 4,096 turns on a clock that stands still", async () => {
    const { world, appends } = await trailing();
    for (let n = 0; n < 4_100; n++) {
      high(world, 101 + n / 10);
      await turn(world);
    }
    expect(appends.length).toBe(1);
  });

  it("a placement in between is written at once, together with the mark", async () => {
    const { world, appends } = await trailing();
    high(world, 110);
    await turn(world);
    high(world, 120);
    const placed = world.place({ price: "20" });
    await turn(world);
    high(world, 130);
    await placed;
    expect(appends.length).toBe(1);
    expect(appends[0]?.shards.length).toBe(1);
    expect(marksIn(appends[0]).length).toBe(1);
  });

  it("I31: after a crash the level is never looser than a level shown before", async () => {
    const { world, order } = await trailing();
    let shown = world.engine.runningLimit(await world.order(order)) ?? 0;
    for (let bid = 101; bid <= 160; bid++) {
      high(world, bid);
      await world.clock.advanceBy(3, () => turn(world));
      shown = world.engine.runningLimit(await world.order(order)) ?? 0;
    }
    expect(shown).toBeGreaterThan(0);
    await world.crash();
    const after = world.engine.runningLimit(await world.order(order)) ?? 0;
    expect(after >= shown).toBe(true);
  });
});

describe("many marks of moved references are appended at most ten times a second", () => {
  /** Active trailing orders of enough accounts for more than 32 shards. */
  async function many(): Promise<Watched> {
    const { world, order, appends } = await trailing();
    const fields = { side: "SELL", type: "TRAILING_STOP_MARKET", trailingAmount: "90" } as const;
    for (let accountId = 2; accountId < 80; accountId++) {
      const account = {
        accountId,
        userId: accountId,
        enableDataSharing: true,
        delegates: [],
        restricted: false,
      };
      world.accounts.put({ account, keys: [] });
      await world.place(fields, accountId);
    }
    high(world, 101);
    await world.engine.idle();
    await world.clock.advanceBy(1_000, () => world.engine.idle());
    appends.length = 0;
    return { world, order, appends };
  }

  const shardsIn = (batch: AppendBatch | undefined): number =>
    new Set(marksIn(batch).map(({ shard }) => shard)).size;

  it("with a row for each shard, and whatever comes meanwhile shares the next one", async () => {
    const { world, appends } = await many();
    for (let bid = 102; bid <= 151; bid++) {
      high(world, bid);
      await world.engine.idle();
      await world.clock.advanceBy(10, () => world.engine.idle());
    }
    await world.clock.advanceBy(100, () => world.engine.idle());
    expect(appends.length).toBeGreaterThanOrEqual(5);
    expect(appends.length).toBeLessThanOrEqual(6);
    for (const batch of appends) expect(shardsIn(batch)).toBeGreaterThan(32);
    expect(marksIn(appends.at(-1)).map(({ price }) => formatPrice(price))).toContain("151");
  });

  it("I31: a trigger does not wait, and takes the marks of its shard with it", async () => {
    const { world, appends } = await many();
    await world.place({ side: "SELL", type: "TRAILING_STOP_MARKET", trailingAmount: "5" });
    high(world, 120);
    await world.engine.idle();
    appends.length = 0;
    high(world, 130);
    await world.engine.idle();
    expect(appends.length).toBe(0);
    high(world, 124);
    await world.engine.idle();
    const [first] = appends;
    expect(shardsIn(first)).toBe(1);
    expect(marksIn(first).map(({ price }) => formatPrice(price))).toEqual(["130"]);
  });

  it("and a closing engine appends those that wait", async () => {
    const { world, appends } = await many();
    high(world, 120);
    await world.engine.idle();
    high(world, 130);
    await world.engine.close();
    expect(marksIn(appends.at(-1)).some(({ price }) => formatPrice(price) === "130")).toBe(true);
  });
});

it("more than 32 marks wait while as many were appended within the last 100 ms, and are appended then", () => {
  let nowMs = 1_000;
  const market = { hasOnlyMarks: true, hasFacts: true, marksDue: 33 };
  const timers: { ms: number; run: () => void }[] = [];
  const after = (ms: number, run: () => void): void => void timers.push({ ms, run });
  const core = { monotonicMs: () => nowMs };
  const pause = new MarkPause(core as never, market as never, { isEmpty: true } as never, { after } as never);
  pause.taken(32);
  expect([pause.onlyDue, pause.isDue]).toEqual([false, true]);
  pause.taken(33);
  expect([pause.onlyDue, pause.isDue]).toEqual([true, false]);
  market.marksDue = 32;
  expect(pause.onlyDue).toBe(false);
  market.marksDue = 33;
  let woken = 0;
  const later = (): void => pause.later(() => woken++);
  later();
  later();
  expect(timers.map(({ ms }) => ms)).toEqual([100]);
  nowMs += 99;
  expect(pause.onlyDue).toBe(true);
  nowMs += 1;
  expect(pause.onlyDue).toBe(false);
  timers.shift()?.run();
  expect(woken).toBe(1);
  later();
  market.hasFacts = false;
  timers.shift()?.run();
  market.hasOnlyMarks = false;
  later();
  expect([woken, timers]).toEqual([1, []]);
});

it("the wait is over after 20 ms, with the quote that comes then, and at once if something else is due", async () => {
  let [nowMs, passesMs, turns] = [1_000, 2, 0];
  const market = { marking: 0, hasOnlyMarks: true, marksDue: 1 };
  const commits = { isEmpty: true };
  const next = async (): Promise<void> => {
    turns++;
    nowMs += passesMs;
    market.marking++;
  };
  const core = { monotonicMs: () => nowMs, turns: { next } };
  const pause = new MarkPause(core as never, market as never, commits as never, {} as never);
  await pause.over();
  expect(turns).toBe(10);
  // On a clock that stands still it is over after so many turns.
  [passesMs, turns] = [0, 0];
  await pause.over();
  expect(turns).toBe(4_096);
  commits.isEmpty = false;
  await pause.over();
  expect([pause.isDue, turns]).toEqual([false, 4_096]);
});
