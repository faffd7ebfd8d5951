import { createReadStream } from "node:fs";
import { basename } from "node:path";
import { createGunzip } from "node:zlib";
import { isError, nameOption, type OptionCheck, optional, optionsOf } from "../../common/index.ts";
import { type BarOptions, barChecks } from "./bars.ts";
import { type Batch, marketOfBatches } from "./batches.ts";
import { BAR_COLUMNS, describeFormats, type ReadCells, readerOf } from "./csv-formats.ts";
import { MarketDataError, type MarketRow } from "./market-row.ts";

/** Most characters of a line. */
const LONGEST_LINE = 1_000_000;

/** Rows from which on a batch is delivered before the part of the file is read to its end. */
const MOST_ROWS = 10_000;

const LONE_RETURNS =
  "lines must end with a line feed, but these end with a carriage return alone; convert the file, for example with: tr '\\r' '\\n'";

/** Options of a file of market data. */
export interface CsvOptions extends BarOptions {
  /** Symbol of all rows, such as BTC/USD. Default: the symbol column. Bars need it. */
  readonly symbol?: string;
}

const csvOption: OptionCheck = optionsOf<CsvOptions>({ symbol: optional(nameOption), ...barChecks });

/**
 * Reads a CSV file of quotes, trades or bars, line by line. A name that ends in .gz is decompressed. The header decides
 * the format: `time,symbol,bid,bidQuantity,ask,askQuantity` and `time,symbol,price,quantity` with epoch milliseconds;
 * quotes and trades of Tardis; bars as exchanges publish them, with or without a header. Throws a TypeError or
 * RangeError that names a wrong option. While it is read, throws a MarketDataError that names file and line of the
 * first row that cannot be used, also of a row that is earlier than the one before it.
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
    for await (const lines of linesOf(path)) {
      let rows: MarketRow[] = [];
      let failure: Readonly<{ error: unknown }> | undefined;
      for (const line of lines) {
        try {
          file.read(line, rows);
        } catch (error) {
          failure = { error };
          break;
        }
        // The bar of a day becomes thousands of rows.
        if (rows.length < MOST_ROWS) continue;
        yield rows;
        rows = [];
      }
      yield rows;
      if (failure !== undefined) throw failure.error;
    }
    file.end();
  } catch (error) {
    throw located(error, { path, line: file.line });
  }
}

/** The state of a file while it is read. */
class CsvFile {
  line = 0;
  readonly #options: CsvOptions;
  #columns: ReadonlyMap<string, number> = new Map();
  #read: ReadCells | undefined;
  #rows = 0;
  #lastMs = 0;

  constructor(options: CsvOptions) {
    this.#options = options;
  }

  /** Reads a line and adds its rows to `rows`. */
  read(text: string, rows: MarketRow[]): void {
    this.line += 1;
    const cells = (this.line === 1 ? withoutMark(text) : text).split(",");
    if (this.#read === undefined && this.#begins(cells)) return;
    if (cells.length < this.#columns.size)
      throw new MarketDataError(`expected ${this.#columns.size} cells, found ${cells.length}`);
    const cell = (column: string): string => cells[this.#columns.get(column) ?? -1] ?? "";
    for (const row of this.#read?.({ cell }) ?? []) {
      if (row.timeMs < this.#lastMs)
        throw new MarketDataError("the time must not be before the time of the previous row");
      this.#lastMs = row.timeMs;
      this.#rows += 1;
      rows.push(row);
    }
  }

  end(): void {
    if (this.#rows === 0) throw new MarketDataError("the file must have at least one row");
  }

  /** Chooses the format by the first line. Returns whether that line is a header. */
  #begins(cells: readonly string[]): boolean {
    if (cells.some((cell) => cell.includes("\r"))) throw new MarketDataError(LONE_RETURNS);
    const isHeader = cells.some((cell) => /[a-z]/.test(cell));
    const columns = isHeader ? cells : BAR_COLUMNS;
    const { symbol, ...bars } = this.#options;
    this.#read = readerOf(columns, { symbol, bars });
    if (this.#read === undefined)
      throw new MarketDataError(`the header must have the columns of a known format: ${describeFormats()}`);
    this.#columns = new Map(columns.map((column, index) => [column, index]));
    return isHeader;
  }
}

/** The lines of each part of a file, without their ends. An empty line at the end of the file is none. */
async function* linesOf(path: string): AsyncGenerator<readonly string[]> {
  const file = createReadStream(path);
  const input = path.endsWith(".gz") ? file.pipe(createGunzip()) : file;
  if (input !== file) file.on("error", (error) => input.destroy(error));
  input.setEncoding("utf8");
  let rest = "";
  try {
    for await (const part of input) {
      const lines = (rest + String(part)).split("\n");
      rest = lines.pop() ?? "";
      demandLine(rest);
      yield lines.map(withoutReturn);
    }
  } finally {
    file.destroy();
  }
  if (rest !== "") yield [withoutReturn(rest)];
}

const withoutReturn = (line: string): string => (line.endsWith("\r") ? line.slice(0, -1) : line);

/** Spreadsheets write a byte order mark before the first line. */
const withoutMark = (line: string): string => (line.startsWith("\uFEFF") ? line.slice(1) : line);

/** Refuses a line without an end, so that a file that is no text does not fill the memory. */
function demandLine(begun: string): void {
  if (begun.length <= LONGEST_LINE) return;
  if (begun.slice(0, -1).includes("\r")) throw new MarketDataError(LONE_RETURNS);
  throw new MarketDataError(`a line must have at most ${LONGEST_LINE} characters`);
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
