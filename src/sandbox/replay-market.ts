import { createReadStream } from "node:fs";
import { basename } from "node:path";
import { createInterface } from "node:readline";
import { floorFact, PRICE_SCALE, QUANTITY_SCALE } from "../decimal/index.ts";
import type { Clock, Instruments, KeyValueStore, MarketSink, QuoteInput } from "../ports/index.ts";
import { EPOCH_MS, parseWhole, SettingsError } from "./input.ts";
import type { Market } from "./market.ts";

/** A row of the quotes file. Crossed and zero quotes are real input: the quote gate drops and counts them. */
type QuoteRow = Readonly<{
  kind: "quote";
  timeMs: number;
  line: number;
  quote: Omit<QuoteInput, "timeMs">;
}>;

/** A row of the trades file. */
type TradeRow = Readonly<{
  kind: "trade";
  timeMs: number;
  line: number;
  trade: Readonly<{ symbol: string; price: string; quantity: string }>;
}>;

/** A row of recorded market data; `line` counts from 1 in its file. */
export type ReplayRow = QuoteRow | TradeRow;

/** Files and instruments of a replay. */
type ReplayFiles = Readonly<{ quotesPath: string; tradesPath?: string; instruments: Instruments }>;

const QUOTE_HEADER = "time,symbol,bid,bidQuantity,ask,askQuantity";
const TRADE_HEADER = "time,symbol,price,quantity";

/** Facts are read by their value; decimals below a step are cut off where they count. */
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
    const sized = { ...(bidQuantity !== "" && { bidQuantity }), ...(askQuantity !== "" && { askQuantity }) };
    return { kind: "quote", ...at, quote: { symbol, bid, ask, ...sized } };
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
  const [time = ""] = cells;
  const timeMs = parseWhole(time, EPOCH_MS);
  if (timeMs === undefined) return `time must be in epoch milliseconds, not ${JSON.stringify(time)}`;
  return read(cells, { timeMs, line });
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

/**
 * Position of a recorded replay: every row up to `fedToMs` was fed. The position is durable before the rows are fed.
 */
export type ReplayPosition = Readonly<{
  /** Time of the newest rows that were fed; `undefined` if none were. */
  fedToMs: number | undefined;
  /** Resolves when the rows up to that time will never be fed again, whatever happens. */
  store: (timeMs: number) => Promise<void>;
}>;

/** Key of the stored position, beside that of the manual clock. */
const FED_KEY = "replay.fedTo";

/** Opens the position stored in `store`. Throws if the stored text is not a time. */
export async function openReplayPosition(store: KeyValueStore): Promise<ReplayPosition> {
  const stored = await store.get(FED_KEY);
  const fedToMs = stored === undefined ? undefined : parseWhole(stored, EPOCH_MS);
  if (stored !== undefined && fedToMs === undefined)
    throw new SettingsError(`the stored position ${FED_KEY} cannot be read`);
  return { fedToMs, store: (timeMs) => store.set(FED_KEY, String(timeMs)) };
}

/**
 * Pace of a replay. `recorded`: a row is delivered when the clock reaches the row's own time (with a manual clock). A
 * number: rows are replayed from now on at that multiple of their original speed, each with the time of its delivery
 * (with the real clock); after the first row the replay waits to be run.
 */
type ReplayPace = "recorded" | number;

/**
 * Data and settings of a replay; `rows` are in time order. With a position a row is fed at most once, even after a
 * crash.
 */
type ReplayOptions = Readonly<{
  rows: readonly ReplayRow[];
  clock: Clock;
  pace: ReplayPace;
  position?: ReplayPosition | undefined;
}>;

type Pacing = {
  /** Returns the monotonic time at which a row is due. A manual clock is never set, so it is the row's own time. */
  dueMs(row: ReplayRow): number;
  /** Returns the time with which a row is delivered. */
  stampMs(row: ReplayRow): number;
  /** Restarts the pace now, with this row as the last that was delivered. */
  resume(last: ReplayRow): void;
};

const RECORDED: Pacing = {
  dueMs: (row) => row.timeMs,
  stampMs: (row) => row.timeMs,
  resume: () => undefined,
};

function paced(clock: Clock, speed: number): Pacing {
  let publishedMs = 0;
  let rowMs = 0;
  return {
    dueMs: (row) => publishedMs + Math.ceil((row.timeMs - rowMs) / speed),
    stampMs: () => clock.nowMs(),
    resume: (last) => {
      publishedMs = clock.monotonicMs();
      rowMs = last.timeMs;
    },
  };
}

/**
 * A market from recorded rows. The start delivers the rows of the current time. Of the rows that were not fed and are
 * already in the past, it delivers the newest quote and trade of each symbol.
 */
export class ReplayMarket implements Market {
  readonly #clock: Clock;
  readonly #rows: readonly ReplayRow[];
  readonly #pacing: Pacing;
  readonly #position: ReplayPosition | undefined;
  #sink: MarketSink | undefined;
  #running: boolean;
  /** Index of the next row. */
  #next: number;
  /** The due rows were already in the past when the replay started or resumed: only the newest are delivered. */
  #isBehind = false;
  /** Storage of the position in progress. The rows that it covers are delivered after it. */
  #storing: Promise<void> | undefined;
  #hasFailed = false;
  #cancelTimer: (() => void) | undefined;

  constructor({ clock, rows, pace, position }: ReplayOptions) {
    this.#clock = clock;
    this.#rows = rows;
    this.#pacing = pace === "recorded" ? RECORDED : paced(clock, pace);
    this.#running = pace === "recorded";
    this.#position = position;
    const fedToMs = position?.fedToMs ?? Number.NEGATIVE_INFINITY;
    const next = rows.findIndex(({ timeMs }) => timeMs > fedToMs);
    this.#next = next < 0 ? rows.length : next;
  }

  get running(): boolean {
    return this.#running;
  }

  start(sink: MarketSink): void {
    this.#sink = sink;
    this.#resume();
  }

  run(on: boolean): void {
    if (on === this.#running) return;
    this.#running = on;
    if (on) this.#resume();
    else this.#plan();
  }

  nextTimeMs(): number | undefined {
    const row = this.#rows[this.#next];
    return row === undefined || !this.#running ? undefined : this.#pacing.dueMs(row);
  }

  stop(): void {
    this.#running = false;
    this.#plan();
  }

  get busy(): boolean {
    return this.#storing !== undefined || this.#hasFailed;
  }

  async settled(): Promise<void> {
    if (this.#hasFailed) this.#publishDue();
    await this.#storing;
  }

  #resume(): void {
    const last = this.#rows[Math.max(this.#next - 1, 0)];
    if (last !== undefined) this.#pacing.resume(last);
    this.#isBehind = true;
    this.#publishDue();
  }

  #plan(): void {
    this.#cancelTimer?.();
    const nextMs = this.nextTimeMs();
    this.#cancelTimer =
      nextMs === undefined ? undefined : this.#clock.schedule(nextMs, () => this.#goBehind(nextMs));
  }

  /** Runs after other timers of the same time, whichever was scheduled first. */
  #goBehind(dueMs: number): void {
    this.#cancelTimer = this.#clock.schedule(dueMs, () => this.#publishDue());
  }

  /** Delivers the due rows after the position beyond them is stored. Rows that become due meanwhile follow. */
  #publishDue(): void {
    if (this.#storing !== undefined) return;
    this.#hasFailed = false;
    const nowMs = this.#clock.monotonicMs();
    let end = this.#next;
    for (let row = this.#rows[end]; row !== undefined && this.#pacing.dueMs(row) <= nowMs; ) {
      row = this.#rows[++end];
    }
    const last = this.#rows[end - 1];
    if (end === this.#next || last === undefined || this.#position === undefined) return this.#publish(end);
    this.#storing = this.#storeAndPublish(this.#position, end, last.timeMs);
    this.#storing.catch(() => undefined);
  }

  async #storeAndPublish(position: ReplayPosition, end: number, timeMs: number): Promise<void> {
    try {
      await position.store(timeMs);
      this.#publish(end);
    } catch (error) {
      this.#hasFailed = true;
      throw error;
    } finally {
      this.#storing = undefined;
    }
  }

  /**
   * Delivers the rows up to `end`. Of rows in the past, it delivers only the newest of each kind and those of the
   * current time.
   */
  #publish(end: number): void {
    const rows = this.#rows.slice(this.#next, end);
    this.#next = end;
    const nowMs = this.#clock.monotonicMs();
    const newest = new Map(rows.map((row) => [keyOf(row), row]));
    for (const row of rows) {
      const isPublished =
        !this.#isBehind || newest.get(keyOf(row)) === row || this.#pacing.dueMs(row) === nowMs;
      if (isPublished) this.#deliver(row);
    }
    this.#isBehind = false;
    this.#plan();
  }

  #deliver(row: ReplayRow): void {
    const timeMs = this.#pacing.stampMs(row);
    if (row.kind === "quote") this.#sink?.quote({ ...row.quote, timeMs });
    else this.#sink?.print({ ...row.trade, id: `${timeMs}-${row.line}`, timeMs });
  }
}

const keyOf = (row: ReplayRow): string =>
  row.kind === "quote" ? `quote ${row.quote.symbol}` : `trade ${row.trade.symbol}`;
