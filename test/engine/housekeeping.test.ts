import { describe, expect, it } from "vitest";
import { createManualClock, createMemoryStore } from "../../src/adapters/memory/index.ts";
import { formatPrice, price } from "../../src/decimal/index.ts";
import { Housekeeping, ObsoleteMarks } from "../../src/engine/commit/housekeeping.ts";
import type { Core } from "../../src/engine/core/core.ts";
import type { MarketHub } from "../../src/engine/market/market-hub.ts";
import { Endings } from "../../src/engine/shards/ended.ts";
import type { Shards } from "../../src/engine/shards/shards.ts";
import { Questions } from "../../src/host-answers/index.ts";
import type { Activation, MarketMark, ParentOrder } from "../../src/model/index.ts";
import { MarkHistory } from "../../src/triggers/index.ts";
import { openOrder, sampleMark } from "../store/rules/samples.ts";
import { turns } from "../support/faulty-world.ts";
import { createGate, type Gate } from "../support/gate.ts";
import { createHeldTurns } from "../support/held-turns.ts";
import { createWorld, INSTRUMENTS, SYMBOL, type World } from "../support/world.ts";

type FakeLiveOrder = { working: ParentOrder; durable: ParentOrder };

const liveOf = (orderId: number, position?: number): FakeLiveOrder => {
  const activation = position === undefined ? {} : { activation: { position, seed: price("100"), atMs: 1 } };
  const order: ParentOrder = { ...openOrder({ orderId }), ...activation };
  return { working: order, durable: order };
};

/** Housekeeping over shards that the test makes, one live order visited per turn; `hour` starts the hourly work. */
function subject(
  liveOrders: readonly FakeLiveOrder[],
  marks: readonly MarketMark[],
  deletes: readonly number[] = [],
) {
  const held = createHeldTurns(0.25);
  const history = new MarkHistory();
  for (const mark of marks) history.add(mark);
  const requested: string[] = [];
  const gone: number[] = [];
  const left = [...deletes];
  const memory = { liveOrders: new Map(liveOrders.entries()) };
  const shard = { state: "running", memory, activating: new Map(), endings: new Endings() };
  const shards = [shard];
  let hour: () => void = () => undefined;
  const telemetry = { event: (_: string, name: string) => void requested.push(name) };
  const core = {
    counters: { shards: 256 },
    turns: held.turns,
    settings: { retentionDays: 30 },
    time: { retentionMs: () => 1, hasSteppedWithin: () => false },
    telemetry,
    questions: new Questions({ clock: createManualClock({ startMs: 0 }), telemetry, timeoutMs: 5_000 }),
    store: {
      deleteEnded: async () => {
        requested.push("ended");
        return left.shift() ?? 0;
      },
      deleteMarks: async (some: readonly MarketMark[]) => {
        requested.push("marks");
        for (const { position } of some) gone.push(position);
      },
      deleteVolume: async () => undefined,
    },
  };
  const parts = {
    shards: { all: shards, at: (number: number) => shards[number] },
    market: {
      history,
      writes: true,
      book: () => undefined,
      tape: { evict: () => undefined },
      prints: { evict: () => undefined },
    },
    timers: { after: (_: number, run: () => void) => (hour = run) },
  };
  const made = new Housekeeping(
    core as never,
    parts.shards as never,
    parts.market as never,
    parts.timers as never,
  );
  return { made, shard, shards, held, history, requested, gone, hour: () => hour() };
}

const marksTo = (last: number): readonly MarketMark[] =>
  Array.from({ length: last }, (_, n) => sampleMark({ position: n + 1, price: price(String(1_200 - n)) }));

describe("marks are deleted in slices", () => {
  it("marks that no parent needs are deleted, the oldest needed one stays", async () => {
    const { held, gone, hour } = subject([liveOf(-256, 4), liveOf(-512, 3), liveOf(-768)], marksTo(6));
    hour();
    await held.run();
    expect(gone).toEqual([1, 2]);
  });

  it("I31: a parent that becomes active meanwhile keeps its mark, whichever orders were already visited", async () => {
    const liveOrders = [liveOf(-256), liveOf(-512), liveOf(-768)];
    const { held, history, gone, hour } = subject(liveOrders, marksTo(4));
    hour();
    await held.pass();
    for (const live of liveOrders) live.working = liveOf(live.working.orderId, 4).working;
    history.add(sampleMark({ position: 5, price: price("150") }));
    history.add(sampleMark({ position: 6, price: price("149") }));
    await held.run();
    expect(gone).toEqual([1, 2, 3]);
    const market = { shard: 0, symbol: SYMBOL, side: "bid" } as const;
    expect(history.referenceFrom({ ...market, position: 4 })).toBe(price("1197"));
  });

  it("I31: nothing is deleted if a shard is read again meanwhile", async () => {
    const { held, shard, gone, hour } = subject([liveOf(-256), liveOf(-512)], marksTo(4));
    hour();
    await held.pass();
    shard.memory = { liveOrders: new Map() };
    await held.run();
    expect(gone).toEqual([]);
  });

  it("I31: nor if one of several shards is, whatever the others do", async () => {
    const { held, shards, gone, hour } = subject([liveOf(-256), liveOf(-512)], marksTo(4));
    const other = {
      ...{ state: "running", memory: { liveOrders: new Map() } },
      ...{ activating: new Map(), endings: new Endings() },
    };
    shards.push(other);
    hour();
    await held.pass();
    other.memory = { liveOrders: new Map() };
    await held.run();
    expect(gone).toEqual([]);
    other.state = "reloading";
    hour();
    await held.run();
    expect(gone).toEqual([]);
  });

  it("a parent whose trigger or end is durable, or that trails on the other side, needs none", async () => {
    const [triggered, ended, buying] = [liveOf(-256, 1), liveOf(-512, 2), liveOf(-768, 1)];
    triggered.durable = { ...triggered.durable, trigger: {} } as unknown as ParentOrder;
    ended.durable = { ...ended.durable, ended: {} } as unknown as ParentOrder;
    buying.working = { ...buying.working, intent: { ...buying.working.intent, side: "BUY" } };
    const { held, gone, hour } = subject([triggered, ended, buying], marksTo(4));
    hour();
    await held.run();
    expect(gone).toEqual([1, 2, 3]);
  });

  it("many marks are deleted a few at a time, with a turn in between", async () => {
    const { held, requested, gone, hour } = subject([], marksTo(600));
    hour();
    await held.run();
    expect(gone).toEqual(Array.from({ length: 599 }, (_, n) => n + 1));
    expect(requested.filter((what) => what === "marks")).toHaveLength(3);
  });

  it("none are deleted after a stop", async () => {
    const { made, held, gone, hour } = subject([], marksTo(600));
    hour();
    for (let passes = 0; passes < 8 && gone.length === 0; passes++) await held.pass();
    made.stop();
    await held.run();
    expect(gone).toHaveLength(250);
  });
});

describe("retention", () => {
  it("leaves a turn between two batches", async () => {
    const { made, held, requested, hour } = subject([], [], [250, 250]);
    hour();
    for (let step = 0; step < 64; step++) await Promise.resolve();
    expect(requested).toEqual(["ended"]);
    await held.pass();
    expect(requested).toEqual(["ended", "ended"]);
    await held.run();
    expect(requested).toEqual(["ended", "ended", "ended"]);
    await made.finished();
  });
});

describe("snapshots and marks", () => {
  it("marks are deleted once, after all snapshots that are due", async () => {
    const requested: string[] = [];
    const world = await createWorld({
      settings: { snapshotEvery: 2 },
      store: (disk) => {
        const store = createMemoryStore({ disk });
        return {
          ...store,
          writeSnapshot: (snapshot) => {
            requested.push("snapshot");
            return store.writeSnapshot(snapshot);
          },
          deleteMarks: (marks) => {
            requested.push("marks");
            return store.deleteMarks(marks);
          },
        };
      },
    });
    const trail = { side: "SELL", type: "TRAILING_STOP_MARKET", trailingAmount: "5" } as const;
    await world.quote("99", "101");
    await world.place(trail);
    await world.place(trail, 2);
    for (const bid of ["100", "101", "102", "103"]) await world.quote(bid, "104");
    await world.quote("90", "91");
    await world.engine.close();
    expect(requested).toContain("marks");
    expect(`${requested.join(" ")} `).toMatch(/^(snapshot (snapshot )*marks )+(snapshot )*$/);
  });
});

it("a period of retention that is no whole number of milliseconds deletes up to a whole one, as Postgres demands", () => {
  const core = {
    settings: { retentionDays: 1 / 7 },
    time: { deletedByMs: () => 1_760_000_000_000 },
    store: {},
  };
  const timers = { after: () => undefined };
  const made = new Housekeeping(core as never, {} as never, {} as never, timers as never);
  expect(made.cutoffMs()).toBe(1_759_987_657_142);
});

const mark = (shard: number, position: number): MarketMark => ({
  ...{ shard, position, symbol: SYMBOL, side: "bid", price: price("100"), timeMs: position },
});

type Row = {
  state: string;
  memory: { liveOrders: Map<number, unknown> };
  activating: Map<number, Pick<Activation, "position">>;
};

const rowOf = (): Row => ({ state: "running", memory: { liveOrders: new Map() }, activating: new Map() });

/** Two shards with marks that nobody needs, of a market that has reached position 9. `forgotten` is what its book was told. */
function searching() {
  const rows: Row[] = [0, 1].map(rowOf);
  const history = new MarkHistory();
  for (const one of [mark(0, 1), mark(0, 9), mark(1, 2), mark(1, 9)]) history.add(one);
  const shards = { all: rows, at: (shard: number) => rows[shard] } as unknown as Shards;
  const forgotten: unknown[] = [];
  const book = { pruneMarks: (before: unknown) => void forgotten.push(before) };
  const market = { history, book: () => book } as unknown as MarketHub;
  const core = { turns: { spend: () => undefined, next: async () => undefined } } as unknown as Core;
  const search = new ObsoleteMarks(core, shards, market).inBatchesOf(1);
  const next = async (): Promise<readonly number[]> =>
    ((await search.next()).value ?? []).map(({ shard, position }: MarketMark) => shard * 100 + position);
  /** Adds a trailing parent of a shard that is active since a position. */
  const activate = (shard: number, position: number): void => {
    const order = { orderId: -256 - shard, intent: { symbol: SYMBOL, side: "SELL" } };
    rows[shard]?.memory.liveOrders.set(order.orderId, { working: order, durable: order });
    rows[shard]?.activating.set(order.orderId, { position });
  };
  return { rows, history, forgotten, activate, next };
}

describe("I31: the search for marks that no reference needs", () => {
  it("finds those below the newest one in every shard", async () => {
    const { next } = searching();
    expect([await next(), await next(), await next()]).toEqual([[1], [102], []]);
  });

  it("ends when a shard has left and come back, whose orders elsewhere rest on marks below", async () => {
    const { rows, history, next } = searching();
    expect(await next()).toEqual([1]);
    rows[1] = rowOf();
    history.add(mark(1, 5));
    expect(await next()).toEqual([]);
  });

  it("ends also between two batches of one shard, when that shard has left and come back", async () => {
    const { rows, history, next } = searching();
    for (const [position, of] of [
      [3, "110"],
      [4, "105"],
    ] as const)
      history.add({ ...mark(0, position), price: price(of) });
    expect(await next()).toEqual([1]);
    rows[0] = rowOf();
    history.prune(0);
    // Another node has made these marks, and an order of it rests on the first.
    for (const one of [{ ...mark(0, 5), price: price("120") }, mark(0, 9)]) history.add(one);
    expect(await next()).toEqual([]);
  });

  it("leaves the mark of an activation that waits in the mailbox of its shard, as it does while trust has lapsed", async () => {
    const { history, activate, next } = searching();
    history.add({ ...mark(1, 2), price: price("110") });
    activate(1, 2);
    expect([await next(), await next()]).toEqual([[1], []]);
  });

  it("ends between two markets, too", async () => {
    const { rows, history, next } = searching();
    for (const position of [3, 9]) history.add({ ...mark(0, position), side: "ask" });
    expect(await next()).toEqual([3]);
    rows[1] = rowOf();
    expect(await next()).toEqual([]);
  });

  it("leaves the marks of a shard that runs elsewhere, which are those of its owner", async () => {
    const { rows, next } = searching();
    Object.assign(rows[0] ?? {}, { state: "elsewhere" });
    expect([await next(), await next()]).toEqual([[102], []]);
  });

  it("the trigger book forgets what is before the oldest activation of all shards, or before the newest mark", async () => {
    const some = searching();
    some.activate(0, 4);
    some.activate(1, 2);
    await some.next();
    const none = searching();
    await none.next();
    expect([some.forgotten, none.forgotten]).toEqual([
      [{ side: "bid", beforePosition: 2 }],
      [{ side: "bid", beforePosition: 9 }],
    ]);
  });
});

const ETH = "ETH/USD";
const TRAIL = { side: "SELL", type: "TRAILING_STOP_MARKET", trailingAmount: "5" } as const;

/** A world whose store deletes marks when the test opens a gate. */
async function slowWorld(): Promise<Readonly<{ world: World; deletions: Gate }>> {
  const deletions = createGate();
  deletions.shut();
  const world = await createWorld({
    settings: { snapshotEvery: 1 },
    store: (disk) => {
      const store = createMemoryStore({ disk });
      return {
        ...store,
        async deleteMarks(marks) {
          await deletions.pass();
          await store.deleteMarks(marks);
        },
      };
    },
  });
  return { world, deletions };
}

describe("while the store deletes marks that no reference needs", () => {
  it.each(["whose market had no mark", "whose market had one"])(
    "I31: the mark of a simultaneous activation stays, %s",
    async (which) => {
      const { world, deletions } = await slowWorld();
      const { market } = world.engine;
      market.quote({ symbol: ETH, bid: "100", ask: "120" });
      await world.quote("99", "120");
      if (which === "whose market had one") {
        const before = await world.place({ ...TRAIL, symbol: ETH });
        market.quote({ symbol: ETH, bid: "101", ask: "120" });
        await world.cancel(before);
      }
      await world.place(TRAIL);
      for (const bid of ["100", "101", "102"]) await world.quote(bid, "120");
      await world.place({ price: "50" });
      for (let tries = 0; tries < 20 && deletions.held === 0; tries++) await turns();
      expect(deletions.held).toBe(1);
      const trail = await world.place({ ...TRAIL, symbol: ETH });
      market.quote({ symbol: ETH, bid: "110", ask: "120" });
      await world.engine.idle();
      await world.place({ ...TRAIL, symbol: ETH });
      market.quote({ symbol: ETH, bid: "107", ask: "120" });
      await world.engine.idle();
      deletions.open();
      await turns(200);
      await world.crash();
      world.engine.market.quote({ symbol: ETH, bid: "105", ask: "120" });
      await world.engine.idle();
      const { trigger, frozen } = await world.order(trail);
      expect([frozen, trigger?.reference === undefined ? undefined : formatPrice(trigger.reference)]).toEqual(
        [undefined, "110"],
      );
    },
  );
});

it("the marks of a market are forgotten also if its instrument is not there any more", async () => {
  const instruments = [...INSTRUMENTS];
  const settings = { snapshotEvery: 1_000 };
  const world = await createWorld({ instruments, settings });
  await world.quote("99", "120");
  const trail = await world.place(TRAIL);
  for (const bid of ["100", "101", "102"]) await world.quote(bid, "120");
  await world.place({ price: "50" });
  const marked = async (): Promise<number> =>
    (await createMemoryStore({ disk: world.disk }).readMarks()).length;
  expect(await marked()).toBeGreaterThan(1);
  instruments.shift();
  settings.snapshotEvery = 1;
  await world.crash();
  await world.cancel(trail);
  await world.engine.idle();
  expect(await marked()).toBeLessThanOrEqual(1);
});
