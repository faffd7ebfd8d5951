import { floorFact, PRICE_SCALE, QUANTITY_SCALE } from "../../decimal/index.ts";
import { type BarOptions, rowsOfBar } from "./bars.ts";
import { MarketDataError, type MarketRow, type QuoteRow } from "./market.ts";

/** What the cells of a file of market data mean. */
export type CsvColumn =
  | "time"
  | "closeTime"
  | "symbol"
  | "open"
  | "high"
  | "low"
  | "close"
  | "volume"
  | "price"
  | "quantity"
  | "id"
  | "bid"
  | "bidQuantity"
  | "ask"
  | "askQuantity";

/** Where a file has its columns, and how many cells a line has at least. */
export type Columns = Readonly<{
  places: ReadonlyMap<CsvColumn, number>;
  width: number;
  isByArrival: boolean;
}>;

/** Where a user says that a file has its columns: by the name in the header, or the place, from 0 on. */
type GivenColumns = Readonly<Partial<Record<CsvColumn, string | number>>>;

/** Names that the files of exchanges and vendors give a column, without case and punctuation; the best first. */
const NAMES: Readonly<Record<CsvColumn, readonly string[]>> = {
  time: [
    ...["opentime", "unix", "unixtimestamp", "timestamp", "time", "transacttime", "transactiontime"],
    ...["datetime", "date"],
  ],
  closeTime: ["closetime"],
  symbol: ["symbol"],
  open: ["open"],
  high: ["high"],
  low: ["low"],
  close: ["close"],
  volume: ["volume", "vol"],
  price: ["price"],
  quantity: ["quantity", "qty", "amount", "size"],
  id: ["id", "tradeid", "aggtradeid"],
  bid: ["bid", "bidprice", "bestbidprice"],
  bidQuantity: ["bidquantity", "bidqty", "bidsize", "bidamount", "bestbidqty"],
  ask: ["ask", "askprice", "bestaskprice"],
  askQuantity: ["askquantity", "askqty", "asksize", "askamount", "bestaskqty"],
};

/** Names of the columns, for the check of options. */
export const CSV_COLUMNS: readonly CsvColumn[] = Object.keys(NAMES) as CsvColumn[];

/** Tardis orders its files by the time of arrival. */
const ARRIVAL = "localtimestamp";

const plainName = (cell: string): string => cell.toLowerCase().replace(/[^a-z0-9]/g, "");

/** Returns whether a line names columns: a line of data has numbers. */
export const isHeader = (cells: readonly string[]): boolean =>
  !cells.some((cell) => /^\s*[0-9.]+\s*$/.test(cell));

type Wanted = Readonly<{ given: GivenColumns; symbol: string | undefined; isLocal: boolean }>;

/** Returns the columns that a header names. Throws a MarketDataError for a given column that it has not. */
export function columnsOfHeader(cells: readonly string[], { given, symbol, isLocal }: Wanted): Columns {
  const header = cells.map(plainName);
  const base = plainName(symbol?.split("/")[0] ?? "");
  const places = new Map<CsvColumn, number>();
  for (const column of CSV_COLUMNS) {
    const names = column === "volume" ? [...NAMES.volume, `volume${base}`] : NAMES[column];
    const place = names.map((name) => header.indexOf(name)).find((at) => at >= 0);
    if (place !== undefined) places.set(column, place);
  }
  const arrival = header.indexOf(ARRIVAL);
  if (isLocal && arrival < 0)
    throw new MarketDataError('order "local" needs the column local_timestamp, which this file has not');
  if (isLocal) places.set("time", arrival);
  setGiven(places, given, cells);
  return { places, width: cells.length, isByArrival: arrival >= 0 };
}

function setGiven(places: Map<CsvColumn, number>, given: GivenColumns, header: readonly string[]): void {
  for (const column of CSV_COLUMNS) {
    const wanted = given[column];
    if (wanted === undefined) continue;
    const place = typeof wanted === "number" ? wanted : header.findIndex((cell) => cell.trim() === wanted);
    if (place < 0)
      throw new MarketDataError(
        `columns.${column} must be a column of the header, not ${JSON.stringify(wanted)}`,
      );
    places.set(column, place);
  }
}

const BARS: readonly CsvColumn[] = ["time", "open", "high", "low", "close", "volume"];
const TICKER: readonly CsvColumn[] = ["id", "bid", "bidQuantity", "ask", "askQuantity", "time"];
const isFlag = (cell: string | undefined): boolean => /^(true|false)$/i.test(cell ?? "");

/** Returns the columns of a file without a header by the shape of its first line; none if its shape is not known. */
export function columnsOfShape(cells: readonly string[], given: GivenColumns): Columns {
  const places = new Map(shapeOf(cells));
  setGiven(places, given, []);
  return { places, width: cells.length, isByArrival: false };
}

/** The files of Binance and Kraken. Ids may look like times, so the shapes with flags and with two times come first. */
function shapeOf(cells: readonly string[]): readonly (readonly [CsvColumn, number])[] {
  const named = (columns: readonly CsvColumn[]) => columns.map((column, place) => [column, place] as const);
  const timeAt = (place: number): number => readTime(cells[place] ?? "")?.timeMs ?? Number.NaN;
  const trade = [...named(["id", "price", "quantity"])];
  if (isFlag(cells[5])) return [...trade, ["time", 4]];
  if (isFlag(cells[6])) return [...trade, ["time", 5]];
  if (Math.abs(timeAt(5) - timeAt(6)) < 86_400_000) return named(TICKER);
  if (Number.isNaN(timeAt(0))) return [];
  if (cells.length === 3) return named(["time", "price", "quantity"]);
  if (cells.length < BARS.length) return [];
  return Number.isNaN(timeAt(6)) ? named(BARS) : [...named(BARS), ["closeTime", 6]];
}

/** Reads the cells of a line. Throws a MarketDataError for cells that cannot be used. */
export type ReadCells = (cells: Cells) => Iterable<MarketRow>;

/** The cells of one line, by their column, and the line's time. A cell that is not there is empty. */
type Cells = Readonly<{ cell: (column: CsvColumn) => string; timeOf: (column: CsvColumn) => number }>;

/** What a file does not say itself: its symbol, how its bars become quotes, and how long they are. */
type FileFacts = Readonly<{
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

/** Returns a quote. A size that is not given is left out. Lines with both sizes are frequent. */
function quoteRow(
  { timeMs, symbol, bid, ask }: Omit<QuoteRow, "kind">,
  { bidQuantity, askQuantity }: Readonly<Record<"bidQuantity" | "askQuantity", string | undefined>>,
): QuoteRow {
  if (bidQuantity !== undefined && askQuantity !== undefined)
    return { kind: "quote", timeMs, symbol, bid, ask, bidQuantity, askQuantity };
  return {
    ...{ kind: "quote", timeMs, symbol, bid, ask },
    ...(bidQuantity !== undefined && { bidQuantity }),
    ...(askQuantity !== undefined && { askQuantity }),
  };
}

/** Facts are read by their value; decimals below a step are cut off where they count. */
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

const QUOTED = /(?:"([^"]*(?:""[^"]*)*)"|([^,]*))(,|$)/y;

/**
 * Splits a line. Cells may be quoted; a line feed inside one is not read, because no market data has one.
 *
 * No package does this: papaparse 5.7 is as fast (0.93 to 1 times the rows a second), but joins two rows of a file whose lines
 * end in different ways, keeps the byte order mark of a stream, and holds a line without an end whole, in a time that grows with
 * the square of its length; csv-parse 6 has a seventh of the rate.
 */
export function cellsOf(line: string): readonly string[] {
  if (!line.includes('"')) return line.split(",");
  const cells: string[] = [];
  QUOTED.lastIndex = 0;
  for (let match = QUOTED.exec(line); match !== null; match = QUOTED.exec(line)) {
    cells.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? "");
    if (match[3] === "") break;
  }
  return cells;
}

const EXPONENT = /^([0-9]{1,40})(?:\.([0-9]{0,40}))?e([+-]?[0-9]{1,2})$/i;

/** Writes out a decimal with an exponent, such as 1e-05, digit by digit. Returns any other text as it is. */
function withoutExponent(text: string): string {
  const [, whole, decimals = "", exponent = "0"] = EXPONENT.exec(text) ?? [];
  if (whole === undefined) return text;
  const digits = whole + decimals;
  const point = whole.length + Number.parseInt(exponent, 10);
  if (point <= 0) return `0.${"0".repeat(-point)}${digits}`;
  if (point >= digits.length) return digits.padEnd(point, "0");
  return `${digits.slice(0, point)}.${digits.slice(point)}`;
}

/** Markets that this package simulates began later. Numbers below are no times, or have a unit that none is recognised by. */
const FIRST_MS: number = Date.UTC(2000, 0, 1);

/** A number since the epoch; only seconds are written with decimals that count. */
const EPOCH = /^0*([1-9][0-9]{8,19})(?:\.([0-9]{1,18}))?$/;

/** A date, or a date with a time. Without a zone it is UTC, as the files of exchanges are. */
const DATE =
  /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?)?(?: ?(Z|UTC|[+-]\d\d:?\d\d))?$/i;

/** The hours that CryptoDataDownload wrote. */
const HALF_DAY = /^(\d{4}-\d\d-\d\d) (\d\d)-(AM|PM)$/i;

/** Units by the number of digits that a time has from the year 2000 to the year 5138, and digits below a millisecond. */
const UNITS: readonly Readonly<{ name: string; digits: number; finer: number }>[] = [
  { name: "seconds", digits: 11, finer: -3 },
  { name: "milliseconds", digits: 14, finer: 0 },
  { name: "microseconds", digits: 17, finer: 3 },
  { name: "nanoseconds", digits: 20, finer: 6 },
];

type FileTime = Readonly<{ timeMs: number; unit: string }>;

/** Reads a time by its magnitude or as a date; `undefined` for anything else, and for times before 2000. */
export function readTime(text: string): FileTime | undefined {
  const [, digits, decimals = ""] = EPOCH.exec(text) ?? [];
  const time = digits === undefined ? ofDate(text) : ofNumber(digits, decimals);
  return time !== undefined && time.timeMs >= FIRST_MS ? time : undefined;
}

/** Works on digits: nanoseconds are beyond what a double holds. */
function ofNumber(digits: string, decimals: string): FileTime | undefined {
  const unit = UNITS.find((each) => digits.length <= each.digits);
  if (unit === undefined) return undefined;
  const ms =
    unit.finer < 0 ? digits + decimals.slice(0, 3).padEnd(3, "0") : digits.slice(0, -unit.finer || undefined);
  return { timeMs: Number.parseInt(ms, 10), unit: unit.name };
}

function ofDate(text: string): FileTime | undefined {
  const iso = isoOf(text);
  const timeMs = iso === undefined ? Number.NaN : Date.parse(iso);
  return Number.isNaN(timeMs) ? undefined : { timeMs, unit: "dates" };
}

function isoOf(text: string): string | undefined {
  const [, halfDay, hour = "0", half = ""] = HALF_DAY.exec(text) ?? [];
  if (halfDay !== undefined)
    return `${halfDay}T${String((Number.parseInt(hour, 10) % 12) + (half.toUpperCase() === "PM" ? 12 : 0)).padStart(2, "0")}:00Z`;
  const [, date, time = "00:00", seconds = "00", decimals = "", zone = "Z"] = DATE.exec(text) ?? [];
  if (date === undefined || !isDay(date)) return undefined;
  const offset = /^[+-]/.test(zone) ? `${zone.slice(0, 3)}:${zone.slice(-2)}` : "Z";
  return `${date}T${time}:${seconds}.${decimals.slice(0, 3).padEnd(3, "0")}${offset}`;
}

/** Date.parse takes the 30th of February for the 1st of March. */
const isDay = (date: string): boolean => {
  const timeMs = Date.parse(date);
  return !Number.isNaN(timeMs) && new Date(timeMs).toISOString().startsWith(date);
};

/** Reads the times of one file, which all have the unit of the first. */
export class CsvTimes {
  #unit: string | undefined;

  /** Returns epoch milliseconds. Throws a MarketDataError. */
  read(text: string): number {
    const time = readTime(text);
    if (time === undefined)
      throw new MarketDataError(
        `a time must be seconds, milliseconds, microseconds or nanoseconds since the epoch, or a date such as 2026-01-31 or 2026-01-31T09:00:00Z, from the year 2000 on, not ${JSON.stringify(text)}`,
      );
    this.#unit ??= time.unit;
    if (time.unit !== this.#unit)
      throw new MarketDataError(
        `the times of a file must have one unit: ${JSON.stringify(text)} is in ${time.unit}, the first time in ${this.#unit}; split the file`,
      );
    return time.timeMs;
  }
}
