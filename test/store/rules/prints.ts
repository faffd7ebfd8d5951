import { hashOf } from "../../../src/common/index.ts";
import { Price, Quantity, type Scaled } from "../../../src/decimal/index.ts";
import type { PricedPrint } from "../../../src/model/index.ts";
import type { OrderStore } from "../../../src/ports/index.ts";
import { samplePrint } from "./samples.ts";

/** The length of a bar of volume in milliseconds. */
export const MINUTE_MS = 60_000;

/** Appends prints alone. */
export async function keepPrints(store: OrderStore, prints: readonly PricedPrint[]): Promise<void> {
  await store.append({ shards: [], prints });
}

const PRICES = ["0.00000001", "100", "100.00000001", "7424.9", "9999999999.99999999"];
const QUANTITIES = ["0.000001", "0.5", "9007199254.740991", "9007199254.740993", "999999999999.999999"];

/**
 * Returns the batches of one series: the same in every run, and of any symbol, id, time, price and quantity. Some ids
 * come twice.
 */
export function batchesOf(series: number): readonly (readonly PricedPrint[])[] {
  return Array.from({ length: 1 + (series % 5) }, (_, batch) =>
    Array.from({ length: hashOf(`${series} ${batch}`) % 7 }, (_, n) => printOf(`${series} ${batch} ${n}`)),
  );
}

function printOf(place: string): PricedPrint {
  const pick = <T>(what: string, items: readonly T[]): T =>
    items[hashOf(`${what} ${place}`) % items.length] as T;
  const halves = pick("time", [0, 1, 2, 3, 4, 5, 6, 7, 9, 11, 20]);
  const timeMs = halves * (MINUTE_MS / 2);
  return samplePrint({
    symbol: pick("symbol", ["BTC/USD", "ETH/USD"]),
    id: pick("id", ["a", "b", "c d", "d e", "ä", "p'1", "%", "7", "8", "9"]),
    price: Price.parse(pick("price", PRICES)),
    quantity: Quantity.parse(pick("quantity", QUANTITIES)),
    timeMs,
    seenAtMs: timeMs + (hashOf(`seen ${place}`) % 90_000),
    fresh: pick("fresh", [true, true, false]),
  });
}

/** Returns the prints of batches that count: of each symbol and id the first. */
export function countedOf(batches: readonly (readonly PricedPrint[])[]): readonly PricedPrint[] {
  const first = new Map<string, PricedPrint>();
  for (const print of batches.flat()) {
    const key = `${print.symbol} ${print.id}`;
    if (!first.has(key)) first.set(key, print);
  }
  return [...first.values()];
}

/** Returns exact sums of amounts by a key, in the order of the keys. */
export function sumsOf<T>(
  items: readonly T[],
  keyOf: (item: T) => string,
  amountOf: (item: T) => Scaled | bigint,
): readonly (readonly [key: string, sum: bigint])[] {
  const sums = new Map<string, bigint>();
  for (const item of items) sums.set(keyOf(item), (sums.get(keyOf(item)) ?? 0n) + BigInt(amountOf(item)));
  return [...sums].sort(([a], [b]) => (a < b ? -1 : 1));
}
