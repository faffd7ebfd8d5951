import { createMemoryHost, type MemoryHost, type Settle } from "../../adapters/memory/index.ts";
import {
  flagOption,
  functionOption,
  listOption,
  nextTurn,
  type OptionCheck,
  objectOption,
  optionalOption,
  optionsOf,
  recordOption,
  textOption,
  wholeOption,
  wrongOption,
} from "../../common/index.ts";
import type { EngineSettings } from "../../engine/index.ts";
import { type RunningEngine, runEngine } from "../../engine/internal.ts";
import {
  type ExecutionTerms,
  openSimulatedVenue,
  type PaperVenue,
  termsOption,
  watchedTerms,
} from "../../paper-exchange/index.ts";
import type { Instruments, OrderStore, PrintInput } from "../../ports/index.ts";
import {
  batchesOf,
  MarketDataError,
  type MarketRow,
  type MarketSource,
  type QuoteRow,
} from "../market/market.ts";
import { Recorder, type SimulationResult } from "../result.ts";
import { Activity } from "../strategy/activity.ts";
import { ACCOUNT_ID, createTrader, type Strategy } from "../strategy/trader.ts";

/** Options of a simulation. */
export interface SimulationOptions {
  /** Symbols of the market, such as `["BTC/USD"]`. A row of another symbol is an error. */
  readonly symbols: readonly string[];
  /** Quotes and trades in the order of time: an array, {@link csvMarket}, {@link marketOfBars}, or your own. */
  readonly market: MarketSource;
  readonly strategy: Strategy;
  /** What the account holds at the start, as decimal strings by asset. Default: 100,000 USD. */
  readonly balances?: Readonly<Record<string, string>>;
  /** Fees, slippage, latency and refusals of the venue. Default: none of them. */
  readonly venue?: ExecutionTerms;
  /** Settings of the engine, as for `openEngine`. Advanced orders are on. */
  readonly settings?: Partial<EngineSettings>;
  /**
   * Time between two points of the equity curve, and period of the returns behind volatility, Sharpe and Sortino, in
   * milliseconds. Default: a minute. Each fill adds a point too. For bars, pass their length: otherwise the moves between
   * the extremes inside a bar, whose order is assumed, count as returns.
   */
  readonly sampleMs?: number;
  /** Time to which the clock moves after the last row, so that pending work can end. Default: the last row. */
  readonly endMs?: number;
  /**
   * Whether the result has the course of the market for {@link reportOf}: prices, volumes, trailing levels and the price
   * at the arrival of each order. Its memory is bounded by symbol and by order. Default: false.
   */
  readonly chart?: boolean;
}

const marketOption: OptionCheck = (value, name) => {
  const isSource =
    typeof value === "object" &&
    value !== null &&
    (Symbol.iterator in value || Symbol.asyncIterator in value);
  if (!isSource)
    throw wrongOption(value, name, "rows in the order of time, such as an array or csvMarket(path)");
};

const simulationOption: OptionCheck = optionsOf<SimulationOptions>({
  symbols: listOption('a list of symbols, such as ["BTC/USD"]', textOption("a symbol such as BTC/USD")),
  market: marketOption,
  strategy: functionOption("receives the trader and places orders"),
  balances: optionalOption(
    recordOption("an object with amounts by asset", textOption('a decimal string, such as "1000"')),
  ),
  venue: optionalOption(termsOption),
  // The engine checks the settings themselves.
  settings: optionalOption(objectOption("an object of engine settings")),
  sampleMs: optionalOption(wholeOption({ from: 1 }, " of milliseconds")),
  endMs: optionalOption(wholeOption({ from: 0 }, " of epoch milliseconds")),
  chart: optionalOption(flagOption),
});

const DEFAULT_BALANCES = { USD: "100000" };
const DEFAULT_SAMPLE_MS = 60_000;
const QUOTE_TEXTS = ["bid", "ask", "bidQuantity", "askQuantity"] as const;

/**
 * Runs a strategy on a market: an engine, a paper venue and a clock in memory, all unchanged from live use. Each row of
 * the market is delivered at its time, after everything that was due before it. The same input gives the same result.
 * Throws a TypeError or RangeError that names a wrong option, a MarketDataError that names the first row that cannot be
 * used or a symbol that the account holds without any quote, and whatever the strategy or the
 * slippage model throws.
 *
 * @example
 * ```ts
 * import { type MarketRow, simulate } from "managed-orders/simulator";
 * const quote = (timeMs: number, bid: string, ask: string): MarketRow => {
 *   return { kind: "quote", timeMs, symbol: "BTC/USD", bid, ask };
 * };
 * const { statistics, balances } = await simulate({
 *   symbols: ["BTC/USD"],
 *   market: [quote(0, "60000", "60001"), quote(1_000, "59000", "59001")],
 *   balances: { USD: "0", BTC: "1" },
 *   strategy: ({ account }) =>
 *     account.place({ symbol: "BTC/USD", side: "SELL", type: "STOP_MARKET", quantity: "1", stopPrice: "59500" }),
 * });
 * console.log(balances, statistics.turnover); // { USD: '59000', BTC: '0' } 59000
 * ```
 */
export async function simulate(options: SimulationOptions): Promise<SimulationResult> {
  simulationOption(options, "simulate");
  let simulation: Simulation | undefined;
  const begin = async (row: MarketRow): Promise<void> => {
    requireTime(row, 1);
    requireMilliseconds(row);
    simulation = await openSimulation(options, row.timeMs);
    await simulation.feed(row);
  };
  try {
    await eachRow(options.market, (row) => (simulation === undefined ? begin(row) : simulation.feed(row)));
    if (simulation === undefined) throw new MarketDataError("the market has no rows");
    return await simulation.end(options.endMs);
  } finally {
    await simulation?.close();
  }
}

/** Visits the rows in order, and waits only for visits that return a promise: most rows of a market need no waiting. */
async function eachRow(
  market: MarketSource,
  visit: (row: MarketRow) => Promise<void> | undefined,
): Promise<void> {
  for await (const batch of batchesOf(market)) {
    for (const row of batch) {
      const visiting = visit(row);
      if (visiting !== undefined) await visiting;
    }
  }
}

async function openSimulation(options: SimulationOptions, startMs: number): Promise<Simulation> {
  const { symbols, venue: executionTerms = {}, balances = DEFAULT_BALANCES } = options;
  const host = createMemoryHost({ symbols, startMs });
  const { clock, instruments } = host;
  const activity = new Activity();
  const calls = new StoreCalls();
  const terms = watchedTerms(executionTerms, (error) => activity.fail(error));
  const venue = await openSimulatedVenue({ clock, instruments, terms });
  await venue.setBalances(ACCOUNT_ID, balances);
  const settings = { ...options.settings, advancedOrders: true };
  const engine = await runEngine({ ...host, store: calls.of(host.store), exposure: venue, venue, settings });
  // Nobody opens this store again: to keep each trade would cost more than the rest of the simulation.
  engine.market.tape.forgoStore();
  return new Simulation(options, { host, venue, engine, activity, calls });
}

type Parts = Readonly<{
  host: MemoryHost;
  engine: RunningEngine;
  venue: PaperVenue;
  activity: Activity;
  calls: StoreCalls;
}>;

/** One run. */
class Simulation {
  readonly #options: SimulationOptions;
  readonly #parts: Parts;
  readonly #settle: Settle;
  readonly #recorder: Recorder;
  readonly #symbols: ReadonlySet<string>;
  readonly #sampleMs: number;
  #isStarted = false;
  #sampleAtMs: number;
  #rows = 0;

  constructor(options: SimulationOptions, parts: Parts) {
    const { engine, venue, host } = parts;
    const { symbols, sampleMs = DEFAULT_SAMPLE_MS, chart: hasChart = false } = options;
    this.#options = options;
    this.#parts = parts;
    this.#symbols = new Set(symbols);
    this.#sampleMs = sampleMs;
    this.#sampleAtMs = host.clock.nowMs();
    this.#settle = () => settled(parts);
    const { clock, instruments } = host;
    const valued = firstOfEachAsset(symbols, instruments);
    this.#recorder = new Recorder({ engine, venue, clock, symbols, valued, sampleMs, hasChart });
    venue.onPrint((print) => this.#print(print));
  }

  /**
   * Delivers a row at its time: at once if everything is at rest and nothing is due until then, as for most rows.
   * Otherwise returns a promise that resolves when the row is delivered. Throws or rejects for a row that cannot be
   * used.
   */
  feed(row: MarketRow): Promise<void> | undefined {
    const { clock } = this.#parts.host;
    this.#rows += 1;
    requireTime(row, this.#rows);
    if (!this.#symbols.has(row.symbol)) throw wrongRow(this.#rows, `${row.symbol} is not among the symbols`);
    if (!(row.timeMs >= clock.nowMs()))
      throw wrongRow(this.#rows, "its time is before that of the previous row");
    if (!isSettled(this.#parts) || !clock.skipTo(row.timeMs)) return this.#feedLater(row);
    this.#deliver(row);
    this.#throwFailure();
    return undefined;
  }

  async #feedLater(row: MarketRow): Promise<void> {
    await this.#moveTo(row.timeMs);
    this.#deliver(row);
    this.#throwFailure();
  }

  /** Moves time to the end and returns the result. */
  async end(endMs: number | undefined): Promise<SimulationResult> {
    const { clock } = this.#parts.host;
    await this.#moveTo(Math.max(endMs ?? 0, clock.nowMs()));
    const { curve } = this.#recorder;
    if (!curve.draw(clock.nowMs())) {
      const held = curve.unquoted.join(", ");
      throw new MarketDataError(
        `the market has no quote of ${held} that the engine counted, but the account holds it`,
      );
    }
    return this.#recorder.result(clock.nowMs());
  }

  async close(): Promise<void> {
    await this.#parts.engine.close();
    await this.#parts.venue.close();
  }

  async #moveTo(timeMs: number): Promise<void> {
    await this.#parts.host.clock.advanceTo(timeMs, this.#settle);
    this.#throwFailure();
  }

  #deliver(row: MarketRow): void {
    if (row.kind === "heartbeat") return this.#heartbeat(row.symbol);
    if (row.kind === "trade") {
      this.#requireText("price", row.price);
      this.#requireText("quantity", row.quantity);
      return this.#print({ ...row, id: marketId(row.id ?? `row-${this.#rows}`) });
    }
    this.#quote(row);
    if (row.timeMs >= this.#sampleAtMs && this.#recorder.curve.draw(row.timeMs)) {
      this.#sampleAtMs = row.timeMs + this.#sampleMs;
    }
    if (this.#isStarted) return;
    this.#isStarted = true;
    const { host, activity } = this.#parts;
    const trader = createTrader({ ...this.#parts, clock: host.clock });
    activity.run(() => this.#options.strategy(trader));
  }

  /** Refuses a number, which the engine would drop like any text that it cannot read. */
  #requireText(name: string, value: unknown): void {
    if (typeof value === "string") return;
    const problem = `must be a decimal string such as "60000.5", got ${String(value)} of type ${typeof value}`;
    throw new TypeError(`row ${this.#rows} of the market cannot be used: ${name} ${problem}`);
  }

  /** Gives a quote to the engine and, if it counts, to the equity curve, to the venue and to the strategy. */
  #quote(row: QuoteRow): void {
    const { engine, venue, activity } = this.#parts;
    const quote = engine.market.take(row);
    if (typeof quote === "string") {
      if (quote !== "malformed") return;
      for (const name of QUOTE_TEXTS)
        if (row[name] !== undefined || name === "bid" || name === "ask") this.#requireText(name, row[name]);
      return;
    }
    this.#recorder.quoted(quote);
    venue.quote(quote);
    activity.quoted(quote);
  }

  /** Gives a trade of the market or of the venue to the engine and, if it counts, to the venue and to the chart. */
  #print(print: PrintInput): void {
    const counted = this.#parts.engine.market.print(print);
    if (counted === undefined) return;
    this.#parts.venue.traded(counted);
    this.#recorder.printed(counted);
  }

  /** Confirms a quote. If something was taken of its sizes, the engine is told what is left of them. */
  #heartbeat(symbol: string): void {
    const { engine, venue } = this.#parts;
    const left = venue.left(symbol);
    if (left === undefined) engine.market.heartbeat(symbol);
    else engine.market.quote(left);
  }

  #throwFailure(): void {
    const { failure } = this.#parts.activity;
    if (failure !== undefined) throw failure.error;
  }
}

/** Returns the symbols in which holdings have their value: what two markets trade is held once. */
function firstOfEachAsset(symbols: readonly string[], instruments: Instruments): readonly string[] {
  const assetOf = (symbol: string): string => instruments.find(symbol)?.baseAsset ?? symbol;
  const firsts = new Map(symbols.toReversed().map((symbol) => [assetOf(symbol), symbol]));
  return symbols.filter((symbol) => firsts.get(assetOf(symbol)) === symbol);
}

/**
 * Refuses a time that is no whole number. A text would be compared as a number and added as a text, and the engine drops
 * quotes and trades with a fraction of a millisecond.
 */
function requireTime({ timeMs }: MarketRow, row: number): void {
  if (!Number.isSafeInteger(timeMs) || timeMs < 0)
    throw wrongRow(row, "its time must be a whole number of epoch milliseconds");
}

/** The years 2000 and 5138 in seconds since the epoch. */
const [FIRST_SECOND, LAST_SECOND] = [946_684_800, 100_000_000_000];

/**
 * Refuses a market whose first time is seconds or microseconds since the epoch: taken for milliseconds, orders by time would
 * meet a thousandth or a thousandfold of the market. Times of one's own, from 0 on, are usual in tests.
 */
function requireMilliseconds({ timeMs }: MarketRow): void {
  const refused = (unit: string, remedy: string): MarketDataError =>
    wrongRow(1, `its timeMs ${timeMs} is in ${unit} since the epoch; ${remedy} the times by 1,000`);
  if (timeMs >= FIRST_SECOND && timeMs < LAST_SECOND) throw refused("seconds", "multiply");
  if (timeMs >= LAST_SECOND * 1_000) throw refused("microseconds", "divide");
}

const wrongRow = (row: number, problem: string): MarketDataError =>
  new MarketDataError(`row ${row} of the market cannot be used: ${problem}`);

/**
 * Returns the id of a market trade for the engine, which counts each id once. The venue numbers its own executions 1, 2
 * and so on, so a number gets a prefix. Other ids are unchanged, because a prefix would make the longest ones too long.
 */
const marketId = (id: string): string => (/^(market-)*\d{1,16}$/.test(id) ? `market-${id}` : id);

/** Calls that a store has not answered yet. The store in memory answers in turns of the event loop, which take no time. */
class StoreCalls {
  #open = 0;
  #waiting: (() => void)[] = [];

  get busy(): boolean {
    return this.#open > 0;
  }

  /** Resolves when every call is answered. */
  idle(): Promise<void> {
    return this.busy ? new Promise((resolve) => this.#waiting.push(resolve)) : Promise.resolve();
  }

  /** Returns the store, whose calls are counted. */
  of(store: OrderStore): OrderStore {
    const counted = Object.entries(store).map(([name, member]: [string, unknown]) => [
      name,
      typeof member === "function" ? (...args: unknown[]) => this.#counted(member(...args)) : member,
    ]);
    return Object.fromEntries(counted) as OrderStore;
  }

  #counted(answer: unknown): unknown {
    if (!(answer instanceof Promise)) return answer;
    this.#open += 1;
    const answered = (): void => {
      this.#open -= 1;
      if (!this.busy) for (const resolve of this.#waiting.splice(0)) resolve();
    };
    answer.then(answered, answered);
    return answer;
  }
}

/** Steps of promises after which a listener for quotes that returned nothing counts as done. */
const CALM_STEPS = 64;

/** Returns whether engine, venue and strategy are at rest already, so that nothing need be waited for. */
function isSettled({ engine, venue, activity, calls }: Omit<Parts, "host">): boolean {
  return activity.isAtRest && engine.isIdle && !venue.busy && !calls.busy;
}

/** Resolves when engine, venue and strategy can do nothing more without time. */
async function settled({ engine, venue, activity, calls }: Omit<Parts, "host">): Promise<void> {
  for (;;) {
    await engine.idle();
    if (venue.busy) {
      await venue.idle();
      continue;
    }
    // Housekeeping is no work that the engine waits for, but a call must not reach its deadline while the store works.
    if (calls.busy) {
      await calls.idle();
      for (let step = 0; step < CALM_STEPS; step++) await undefined;
      continue;
    }
    if (activity.isFresh) {
      activity.isFresh = false;
      for (let step = 0; step < CALM_STEPS; step++) await undefined;
      continue;
    }
    if (activity.isAtRest) return;
    const before = activity.events;
    activity.needsTurn = false;
    // The strategy may continue after an answer, in a later microtask.
    await nextTurn();
    await engine.idle();
    if (venue.busy || activity.isFresh || activity.needsTurn || activity.events !== before) continue;
    activity.restedAt = before;
    return;
  }
}
