import { normalise, type Scaled } from "../../decimal/index.ts";
import {
  type BarFigures,
  type BarLengthMs,
  barsOf,
  joinFigures,
  type PriceBar,
  type PricedPrint,
} from "../../model/index.ts";
import type { VolumeCutoff } from "../../ports/index.ts";
import { checksumOf, requireIntact } from "../checksums/index.ts";
import type { Database } from "./database.ts";

/** Number of rows of one length that one step drops, which takes about a millisecond. */
const ROWS_PER_DROP = 250;

/** Number of rows that one step reads, which takes some milliseconds. */
const ROWS_PER_READ = 250;

/** Bars with prices, of all markets and lengths. Call `put` and `delete` inside a transaction. */
export type PriceBarTable = Readonly<{
  /** Adds prints that were not counted before. */
  put(prints: readonly PricedPrint[]): void;
  /**
   * Returns the bars by symbol, length and start. Reads them in short steps and calls `reading` after each. No
   * transaction spans two steps: a bar is read as it is at its step.
   */
  read(reading?: () => void): Generator<void, readonly PriceBar[]>;
  /** Drops some of the bars of each length that began before its time. Returns false if none are left. */
  delete(cutoffs: VolumeCutoff["priceBars"]): boolean;
}>;

/** A row as it is read. Prices are text, because they may exceed the precision of a double. */
type Row = Readonly<{
  symbol: string;
  lengthMs: BarLengthMs;
  startMs: number;
  open: string;
  high: string;
  low: string;
  close: string;
  openedAtMs: number;
  closedAtMs: number;
  quantity: string;
  quoteQuantity: string;
  prints: number;
  checksum: number;
}>;

const BARS = `SELECT symbol, length_ms AS lengthMs, start_ms AS startMs, CAST(open AS TEXT) AS open,
  CAST(high AS TEXT) AS high, CAST(low AS TEXT) AS low, CAST(close AS TEXT) AS close, opened_at_ms AS openedAtMs,
  closed_at_ms AS closedAtMs, quantity, quote_quantity AS quoteQuantity, prints, checksum FROM price_bars`;

/** Prepares the statements for bars with prices. */
export function priceBarTable(database: Database): PriceBarTable {
  const drop = database.prepare<[lengthMs: number, beforeMs: number, limit: number]>(
    `DELETE FROM price_bars WHERE (length_ms, start_ms, symbol) IN
     (SELECT length_ms, start_ms, symbol FROM price_bars WHERE length_ms = ? AND start_ms < ? LIMIT ?)`,
  );
  return {
    put: barWriter(database),
    read: barReader(database),
    delete(cutoffs = []) {
      const gone = cutoffs.map(
        ({ lengthMs, beforeMs }) => drop.run(lengthMs, beforeMs, ROWS_PER_DROP).changes,
      );
      return gone.includes(ROWS_PER_DROP);
    },
  };
}

/** Reads by primary key, so that each step continues where the last one ended, whatever was written in between. */
function barReader(database: Database): PriceBarTable["read"] {
  const following = database.prepare<[lengthMs: number, startMs: number, symbol: string, limit: number], Row>(
    `${BARS} WHERE (length_ms, start_ms, symbol) > (?, ?, ?) ORDER BY length_ms, start_ms, symbol LIMIT ?`,
  );
  return function* read(reading) {
    const bars = new Map<string, PriceBar[]>();
    let last: Pick<Row, "lengthMs" | "startMs" | "symbol"> | undefined;
    for (;;) {
      const { lengthMs, startMs, symbol } = last ?? { lengthMs: 0, startMs: 0, symbol: "" };
      const rows = following.all(lengthMs, startMs, symbol, ROWS_PER_READ);
      for (const row of rows) {
        const own = bars.get(row.symbol);
        if (own === undefined) bars.set(row.symbol, [barOf(row)]);
        else own.push(barOf(row));
      }
      reading?.();
      if (rows.length < ROWS_PER_READ) break;
      last = rows.at(-1);
      yield;
    }
    return [...bars.keys()].sort().flatMap((symbol) => bars.get(symbol) ?? []);
  };
}

/** Joins a batch first, so that each bar is written once, whatever the number of its prints. */
function barWriter(database: Database): PriceBarTable["put"] {
  const find = database.prepare<[lengthMs: number, startMs: number, symbol: string], Row>(
    `${BARS} WHERE length_ms = ? AND start_ms = ? AND symbol = ?`,
  );
  const put = database.prepare<[row: Record<string, string | number | bigint>]>(
    `INSERT OR REPLACE INTO price_bars (length_ms, start_ms, symbol, open, high, low, close, opened_at_ms,
     closed_at_ms, quantity, quote_quantity, prints, checksum) VALUES (:lengthMs, :startMs, :symbol, :open, :high,
     :low, :close, :openedAtMs, :closedAtMs, :quantity, :quoteQuantity, :prints, :checksum)`,
  );
  return (prints) => {
    for (const bar of barsOf(prints)) {
      const row = find.get(bar.lengthMs, bar.startMs, bar.symbol);
      const figures = row === undefined ? bar.figures : joinFigures(barOf(row).figures, bar.figures);
      put.run(valuesOf({ ...bar, figures }));
    }
  };
}

/** Returns the values of a row by column. */
function valuesOf(bar: PriceBar): Record<string, string | number | bigint> {
  const { lengthMs, startMs, symbol, figures } = bar;
  return {
    ...{ lengthMs, startMs, symbol, openedAtMs: figures.openedAtMs, closedAtMs: figures.closedAtMs },
    ...{ open: BigInt(figures.open), high: BigInt(figures.high) },
    ...{ low: BigInt(figures.low), close: BigInt(figures.close) },
    quantity: String(figures.quantity),
    quoteQuantity: String(figures.quoteQuantity),
    prints: figures.prints,
    checksum: checksumOfBar(bar),
  };
}

function barOf(row: Row): PriceBar {
  const { symbol, lengthMs, startMs, checksum } = row;
  const figures: BarFigures = {
    open: scaledOf(row.open),
    high: scaledOf(row.high),
    low: scaledOf(row.low),
    close: scaledOf(row.close),
    openedAtMs: row.openedAtMs,
    closedAtMs: row.closedAtMs,
    quantity: scaledOf(row.quantity),
    quoteQuantity: scaledOf(row.quoteQuantity),
    prints: row.prints,
  };
  const bar = { symbol, lengthMs, startMs, figures };
  const name = (): string => `the price bar of ${symbol} of ${lengthMs} ms at ${startMs}`;
  requireIntact(checksum, checksumOfBar(bar), name);
  return bar;
}

function checksumOfBar({ lengthMs, startMs, symbol, figures }: PriceBar): number {
  const { open, high, low, close, openedAtMs, closedAtMs, quantity, quoteQuantity, prints } = figures;
  const amounts = [open, high, low, close, quantity, quoteQuantity].map(String);
  return checksumOf([lengthMs, startMs, symbol, ...amounts, openedAtMs, closedAtMs, prints]);
}

const scaledOf = <T extends Scaled>(text: string): T => normalise(BigInt(text)) as T;
