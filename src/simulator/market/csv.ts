import { createReadStream } from "node:fs";
import { basename } from "node:path";
import { pipeline, type Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import {
  isError,
  nameOption,
  type OptionCheck,
  optionalOption,
  optionsOf,
  wholeOption,
  wordOption,
  wrongOption,
} from "../../common/index.ts";
import { type BarOptions, barChecks } from "./bars.ts";
import {
  type Columns,
  CSV_COLUMNS,
  type CsvColumn,
  CsvTimes,
  cellsOf,
  columnsOfHeader,
  columnsOfShape,
  isHeader,
  needsInterval,
  type ReadCells,
  readerOf,
  readTime,
} from "./csv-format.ts";
import { unzipped } from "./csv-zip.ts";
import { type Batch, MarketDataError, type MarketRow, marketOfBatches } from "./market.ts";

/** Rows from which on a batch is delivered before the part of the file is read to its end. */
const MOST_ROWS = 10_000;

/** Lines from which format, direction and length of bars are determined. */
const HEAD_LINES = 1_000;

/** Most lines of a file whose newest row is first: it is held until its end. */
const MOST_HELD = 5_000_000;

/** Options of a file of market data. */
export interface CsvOptions extends BarOptions {
  /** Symbol of all rows, such as BTC/USD. Default: the symbol column. */
  readonly symbol?: string;
  /**
   * Where the file has its columns, if their names are not recognised: the name in the header, or the place from 0 on, such
   * as `{ time: "ts", price: "px", quantity: 3 }`.
   */
  readonly columns?: Readonly<Partial<Record<CsvColumn, string | number>>>;
  /** Length of the bars of a file that does not say when they close. Default: the smallest distance of its first times. */
  readonly intervalMs?: number;
  /**
   * Times of the rows of a file that has a column `local_timestamp`. `exchange`: those of the exchange; rows that arrived up to
   * ten seconds late are sorted. `local`: those of their arrival. Default: `exchange`.
   */
  readonly order?: "exchange" | "local";
}

const placeOption: OptionCheck = (value, name) => {
  if (typeof value === "string" && value !== "") return;
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 0)
    throw wrongOption(value, name, "the name of a column in the header, or its place from 0 on");
};

const csvOption: OptionCheck = optionsOf<CsvOptions>({
  symbol: optionalOption(nameOption),
  columns: optionalOption(
    optionsOf<NonNullable<CsvOptions["columns"]>>(
      Object.fromEntries(CSV_COLUMNS.map((column) => [column, optionalOption(placeOption)])) as Record<
        CsvColumn,
        OptionCheck
      >,
    ),
  ),
  intervalMs: optionalOption(wholeOption({ from: 4 }, " of milliseconds")),
  order: optionalOption(wordOption(["exchange", "local"])),
  ...barChecks,
});

/**
 * Reads a CSV file of quotes, trades or bars, line by line. A name that ends in .gz is decompressed, and one that ends in .zip
 * is an archive of one file. Columns
 * are recognised by their names, whatever their order and case: `time,symbol,bid,bidQuantity,ask,askQuantity`,
 * `time,symbol,price,quantity`, `time,open,high,low,close,volume`, and those of Binance, Tardis and CryptoDataDownload; the
 * files of Binance and Kraken without a header by their shape; others by the option `columns`. Times are seconds to
 * nanoseconds since the epoch, recognised by their magnitude, or ISO dates, in UTC unless they say a zone. Throws a TypeError or
 * RangeError that names a wrong option. While it is read, throws a MarketDataError that names file and line of the
 * first row that cannot be used, also of a row that is earlier than the one before it; a file whose newest row is first is
 * reversed.
 *
 * @example
 * ```ts
 * import { csvMarket, type MarketSource } from "managed-orders/simulator";
 * export const market = (path: string): MarketSource => csvMarket(path, { symbol: "BTC/USD" });
 * ```
 */
export function csvMarket(path: string, options: CsvOptions = {}): AsyncIterable<MarketRow> {
  nameOption(path, "csvMarket path");
  csvOption(options, "csvMarket");
  return marketOfBatches(() => rowsOf(path, options));
}

/** The rows of each part of the file. Those before a row that cannot be used are delivered before its error. */
async function* rowsOf(path: string, options: CsvOptions): AsyncGenerator<Batch> {
  const file = new CsvFile(options);
  try {
    for await (const lines of linesOf(path)) yield* file.take(lines);
    yield* file.end();
  } catch (error) {
    throw located(error, { path, line: file.line });
  }
}

/** The state of a file while it is read. */
class CsvFile {
  line = 0;
  readonly #options: CsvOptions;
  readonly #times: CsvTimes = new CsvTimes();
  #order: RowOrder = new RowOrder(false);
  /** Lines from the first on: those of the head, and all of a file whose newest row is first. */
  #held: string[] = [];
  #columns: Columns | undefined;
  #header: string | undefined;
  #isReversed = false;
  /** Lines above the header. */
  #preamble = 0;
  #read: ReadCells | undefined;

  constructor(options: CsvOptions) {
    this.#options = options;
  }

  /** Takes lines and returns the rows that are known by them. */
  *take(lines: readonly string[]): Generator<Batch> {
    if (this.#read !== undefined && !this.#isReversed) return yield* this.#batches(lines);
    for (const line of lines) this.#held.push(line);
    if (this.#held.length > MOST_HELD)
      throw new MarketDataError(
        `a file whose newest row is first must have at most ${MOST_HELD} lines; reverse it, for example with: tac`,
      );
    if (this.#read === undefined && this.#held.length >= HEAD_LINES) yield* this.#begin();
  }

  *end(): Generator<Batch> {
    if (this.#read === undefined) yield* this.#begin();
    if (this.#isReversed) yield* this.#reversed();
    yield this.#order.rest();
    if (this.#order.rows === 0) throw new MarketDataError("the file must have at least one row");
  }

  *#begin(): Generator<Batch> {
    const first = this.#held.findIndex((line, index) => {
      this.line = index + 1;
      return line.trim() !== "" && !isPreamble(line);
    });
    if (first < 0) return;
    this.#preamble = first;
    const cells = cellsOf(this.#held[first] ?? "");
    const { symbol, columns: given = {}, order, intervalMs, ...bars } = this.#options;
    const hasHeader = isHeader(cells);
    if (hasHeader) this.#header = this.#held[first];
    const columns = hasHeader
      ? columnsOfHeader(cells, { given, symbol, isLocal: order === "local" })
      : columnsOfShape(cells, given);
    this.#columns = columns;
    const times = this.#headTimes(columns.places.get("time"));
    this.#isReversed = !columns.isByArrival && isFalling(times);
    const length = needsInterval(columns.places) ? (intervalMs ?? smallestStep(times)) : undefined;
    this.#read = readerOf(columns.places, { symbol, bars, intervalMs: length });
    this.#order = new RowOrder(columns.isByArrival && order !== "local");
    if (this.#isReversed) return;
    const held = this.#held.slice(first);
    this.#held = [];
    this.line = first;
    yield* this.#batches(held);
  }

  /** The times of the first lines, as far as they can be read. */
  #headTimes(place: number | undefined): readonly number[] {
    return this.#held.slice(0, HEAD_LINES).flatMap((line) => {
      const time = readTime(cellsOf(line)[place ?? -1]?.trim() ?? "");
      return time === undefined ? [] : [time.timeMs];
    });
  }

  *#batches(lines: readonly string[]): Generator<Batch> {
    for (let at = 0; at < lines.length; ) {
      const rows: MarketRow[] = [];
      try {
        // The bar of a day becomes thousands of rows.
        for (; at < lines.length && rows.length < MOST_ROWS; at++) {
          this.line += 1;
          this.#readLine(lines[at] ?? "", rows);
        }
      } catch (error) {
        yield [...rows, ...this.#order.rest()];
        throw error;
      }
      yield rows;
    }
    yield this.#order.due();
  }

  *#reversed(): Generator<Batch> {
    for (let line = this.#held.length; line > this.#preamble; line--) {
      this.line = line;
      const rows: MarketRow[] = [];
      this.#readLine(this.#held[line - 1] ?? "", rows);
      yield rows;
    }
  }

  #readLine(line: string, rows: MarketRow[]): void {
    if (line === this.#header || line.trim() === "") return;
    const { places, width } = this.#columns as Columns;
    const cells = cellsOf(line);
    if (cells.length < width) throw new MarketDataError(`expected ${width} cells, found ${cells.length}`);
    const cell = (column: CsvColumn): string => cells[places.get(column) ?? -1]?.trim() ?? "";
    const timeOf = (column: CsvColumn): number => this.#times.read(cell(column));
    for (const row of this.#read?.({ cell, timeOf }) ?? []) this.#order.add(row, rows);
  }
}

/** CryptoDataDownload writes its address above the header. */
const isPreamble = (line: string): boolean => /(^|,)https?:\/\//.test(line);

/** Whether the newest row is first. */
function isFalling(times: readonly number[]): boolean {
  const other = times.find((time) => time !== times[0]);
  return other !== undefined && other < (times[0] ?? 0) && (times.at(-1) ?? 0) <= other;
}

function smallestStep(times: readonly number[]): number {
  const steps = times.flatMap((time, index) => {
    const step = Math.abs(time - (times[index - 1] ?? time));
    return step === 0 ? [] : [step];
  });
  if (steps.length > 0) return steps.reduce((least, step) => Math.min(least, step));
  throw new MarketDataError("the length of a single bar is not known: pass the option intervalMs");
}

function located(error: unknown, { path, line }: Readonly<{ path: string; line: number }>): unknown {
  const name = basename(path);
  if (error instanceof MarketDataError) {
    const place = line === 0 ? name : `${name} line ${line}`;
    return new MarketDataError(`${place}: ${error.message}`, { cause: error });
  }
  if (!isError(error) || !("code" in error)) return error;
  return new MarketDataError(`${name} cannot be read (${String(error.code)})`, { cause: error });
}

/** Most characters of a line. */
const LONGEST_LINE = 1_000_000;

/** The lines of each part of a file, without their ends: a line feed, with or without a carriage return, or that alone. */
async function* linesOf(path: string): AsyncGenerator<readonly string[]> {
  const input = await opened(path);
  input.setEncoding("utf8");
  let rest = "";
  let end: "\n" | "\r" | undefined;
  let isFirst = true;
  try {
    for await (const part of input) {
      // Spreadsheets write a byte order mark before the first line.
      rest += isFirst ? String(part).replace(/^\uFEFF/, "") : String(part);
      isFirst = false;
      end ??= endOf(rest);
      const lines = rest.split(end ?? "\n");
      rest = lines.pop() ?? "";
      if (rest.length > LONGEST_LINE)
        throw new MarketDataError(`a line must have at most ${LONGEST_LINE} characters`);
      yield lines.map(withoutReturn);
    }
  } finally {
    input.destroy();
  }
  if (rest !== "") yield rest.split(end ?? /\r?\n|\r/).map(withoutReturn);
}

/** The bytes of a file; a compressed one is unpacked. The reader sees the error of any part, and ends all. */
async function opened(path: string): Promise<Readable> {
  if (path.endsWith(".zip")) return await unzipped(path);
  const file = createReadStream(path);
  return path.endsWith(".gz") ? pipeline(file, createGunzip(), () => undefined) : file;
}

/** The end of the first line. A carriage return at the end of a part may be half of one. */
function endOf(text: string): "\n" | "\r" | undefined {
  if (text.includes("\n")) return "\n";
  return text.slice(0, -1).includes("\r") ? "\r" : undefined;
}

const withoutReturn = (line: string): string => (line.endsWith("\r") ? line.slice(0, -1) : line);

/** The most by which rows of a file in the order of arrival may be late. */
const LATEST_MS = 10_000;

/** Keeps the rows of a file in the order of their times: refuses a row that steps back, or sorts those that arrived late. */
class RowOrder {
  rows = 0;
  readonly #isSorting: boolean;
  #newestMs = 0;
  #waiting: MarketRow[] = [];

  constructor(isSorting: boolean) {
    this.#isSorting = isSorting;
  }

  /** Adds a row to `rows`, or lets it wait for rows that are late. Throws a MarketDataError. */
  add(row: MarketRow, rows: MarketRow[]): void {
    const lateMs = this.#newestMs - row.timeMs;
    if (!this.#isSorting && lateMs > 0)
      throw new MarketDataError("the time must not be before the time of the previous row");
    if (lateMs > LATEST_MS)
      throw new MarketDataError(
        `the time must not be ${LATEST_MS / 1_000} s before that of an earlier row; to take the times of arrival, pass order: "local"`,
      );
    this.#newestMs = Math.max(this.#newestMs, row.timeMs);
    this.rows += 1;
    if (this.#isSorting) this.#wait(row);
    else rows.push(row);
  }

  /** Takes the waiting rows before which no other can come. */
  due(): Batch {
    const end = this.#waiting.findIndex(({ timeMs }) => timeMs > this.#newestMs - LATEST_MS);
    return this.#waiting.splice(0, Math.max(end, 0));
  }

  /** Takes all waiting rows. */
  rest(): Batch {
    return this.#waiting.splice(0);
  }

  #wait(row: MarketRow): void {
    let at = this.#waiting.length;
    while (at > 0 && (this.#waiting[at - 1]?.timeMs ?? 0) > row.timeMs) at--;
    this.#waiting.splice(at, 0, row);
  }
}
