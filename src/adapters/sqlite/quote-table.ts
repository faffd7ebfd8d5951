import { normalise, type Price } from "../../decimal/index.ts";
import type { KeptQuote } from "../../model/index.ts";
import type { Database } from "./driver.ts";

/** The last counted quote of every market. `put` expects to run inside a transaction. */
export type QuoteTable = Readonly<{
  put(quotes: readonly KeptQuote[]): void;
  /** By symbol. */
  read(): readonly KeptQuote[];
}>;

type Row = Readonly<{ symbol: string; bid: string; ask: string; timeMs: number }>;

/** The statements of last quotes. */
export function quoteTable(database: Database): QuoteTable {
  const insert = database.prepare<[string, bigint, bigint, number]>(
    "INSERT OR REPLACE INTO quotes (symbol, bid, ask, time_ms) VALUES (?, ?, ?, ?)",
  );
  // Prices may lie beyond what a double holds; as text they come through whole.
  const all = database.prepare<[], Row>(
    `SELECT symbol, CAST(bid AS TEXT) AS bid, CAST(ask AS TEXT) AS ask, time_ms AS timeMs FROM quotes
     ORDER BY symbol`,
  );
  const priceOf = (text: string): Price => normalise(BigInt(text)) as Price;
  return {
    put(quotes) {
      for (const { symbol, bid, ask, timeMs } of quotes) insert.run(symbol, BigInt(bid), BigInt(ask), timeMs);
    },
    read: () => all.all().map((row) => ({ ...row, bid: priceOf(row.bid), ask: priceOf(row.ask) })),
  };
}
