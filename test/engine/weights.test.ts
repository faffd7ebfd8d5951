import { afterEach, describe, expect, it, vi } from "vitest";
import { createMemoryStore } from "../../src/adapters/memory/index.ts";
import { formatPrice, PackedNumbers } from "../../src/decimal/index.ts";
import { QuoteMemory } from "../../src/engine/market/quote-gate.ts";
import type { Instrument, ParentOrder } from "../../src/model/index.ts";
import { TriggerBook } from "../../src/triggers/index.ts";
import { OCO } from "../support/list-samples.ts";
import { createWorld, INSTRUMENTS, SYMBOL, type World } from "../support/world.ts";

const BUSY = { code: -1008, status: 503, retry: "later" };

/** Weights of one digit: their cells have one byte, those of the sums two. */
const COUNT = 1_000;
const BYTES = COUNT * 3;
const VWAP = {
  type: "VWAP",
  quantity: "1000",
  interval: 60_000,
  volumeProfile: Array.from({ length: COUNT }, (_, slot) => slot % 10).join(),
} as const;

const RETAINED = { maxWeightBytesPerAccount: 3 * BYTES, maxWeightBytes: 5 * BYTES };

async function quoted(settings: Parameters<typeof createWorld>[0] = { settings: RETAINED }): Promise<World> {
  const world = await createWorld(settings);
  await world.quote("99", "100");
  return world;
}

const vwap = (world: World, accountId = 1): Promise<ParentOrder> => world.place(VWAP, accountId);

describe("an account pays for the weights that the service stores for it", () => {
  it("weights and their sums are packed in memory; the journal keeps its form", async () => {
    const world = await quoted();
    const order = await vwap(world);
    const { schedule } = order.intent;
    expect(schedule?.weights).toBeInstanceOf(PackedNumbers);
    expect(order.plan?.cumulative).toBeInstanceOf(PackedNumbers);
    const story = await world.engine.story(order.orderId);
    const [accepted] = story?.records[0]?.changes[0]?.facts ?? [];
    const weights = VWAP.volumeProfile.split(",").map(Number);
    let sum = 0;
    expect(accepted).toMatchObject({
      intent: { schedule: { weights } },
      plan: { cumulative: weights.map((weight) => (sum += weight)) },
    });
    await world.crash();
    expect(await world.order(order)).toStrictEqual(order);
    expect((await world.engine.verify()).equal).toBe(true);
  });

  it("excess weights are refused with -1008, without a trace; other orders of the account are accepted", async () => {
    const world = await quoted();
    for (let n = 0; n < 3; n++) await vwap(world);
    await expect(world.place({ ...VWAP, newClientOrderId: "more" })).rejects.toMatchObject(BUSY);
    expect(await world.engine.find({ accountId: 1, clientOrderId: "more" })).toBeUndefined();
    await expect(world.place({ price: "50" })).resolves.toBeDefined();
    const twap = { type: "TWAP", quantity: "9", interval: 60_000, intervalCount: 9 } as const;
    await expect(world.place(twap)).resolves.toBeDefined();
  });

  it("in total: two accounts use up the room that a third needs", async () => {
    const world = await quoted();
    for (let n = 0; n < 3; n++) await vwap(world, 1);
    for (let n = 0; n < 2; n++) await vwap(world, 2);
    await expect(vwap(world, 2)).rejects.toMatchObject(BUSY);
  });

  it("the limit holds for simultaneous placements", async () => {
    const world = await quoted();
    const answers = await Promise.allSettled(Array.from({ length: 9 }, () => vwap(world)));
    expect(answers.filter(({ status }) => status === "fulfilled")).toHaveLength(3);
  });

  it("a repeated placement is answered with its order although there is no room", async () => {
    const world = await quoted();
    const first = await world.place({ ...VWAP, newClientOrderId: "first" });
    for (let n = 0; n < 2; n++) await vwap(world);
    expect((await world.place({ ...VWAP, newClientOrderId: "first" })).orderId).toBe(first.orderId);
  });

  it("the count is that of the open parents: the same after a restart, and less when one ends", async () => {
    const world = await quoted();
    const orders: ParentOrder[] = [];
    for (let n = 0; n < 3; n++) orders.push(await vwap(world));
    for (const restart of [false, true]) {
      if (restart) await world.crash();
      await world.quote("99", "100");
      await expect(vwap(world)).rejects.toMatchObject(BUSY);
      await world.cancel(orders.pop() as ParentOrder);
      orders.push(await vwap(world));
      await expect(vwap(world)).rejects.toMatchObject(BUSY);
    }
    expect(await world.engine.cancelAll(1)).toMatchObject({ canceledCount: 3 });
    for (let n = 0; n < 3; n++) await vwap(world);
    await expect(vwap(world)).rejects.toMatchObject(BUSY);
  });

  it("the count is the same from a snapshot", async () => {
    const world = await quoted({ settings: { ...RETAINED, snapshotEvery: 1 } });
    for (let n = 0; n < 3; n++) await vwap(world);
    await world.engine.close();
    await world.crash();
    await world.quote("99", "100");
    await expect(vwap(world)).rejects.toMatchObject(BUSY);
  });
});

describe("a page of parents is bounded in bytes as well as in rows", () => {
  const ROW = 1_024;
  const bytesOf = ({ intent }: ParentOrder): number => ROW + (intent.schedule?.weights?.join().length ?? 0);

  it.each([
    [false, false],
    [true, false],
    [false, true],
    [true, true],
  ])(
    "pages return every parent once, with history %s, newest first %s",
    async (includeHistory, newestFirst) => {
      const maxPageBytes =
        3 * bytesOf({ intent: { schedule: { weights: VWAP.volumeProfile.split(",") } } } as never);
      const world = await quoted({ settings: { maxPageBytes } });
      const orders: ParentOrder[] = [];
      for (let n = 0; n < 60; n++)
        orders.push(await (n % 4 === 0 ? world.place({ price: "50" }) : vwap(world)));
      const gone = orders.filter((_, n) => n % 3 === 1 || (n > 10 && n < 25));
      for (const order of gone) await world.cancel(order);
      const ids = orders
        .filter((order) => includeHistory || !gone.includes(order))
        .map(({ orderId }) => orderId);
      const seen: number[] = [];
      let afterOrderId = 0;
      do {
        const page = { accountId: 1, includeHistory, newestFirst, limit: 1_000, afterOrderId };
        const { orders: shown, nextOrderId, total } = await world.engine.page(page);
        const bytes = shown.slice(0, -1).reduce((sum, order) => sum + bytesOf(order), 0);
        expect([bytes < maxPageBytes, total, shown.length > 0]).toEqual([true, ids.length, true]);
        for (const { orderId } of shown) seen.push(orderId);
        afterOrderId = nextOrderId;
      } while (afterOrderId !== 0);
      expect(seen).toEqual(newestFirst ? [...ids].reverse() : ids);
    },
  );

  it("a parent that is larger than a page has a page by itself; the last one ends at 0", async () => {
    const world = await quoted({ settings: { maxPageBytes: 1 } });
    const [first, second] = [await vwap(world), await vwap(world)];
    const page = { accountId: 1, includeHistory: true, newestFirst: false, limit: 9 };
    const one = await world.engine.page({ ...page, afterOrderId: 0 });
    expect([one.orders.length, one.nextOrderId]).toEqual([1, first.orderId]);
    const two = await world.engine.page({ ...page, afterOrderId: one.nextOrderId });
    expect([two.orders[0]?.orderId, two.orders.length, two.nextOrderId]).toEqual([second.orderId, 1, 0]);
  });

  it("a page reads little more of the ended parents than it shows", async () => {
    const read: number[] = [];
    const world = await quoted({
      settings: { maxPageBytes: 10 * ROW },
      store: (disk) => {
        const store = createMemoryStore({ disk });
        const pageEnded: typeof store.pageEnded = async (page) => {
          const rows = await store.pageEnded(page);
          read.push(rows.length);
          return rows;
        };
        return { ...store, pageEnded };
      },
    });
    for (let n = 0; n < 100; n++) await world.cancel(await vwap(world));
    await world.engine.page({
      accountId: 1,
      includeHistory: true,
      newestFirst: false,
      limit: 1_000,
      afterOrderId: 0,
    });
    expect(read).toEqual([32]);
  });
});

const MARKETS = 200;

const instruments: readonly Instrument[] = Array.from({ length: MARKETS }, (_, id) => {
  return { ...(INSTRUMENTS[0] as Instrument), id, symbol: id === 0 ? SYMBOL : `C${id}/USD`, aliases: [] };
});

afterEach(() => void vi.restoreAllMocks());

/** A world of many markets, each quoted and with a trailing order whose reference moves. */
async function manyMarkets(): Promise<World> {
  const world = await createWorld({ instruments });
  const quoteAll = (bid: string, ask: string): void => {
    for (const { symbol } of instruments) world.engine.market.quote({ symbol, bid, ask });
  };
  quoteAll("100", "101");
  for (const { symbol } of instruments)
    await world.place({ symbol, type: "TRAILING_STOP_MARKET", side: "SELL", trailingDelta: 500 });
  quoteAll("100", "101");
  quoteAll("102", "103");
  await world.engine.idle();
  return world;
}

describe("a commit asks only the markets that have something to write", () => {
  it("for marks: one book after a quote of one market, however many books there are", async () => {
    const world = await manyMarkets();
    const requested = vi.spyOn(TriggerBook.prototype, "hasMarks", "get");
    const taken = vi.spyOn(TriggerBook.prototype, "takeMarks");
    await world.quote("104", "105");
    // The quote asks its book, and so does the offer of the standing quote to the order.
    await world.place({ price: "50" });
    expect([requested.mock.calls.length, taken.mock.calls.length]).toEqual([2, 1]);
    vi.restoreAllMocks();
    const stored = (await createMemoryStore({ disk: world.disk }).readMarks()).filter(
      ({ symbol }) => symbol === SYMBOL,
    );
    expect(stored.map(({ price }) => formatPrice(price))).toEqual(["100", "102", "104"]);
  });

  it("for quotes: those of watched markets that arrived after the store's last write", () => {
    const memory = new QuoteMemory();
    const requested: string[] = [];
    const quoteOf = (symbol: string, timeMs: number) => {
      return { symbol, bid: 1, ask: 2, bids: [], asks: [], timeMs, sequence: timeMs } as never;
    };
    const due = (timeMs: number, touched: readonly string[] = []): readonly string[] => {
      requested.length = 0;
      const last = (symbol: string) => {
        requested.push(symbol);
        return quoteOf(symbol, timeMs);
      };
      return memory.due(last, touched).map(({ symbol }) => symbol);
    };
    const stored = (symbol: string, timeMs: number): void => memory.stored([quoteOf(symbol, timeMs)]);
    for (const symbol of ["A", "B", "C"]) memory.watch(symbol);
    expect(due(1)).toEqual(["A", "B", "C"]);
    for (const symbol of ["A", "B", "C"]) stored(symbol, 1);
    expect([due(1), due(1), requested]).toEqual([[], [], []]);
    // No order watches D: only other changes to it bring its quote.
    for (const symbol of ["B", "D"]) memory.counted(quoteOf(symbol, 2));
    expect([due(2), requested]).toEqual([["B"], ["B"]]);
    // Not written, because the append failed: it is due again.
    expect(due(2, ["D"])).toEqual(["B", "D"]);
    memory.unwatch("B");
    expect(due(2)).toEqual([]);
  });
});

describe("a page of open lists", () => {
  it("builds the lists that it shows, and visits no other", async () => {
    const looksAmong = async (count: number): Promise<number> => {
      const world = await createWorld();
      const ids: number[] = [];
      for (let n = 0; n < count; n++) ids.push((await world.placeList("oco", OCO)).listId);
      const looks = vi.spyOn(Map.prototype, "get");
      const page = await world.engine.openLists({ accountId: 1, limit: 10 });
      const { length } = looks.mock.calls;
      looks.mockRestore();
      expect(page.map(({ listId }) => listId)).toEqual(ids.slice(-10));
      return length;
    };
    expect(await looksAmong(100)).toBe(await looksAmong(20));
  });
});
