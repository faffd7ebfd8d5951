import { floorFact, PRICE_SCALE, parseScaled, QUANTITY_SCALE } from "../../decimal/index.ts";
import { type BarOptions, rowsOfBar } from "./bars.ts";
import { MarketDataError, type MarketRow, type QuoteRow } from "./market-row.ts";

/** Reads the cells of a line. Throws a MarketDataError for cells that cannot be used. */
export type ReadCells = (cells: Cells) => Iterable<MarketRow>;

/** The cells of one line, by the name of their column. */
export type Cells = Readonly<{ cell: (column: string) => string }>;

/** What a file does not say itself: its symbol, and how its bars become quotes. */
export type FileFacts = Readonly<{ symbol: string | undefined; bars: BarOptions }>;

type Format = Readonly<{
  /** Columns by which the format is recognised. */
  columns: readonly string[];
  reader: (facts: FileFacts) => ReadCells;
}>;

/** Columns of the bar files of exchanges, which often have no header. */
export const BAR_COLUMNS: readonly string[] = [
  ...["open_time", "open", "high", "low", "close", "volume", "close_time"],
];

/** The known formats. The first whose columns a header has is taken. */
const FORMATS: readonly Format[] = [
  { columns: ["exchange", "timestamp", "ask_price", "bid_price"], reader: tardisQuotes },
  { columns: ["exchange", "timestamp", "price", "amount"], reader: tardisTrades },
  { columns: BAR_COLUMNS, reader: barReader },
  { columns: ["time", "symbol", "bid", "ask"], reader: quoteReader },
  { columns: ["time", "symbol", "price", "quantity"], reader: tradeReader },
];

/** Returns the reader of a file by its header; `undefined` if no format has these columns. */
export function readerOf(header: readonly string[], facts: FileFacts): ReadCells | undefined {
  return FORMATS.find(({ columns }) => columns.every((name) => header.includes(name)))?.reader(facts);
}

/** Describes the formats for a message. */
export function describeFormats(): string {
  return FORMATS.map(({ columns }) => columns.join(",")).join("; ");
}

function quoteReader({ symbol }: FileFacts): ReadCells {
  return ({ cell }) => {
    const sizes = { bidQuantity: size(cell("bidQuantity")), askQuantity: size(cell("askQuantity")) };
    const prices = { bid: decimal("bid", cell("bid")), ask: decimal("ask", cell("ask")) };
    return [quoteRow({ timeMs: epochMs(cell("time")), symbol: symbol ?? cell("symbol"), ...prices }, sizes)];
  };
}

/** A trade without an id is one of its own: numbers of lines would repeat in the next file of the same market. */
function tradeReader({ symbol }: FileFacts): ReadCells {
  return ({ cell }) => [
    {
      kind: "trade",
      timeMs: epochMs(cell("time")),
      symbol: symbol ?? cell("symbol"),
      ...executed(cell("price"), cell("quantity")),
    },
  ];
}

/** Tardis writes times in microseconds and leaves a side of the book empty when it is. Such a line is not a quote. */
function tardisQuotes({ symbol }: FileFacts): ReadCells {
  return ({ cell }) => {
    if (cell("bid_price") === "" || cell("ask_price") === "") return [];
    const sizes = { bidQuantity: size(cell("bid_amount")), askQuantity: size(cell("ask_amount")) };
    const prices = {
      bid: decimal("bid_price", cell("bid_price")),
      ask: decimal("ask_price", cell("ask_price")),
    };
    const timeMs = fromMicroseconds(cell("timestamp"));
    return [quoteRow({ timeMs, symbol: symbol ?? cell("symbol"), ...prices }, sizes)];
  };
}

function tardisTrades({ symbol }: FileFacts): ReadCells {
  return ({ cell }) => [
    {
      kind: "trade",
      timeMs: fromMicroseconds(cell("timestamp")),
      symbol: symbol ?? cell("symbol"),
      ...executed(cell("price"), cell("amount")),
      ...(cell("id") !== "" && { id: cell("id") }),
    },
  ];
}

function barReader({ symbol, bars }: FileFacts): ReadCells {
  if (symbol === undefined) throw new MarketDataError("bars have no symbol: pass the option symbol");
  return ({ cell }) => {
    const openMs = fromAnyUnit(cell("open_time"));
    const intervalMs = fromAnyUnit(cell("close_time")) + 1 - openMs;
    if (intervalMs < 4) throw new MarketDataError("close_time must be after open_time");
    const [open, high, low] = [cell("open"), cell("high"), cell("low")];
    return rowsOfBar(
      { symbol, openMs, intervalMs, open, high, low, close: cell("close"), volume: cell("volume") },
      bars,
    );
  };
}

function decimal(column: string, text: string): string {
  if (floorFact(text, PRICE_SCALE) !== undefined) return text;
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

function executed(price: string, quantity: string): Readonly<{ price: string; quantity: string }> {
  if (!isPositiveFact(price, PRICE_SCALE))
    throw new MarketDataError(`price must be a positive decimal, not ${JSON.stringify(price)}`);
  if (!isPositiveFact(quantity, QUANTITY_SCALE))
    throw new MarketDataError(`quantity must be a positive decimal, not ${JSON.stringify(quantity)}`);
  return { price, quantity };
}

/** The last millisecond of the year 9999. Larger numbers are microseconds. */
const LAST_MS = 253_402_300_799_999;

function whole(text: string): number {
  const value = parseScaled(text, 0);
  if (typeof value === "number") return value;
  throw new MarketDataError(`a time must be a whole number since the epoch, not ${JSON.stringify(text)}`);
}

function epochMs(text: string): number {
  const value = whole(text);
  if (value <= LAST_MS) return value;
  throw new MarketDataError(`time must be in epoch milliseconds, not ${JSON.stringify(text)}`);
}

const fromMicroseconds = (text: string): number => Math.floor(whole(text) / 1_000);

/** Bar files of some exchanges went over from milliseconds to microseconds. */
function fromAnyUnit(text: string): number {
  const value = whole(text);
  return value > LAST_MS ? Math.floor(value / 1_000) : value;
}
