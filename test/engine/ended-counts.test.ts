import { describe, expect, it } from "vitest";
import { createMemoryStore } from "../../src/adapters/memory/index.ts";
import { EndedCounts } from "../../src/engine/shards/ended.ts";
import type { EndedCount, OrderStore } from "../../src/ports/index.ts";
import { oco } from "../../src/requests/index.ts";
import { createWorld, SYMBOL, type World } from "../support/world.ts";

const PAGE = { accountId: 1, includeHistory: true, newestFirst: false, limit: 9, afterOrderId: 0 };

/** A store whose answers a test gives. */
function heldStore() {
  const waiting: { resolve: (answer: EndedCount) => void; reject: (error: Error) => void }[] = [];
  const ask = (): Promise<EndedCount> => new Promise((resolve, reject) => waiting.push({ resolve, reject }));
  return { waiting, ask };
}

describe("decision XD: the number of ended parents of an account", () => {
  it("is asked for once, also by callers at the same time, and later endings are added", async () => {
    const [counts, { waiting, ask }] = [new EndedCounts(), heldStore()];
    const both = Promise.all([counts.of(1, ask), counts.of(1, ask)]);
    // The first of these is in the answer, which was made after it.
    counts.ended(1, 7);
    counts.ended(1, 9);
    counts.ended(2, 9);
    expect(waiting).toHaveLength(1);
    waiting[0]?.resolve({ count: 5, sequence: 8 });
    expect(await both).toEqual([
      { count: 5, sequence: 8 },
      { count: 6, sequence: 9 },
    ]);
    counts.ended(1, 8);
    expect(await counts.of(1, ask)).toEqual({ count: 6, sequence: 9 });
  });

  it("two parents that end in one record, such as legs of a list, are two", async () => {
    const counts = new EndedCounts();
    await counts.of(1, async () => ({ count: 0, sequence: 3 }));
    counts.ended(1, 4);
    counts.ended(1, 4);
    expect(await counts.of(1, heldStore().ask)).toEqual({ count: 2, sequence: 4 });
  });

  it("I71: a store that fails fails every caller, and is asked again by the next one", async () => {
    const [counts, { waiting, ask }] = [new EndedCounts(), heldStore()];
    const both = Promise.allSettled([counts.of(1, ask), counts.of(1, ask)]);
    waiting[0]?.reject(new Error("no database"));
    expect((await both).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    const again = counts.of(1, ask);
    waiting[1]?.resolve({ count: 1, sequence: 1 });
    expect(await again).toEqual({ count: 1, sequence: 1 });
  });

  it("an answer from before a reload of the shard, or from the time of a deletion, is not kept", async () => {
    for (const happen of ["clear", "rowsLeave"] as const) {
      const [counts, { waiting, ask }] = [new EndedCounts(), heldStore()];
      const [first, second] = [counts.of(1, ask), counts.of(1, ask)];
      counts[happen]();
      waiting[0]?.resolve({ count: 5, sequence: 8 });
      expect(await first).toEqual({ count: 5, sequence: 8 });
      await Promise.resolve();
      waiting[1]?.resolve({ count: 4, sequence: 8 });
      expect(await second).toEqual({ count: 4, sequence: 8 });
      expect(waiting).toHaveLength(2);
    }
  });

  it("while rows are deleted, every caller asks for itself, and nothing is kept", async () => {
    const [counts, { waiting, ask }] = [new EndedCounts(), heldStore()];
    counts.rowsLeave();
    const both = Promise.all([counts.of(1, ask), counts.of(1, ask)]);
    for (const { resolve } of waiting) resolve({ count: 5, sequence: 8 });
    await both;
    expect(waiting).toHaveLength(2);
    counts.rowsStay();
    void counts.of(1, ask);
    expect(waiting).toHaveLength(3);
  });

  it("is kept for a bounded number of accounts", async () => {
    const counts = new EndedCounts();
    let requested = 0;
    const ask = async (): Promise<EndedCount> => ({ count: ++requested, sequence: 1 });
    for (let accountId = 0; accountId < 300; accountId++) await counts.of(accountId, ask);
    await counts.of(299, ask);
    expect(requested).toBe(300);
    await counts.of(0, ask);
    expect(requested).toBe(301);
  });
});

describe("decision XD: pages ask the store for the number once", () => {
  /** A world that counts the questions, and whose deletions of rows a test can fail. */
  async function countedWorld(): Promise<
    Readonly<{ world: World; requested: () => number; fail: () => void }>
  > {
    let [requested, fails] = [0, false];
    const counted = (store: OrderStore): OrderStore => ({
      ...store,
      countEnded(whose) {
        requested++;
        return store.countEnded(whose);
      },
      deleteEnded: async (range) => {
        if (fails) throw new Error("the answer was lost");
        return await store.deleteEnded(range);
      },
    });
    const world = await createWorld({
      settings: { retentionDays: 1 },
      store(disk) {
        // Without this method the engine deletes by `deleteEnded`.
        const { pruneEnded: _none, ...store } = createMemoryStore({ disk });
        return counted(store);
      },
    });
    const fail = (): void => {
      fails = true;
    };
    return { world, requested: () => requested, fail };
  }
  const totalOf = async (world: World): Promise<number> => (await world.engine.page(PAGE)).total;

  it("I70: however many pages are read, orders end, lists end and a restart comes", async () => {
    const { world, requested } = await countedWorld();
    const orders = [];
    for (let n = 0; n < 6; n++) orders.push(await world.place({ price: "50" }));
    expect(await totalOf(world)).toBe(6);
    for (const order of orders.slice(0, 4)) {
      await world.cancel(order);
      expect(await totalOf(world)).toBe(6);
    }
    const list = oco({
      ...{ symbol: SYMBOL, side: "SELL", quantity: "1", listClientOrderId: "both" },
      takeProfit: { type: "LIMIT", price: "500" },
      stopLoss: { type: "STOP_MARKET", stopPrice: "60" },
    });
    await world.quote("99", "100");
    const { listId } = (await world.engine.placeList({ accountId: 1, list })).list;
    expect(await totalOf(world)).toBe(8);
    await world.engine.cancelList({ accountId: 1, listId });
    expect(await totalOf(world)).toBe(8);
    expect(requested()).toBe(1);
  });

  it("I70: after the hour in which rows were deleted it is asked for again, and after a deletion that failed always", async () => {
    const { world, requested, fail } = await countedWorld();
    await world.cancel(await world.place({ price: "50" }));
    expect([await totalOf(world), requested()]).toEqual([1, 1]);
    await world.pass(25 * 3_600_000);
    expect([await totalOf(world), await totalOf(world), requested()]).toEqual([0, 0, 2]);
    fail();
    await world.pass(3_600_000);
    expect([await totalOf(world), await totalOf(world), requested()]).toEqual([0, 0, 4]);
  });
});
