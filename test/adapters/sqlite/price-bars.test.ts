import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openSqliteStore, type SqliteStore } from "../../../src/adapters/sqlite/index.ts";
import { BAR_LENGTHS_MS, type PriceBar, type PricedPrint } from "../../../src/model/index.ts";
import { samplePrint } from "../../store/rules/samples.ts";
import { damageRow, type TemporaryPlace, temporaryPlace } from "./temporary-place.ts";

const MINUTE_MS = 60_000;
const MINUTES = 700;
const SYMBOLS = ["BTC/USD", "ETH/USD"];

const printAt = (minute: number, symbol: string): PricedPrint =>
  samplePrint({ symbol, id: `${minute}`, timeMs: minute * MINUTE_MS, seenAtMs: minute * MINUTE_MS });

describe("price bars in a file are read in parts", () => {
  let place: TemporaryPlace;
  let store: SqliteStore;
  beforeEach(async () => {
    place = temporaryPlace();
    store = openSqliteStore({ exclusive: false, path: place.path });
    await store.acquire();
    const minutes = Array.from({ length: MINUTES }, (_, minute) => minute);
    const prints = minutes.flatMap((minute) => SYMBOLS.map((symbol) => printAt(minute, symbol)));
    await store.append({ shards: [], prints });
  });
  afterEach(async () => {
    await store.close();
    place.remove();
  });

  it("each in its own turn of the event loop, and all bars are in the documented order, once", async () => {
    let turns = 0;
    let isRead = false;
    const receivedAt: number[] = [];
    const countTurns = (): void => {
      turns++;
      if (!isRead) setImmediate(countTurns);
    };
    setImmediate(countTurns);
    const { priceBars = [] } = await store.readVolume(() => receivedAt.push(turns));
    isRead = true;
    expect(receivedAt.length).toBeGreaterThan(6);
    expect(new Set(receivedAt).size).toBeGreaterThan(receivedAt.length / 2);
    const minuteBars = priceBars.filter(({ lengthMs }) => lengthMs === MINUTE_MS);
    expect(minuteBars).toHaveLength(SYMBOLS.length * MINUTES);
    const sorted = [...priceBars].sort(
      (a, b) => order(a.symbol, b.symbol) || a.lengthMs - b.lengthMs || a.startMs - b.startMs,
    );
    expect(priceBars).toEqual(sorted);
    expect(new Set(priceBars.map(keyOf)).size).toBe(priceBars.length);
    expect(new Set(priceBars.map(({ lengthMs }) => lengthMs))).toEqual(new Set(BAR_LENGTHS_MS));
  });

  it("and another handle can take over, append and delete in between; no bar is lost or comes twice", async () => {
    const later = openSqliteStore({ exclusive: false, path: place.path });
    const changes: Promise<unknown>[] = [];
    const everyMinute = Array.from(
      { length: MINUTES },
      (_, minute) => `ETH/USD ${MINUTE_MS} ${minute * MINUTE_MS}`,
    );
    const { priceBars = [] } = await store.readVolume(() => {
      if (changes.length > 0) return;
      const cutoff = { beforeMs: 0, priceBars: [{ lengthMs: MINUTE_MS, beforeMs: MINUTE_MS } as const] };
      const change = async (): Promise<void> => {
        await later.acquire();
        await later.append({ shards: [], prints: [printAt(MINUTES, "BTC/USD")] });
        await later.deleteVolume(cutoff);
      };
      changes.push(change());
    });
    await Promise.all(changes);
    await later.close();
    const keys = priceBars.map(keyOf);
    expect(new Set(keys).size).toBe(keys.length);
    expect(keys).toEqual(expect.arrayContaining([`BTC/USD ${MINUTE_MS} ${(MINUTES - 1) * MINUTE_MS}`]));
    const minutes = keys.filter((key) => key.startsWith(`ETH/USD ${MINUTE_MS} `));
    // The deleted one may have been read before.
    expect(minutes.length).toBeGreaterThanOrEqual(MINUTES - 1);
    expect(minutes).toEqual(expect.arrayContaining(everyMinute.slice(1)));
  });

  it("I53: a damaged bar of a later part is an error, as is a store that is closed meanwhile", async () => {
    const key = `pricebar ${String(86_400_000).padStart(16, "0")} ${"0".repeat(16)} BTC/USD`;
    damageRow(place.path, key, (text) => `${text} `);
    await expect(store.readVolume()).rejects.toThrow(`I53: the row "${key}"`);
    const reading = store.readVolume();
    await store.close();
    await expect(reading).rejects.toThrow("the store is closed");
    store = openSqliteStore({ exclusive: false, path: place.path });
  });
});

const keyOf = ({ symbol, lengthMs, startMs }: PriceBar): string => `${symbol} ${lengthMs} ${startMs}`;

function order(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
