import { normalise, type Price } from "../../decimal/index.ts";
import type { KeptQuote } from "../../model/index.ts";
import { checksumOf, requireIntact } from "../checksums/index.ts";
import type { Database } from "./database.ts";

/** The last counted quote of every market. Call `put` inside a transaction. */
export type QuoteTable = Readonly<{
  put(quotes: readonly KeptQuote[]): void;
  /** Returns the quotes, sorted by symbol. */
  read(): readonly KeptQuote[];
}>;

type Row = Readonly<{ symbol: string; bid: string; ask: string; timeMs: number; checksum: number }>;

/** Prepares the statements for last quotes. */
export function quoteTable(database: Database): QuoteTable {
  const insert = database.prepare<[string, bigint, bigint, number, number]>(
    "INSERT OR REPLACE INTO quotes (symbol, bid, ask, time_ms, checksum) VALUES (?, ?, ?, ?, ?)",
  );
  // A price may exceed the precision of a double, so it is read as text.
  const all = database.prepare<[], Row>(
    `SELECT symbol, CAST(bid AS TEXT) AS bid, CAST(ask AS TEXT) AS ask, time_ms AS timeMs, checksum FROM quotes
     ORDER BY symbol`,
  );
  return {
    put(quotes) {
      for (const quote of quotes) {
        const { symbol, bid, ask, timeMs } = quote;
        insert.run(symbol, BigInt(bid), BigInt(ask), timeMs, checksumOfQuote(quote));
      }
    },
    read: () => all.all().map(quoteOf),
  };
}

function checksumOfQuote({ symbol, bid, ask, timeMs }: KeptQuote): number {
  return checksumOf([symbol, String(bid), String(ask), timeMs]);
}

function quoteOf({ checksum, ...row }: Row): KeptQuote {
  const quote = { ...row, bid: priceOf(row.bid), ask: priceOf(row.ask) };
  requireIntact(checksum, checksumOfQuote(quote), () => `the last quote of ${quote.symbol}`);
  return quote;
}

const priceOf = (text: string): Price => normalise(BigInt(text)) as Price;
