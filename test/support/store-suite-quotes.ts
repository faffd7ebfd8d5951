import { expect, it } from "vitest";
import { price } from "../../src/decimal/index.ts";
import type { KeptQuote } from "../../src/model/index.ts";
import { part, sampleMark, sampleRecord } from "./store-samples.ts";
import type { StoreWorld } from "./store-world.ts";

const QUOTE: KeptQuote = { symbol: "BTC/USD", bid: price("100"), ask: price("101"), timeMs: 5 };
const LARGEST: KeptQuote = {
  symbol: "ETH/USD",
  bid: price("0.00000001"),
  ask: price("9999999999.99999999"),
  timeMs: Number.MAX_SAFE_INTEGER,
};

/** The port's rules for the last quotes of markets. */
export function lastQuotes(world: StoreWorld): void {
  it("I16, decision BR: the last quote of each market is stored, by symbol, at both ends of every range", async () => {
    expect(await world.store.readQuotes()).toEqual([]);
    await world.store.append({ shards: [], marks: [], quotes: [LARGEST, QUOTE] });
    expect(await world.store.readQuotes()).toEqual([QUOTE, LARGEST]);
    const later = { ...QUOTE, bid: price("99"), timeMs: 6 };
    await world.store.append({ shards: [], marks: [], quotes: [QUOTE, later] });
    expect(await world.store.readQuotes()).toEqual([later, LARGEST]);
  });

  it("I01: quotes are written with the records and marks of their batch and outlive the handle", async () => {
    const shards = [part(0, 1, { records: [sampleRecord(0, 1)] })];
    await world.store.append({ shards, marks: [sampleMark()], quotes: [QUOTE] });
    await world.store.close();
    world.store = world.place.open();
    expect(await world.store.readQuotes()).toEqual([QUOTE]);
    expect(await world.store.readMarks()).toEqual([sampleMark()]);
  });

  it("I60: an earlier owner writes no quotes", async () => {
    const later = world.place.open();
    await later.acquire();
    await expect(world.store.append({ shards: [], marks: [], quotes: [QUOTE] })).rejects.toThrow("I60");
    const shards = [part(0, 1, { records: [sampleRecord(0, 1)] })];
    expect(await world.store.append({ shards, marks: [], quotes: [QUOTE] })).toEqual(["fenced"]);
    expect(await later.readQuotes()).toEqual([]);
    await later.close();
  });
}
