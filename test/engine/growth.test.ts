import { afterEach, describe, expect, it, vi } from "vitest";
import { createMemoryStore } from "../../src/adapters/memory/index.ts";
import { formatPrice } from "../../src/decimal/index.ts";
import { QuoteMemory } from "../../src/engine/market/quote-gate.ts";
import type { Instrument } from "../../src/model/index.ts";
import { TriggerBook } from "../../src/triggers/index.ts";
import { OCO } from "../support/list-samples.ts";
import { createWorld, INSTRUMENTS, SYMBOL, type World } from "../support/world.ts";

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

describe("decision GP: a commit asks only the markets that have something to write", () => {
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

describe("decision GO: a page of open lists", () => {
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
