import { add, normalise, type Quantity, ZERO_QUANTITY } from "../../decimal/index.ts";
import type { CountedPrint, PricedPrint } from "../../model/index.ts";
import type { VolumeCutoff, VolumeState } from "../../ports/index.ts";
import { checksumOf, requireIntact } from "../checksums/index.ts";
import type { Database } from "./database.ts";
import { type PriceBarTable, priceBarTable } from "./price-bar-table.ts";

const MINUTE_MS = 60_000;

/** Number of rows of each kind that one step drops, which takes about a millisecond. */
const ROWS_PER_DROP = 250;

/** Executed volume: totals of fresh prints, bars of volume and of prices, and the ids of counted prints. */
export type VolumeTable = Readonly<{
  /** Counts each print whose symbol and id are not stored yet. Call it inside a transaction. */
  put(prints: readonly PricedPrint[]): void;
  /**
   * Returns totals by symbol, bars by symbol and minute, price bars by symbol, length and start, and ids in the order in
   * which they were first seen. Reads the price bars last, in short steps, and calls `reading` after each.
   */
  read(reading?: () => void): Generator<void, VolumeState>;
  /** Drops some of the old bars and ids. Returns false if none are left. Call it inside a transaction. */
  delete(cutoff: VolumeCutoff): boolean;
}>;

/** Quantities by symbol. */
type Sums = Map<string, Quantity>;

/** Prepares the statements for executed volume. */
export function volumeTable(database: Database): VolumeTable {
  const dropBars = database.prepare<[beforeMs: number, limit: number]>(
    `DELETE FROM volume_bars WHERE (minute_ms, symbol) IN
     (SELECT minute_ms, symbol FROM volume_bars WHERE minute_ms < ? LIMIT ?)`,
  );
  const dropPrints = database.prepare<[beforeMs: number, limit: number]>(
    `DELETE FROM prints WHERE (symbol, id) IN
     (SELECT symbol, id FROM prints WHERE seen_at_ms < ? ORDER BY seen_at_ms LIMIT ?)`,
  );
  const priceBars = priceBarTable(database);
  return {
    put: volumeWriter(database, priceBars),
    read: volumeReader(database, priceBars),
    delete({ beforeMs, priceBars: cutoffs }) {
      const isMoreLeft = priceBars.delete(cutoffs);
      const bars = dropBars.run(beforeMs, ROWS_PER_DROP).changes;
      const prints = dropPrints.run(beforeMs, ROWS_PER_DROP).changes;
      return isMoreLeft || bars === ROWS_PER_DROP || prints === ROWS_PER_DROP;
    },
  };
}

type Total = Readonly<{ symbol: string; total: string; checksum: number }>;
type Bar = Readonly<{ symbol: string; minuteMs: number; quantity: string; checksum: number }>;

/** Sums up a batch first, so that each total and bar is written once, whatever the number of its prints. */
function volumeWriter(database: Database, priceBars: PriceBarTable): VolumeTable["put"] {
  const see = database.prepare<[symbol: string, id: string, seenAtMs: number]>(
    "INSERT INTO prints (symbol, id, seen_at_ms) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
  );
  const addToTotal = totalWriter(database);
  const addToBar = barWriter(database);
  return (prints) => {
    const fresh: Sums = new Map();
    const minutes = new Map<number, Sums>();
    const counted = prints.filter(({ symbol, id, seenAtMs }) => see.run(symbol, id, seenAtMs).changes > 0);
    for (const print of counted) {
      if (print.fresh) addTo(fresh, print);
      const minuteMs = Math.floor(print.timeMs / MINUTE_MS) * MINUTE_MS;
      const bars: Sums = minutes.get(minuteMs) ?? new Map();
      addTo(bars, print);
      minutes.set(minuteMs, bars);
    }
    for (const [symbol, sum] of fresh) addToTotal(symbol, sum);
    for (const [minuteMs, bars] of minutes) {
      for (const [symbol, sum] of bars) addToBar(minuteMs, symbol, sum);
    }
    priceBars.put(counted);
  };
}

/** Verifies the stored total before adding to it: a new checksum must not hide damage. */
function totalWriter(database: Database): (symbol: string, sum: Quantity) => void {
  const find = database.prepare<[symbol: string], Total>(`${TOTALS} WHERE symbol = ?`);
  const put = database.prepare<[symbol: string, total: string, checksum: number]>(
    `INSERT INTO volume_totals (symbol, total, checksum) VALUES (?, ?, ?)
     ON CONFLICT (symbol) DO UPDATE SET total = excluded.total, checksum = excluded.checksum`,
  );
  return (symbol, sum) => {
    const found = find.get(symbol);
    const total = String(found === undefined ? sum : add(totalOf(found), sum));
    put.run(symbol, total, checksumOf([symbol, total]));
  };
}

function barWriter(database: Database): (minuteMs: number, symbol: string, sum: Quantity) => void {
  const find = database.prepare<[minuteMs: number, symbol: string], Bar>(
    `${BARS} WHERE minute_ms = ? AND symbol = ?`,
  );
  const put = database.prepare<[minuteMs: number, symbol: string, quantity: string, checksum: number]>(
    `INSERT INTO volume_bars (minute_ms, symbol, quantity, checksum) VALUES (?, ?, ?, ?)
     ON CONFLICT (minute_ms, symbol) DO UPDATE SET quantity = excluded.quantity, checksum = excluded.checksum`,
  );
  return (minuteMs, symbol, sum) => {
    const found = find.get(minuteMs, symbol);
    const quantity = String(found === undefined ? sum : add(quantityOfBar(found), sum));
    put.run(minuteMs, symbol, quantity, checksumOf([minuteMs, symbol, quantity]));
  };
}

function volumeReader(database: Database, priceBars: PriceBarTable): VolumeTable["read"] {
  const totals = database.prepare<[], Total>(`${TOTALS} ORDER BY symbol`);
  const bars = database.prepare<[], Bar>(`${BARS} ORDER BY symbol, minute_ms`);
  const prints = database.prepare<[], VolumeState["prints"][number]>(
    "SELECT symbol, id, seen_at_ms AS seenAtMs FROM prints ORDER BY seen_at_ms, symbol, id",
  );
  const readWhole = database.transaction(
    (): Omit<VolumeState, "priceBars"> => ({
      totals: totals.all().map((row) => ({ symbol: row.symbol, total: totalOf(row) })),
      bars: bars.all().map((row) => {
        const { symbol, minuteMs } = row;
        return { symbol, minuteMs, quantity: quantityOfBar(row) };
      }),
      prints: prints.all(),
    }),
  );
  return function* read(reading) {
    const whole = readWhole();
    yield;
    return { ...whole, priceBars: yield* priceBars.read(reading) };
  };
}

function addTo(sums: Sums, { symbol, quantity }: CountedPrint): void {
  sums.set(symbol, add(sums.get(symbol) ?? ZERO_QUANTITY, quantity));
}

const TOTALS = "SELECT symbol, total, checksum FROM volume_totals";
const BARS = "SELECT symbol, minute_ms AS minuteMs, quantity, checksum FROM volume_bars";

function totalOf({ symbol, total, checksum }: Total): Quantity {
  requireIntact(checksum, checksumOf([symbol, total]), () => `the executed volume of ${symbol}`);
  return quantityOf(total);
}

function quantityOfBar({ symbol, minuteMs, quantity, checksum }: Bar): Quantity {
  const expected = checksumOf([minuteMs, symbol, quantity]);
  requireIntact(checksum, expected, () => `the volume of ${symbol} in minute ${minuteMs}`);
  return quantityOf(quantity);
}

/** Parses a sum. Sums are stored as text, because they may exceed SQLite's integers. */
const quantityOf = (text: string): Quantity => normalise(BigInt(text)) as Quantity;
