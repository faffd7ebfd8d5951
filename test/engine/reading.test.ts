import { describe, expect, it } from "vitest";
import { createMemoryStore } from "../../src/adapters/memory/index.ts";
import type { OrderStore } from "../../src/ports/index.ts";
import { createFaultyStore, type FaultyStore } from "../support/faulty-store.ts";
import { OCO } from "../support/list-samples.ts";
import { fillOf, reported } from "../support/scripted-venue.ts";
import { loseRows } from "../support/stored-rows.ts";
import { createWorld, listOf, SYMBOL, type World } from "../support/world.ts";

/** Ids of every page from the start, and the sizes of the pages. */
async function walk(
  world: World,
  page: Readonly<{ includeHistory: boolean; newestFirst: boolean; limit: number }>,
): Promise<Readonly<{ ids: readonly number[]; totals: readonly number[] }>> {
  const ids: number[] = [];
  const totals: number[] = [];
  let afterOrderId = 0;
  do {
    const { orders, nextOrderId, total } = await world.engine.page({ accountId: 1, afterOrderId, ...page });
    expect(orders.length).toBeLessThanOrEqual(page.limit);
    ids.push(...orders.map(({ orderId }) => orderId));
    totals.push(total);
    afterOrderId = nextOrderId;
  } while (afterOrderId !== 0);
  return { ids, totals };
}

/** 60 orders of account 1, a third of them ended; ids of the open and of all, in order of creation. */
async function populated(): Promise<
  Readonly<{ world: World; open: readonly number[]; all: readonly number[] }>
> {
  const world = await createWorld();
  const open: number[] = [];
  const all: number[] = [];
  for (let n = 0; n < 60; n++) {
    const order = await world.place({ price: "50" });
    await world.place({ price: "50" }, 2);
    all.push(order.orderId);
    if (n % 3 === 1) await world.cancel(order);
    else open.push(order.orderId);
  }
  return { world, open, all };
}

describe("I70: pages", () => {
  it.each([1, 2, 7, 19, 20, 40, 59, 60, 61, 1_000])(
    "of %i return every order once, in both directions",
    async (limit) => {
      const { world, open, all } = await populated();
      for (const [includeHistory, ids] of [
        [false, open],
        [true, all],
      ] as const) {
        const falling = await walk(world, { includeHistory, newestFirst: false, limit });
        expect(falling.ids).toEqual(ids);
        expect(new Set(falling.totals)).toEqual(new Set([ids.length]));
        const rising = await walk(world, { includeHistory, newestFirst: true, limit });
        expect(rising.ids).toEqual([...ids].reverse());
      }
    },
  );

  it("continue from a cursor whose order has ended or does not exist", async () => {
    const { world, open, all } = await populated();
    const page = { accountId: 1, limit: 5, includeHistory: false };
    const ended = all[4] ?? 0;
    const after = await world.engine.page({ ...page, newestFirst: false, afterOrderId: ended });
    expect(after.orders.map(({ orderId }) => orderId)).toEqual(open.filter((id) => id < ended).slice(0, 5));
    const before = await world.engine.page({ ...page, newestFirst: true, afterOrderId: ended + 1 });
    expect(before.orders.map(({ orderId }) => orderId)).toEqual(
      open
        .filter((id) => id > ended)
        .reverse()
        .slice(0, 5),
    );
    const beyond = await world.engine.page({
      ...page,
      newestFirst: false,
      afterOrderId: (all.at(-1) ?? 0) - 1,
    });
    expect(beyond).toMatchObject({ nextOrderId: 0, orders: [] });
  });

  it("return every order that exists all the time, whatever ends between two pages", async () => {
    const { world, all } = await populated();
    const seen = new Set<number>();
    let afterOrderId = 0;
    for (let n = 0; ; n++) {
      const page = await world.engine.page({
        accountId: 1,
        includeHistory: true,
        newestFirst: false,
        limit: 7,
        afterOrderId,
      });
      for (const { orderId } of page.orders) seen.add(orderId);
      const victim = await world.engine.page({
        accountId: 1,
        includeHistory: false,
        newestFirst: n % 2 === 0,
        limit: 1,
        afterOrderId: 0,
      });
      for (const order of victim.orders) await world.cancel(order);
      if (page.nextOrderId === 0) break;
      afterOrderId = page.nextOrderId;
    }
    expect([...seen]).toEqual(all);
  });

  it("are the same after a crash, and after many ended and new orders", async () => {
    const { world, all } = await populated();
    for (const orderId of all.slice(0, 50))
      await world.engine.cancel({ accountId: 1, orderId }).catch(() => undefined);
    const more = [await world.place({ price: "50" }), await world.place({ price: "50" })].map(
      ({ orderId }) => orderId,
    );
    const before = await walk(world, { includeHistory: true, newestFirst: false, limit: 9 });
    expect(before.ids).toEqual([...all, ...more]);
    await world.crash();
    expect(await walk(world, { includeHistory: true, newestFirst: false, limit: 9 })).toEqual(before);
  });
});

describe("story", () => {
  it("returns an order's records, oldest first, each with its cause", async () => {
    const world = await createWorld();
    const order = await world.place({ type: "STOP_LOSS_LIMIT", stopPrice: "100", price: "101" });
    await world.place({ price: "50" });
    await world.quote("101", "102");
    world.venue.onSubmit = ({ childId }) => reported(childId, "open");
    await world.quote("98", "99");
    await world.cancel(order);
    world.venue.say(reported(world.venue.submitted[0]?.childId ?? "", "closed"));
    await world.engine.idle();
    const story = await world.engine.story(order.orderId);
    expect(story?.waitingFor).toBeUndefined();
    expect(story?.records.map(({ cause }) => cause.kind)).toEqual([
      "PLACE",
      "QUOTE",
      "QUOTE",
      "VENUE",
      "CANCEL",
      "VENUE",
    ]);
    expect(story?.records.map(({ changes }) => changes[0]?.facts.map(({ kind }) => kind))).toEqual([
      ["ACCEPTED"],
      ["TRIGGERED"],
      ["CHILD_INTENDED"],
      ["CHILD_OPEN"],
      ["END_REQUESTED"],
      ["CHILD_CLOSED", "ENDED"],
    ]);
  });

  it("says what an open order waits for", async () => {
    const world = await createWorld();
    const waitsFor = async (orderId: number): Promise<string> =>
      (await world.engine.story(orderId))?.waitingFor ?? "";
    const stop = await world.place({ type: "STOP_MARKET", stopPrice: "110" });
    const trail = await world.place({
      side: "SELL",
      type: "TRAILING_STOP_MARKET",
      trailingDelta: 900,
      stopPrice: "105",
    });
    const limit = await world.place({ price: "100" });
    expect(await waitsFor(stop.orderId)).toMatch(/the first quote/);
    await world.quote("101", "102");
    expect(await waitsFor(stop.orderId)).toMatch(/stop price/);
    expect(await waitsFor(trail.orderId)).toMatch(/activates/);
    await world.quote("105", "106");
    expect(await waitsFor(trail.orderId)).toMatch(/distance/);
    expect(await waitsFor(limit.orderId)).toMatch(/limit price/);
    world.venue.onSubmit = () => "silence";
    await world.quote("99", "100");
    expect(await waitsFor(limit.orderId)).toMatch(/answer to its child aqc-/);
    await world.pass(2_000, { heartbeat: false });
    expect(await waitsFor(limit.orderId)).toMatch(/outcome of its child aqc-/);
    await world.pass(5_000, { heartbeat: false });
    expect(await waitsFor(stop.orderId)).toMatch(/too old/);
  });

  it("says that an order waits for the pause after an unsuccessful child", async () => {
    const world = await createWorld();
    const order = await world.place({ price: "100" });
    world.venue.onSubmit = ({ childId }) => reported(childId, "closed");
    await world.quote("99", "100");
    expect((await world.engine.story(order.orderId))?.waitingFor).toMatch(/pause/);
    await world.pass(100, { heartbeat: false });
    expect((await world.engine.story(order.orderId))?.waitingFor).toMatch(/next quote/);
  });

  it("does not exist for an unknown id", async () => {
    const world = await createWorld();
    await world.place({ price: "100" });
    for (const id of [0, 1, 5, 256, -1, -255, -9_999_999, Number.NaN, 2 ** 60, -(2 ** 60), 1.5]) {
      expect(await world.engine.story(id)).toBeUndefined();
      expect(await world.engine.findAny(id)).toBeUndefined();
    }
  });
});

describe("verify", () => {
  it("I53: is not equal if an ended order differs from its records", async () => {
    const world = await createWorld();
    const order = await world.place({ price: "100" });
    await world.cancel(order);
    expect((await world.engine.verify()).equal).toBe(true);
    loseRows(world.disk, "ended");
    expect((await world.engine.verify()).equal).toBe(false);
  });
});

const LIMIT = { symbol: SYMBOL, side: "BUY", type: "SYNTHETIC_LIMIT", quantity: "1", price: "90" } as const;

describe("the view on one account", () => {
  it("places, finds and cancels orders of its account, and sees none of another", async () => {
    const { engine } = await createWorld();
    const [first, second] = [engine.account(1), engine.account(2)];
    const { order, created } = await first.place({ ...LIMIT, newClientOrderId: "mine" });
    const { orderId } = order;
    expect([first.accountId, order.accountId, created]).toEqual([1, 1, true]);
    expect(await first.find({ clientOrderId: "mine" })).toEqual(order);
    expect(await second.find({ orderId })).toBeUndefined();
    await expect(second.cancel({ orderId })).rejects.toMatchObject({ code: -2011 });
    expect(await first.cancel({ orderId })).toMatchObject({ orderId, ended: { status: "CANCELED" } });
  });

  it("pages open orders and all orders, oldest first unless asked otherwise", async () => {
    const { engine } = await createWorld();
    const account = engine.account(1);
    await engine.account(2).place(LIMIT);
    const ids: number[] = [];
    for (let n = 0; n < 3; n++) ids.push((await account.place(LIMIT)).order.orderId);
    const [oldest = 0, middle = 0, newest = 0] = ids;
    await account.cancel({ orderId: middle });
    const idsOf = ({ orders }: Readonly<{ orders: readonly Readonly<{ orderId: number }>[] }>) =>
      orders.map(({ orderId }) => orderId);
    expect(idsOf(await account.openOrders({ limit: 10 }))).toEqual([oldest, newest]);
    expect(idsOf(await account.openOrders({ limit: 10, newestFirst: true }))).toEqual([newest, oldest]);
    expect(idsOf(await account.allOrders({ limit: 2 }))).toEqual([oldest, middle]);
    expect(idsOf(await account.allOrders({ limit: 2, afterOrderId: middle }))).toEqual([newest]);
  });

  it("places, finds, pages and cancels lists of its account", async () => {
    const { engine } = await createWorld();
    const account = engine.account(1);
    const { list } = await account.placeList(listOf("oco", OCO));
    const { listId } = list;
    expect(await account.findList({ listId })).toEqual(list);
    expect(await engine.account(2).findList({ listId })).toBeUndefined();
    expect(await account.openLists({ limit: 10 })).toEqual([list]);
    const canceled = await account.cancelList({ listId });
    expect(canceled.legs.map(({ ended }) => ended?.status)).toEqual(["CANCELED", "CANCELED"]);
    expect(await account.openLists({ limit: 10 })).toEqual([]);
    expect(await account.allLists({ limit: 10 })).toEqual([canceled]);
  });

  it("cancels all orders of its account only", async () => {
    const { engine } = await createWorld();
    for (const accountId of [1, 1, 2]) await engine.account(accountId).place(LIMIT);
    expect(await engine.account(1).cancelAll()).toMatchObject({ matchedCount: 2, canceledCount: 2 });
    expect((await engine.account(2).openOrders({ limit: 10 })).total).toBe(1);
  });

  it("binds its account even if a request names another", async () => {
    const { engine } = await createWorld();
    const { order } = await engine.account(1).place(LIMIT);
    const named = { orderId: order.orderId, accountId: 1 };
    expect(await engine.account(2).find(named)).toBeUndefined();
  });

  it("refuses as the engine does: an unknown account at its first order", async () => {
    const { engine } = await createWorld();
    const refused = await engine.place({ accountId: 9, order: LIMIT }).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(Error);
    await expect(engine.account(9).place(LIMIT)).rejects.toEqual(refused);
  });
});

const PAGE = { accountId: 1, includeHistory: true, newestFirst: false, limit: 100, afterOrderId: 0 };

/** A paused read of ended orders, before the store looks or while its answer is in flight. */
type Stop = Readonly<{ read: "pageEnded" | "countEnded"; at: "question" | "answer" }>;

type SlowWorld = Readonly<{
  world: World;
  store: FaultyStore;
  stopAt: (stop: Stop) => void;
  resume: () => void;
}>;

/** A world whose next read of that kind pauses until it is resumed. */
async function slowWorld(): Promise<SlowWorld> {
  let stop: Stop | undefined;
  let resume: () => void = () => undefined;
  const slowly = async <T>(name: Stop["read"], read: () => Promise<T>): Promise<T> => {
    if (stop?.read !== name) return await read();
    const { at } = stop;
    stop = undefined;
    const held = new Promise<void>((resolve) => {
      resume = resolve;
    });
    if (at === "question") await held;
    const answer = await read();
    if (at === "answer") await held;
    return answer;
  };
  const stores: FaultyStore[] = [];
  const slow = (store: OrderStore): OrderStore => ({
    ...store,
    pageEnded: (page) => slowly("pageEnded", () => store.pageEnded(page)),
    countEnded: (whose) => slowly("countEnded", () => store.countEnded(whose)),
  });
  const world = await createWorld({
    store: (disk) => {
      const store = createFaultyStore(createMemoryStore({ disk }));
      stores.push(store);
      return slow(store);
    },
  });
  const [store] = stores;
  if (store === undefined) throw new Error("no store was opened");
  const stopAt = (next: Stop): void => {
    stop = next;
  };
  return { world, store, stopAt, resume: () => resume() };
}

const STOPS: readonly Stop[] = (["pageEnded", "countEnded"] as const).flatMap((read) => [
  { read, at: "question" },
  { read, at: "answer" },
]);

it.each(STOPS)("I70: an order that ends while $read is slow ($at) counts once", async (stop) => {
  const { world, stopAt, resume } = await slowWorld();
  const orders = [];
  for (let n = 0; n < 4; n++) orders.push(await world.place({ price: "50" }));
  const [first, second] = orders;
  if (first === undefined || second === undefined) throw new Error("no order");
  await world.cancel(first);
  stopAt(stop);
  const page = world.engine.page(PAGE);
  await world.engine.idle();
  await world.cancel(second);
  await world.place({ price: "50" });
  await world.place({ price: "50" }, 2);
  resume();
  expect(await page).toMatchObject({ total: 4, orders: { length: 4 } });
  expect((await world.engine.page(PAGE)).total).toBe(5);
});

it.each(STOPS)("I70: an end that is being written when $read begins ($at) counts once", async (stop) => {
  const { world, store, stopAt, resume } = await slowWorld();
  const order = await world.place({ price: "50" });
  await world.place({ price: "50" });
  store.inject("slow", 1);
  const cancel = world.cancel(order);
  await appending(store);
  stopAt(stop);
  const page = world.engine.page(PAGE);
  store.release();
  await cancel;
  await world.engine.idle();
  resume();
  expect(await page).toMatchObject({ total: 2, orders: { length: 2 } });
});

it.each(["fail", "unknown"] as const)(
  "I70: an end whose append says %s counts once at most",
  async (fault) => {
    const { world, store, stopAt, resume } = await slowWorld();
    const order = await world.place({ price: "50" });
    await world.place({ price: "50" });
    stopAt({ read: "countEnded", at: "question" });
    const page = world.engine.page(PAGE);
    store.inject(fault, 1);
    await world.cancel(order).catch(() => undefined);
    // The numbers of lost records are assigned again, to a record that ends nothing.
    await world.place({ price: "50" });
    resume();
    expect((await page).total).toBe(2);
    expect((await world.engine.page(PAGE)).total).toBe(3);
  },
);

it("I70: an order that ended with a late fill in flight counts once, with history and without", async () => {
  const { world, store } = await slowWorld();
  world.venue.onSubmit = ({ childId }) => reported(childId, "open");
  await world.place({ price: "100" });
  await world.place({ price: "50" });
  await world.quote("99", "100");
  const childId = world.venue.submitted[0]?.childId ?? "";
  store.inject("slow", 2);
  world.venue.say(reported(childId, "closed", [fillOf({ quantity: "1" })]));
  await appending(store);
  world.venue.say(reported(childId, "closed", [fillOf({ quantity: "0.1" })]));
  store.release();
  await appending(store);
  expect(await world.engine.page(PAGE)).toMatchObject({ total: 2, orders: { length: 2 } });
  expect((await world.engine.page({ ...PAGE, includeHistory: false })).total).toBe(1);
  store.release();
  await world.engine.idle();
  expect((await world.engine.page(PAGE)).total).toBe(2);
});

/** Resolves when an append waits to be released. */
async function appending(store: FaultyStore): Promise<void> {
  while (store.waiting === 0) await Promise.resolve();
}
