import { describe, expect, it } from "vitest";
import { createMemoryStore, type MemoryDisk } from "../../src/adapters/memory/index.ts";
import { DEFAULT_SETTINGS, type Engine } from "../../src/engine/index.ts";
import type { ParentOrder } from "../../src/model/index.ts";
import type { EndedName, EndedNamePage, OrderStore } from "../../src/ports/index.ts";
import { turns } from "../support/faulty-world.ts";
import { createLateStore, type Fault } from "../support/late-store.ts";
import { createOpeningWorld, type OpeningWorld, placeOn } from "../support/opening-world.ts";
import { listOf } from "../support/world.ts";

const { retryMaxMs, hostTimeoutMs } = DEFAULT_SETTINGS;
const FIELDS = { price: "100" };
const DUPLICATE = { code: -2010 };

/** A store that counts requests for client ids, and whose pages of names the test supplies. */
type Watched = Readonly<{ store: OrderStore; requested: string[]; pages: EndedNamePage[] }>;
type Pages = (page: EndedNamePage, inner: Required<OrderStore>) => Promise<readonly EndedName[]>;

function watched(disk: MemoryDisk, pageOf: Pages = (page, inner) => inner.pageEndedNames(page)): Watched {
  const inner = createMemoryStore({ disk }) as Required<OrderStore>;
  const [requested, pages]: [string[], EndedNamePage[]] = [[], []];
  const store: OrderStore = {
    ...inner,
    findEnded(key) {
      if ("clientOrderId" in key) requested.push(key.clientOrderId);
      return inner.findEnded(key);
    },
    pageEndedNames(page) {
      pages.push(page);
      return pageOf(page, inner);
    },
  };
  return { store, requested, pages };
}

const placing = (engine: Engine, newClientOrderId: string): Promise<ParentOrder> =>
  placeOn(engine, { ...FIELDS, newClientOrderId });

/** Places an order and ends it. */
async function ended(engine: Engine, newClientOrderId: string): Promise<ParentOrder> {
  const { orderId } = await placing(engine, newClientOrderId);
  return await engine.cancel({ accountId: 1, orderId });
}

/** Orders of account 1 under a client id, open and ended, as the journal has them. */
async function namesakes(engine: Engine, clientOrderId: string): Promise<readonly number[]> {
  expect((await engine.verify()).equal).toBe(true);
  const page = { accountId: 1, includeHistory: true, newestFirst: false, limit: 100, afterOrderId: 0 };
  const { orders } = await engine.page(page);
  return orders.filter(({ intent }) => intent.clientOrderId === clientOrderId).map(({ orderId }) => orderId);
}

/** The id answers with its order, never with a second one; another intent under it is refused. */
async function expectTheSame(engine: Engine, { orderId, intent }: ParentOrder): Promise<void> {
  const { clientOrderId } = intent;
  expect((await placing(engine, clientOrderId)).orderId).toBe(orderId);
  const other = placeOn(engine, { price: "99", newClientOrderId: clientOrderId });
  await expect(other).rejects.toMatchObject(DUPLICATE);
  expect(await namesakes(engine, clientOrderId)).toEqual([orderId]);
}

/** An engine whose ended orders are in their rows only, and not in the records that the next one reads. */
const opened = (world: OpeningWorld): Promise<Engine> =>
  world.open({ settings: { advancedOrders: true, snapshotEvery: 1 } });

/** A world with one ended order, of an engine that has closed. */
async function usedWorld(): Promise<Readonly<{ world: OpeningWorld; early: ParentOrder }>> {
  const world = createOpeningWorld();
  const first = await opened(world);
  const early = await ended(first, "early");
  await first.close();
  return { world, early };
}

describe("the store is asked for client ids that may be in it", () => {
  it("for every new id until all names of ended orders are loaded, for none afterwards", async () => {
    const { world, early } = await usedWorld();
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { store, requested } = watched(world.disk, async (page, inner) => {
      await held;
      return await inner.pageEndedNames(page);
    });
    const engine = await world.open({ store });
    await placing(engine, "new-1");
    expect(requested).toEqual(["new-1"]);
    await expectTheSame(engine, early);
    release();
    await engine.idle();
    requested.length = 0;
    await placing(engine, "new-2");
    await placeOn(engine, { ...FIELDS, newClientOrderId: "early" }, 2);
    expect(requested).toEqual([]);
    await expectTheSame(engine, early);
    expect(requested).toEqual(["early", "early"]);
  });

  it("for every new id, if the store has no pages of names", async () => {
    const { world, early } = await usedWorld();
    const { store, requested } = watched(world.disk);
    const { pageEndedNames: _, ...without } = store;
    const engine = await world.open({ store: without });
    await engine.idle();
    await placing(engine, "new");
    expect(requested).toEqual(["new"]);
    await expectTheSame(engine, early);
    expect(world.reported).toEqual([]);
  });

  it("pages are read until the first empty one, however short they are", async () => {
    const world = createOpeningWorld();
    const first = await opened(world);
    const early: ParentOrder[] = [];
    for (const id of ["b", "a", "d", "c"]) early.push(await ended(first, id));
    await first.close();
    const { store, requested, pages } = watched(world.disk, (page, inner) =>
      inner.pageEndedNames({ ...page, limit: 1 }),
    );
    const engine = await world.open({ store });
    await engine.idle();
    expect(pages.map(({ after }) => after?.clientOrderId)).toEqual([undefined, "a", "b", "c", "d"]);
    for (const order of early) await expectTheSame(engine, order);
    expect(requested).toHaveLength(8);
  });
});

describe("an id answers with its order", () => {
  it("I03, I04: if it was open at the opening and ended before, during or after the loading of names", async () => {
    const world = createOpeningWorld();
    const first = await opened(world);
    const open = await Promise.all(["before", "during", "after"].map((id) => placing(first, id)));
    const end = async (engine: Engine, order: ParentOrder | undefined): Promise<void> => {
      await engine.cancel({ accountId: 1, orderId: order?.orderId ?? 0 });
    };
    await end(first, open[0]);
    await first.close();
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { store } = watched(world.disk, async (page, inner) => {
      const names = await inner.pageEndedNames(page);
      await held;
      return names;
    });
    const engine = await world.open({ store });
    await end(engine, open[1]);
    const quick = await ended(engine, "quick");
    release();
    await engine.idle();
    await end(engine, open[2]);
    for (const order of [...open, quick, await ended(engine, "late")]) await expectTheSame(engine, order);
  });

  it("I03: if it belongs to a leg of a list, open or done", async () => {
    const world = createOpeningWorld();
    const first = await opened(world);
    const sell = { side: "SELL", quantity: "1" } as const;
    const list = (name: string) =>
      listOf("oco", {
        ...sell,
        listClientOrderId: name,
        aboveType: "LIMIT_MAKER",
        abovePrice: "110",
        aboveClientOrderId: `${name}-above`,
        belowType: "STOP_LOSS",
        belowStopPrice: "90",
        belowClientOrderId: `${name}-below`,
      });
    const done = (await first.placeList({ accountId: 1, list: list("done") })).list;
    await first.cancelList({ accountId: 1, listId: done.listId });
    const open = (await first.placeList({ accountId: 1, list: list("open") })).list;
    await first.close();
    const engine = await world.open();
    await engine.idle();
    await engine.cancelList({ accountId: 1, listId: open.listId });
    for (const leg of ["done-above", "done-below", "open-above", "open-below"])
      await expect(placing(engine, leg)).rejects.toMatchObject(DUPLICATE);
  });

  it.each<Fault>(["denied", "lost", "late"])(
    "I03: if its append was %s, found or not when the shard was read again",
    async (fault) => {
      const world = createOpeningWorld();
      const late = createLateStore(world.disk);
      const engine = await world.open({ store: late.store });
      await engine.idle();
      late.appends.push(fault);
      if (fault === "late") late.landBeforeRead();
      const answer = await placing(engine, "doubted").catch(() => undefined);
      expect(answer === undefined).toBe(fault !== "denied");
      const order = answer ?? (await placing(engine, "doubted"));
      await engine.cancel({ accountId: 1, orderId: order.orderId });
      await expectTheSame(engine, order);
    },
  );

  it("I03: if it was found in the journal once the store could be read again", async () => {
    const world = createOpeningWorld();
    const late = createLateStore(world.disk);
    const engine = await world.open({ store: late.store });
    await engine.idle();
    late.appends.push("denied");
    late.fences.push("lost", "lost");
    await expect(placing(engine, "doubted")).rejects.toMatchObject({ code: -1006 });
    await world.clock.advanceBy(10 * retryMaxMs);
    await engine.idle();
    const [orderId = 0] = await namesakes(engine, "doubted");
    const order = await engine.cancel({ accountId: 1, orderId });
    await expectTheSame(engine, order);
  });

  it("I03, I60: the id of an engine that took the shards over is refused, and no part of the order is stored", async () => {
    const world = createOpeningWorld();
    const old = await world.open();
    await old.idle();
    const later = await world.open();
    const order = await ended(later, "theirs");
    await expect(placing(old, "theirs")).rejects.toMatchObject({ code: -1001, status: 503 });
    await expectTheSame(later, order);
  });
});

const name = (accountId: unknown, clientOrderId: unknown) => ({ accountId, clientOrderId });
const WRONG: readonly (readonly [string, () => unknown])[] = [
  [
    "a throw",
    () => {
      throw new Error("the words of the host");
    },
  ],
  ["a rejection", () => Promise.reject(new Error("the words of the host"))],
  ["no answer in time", () => new Promise(() => undefined)],
  ["nothing", () => undefined],
  ["a text", () => "none"],
  ["too many names", () => Array.from({ length: 2_001 }, (_, at) => name(at, "a"))],
  ["no name", () => [null]],
  ["an account that is not a number", () => [name("1", "a")]],
  ["a client id that is not text", () => [name(1, 7)]],
  ["an empty client id", () => [name(1, "")]],
  ["client ids out of order", () => [name(1, "b"), name(1, "a")]],
  ["accounts out of order", () => [name(2, "a"), name(1, "b")]],
  ["the same name twice", () => [name(1, "a"), name(1, "a")]],
];

describe("a page of names that fails or cannot be read", () => {
  it.each(WRONG)("%s: is requested again, and until then the store is asked", async (what, wrong) => {
    const { world, early } = await usedWorld();
    let isWrong = true;
    const { store, requested, pages } = watched(world.disk, (page, inner) =>
      isWrong ? (wrong() as Promise<readonly EndedName[]>) : inner.pageEndedNames(page),
    );
    const engine = await world.open({ store });
    await engine.idle();
    if (what === "no answer in time") await world.clock.advanceBy(hostTimeoutMs);
    await placing(engine, "new-1");
    expect([requested, pages.length, world.reported]).toEqual([["new-1"], 1, ["host.failed"]]);
    await expectTheSame(engine, early);
    isWrong = false;
    await world.clock.advanceBy(retryMaxMs - 1);
    expect(pages.length).toBe(1);
    await world.clock.advanceBy(1);
    await engine.idle();
    requested.length = 0;
    await placing(engine, "new-2");
    expect(requested).toEqual([]);
    await expectTheSame(engine, early);
  });

  it("a later page that repeats the previous one is not the end", async () => {
    const { world } = await usedWorld();
    const { store, requested } = watched(world.disk, (_page, inner) => inner.pageEndedNames({ limit: 1 }));
    const engine = await world.open({ store });
    await engine.idle();
    await placing(engine, "new");
    expect([requested, world.reported]).toEqual([["new"], ["host.failed"]]);
  });

  it("continues after the last page that was read", async () => {
    const world = createOpeningWorld();
    const first = await opened(world);
    for (const id of ["a", "b", "c"]) await ended(first, id);
    await first.close();
    let calls = 0;
    const { store, pages } = watched(world.disk, async (page, inner) => {
      if (++calls === 2) throw new Error("the words of the host");
      return await inner.pageEndedNames({ ...page, limit: 2 });
    });
    const engine = await world.open({ store });
    await engine.idle();
    await world.clock.advanceBy(retryMaxMs);
    await engine.idle();
    expect(pages.map(({ after }) => after?.clientOrderId)).toEqual([undefined, "b", "b", "c"]);
  });

  it("a failure during the close of the engine is not reported, and no page is requested again", async () => {
    const { world } = await usedWorld();
    let fail = (): void => undefined;
    const { store, pages } = watched(
      world.disk,
      () =>
        new Promise((_resolve, reject) => {
          fail = () => reject(new Error("the store is closed"));
        }),
    );
    const engine = await world.open({ store });
    await turns();
    await engine.close();
    fail();
    await turns();
    await world.clock.advanceBy(retryMaxMs);
    expect([pages.length, world.reported.filter((event) => event === "host.failed")]).toEqual([1, []]);
  });
});
