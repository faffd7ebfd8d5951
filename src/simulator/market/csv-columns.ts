import { readTime } from "./csv-times.ts";
import { MarketDataError } from "./market-row.ts";

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
export type GivenColumns = Readonly<Partial<Record<CsvColumn, string | number>>>;

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
