import { createReadStream } from "node:fs";
import { basename } from "node:path";
import { createInterface } from "node:readline";
import { floorFact, PRICE_SCALE, QUANTITY_SCALE } from "../../decimal/index.ts";
import type { Instruments, QuoteInput } from "../../ports/index.ts";
import { SettingsError } from "../settings-error.ts";
import { EPOCH_MS, parseWhole } from "../whole-number.ts";

/** A row of the quotes file. Crossed and zero quotes are real input: the quote gate drops and counts them. */
export type QuoteRow = Readonly<{
  kind: "quote";
  timeMs: number;
  line: number;
  quote: Omit<QuoteInput, "timeMs">;
}>;

/** A row of the trades file. */
export type TradeRow = Readonly<{
  kind: "trade";
  timeMs: number;
  line: number;
  trade: Readonly<{ symbol: string; price: string; quantity: string }>;
}>;

/** A row of recorded market data; `line` counts from 1 in its file. */
export type ReplayRow = QuoteRow | TradeRow;

/** Files and instruments of a replay. */
export type ReplayFiles = Readonly<{ quotesPath: string; tradesPath?: string; instruments: Instruments }>;

const QUOTE_HEADER = "time,symbol,bid,bidQuantity,ask,askQuantity";
const TRADE_HEADER = "time,symbol,price,quantity";

/** Facts are read by their value; decimals below a step are cut off where they count (decision 7). */
const isDecimal = (text: string): boolean => floorFact(text, PRICE_SCALE) !== undefined;
const isPositive = (text: string, scale: number): boolean => (floorFact(text, scale) ?? 0) > 0;

/**
 * Reads recorded quotes and trades into one list in time order, with a quote before a trade of the same time. Rejects
 * with a SettingsError that names file and line of the first invalid row.
 */
export async function readReplay(files: ReplayFiles): Promise<readonly ReplayRow[]> {
  const quotes = await readRows(files.quotesPath, QUOTE_HEADER, quoteReader(files.instruments));
  if (files.tradesPath === undefined) return quotes;
  const trades = await readRows(files.tradesPath, TRADE_HEADER, tradeReader(files.instruments));
  return merge(quotes, trades);
}

/** Converts cells to a row, or returns the problem with them. */
type RowReader<T> = (cells: readonly string[], at: Readonly<{ timeMs: number; line: number }>) => T | string;

function quoteReader(instruments: Instruments): RowReader<QuoteRow> {
  return ([, symbol = "", bid = "", bidQuantity = "", ask = "", askQuantity = ""], at) => {
    if (instruments.find(symbol) === undefined) return `unknown symbol ${JSON.stringify(symbol)}`;
    const sizes = [bidQuantity, askQuantity].filter((size) => size !== "");
    if (![bid, ask, ...sizes].every(isDecimal)) return "bid, ask and quantities must be decimals";
    const quote = {
      symbol,
      bid,
      ask,
      ...(bidQuantity === "" ? {} : { bidQuantity }),
      ...(askQuantity === "" ? {} : { askQuantity }),
    };
    return { kind: "quote", ...at, quote };
  };
}

function tradeReader(instruments: Instruments): RowReader<TradeRow> {
  return ([, symbol = "", price = "", quantity = ""], at) => {
    if (instruments.find(symbol) === undefined) return `unknown symbol ${JSON.stringify(symbol)}`;
    if (!isPositive(price, PRICE_SCALE))
      return `price must be a positive decimal, not ${JSON.stringify(price)}`;
    if (!isPositive(quantity, QUANTITY_SCALE))
      return `quantity must be a positive decimal, not ${JSON.stringify(quantity)}`;
    return { kind: "trade", ...at, trade: { symbol, price, quantity } };
  };
}

async function readRows<T extends ReplayRow>(
  path: string,
  header: string,
  read: RowReader<T>,
): Promise<readonly T[]> {
  const rows: T[] = [];
  let line = 0;
  const fail = (problem: string): never => {
    throw new SettingsError(`MARKET: ${basename(path)} line ${line}: ${problem}`);
  };
  for await (const text of linesOf(path)) {
    line += 1;
    if (line === 1) {
      // Spreadsheets write a byte order mark before the first line.
      if (text.replace(/^\uFEFF/, "") !== header) fail(`the header must be ${header}`);
      continue;
    }
    const row = readRow(text, { header, line, read });
    if (typeof row === "string") fail(row);
    else if (row.timeMs < (rows.at(-1)?.timeMs ?? 0))
      fail("the time must not be before the time of the previous row");
    else rows.push(row);
  }
  if (rows.length === 0) fail("the file must have at least one row");
  return rows;
}

function readRow<T extends ReplayRow>(
  text: string,
  { header, line, read }: Readonly<{ header: string; line: number; read: RowReader<T> }>,
): T | string {
  const cells = text.split(",");
  const columns = header.split(",").length;
  if (cells.length !== columns) return `expected ${columns} cells, found ${cells.length}`;
  const time = cells[0] ?? "";
  const timeMs = parseWhole(time, EPOCH_MS);
  return timeMs === undefined
    ? `time must be in epoch milliseconds, not ${JSON.stringify(time)}`
    : read(cells, { timeMs, line });
}

async function* linesOf(path: string): AsyncGenerator<string> {
  try {
    yield* createInterface({ input: createReadStream(path, "utf8"), crlfDelay: Number.POSITIVE_INFINITY });
  } catch (error) {
    if (!(error instanceof Error) || !("code" in error)) throw error;
    throw new SettingsError(`MARKET: ${basename(path)} cannot be read (${String(error.code)})`);
  }
}

function merge(quotes: readonly QuoteRow[], trades: readonly TradeRow[]): readonly ReplayRow[] {
  const rows: ReplayRow[] = [];
  let next = 0;
  for (const quote of quotes) {
    for (
      let trade = trades[next];
      trade !== undefined && trade.timeMs < quote.timeMs;
      trade = trades[++next]
    ) {
      rows.push(trade);
    }
    rows.push(quote);
  }
  return rows.concat(trades.slice(next));
}
