import { floorFact, PRICE_SCALE, QUANTITY_SCALE } from "../../decimal/index.ts";
import { type BarOptions, rowsOfBar } from "./bars.ts";
import { withoutExponent } from "./csv-cells.ts";
import type { CsvColumn } from "./csv-columns.ts";
import { MarketDataError, type MarketRow, type QuoteRow } from "./market-row.ts";

/** Reads the cells of a line. Throws a MarketDataError for cells that cannot be used. */
export type ReadCells = (cells: Cells) => Iterable<MarketRow>;

/** The cells of one line, by their column, and the line's time. A cell that is not there is empty. */
export type Cells = Readonly<{ cell: (column: CsvColumn) => string; timeOf: (column: CsvColumn) => number }>;

/** What a file does not say itself: its symbol, how its bars become quotes, and how long they are. */
export type FileFacts = Readonly<{
  symbol: string | undefined;
  bars: BarOptions;
  intervalMs: number | undefined;
}>;

type Format = Readonly<{
  /** Columns by which the format is recognised. */
  columns: readonly CsvColumn[];
  reader: (facts: FileFacts) => ReadCells;
}>;

/** The known formats. The first whose columns a file has is taken. */
const FORMATS: readonly Format[] = [
  { columns: ["time", "bid", "ask"], reader: quoteReader },
  { columns: ["time", "open", "high", "low", "close", "volume"], reader: barReader },
  { columns: ["time", "price", "quantity"], reader: tradeReader },
];

/** Returns the reader of a file by its columns. Throws a MarketDataError if no format has these. */
export function readerOf(columns: ReadonlyMap<CsvColumn, number>, facts: FileFacts): ReadCells {
  const format = FORMATS.find((each) => each.columns.every((name) => columns.has(name)));
  if (format === undefined)
    throw new MarketDataError(
      `the header must have the columns of a known format: ${FORMATS.map((each) => each.columns.join(",")).join("; ")}; name others with the option columns`,
    );
  if (facts.symbol === undefined && !columns.has("symbol"))
    throw new MarketDataError("the file has no column symbol: pass the option symbol");
  return format.reader(facts);
}

/** Whether the columns are those of bars without an end, whose length follows from the distance of their times. */
export const needsInterval = (columns: ReadonlyMap<CsvColumn, number>): boolean =>
  columns.has("open") && !columns.has("bid") && !columns.has("closeTime");

/** A side of the book that is empty makes a line that is no quote. */
function quoteReader({ symbol }: FileFacts): ReadCells {
  return ({ cell, timeOf }) => {
    if (cell("bid") === "" || cell("ask") === "") return [];
    const sizes = { bidQuantity: size(cell("bidQuantity")), askQuantity: size(cell("askQuantity")) };
    const prices = { bid: decimal("bid", cell("bid")), ask: decimal("ask", cell("ask")) };
    return [quoteRow({ timeMs: timeOf("time"), symbol: symbol ?? cell("symbol"), ...prices }, sizes)];
  };
}

/** A trade without an id is one of its own: numbers of lines would repeat in the next file of the same market. */
function tradeReader({ symbol }: FileFacts): ReadCells {
  return ({ cell, timeOf }) => [
    {
      kind: "trade",
      timeMs: timeOf("time"),
      symbol: symbol ?? cell("symbol"),
      ...executed(cell("price"), cell("quantity")),
      ...(cell("id") !== "" && { id: cell("id") }),
    },
  ];
}

function barReader({ symbol, bars, intervalMs }: FileFacts): ReadCells {
  return ({ cell, timeOf }) => {
    const openMs = timeOf("time");
    const lengthMs = intervalMs ?? lengthOf(timeOf("closeTime") - openMs);
    if (lengthMs < 4) throw new MarketDataError("the close time must be after the open time");
    const price = (column: CsvColumn): string => withoutExponent(cell(column));
    const prices = { open: price("open"), high: price("high"), low: price("low"), close: price("close") };
    const bar = { symbol: symbol ?? cell("symbol"), openMs, intervalMs: lengthMs, volume: price("volume") };
    return rowsOfBar({ ...bar, ...prices }, bars);
  };
}

/** The close of a bar is its last millisecond or second, or the open of the next. */
function lengthOf(ms: number): number {
  if (ms % 1_000 === 999) return ms + 1;
  return ms % 60_000 === 59_000 ? ms + 1_000 : ms;
}

function decimal(column: string, text: string): string {
  const plain = withoutExponent(text);
  if (floorFact(plain, PRICE_SCALE) !== undefined) return plain;
  throw new MarketDataError(`${column} must be a decimal, not ${JSON.stringify(text)}`);
}

/** Returns a quantity, or nothing for a file without sizes. */
function size(text: string): string | undefined {
  return text === "" ? undefined : decimal("a quantity", text);
}

type Sizes = Readonly<Record<"bidQuantity" | "askQuantity", string | undefined>>;

/** Returns a quote. A size that is not given is left out. Lines with both sizes are frequent. */
function quoteRow(
  { timeMs, symbol, bid, ask }: Omit<QuoteRow, "kind">,
  { bidQuantity, askQuantity }: Sizes,
): QuoteRow {
  if (bidQuantity !== undefined && askQuantity !== undefined)
    return { kind: "quote", timeMs, symbol, bid, ask, bidQuantity, askQuantity };
  return {
    ...{ kind: "quote", timeMs, symbol, bid, ask },
    ...(bidQuantity !== undefined && { bidQuantity }),
    ...(askQuantity !== undefined && { askQuantity }),
  };
}

/** Facts are read by their value; decimals below a step are cut off where they count (decision 7). */
const isPositiveFact = (text: string, scale: number): boolean =>
  floorFact(text, scale) !== undefined && /[1-9]/.test(text);

function executed(priceText: string, quantityText: string): Readonly<{ price: string; quantity: string }> {
  const [price, quantity] = [withoutExponent(priceText), withoutExponent(quantityText)];
  if (!isPositiveFact(price, PRICE_SCALE))
    throw new MarketDataError(`price must be a positive decimal, not ${JSON.stringify(priceText)}`);
  if (!isPositiveFact(quantity, QUANTITY_SCALE))
    throw new MarketDataError(`quantity must be a positive decimal, not ${JSON.stringify(quantityText)}`);
  return { price, quantity };
}
