import { describe, expect, it } from "vitest";
import { createMemoryAccounts, createMemoryStore } from "../../src/adapters/memory/index.ts";
import type { Quantity } from "../../src/decimal/index.ts";
import { DEFAULT_SETTINGS } from "../../src/engine/index.ts";
import type { AppendBatch, OrderStore } from "../../src/ports/index.ts";
import type { OrderFields } from "../../src/requests/index.ts";
import { turns } from "../support/faulty-world.ts";
import { reported, sentTo } from "../support/scripted-venue.ts";
import { accountEntry, createWorld, SYMBOL, type World, type WorldOptions } from "../support/world.ts";

const { hostTimeoutMs, submitDeadlineMs, stalledAfterMs } = DEFAULT_SETTINGS;
const STOP = { side: "SELL", type: "STOP_MARKET", stopPrice: "90" } as const;
const ACCOUNTS = [1, 2, 3, 4, 5];

/** How the store of a test treats appends: each takes `takesMs`, and those that `hangs` says are answered by `release`. */
type Store = {
  takesMs: number;
  hangs: (batch: AppendBatch) => boolean;
  readonly held: (() => void)[];
  readonly silent: Set<keyof OrderStore>;
};

type SlowWorld = Readonly<{ world: World; store: Store }>;

async function slowWorld(options: WorldOptions = {}): Promise<SlowWorld> {
  const store: Store = { takesMs: 0, hangs: () => false, held: [], silent: new Set() };
  let clock: World["clock"] | undefined;
  const world = await createWorld({
    ...options,
    accounts: createMemoryAccounts(ACCOUNTS.map(accountEntry)),
    store(disk) {
      const inner = createMemoryStore({ disk });
      const append: OrderStore["append"] = async (batch) => {
        if (store.hangs(batch)) await new Promise<void>((resolve) => store.held.push(resolve));
        const dueMs = (clock?.monotonicMs() ?? 0) + store.takesMs;
        if (store.takesMs > 0) await new Promise<void>((resolve) => clock?.schedule(dueMs, resolve));
        return await inner.append(batch);
      };
      return new Proxy({ ...inner, append } as OrderStore, {
        get(of, name: keyof OrderStore) {
          return store.silent.has(name) ? () => new Promise(() => undefined) : of[name];
        },
      });
    },
  });
  clock = world.clock;
  for (const accountId of ACCOUNTS)
    world.exposure.set({ accountId, symbol: SYMBOL, quantity: 1_000_000 as Quantity });
  await world.quote("99", "100");
  return { world, store };
}

/** Lets time pass, with a quote each half second. */
async function quoteFor({ world }: SlowWorld, ms: number, bid = "89"): Promise<void> {
  for (let passed = 0; passed < ms; passed += 500) {
    await world.clock.advanceBy(500, () => turns());
    world.engine.market.quote({ symbol: SYMBOL, bid, ask: String(Number(bid) + 1) });
    await turns();
  }
}

const stop = (world: World, accountId = 1, more: object = {}): ReturnType<World["place"]> =>
  world.place({ ...STOP, ...more } as Partial<OrderFields>, accountId);

const ownersOf = ({ venue }: World): readonly number[] => venue.submitted.map(({ accountId }) => accountId);
const kinds = ({ engine }: World): readonly string[] => engine.status().reasons.map(({ kind }) => kind);
const changes = (world: World): readonly string[] => world.statuses.map(({ change }) => change);
const hasShard = (accountId: number) => (batch: AppendBatch) =>
  batch.shards.some(({ records }) =>
    records.some(({ changes: all }) => all.some(({ orderId }) => orderId !== 0 && isOf(orderId, accountId))),
  );
const isOf = (orderId: number, accountId: number): boolean => -orderId % 256 === shardNumbers.get(accountId);
const shardNumbers = new Map<number, number>();

/** A world with a stop of each account, whose shards differ. */
async function stopsWorld(options: WorldOptions = {}): Promise<SlowWorld> {
  const slow = await slowWorld(options);
  for (const accountId of ACCOUNTS) {
    const { orderId } = await stop(slow.world, accountId);
    shardNumbers.set(accountId, -orderId % 256);
  }
  expect(new Set(shardNumbers.values()).size).toBe(ACCOUNTS.length);
  return slow;
}

describe("a slow store delays children and never silences them", () => {
  it.each([2_500, 3_000, 4_900])("appends of %d ms: a stop is sent, once", async (takesMs) => {
    const slow = await slowWorld();
    const { world, store } = slow;
    const order = await stop(world);
    store.takesMs = takesMs;
    await quoteFor(slow, 30_000);
    expect(sentTo(world.venue)).toHaveLength(1);
    store.takesMs = 0;
    await quoteFor(slow, 10_000);
    expect(await world.status(order)).toBe("FILLED FILLED");
    expect((await world.engine.verify()).equal).toBe(true);
  });

  it("the deadline allows for twice the observed time, at most for twice hostTimeoutMs, and no more after a minute", async () => {
    const slow = await slowWorld();
    const { world, store } = slow;
    world.venue.onSubmit = (child) => reported(child.childId, "rejected");
    const allowed = async (): Promise<number> => {
      await world.quote("99", "100");
      const order = await stop(world, 1, { stopPrice: "95" });
      const decidedAtMs = world.clock.nowMs() + 500;
      await quoteFor(slow, 500);
      const story = await world.engine.story(order.orderId);
      const facts =
        story?.records.flatMap((record) => record.changes.flatMap((change) => change.facts)) ?? [];
      const [intended] = facts.filter((fact) => fact.kind === "CHILD_INTENDED");
      await world.cancel(order);
      return (intended?.child.notAfterMs ?? 0) - decidedAtMs;
    };
    expect(await allowed()).toBe(submitDeadlineMs);
    for (const [takesMs, more] of [
      [1_000, 2_000],
      [20_000, 2 * hostTimeoutMs],
    ] as const) {
      store.takesMs = takesMs;
      const placing = world.place({ price: "50" });
      placing.catch(() => undefined);
      await world.clock.advanceBy(takesMs, () => turns());
      store.takesMs = 0;
      await world.engine.idle();
      expect(await allowed()).toBe(submitDeadlineMs + more);
    }
    await quoteFor(slow, 61_000, "99");
    await world.place({ price: "50" });
    expect(await allowed()).toBe(submitDeadlineMs);
  });

  it("a late child goes by the market as it stands: one that is outside again closes the intent unsent", async () => {
    const slow = await slowWorld();
    const { world, store } = slow;
    const order = await world.place({ price: "80" });
    store.takesMs = 3_000;
    world.engine.market.quote({ symbol: SYMBOL, bid: "79", ask: "80" });
    await quoteFor(slow, 12_000, "89");
    expect(sentTo(world.venue)).toEqual([]);
    expect((await world.facts(order)).filter((kind) => kind.startsWith("CHILD"))).toEqual([
      "CHILD_INTENDED",
      "CHILD_CLOSED",
    ]);
    await quoteFor(slow, 12_000, "79");
    expect(sentTo(world.venue)).toHaveLength(1);
    expect((await world.engine.verify()).equal).toBe(true);
  });

  it("CHILDREN_LATE from the first late child until none has been late for stalledAfterMs", async () => {
    const slow = await slowWorld();
    const { world, store } = slow;
    world.venue.onSubmit = (child) => reported(child.childId, "rejected");
    await stop(world);
    await quoteFor(slow, 500);
    expect([kinds(world), changes(world)]).toEqual([[], []]);
    store.takesMs = 3_000;
    await quoteFor(slow, 20_000);
    expect(kinds(world)).toContain("CHILDREN_LATE");
    const late = (): readonly string[] => changes(world).filter((change) => change.startsWith("CHILDREN_"));
    expect(late()).toEqual(["CHILDREN_LATE"]);
    const { detail } = world.statuses.find(({ change }) => change === "CHILDREN_LATE") ?? {};
    expect(detail).toMatch(/^the store kept a child \d+ ms after its decision/);
    store.takesMs = 0;
    await quoteFor(slow, 6_000 + stalledAfterMs);
    expect(kinds(world)).not.toContain("CHILDREN_LATE");
    expect(late()).toEqual(["CHILDREN_LATE", "CHILDREN_IN_TIME"]);
  });

  it.each([1_000, 4_000, 7_000])(
    "a process that dies %d ms after the trigger: one child at most",
    async (ms) => {
      const slow = await slowWorld();
      const { world, store } = slow;
      const order = await stop(world);
      store.takesMs = 3_000;
      await quoteFor(slow, ms);
      store.takesMs = 0;
      await world.crash();
      await quoteFor(slow, 60_000);
      expect(sentTo(world.venue)).toHaveLength(1);
      expect(await world.status(order)).toBe("FILLED FILLED");
      expect((await world.engine.verify()).equal).toBe(true);
    },
  );
});

describe("what waits for one part of a store does not wait for another", () => {
  it("an append that hangs: the stops of other shards are sent within twice hostTimeoutMs", async () => {
    const slow = await stopsWorld();
    const { world, store } = slow;
    store.hangs = hasShard(1);
    const placing = world.place({ price: "50" }, 1);
    placing.catch(() => undefined);
    await turns();
    await quoteFor(slow, 2 * hostTimeoutMs);
    expect(ownersOf(world).toSorted()).toEqual([2, 3, 4, 5]);
    expect(kinds(world)).toContain("STORE_FAILING");
    expect(changes(world)).not.toContain("STORE_RECOVERED");
    // Its own shard goes on when the store answers, and has lost nothing.
    store.hangs = () => false;
    for (const release of store.held) release();
    await quoteFor(slow, 5_000);
    expect(ownersOf(world).toSorted()).toEqual(ACCOUNTS);
    expect(changes(world)).toContain("STORE_RECOVERED");
    expect((await world.engine.verify()).equal).toBe(true);
    expect((await world.engine.page({ ...PAGE, accountId: 1 })).total).toBe(2);
  });

  it("an append that is never answered is given up: its shard is read again and goes on", async () => {
    const slow = await stopsWorld();
    const { world, store } = slow;
    store.hangs = hasShard(1);
    const placing = world.place({ price: "50" }, 1);
    await turns();
    world.engine.market.quote({ symbol: SYMBOL, bid: "89", ask: "90" });
    store.hangs = () => false;
    await expect(Promise.race([placing, quoteFor(slow, hostTimeoutMs)])).rejects.toMatchObject({
      code: -1006,
    });
    await quoteFor(slow, 12 * hostTimeoutMs + 5_000);
    expect(ownersOf(world).toSorted()).toEqual(ACCOUNTS);
    // What arrives now is of an earlier round.
    for (const release of store.held) release();
    await turns();
    expect((await world.engine.verify()).equal).toBe(true);
    expect((await world.engine.page({ ...PAGE, accountId: 1 })).total).toBe(1);
  });

  it("shards that cannot be read after a failed append hold no others", async () => {
    const slow = await stopsWorld();
    const { world, store } = slow;
    const failing = world.place({ price: "50" }, 1);
    store.hangs = () => {
      store.hangs = () => false;
      throw new Error("the disk is full");
    };
    for (const name of ["fence", "head", "readRecords"] as const) store.silent.add(name);
    failing.catch(() => undefined);
    await turns();
    await quoteFor(slow, 1_000);
    expect(ownersOf(world).toSorted()).toEqual([2, 3, 4, 5]);
    store.silent.clear();
    await quoteFor(slow, 2 * hostTimeoutMs);
    expect(ownersOf(world).toSorted()).toEqual(ACCOUNTS);
    expect((await world.engine.verify()).equal).toBe(true);
  });

  it("several appends that hang, each of another shard, hold only theirs", async () => {
    const slow = await stopsWorld();
    const { world, store } = slow;
    for (const accountId of [1, 2, 3]) {
      store.hangs = hasShard(accountId);
      const placing = world.place({ price: "50" }, accountId);
      placing.catch(() => undefined);
      await quoteFor(slow, hostTimeoutMs, "99");
    }
    store.hangs = () => false;
    await quoteFor(slow, 2_000);
    expect(ownersOf(world).toSorted()).toEqual([4, 5]);
    for (const release of store.held.toReversed()) release();
    await quoteFor(slow, 10_000);
    expect(ownersOf(world).toSorted()).toEqual(ACCOUNTS);
    expect((await world.engine.verify()).equal).toBe(true);
  });

  it("who was told that an outcome is unknown gets no page without that order", async () => {
    const slow = await stopsWorld();
    const { world, store } = slow;
    // A POV rests on prints, and waits beside an append with prints that hangs.
    store.hangs = ({ prints = [] }) => prints.length > 0;
    await world.print("5");
    await quoteFor(slow, hostTimeoutMs, "99");
    const received: unknown[] = [];
    const placing = world.place({ type: "POV", quantity: "1", participationBips: 1_000 }, 2);
    placing.catch(({ code }) => void received.push(code));
    await quoteFor(slow, 2 * hostTimeoutMs, "99");
    expect(received).toEqual([-1006]);
    const page = () => world.engine.page({ ...PAGE, accountId: 2 });
    await expect(page()).rejects.toMatchObject({ code: -1001 });
    store.hangs = () => false;
    for (const release of store.held) release();
    await quoteFor(slow, 2_000, "99");
    expect((await page()).total).toBe(2);
  });

  it("POV orders follow what was traded while an append with prints hung, also if no print follows", async () => {
    const slow = await stopsWorld();
    const { world, store } = slow;
    const pov = await world.place({ type: "POV", quantity: "1", participationBips: 1_000 }, 2);
    await quoteFor(slow, 500, "99");
    store.hangs = ({ quotes = [] }) => quotes.length > 0;
    const placing = world.place({ price: "50" }, 1);
    await quoteFor(slow, hostTimeoutMs - 500, "99");
    expect(store.held).toHaveLength(1);
    placing.catch(() => undefined);
    await quoteFor(slow, 1_000, "99");
    await world.print("10");
    await quoteFor(slow, 1_000, "99");
    store.hangs = () => false;
    for (const release of store.held) release();
    await quoteFor(slow, 30_000, "99");
    const sent = world.venue.submitted.filter(({ parentOrderId }) => parentOrderId === pov.orderId);
    expect(sent.map(({ quantity }) => quantity)).toEqual([1_000_000]);
  });

  it("an engine closes while an append hangs, and says what it did not wait for", async () => {
    const slow = await stopsWorld();
    const { world, store } = slow;
    store.hangs = hasShard(1);
    const placing = world.place({ price: "50", newClientOrderId: "hung" }, 1);
    placing.catch(() => undefined);
    await quoteFor(slow, hostTimeoutMs, "99");
    const closing = world.engine.close();
    await world.clock.advanceBy(world.engine.settings.closeTimeoutMs, () => turns(500));
    expect((await closing).waitingFor).toContain("an append to the store");
    store.hangs = () => false;
    await world.crash();
    await quoteFor(slow, 5_000);
    expect(ownersOf(world).toSorted()).toEqual(ACCOUNTS);
    expect((await world.engine.verify()).equal).toBe(true);
  });
});

const PAGE = { includeHistory: true, newestFirst: false, limit: 10, afterOrderId: 0 };
