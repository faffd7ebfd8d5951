import type { KeptQuote, MarketMark, MarketSide } from "../../model/index.ts";
import type { OrderStore } from "../../ports/index.ts";
import { transposed } from "./append-columns.ts";
import type { Database } from "./database.ts";
import type { Row } from "./driver.ts";
import { MARKETS } from "./market-statements.ts";
import type { Owner } from "./owner.ts";
import { amountIn, compareTexts, textIn, wholeIn } from "./reading.ts";
import { requireMark, requireQuote } from "./row-sums.ts";

/** Creates the methods for marks and last quotes. */
export function market(
  database: Database,
  owner: Owner,
): Pick<OrderStore, "readMarks" | "readQuotes" | "deleteMarks"> {
  return {
    async readMarks(shards) {
      const rows =
        shards === undefined
          ? await database.read(MARKETS.marks)
          : await database.read(MARKETS.marksOf, [shards]);
      const marks = rows.map(markOf);
      return marks.sort(
        (a, b) =>
          compareTexts(a.symbol, b.symbol) ||
          compareTexts(a.side, b.side) ||
          a.shard - b.shard ||
          a.position - b.position,
      );
    },
    async readQuotes() {
      const quotes = await newestQuotes(database);
      return quotes
        .map(({ owner: _owner, position: _position, ...quote }) => quote)
        .sort((a, b) => compareTexts(a.symbol, b.symbol));
    },
    async deleteMarks(marks) {
      const rows = marks.map(({ shard, symbol, side, position }) => {
        return [shard, owner.epochOf(shard), symbol, side, position];
      });
      await database.write(MARKETS.deleteMarks, transposed(rows, 5));
    },
  };
}

async function newestQuotes(
  database: Database,
): Promise<readonly (KeptQuote & Readonly<{ owner: number; position: number }>)[]> {
  return (await database.read(MARKETS.quotes)).map((row) => {
    const quote: KeptQuote = {
      symbol: textIn(row, 0),
      bid: amountIn(row, 3),
      ask: amountIn(row, 4),
      timeMs: wholeIn(row, 5),
    };
    requireQuote(row, 6, quote);
    return { ...quote, owner: wholeIn(row, 1), position: wholeIn(row, 2) };
  });
}

function markOf(row: Row): MarketMark {
  const mark: MarketMark = {
    shard: wholeIn(row, 0),
    symbol: textIn(row, 1),
    side: textIn(row, 2) as MarketSide,
    position: wholeIn(row, 3),
    price: amountIn(row, 4),
    timeMs: wholeIn(row, 5),
  };
  requireMark(row, 6, mark);
  return mark;
}

/** Deletes the quotes that are not the newest of their symbol. They were added one by one, see `MIGRATIONS`. */
export async function forgetQuotes(database: Database): Promise<void> {
  const newest = await newestQuotes(database);
  const rows = newest.map(({ symbol, owner, position }) => [symbol, owner, position]);
  if (rows.length > 0) await database.write(MARKETS.deleteQuotes, transposed(rows, 3));
}
