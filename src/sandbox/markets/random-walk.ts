import { formatScaled, PRICE_SCALE, type Price } from "../../decimal/index.ts";
import type { LevelInput, PrintInput, QuoteInput } from "../../ports/index.ts";

/** Start price of an instrument's walk, in steps of `decimals` decimals: cents, or less for a low price. */
export type WalkStart = Readonly<{ symbol: string; steps: number; decimals: number }>;

/** Quote and optional print of one step of a walk. */
export type WalkStep = Readonly<{ quote: QuoteInput; print?: PrintInput }>;

/** Takes one step. The same seed gives the same steps. */
export type RandomWalk = (timeMs: number) => WalkStep;

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
