import { formatScaled, PRICE_SCALE, type Price } from "../decimal/index.ts";
import type { Quote } from "../model/index.ts";
import type { Clock, LevelInput, MarketSink, PrintInput, QuoteInput } from "../ports/index.ts";

/** A source of quotes and prints on the clock of the sandbox. */
export type Market = {
  /** Starts to deliver to the sink. Called once. */
  start(sink: MarketSink): void;
  /** Runs or pauses the market. Data that would have come during a pause is dropped. */
  run(on: boolean): void;
  /** Whether the market is running. */
  readonly running: boolean;
  /** Returns the monotonic time of the next delivery, or `undefined` if nothing is planned. */
  nextTimeMs(): number | undefined;
  /** Whether a delivery is pending that needs no time. */
  readonly busy: boolean;
  /** Resolves when the pending delivery is done. Rejects if it fails. */
  settled(): Promise<void>;
  /** Stops the market permanently. */
  stop(): void;
};

/** The market without data of its own: quotes and prints come from the control interface. */
export const MANUAL_MARKET: Market = {
  start: () => undefined,
  run: () => undefined,
  running: false,
  nextTimeMs: () => undefined,
  busy: false,
  settled: async () => undefined,
  stop: () => undefined,
};

/** The part of an engine that a market needs. */
type MarketEngine = Readonly<{
  market: MarketSink;
  quote: (symbol: string) => Readonly<{ quote: Quote }> | undefined;
}>;

/**
 * Returns the sink of an engine that also passes on every counted quote, as counted, before anything else can happen.
 * The paper venue receives them: its sizes must be those of the quote on which the engine decides.
 */
export function tapCountedQuotes(engine: MarketEngine, onCounted: (quote: Quote) => void): MarketSink {
  return {
    quote: (input) => {
      const verdict = engine.market.quote(input);
      const counted = verdict === "counted" ? engine.quote(input.symbol) : undefined;
      if (counted !== undefined) onCounted(counted.quote);
      return verdict;
    },
    heartbeat: (symbol) => engine.market.heartbeat(symbol),
    print: (print) => engine.market.print(print),
  };
}

/**
 * Clock and settings of a synthetic market. It takes a step every `stepMs`, by default 250. Of many instruments, a part
 * moves in each step.
 */
type SyntheticOptions = Readonly<{
  clock: Clock;
  seed: number;
  starts?: readonly WalkStart[];
  stepMs?: number;
}>;

const STARTS: readonly WalkStart[] = [
  { symbol: "BTC/USD", steps: 6_000_000, decimals: 2 },
  { symbol: "ETH/USD", steps: 300_000, decimals: 2 },
  { symbol: "SOL/USD", steps: 15_000, decimals: 2 },
];

const STEP_MS = 250;
/** More quotes in one step would hold up everything else, and 500 instruments still have each price every 4 s. */
const MOST_IN_STEP = 32;

/** A seeded random walk of several instruments. It starts running. */
export class SyntheticMarket implements Market {
  readonly #clock: Clock;
  readonly #stepMs: number;
  readonly #walks: readonly RandomWalk[];
  #sink: MarketSink | undefined;
  #first = 0;
  #nextMs: number | undefined;
  #cancelTimer: (() => void) | undefined;

  constructor({ clock, seed, starts = STARTS, stepMs = STEP_MS }: SyntheticOptions) {
    this.#clock = clock;
    this.#stepMs = stepMs;
    this.#walks = starts.map((start) => createRandomWalk(start, seed));
  }

  get running(): boolean {
    return this.#nextMs !== undefined;
  }

  nextTimeMs(): number | undefined {
    return this.#nextMs;
  }

  start(sink: MarketSink): void {
    this.#sink = sink;
    this.#step();
  }

  /** Always false: only the clock delivers its steps. */
  readonly busy = false;

  async settled(): Promise<void> {}

  run(on: boolean): void {
    if (!on) this.stop();
    else if (!this.running) this.#step();
  }

  stop(): void {
    this.#cancelTimer?.();
    this.#nextMs = undefined;
  }

  #step(): void {
    // At the start, every instrument gets its price.
    const count = this.#nextMs === undefined ? this.#walks.length : MOST_IN_STEP;
    const walks = this.#walks.slice(this.#first, this.#first + count);
    this.#first += count;
    if (this.#first >= this.#walks.length) this.#first = 0;
    for (const walk of walks) {
      const { quote, print } = walk(this.#clock.nowMs());
      this.#sink?.quote(quote);
      if (print !== undefined) this.#sink?.print(print);
    }
    this.#nextMs = this.#clock.monotonicMs() + this.#stepMs;
    this.#cancelTimer = this.#clock.schedule(this.#nextMs, () => this.#step());
  }
}

/** Start price of an instrument's walk, in steps of `decimals` decimals: cents, or less for a low price. */
type WalkStart = Readonly<{ symbol: string; steps: number; decimals: number }>;

/** Quote and optional print of one step of a walk. */
type WalkStep = Readonly<{ quote: QuoteInput; print?: PrintInput }>;

/** Takes one step. The same seed gives the same steps. */
type RandomWalk = (timeMs: number) => WalkStep;

/** Returns a whole number from 0 to below `limit`. */
type RandomBelow = (limit: number) => number;

const CENT_DECIMALS = 2;
/** Fewer steps would make the smallest move a large one. */
const LEAST_STEPS = 10_000;
const MILLIONTH_SCALE = 6;
const LEVELS = 5;
const SMALLEST_SIZE = 10_000;
const SIZE_RANGE = 4_990_000;
/** A step changes the price by at most one part in this number: 2 basis points. */
const STEPS_IN_PRICE = 5_000;
/** The spread is at most one part in this number: half a basis point, but at least a cent. */
const SPREADS_IN_PRICE = 20_000;

/** Returns the start of a walk at a price, in steps of a cent, or less so that there are enough. */
export function walkStart(symbol: string, price: Price): WalkStart {
  let decimals = CENT_DECIMALS;
  const stepsAt = (scale: number): bigint => BigInt(price) / 10n ** BigInt(PRICE_SCALE - scale);
  while (decimals < PRICE_SCALE && stepsAt(decimals) < LEAST_STEPS) decimals++;
  return { symbol, steps: Number.parseInt(String(stepsAt(decimals)), 10), decimals };
}

/**
 * Creates a walk of one instrument between half and double its start price. It uses whole steps, so that rounding is
 * the same in every run.
 */
export function createRandomWalk({ symbol, steps, decimals }: WalkStart, seed: number): RandomWalk {
  const randomBelow = createRandomBelow(`${seed} ${symbol}`);
  let middle = steps;
  return (timeMs) => {
    const reach = Math.max(1, Math.floor(middle / STEPS_IN_PRICE));
    const moved = middle + randomBelow(2 * reach + 1) - reach;
    middle = Math.min(Math.max(moved, Math.ceil(steps / 2)), steps * 2);
    const ask = middle + 1 + randomBelow(Math.max(1, Math.floor(middle / SPREADS_IN_PRICE)));
    const quote = quoteOf({ symbol, bid: middle, ask, timeMs, decimals }, randomBelow);
    return randomBelow(3) > 0 ? { quote } : { quote, print: printOf(quote, randomBelow) };
  };
}

type Best = Readonly<{ symbol: string; bid: number; ask: number; timeMs: number; decimals: number }>;

function quoteOf({ symbol, bid, ask, timeMs, decimals }: Best, randomBelow: RandomBelow): QuoteInput {
  const bids = levels({ best: bid, direction: -1, decimals }, randomBelow);
  const asks = levels({ best: ask, direction: 1, decimals }, randomBelow);
  const [bidText, askText] = [formatScaled(bid, decimals), formatScaled(ask, decimals)];
  return { symbol, bid: bidText, ask: askText, bids, asks, timeMs };
}

function levels(
  { best, direction, decimals }: Readonly<{ best: number; direction: 1 | -1; decimals: number }>,
  randomBelow: RandomBelow,
): readonly LevelInput[] {
  let price = best;
  return Array.from({ length: LEVELS }, (_, depth): LevelInput => {
    if (depth > 0) price += direction * (1 + randomBelow(3));
    return [formatScaled(price, decimals), sizeText(randomBelow)];
  });
}

/** Returns a print at the best price of either side. There is at most one per step, so its time is its id. */
function printOf(quote: QuoteInput, randomBelow: RandomBelow): PrintInput {
  const { symbol, bid, ask, timeMs = 0 } = quote;
  return {
    symbol,
    price: randomBelow(2) === 0 ? bid : ask,
    quantity: sizeText(randomBelow),
    id: `walk-${timeMs}`,
    timeMs,
  };
}

const sizeText = (randomBelow: RandomBelow): string =>
  formatScaled(SMALLEST_SIZE + randomBelow(SIZE_RANGE), MILLIONTH_SCALE);

/**
 * Creates a mulberry32 generator, seeded with a hash of the text. It uses whole numbers only, so results are the same
 * on every machine.
 */
function createRandomBelow(text: string): RandomBelow {
  let state = hash(text);
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
}

/** Returns the 32-bit FNV-1a hash. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index++)
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  return value;
}
