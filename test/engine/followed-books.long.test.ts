import { describe, expect, it, vi } from "vitest";
import { createMemoryStore } from "../../src/adapters/memory/index.ts";
import { createRandom, type Random } from "../../src/common/random.ts";
import { price, quantity, ZERO_QUANTITY } from "../../src/decimal/index.ts";
import { FollowedBooks } from "../../src/engine/cluster/followed-books.ts";
import { FollowedJournal } from "../../src/engine/cluster/followed-journal.ts";
import { coreOf } from "../../src/engine/core/core.ts";
import { MarketHub } from "../../src/engine/market/market-hub.ts";
import type { ParentOrder } from "../../src/model/index.ts";
import type { ShardLeases } from "../../src/ports/index.ts";
import type { OrderFields } from "../../src/requests/index.ts";
import { TriggerBook } from "../../src/triggers/index.ts";
import { ACCOUNT_IDS, createCluster, TTL_MS } from "../support/cluster.ts";
import { OCO, OTOCO } from "../support/list-samples.ts";
import { sentTo } from "../support/scripted-venue.ts";
import { seedOr } from "../support/seed.ts";
import { loseRows } from "../support/stored-rows.ts";
import { createWorld, START_MS, SYMBOL, type World } from "../support/world.ts";

const STOP = { type: "STOP_MARKET", side: "SELL", stopPrice: "90" } as const;
const TRAIL = {
  type: "TRAILING_STOP_MARKET",
  side: "SELL",
  trailingAmount: "5",
} as const;

/** Follows the journal of a world as a standby does. `loses` says that the first record of each read is missing. */
async function following(
  world: World,
  loses: () => boolean = () => false,
): Promise<Readonly<{ books: FollowedBooks; journal: FollowedJournal }>> {
  const store = createMemoryStore({ disk: world.disk, clock: world.clock });
  if (store.leases === undefined) throw new Error("the store has no leases");
  const core = coreOf({ clock: world.clock, store } as never);
  const books = new FollowedBooks(core);
  const { leases } = store;
  const tail: ShardLeases["tail"] = async (range) => (await leases.tail(range)).slice(loses() ? 1 : 0);
  const journal = new FollowedJournal(core, { ...leases, tail }, { books, observe: () => undefined });
  await journal.load();
  return { books, journal };
}

type Standby = Awaited<ReturnType<typeof following>>;

const openParents = ({ journal }: Standby): readonly ParentOrder[] =>
  journal.shards.flatMap(({ memory }) =>
    [...memory.liveOrders.values()].flatMap(({ durable }) => (durable?.ended === undefined && durable) || []),
  );

/** Ids in the books of a standby, and in those of the engine that it follows without the parents that are armed later. */
function compared(world: World, standby: Standby): readonly [readonly number[], readonly number[]] {
  const market = world.engine.market as MarketHub;
  const { books } = standby;
  const [own, expected]: number[][] = [[], []];
  for (const { orderId, intent } of openParents(standby)) {
    const live = standby.journal.shards.map(({ memory }) => memory.liveOrders.get(orderId)).find(Boolean);
    if (live === undefined) throw new Error("the parent is not in memory");
    if (books.books.get(intent.symbol)?.has(orderId)) own?.push(orderId);
    if (market.book(intent.symbol)?.has(orderId) && books.armedAt(world.clock.nowMs())(live))
      expected?.push(orderId);
  }
  const held = [...books.books.values()].reduce((sum, { size }) => sum + size, 0);
  expect(held).toBe(own?.length);
  return [own ?? [], expected ?? []];
}

const levelIn = (random: Random): string => String(85 + random.below(31));

const PLACED: readonly ((random: Random) => Partial<OrderFields>)[] = [
  (random) => ({ side: "BUY", price: levelIn(random) }),
  (random) => ({ side: "SELL", price: levelIn(random) }),
  (random) => ({ ...STOP, stopPrice: levelIn(random) }),
  (random) => ({
    type: "STOP_LOSS_LIMIT",
    side: "SELL",
    stopPrice: levelIn(random),
    price: "80",
  }),
  (random) => ({ side: "BUY", type: "LIMIT_MAKER", price: levelIn(random) }),
  () => TRAIL,
  (random) => ({ ...TRAIL, stopPrice: levelIn(random) }),
  () => ({ side: "BUY", type: "TWAP", interval: 10_000, intervalCount: 3 }),
  () => ({ side: "BUY", type: "POV", participationBips: 1_000 }),
  (random) => ({
    side: "BUY",
    price: levelIn(random),
    timeInForce: "GTD",
    expireTime: START_MS + 600_000,
  }),
];

async function act(world: World, random: Random, placed: ParentOrder[]): Promise<void> {
  const bid = 85 + random.below(30);
  switch (random.below(9)) {
    case 0:
    case 1:
      return void (await world.quote(String(bid), String(bid + 1)));
    case 2:
      return void (await world.placeList("oco", OCO).catch(() => undefined));
    case 3:
      return void (await world.placeList("otoco", OTOCO).catch(() => undefined));
    case 4:
      if (placed.length > 0) await world.cancel(random.pick(placed)).catch(() => undefined);
      return await world.pass(1_000);
    case 5:
      return await world.print("5");
    default: {
      const account = 1 + random.below(2);
      const order = await world.place(random.pick(PLACED)(random), account).catch(() => undefined);
      if (order !== undefined) placed.push(order);
    }
  }
}

describe("decision YM: a standby arms ahead what its engine would arm after the claim", () => {
  it("after every record, its books hold the parents of the active engine's books that need nothing else", async () => {
    for (let seed = seedOr(1); seed < seedOr(1) + 3; seed++) {
      const random = createRandom(seed);
      const world = await createWorld();
      await world.quote("99", "100");
      const standby = await following(world);
      const placed: ParentOrder[] = [];
      let armed = 0;
      for (let step = 0; step < 60; step++) {
        // Some children have no outcome yet, or were refused.
        const answer = random.below(4);
        if (answer === 0) world.venue.onSubmit = () => "silence";
        if (answer === 1)
          world.venue.onSubmit = ({ childId }) => ({
            childId,
            state: "closed",
            fills: [],
          });
        await act(world, random, placed);
        await world.engine.idle();
        await standby.journal.follow();
        const [own, expected] = compared(world, standby);
        expect(own, `seed ${seed}, step ${step}`).toEqual(expected);
        armed += own.length;
      }
      expect(armed).toBeGreaterThan(50);
      const anew = await following(world);
      expect(compared(world, anew)).toEqual(compared(world, standby));
    }
  });

  it("a parent that becomes active is held, and gets its reference from the marks after the claim", async () => {
    const world = await createWorld();
    await world.quote("99", "100");
    const standby = await following(world);
    const trailing = await world.place({ ...TRAIL, stopPrice: "110" });
    await standby.journal.follow();
    const book = standby.books.books.get(SYMBOL);
    expect(book?.has(trailing.orderId)).toBe(true);
    await world.quote("111", "112");
    await standby.journal.follow();
    await world.quote("115", "116");
    await standby.journal.follow();
    const { books, history } = standby.books;
    const isArmed = standby.books.armedAt(world.clock.nowMs());
    const live = { durable: await world.order(trailing) } as never;
    expect([isArmed(live), books.get(SYMBOL)?.reference(trailing.orderId)]).toEqual([true, undefined]);
    for (const mark of await createMemoryStore({ disk: world.disk }).readMarks()) history.add(mark);
    await standby.books.restoreReferences();
    expect([isArmed(live), books.get(SYMBOL)?.reference(trailing.orderId)]).toEqual([true, price("115")]);
  });

  it("the parents of an account that is frozen leave the book, and later ones of it do not enter", async () => {
    const world = await createWorld();
    await world.quote("99", "100");
    await world.place(TRAIL);
    await world.quote("99", "100");
    const [stop, other] = [await world.place(STOP), await world.place(STOP, 2)];
    const standby = await following(world);
    const book = standby.books.books.get(SYMBOL);
    expect([book?.has(stop.orderId), book?.has(other.orderId)]).toEqual([true, true]);
    loseRows(world.disk, "mark");
    await world.crash();
    await standby.journal.follow();
    expect([book?.has(stop.orderId), book?.has(other.orderId)]).toEqual([false, true]);
    expect(compared(world, standby)).toEqual([[other.orderId], [other.orderId]]);
    expect(compared(world, await following(world))).toEqual([[other.orderId], [other.orderId]]);
  });

  it("a shard that is read again replaces its parents, and the other shards keep theirs", async () => {
    const world = await createWorld();
    await world.quote("99", "100");
    const state = { loses: false };
    const standby = await following(world, () => state.loses);
    const [first, second, other] = [
      await world.place(STOP),
      await world.place(STOP),
      await world.place(STOP, 2),
    ];
    await standby.journal.follow();
    await world.cancel(first);
    const last = await world.place(STOP);
    state.loses = true;
    await standby.journal.follow();
    const ids = [second.orderId, last.orderId, other.orderId].sort();
    expect(compared(world, standby).map((one) => [...one].sort())).toEqual([ids, ids]);
  });

  it("a takeover adds to the books only what is not there, and the next quote meets all of them", async () => {
    const cluster = createCluster();
    const a = await cluster.start("a");
    const b = await cluster.start("b");
    await cluster.quote("99", "100");
    for (const order of [
      STOP,
      TRAIL,
      { ...STOP, timeInForce: "GTD", expireTime: START_MS + 600_000 } as const,
    ])
      await cluster.place(a, order);
    await cluster.quote("99", "100");
    await cluster.pass(6_000);
    a.process.kill();
    const added = vi.spyOn(TriggerBook.prototype, "add");
    await cluster.pass(2 * TTL_MS);
    const engine = cluster.active(b);
    expect(added.mock.calls).toEqual([]);
    vi.restoreAllMocks();
    await cluster.quote("99", "100");
    expect(sentTo(cluster.venue)).toEqual([]);
    await cluster.quote("89", "90");
    expect(sentTo(cluster.venue)).toEqual(["SELL 1", "SELL 1", "SELL 1"]);
    expect((await engine.verify()).equal).toBe(true);
  });

  it("decision 24: an exit that has triggered is watched for its position after a takeover too", async () => {
    const cluster = createCluster();
    const a = await cluster.start("a");
    const b = await cluster.start("b");
    const exit = {
      side: "SELL",
      type: "STOP_LOSS_LIMIT",
      stopPrice: "90",
      price: "95",
      reduceOnly: true,
    } as const;
    await cluster.quote("99", "100");
    const position = { accountId: ACCOUNT_IDS[0] ?? 1, symbol: SYMBOL };
    cluster.exposure.set({ ...position, quantity: quantity("1") });
    const { orderId, accountId } = await cluster.place(a, exit);
    expect(accountId).toBe(position.accountId);
    // The market is outside its limit, so that it sends no child that would measure the position.
    await cluster.quote("89", "90");
    a.process.kill();
    cluster.exposure.set({ ...position, quantity: ZERO_QUANTITY });
    await cluster.pass(2 * TTL_MS);
    await cluster.pass(30_000);
    const order = await cluster.active(b).findAny(orderId);
    expect([order?.trigger !== undefined, order?.ended?.reason]).toEqual([true, "NOTHING_TO_REDUCE"]);
  });

  it("decision WS: quotes that come while it opens are those of its engine, also the first ones of a market", async () => {
    const cluster = createCluster();
    const a = await cluster.start("a");
    const b = await cluster.start("b");
    await cluster.place(a, STOP);
    await cluster.pass(6_000);
    a.process.kill();
    const { begin } = MarketHub.prototype;
    vi.spyOn(MarketHub.prototype, "begin").mockImplementationOnce(function (this: MarketHub) {
      void cluster.quote("99", "100");
      void cluster.quote("99", "100");
      begin.call(this);
    });
    await cluster.pass(2 * TTL_MS);
    vi.restoreAllMocks();
    cluster.active(b);
    await cluster.quote("89", "90");
    expect(sentTo(cluster.venue)).toEqual(["SELL 1"]);
  });

  it("counts the open parents that watch a market, so that its last quote is kept", async () => {
    const world = await createWorld();
    await world.quote("99", "100");
    const standby = await following(world);
    const { history, memory } = standby.books;
    const [first, second] = [await world.place(STOP), await world.place(STOP)];
    await standby.journal.follow();
    expect(memory.before(SYMBOL, history)).toBeDefined();
    await world.cancel(first);
    await standby.journal.follow();
    expect(memory.before(SYMBOL, history)).toBeDefined();
    await world.cancel(second);
    await standby.journal.follow();
    expect(memory.before(SYMBOL, history)).toBeUndefined();
  });
});
