import {
  type OptionCheck,
  type OptionChecks,
  optionalOption,
  optionsOf,
  textOption,
  wrongOption,
} from "../../common/index.ts";
import {
  floorFact,
  formatPrice,
  formatQuantity,
  type Price,
  parsePriceFact,
  parseScaled,
  portion,
  QUANTITY_SCALE,
  type Quantity,
  subtract,
  withinPriceRange,
  ZERO_QUANTITY,
} from "../../decimal/index.ts";
import { MarketDataError, type MarketRow } from "./market.ts";

/** Open, high, low and close of a period, and its volume, in decimal strings. `openMs` is epoch milliseconds. */
export interface Bar {
  readonly symbol: string;
  readonly openMs: number;
  readonly intervalMs: number;
  readonly open: string;
  readonly high: string;
  readonly low: string;
  readonly close: string;
  readonly volume: string;
}

/** The extreme of a bar that the market reaches first. */
export type BarPath = "low-first" | "high-first";

/** How bars become quotes. */
export interface BarOptions {
  /**
   * Order of the extremes inside a bar, or a function that decides for each bar. Default: `low-first`, which is the
   * adverse order for a long position. Choose `high-first` for a strategy that sells short.
   */
  readonly path?: BarPath | ((bar: Bar) => BarPath);
  /** Distance between bid and ask in basis points of the price, a decimal string. Default: "2". */
  readonly spreadBps?: string;
}

const DEFAULT_SPREAD_BPS = "2";
const BPS_SCALE = 8;
/** Half of a spread of one basis point is this part of a price, in units of 1e-8 basis points. */
const HALVES: bigint = 2n * 10_000n * 10n ** BigInt(BPS_SCALE);
/** A bar has four prices, at the start of each quarter of its period; the last at its end. */
const POINTS = 4n;
/** Between its prices the market stands: a quote is confirmed before it is too old, as settings are by default. */
const HEARTBEAT_MS = 5_000;

const pathOption: OptionCheck = (value, name) => {
  if (typeof value === "function" || value === "low-first" || value === "high-first") return;
  throw wrongOption(value, name, '"low-first", "high-first", or a function that returns one of them', true);
};

/** Checks for each option of bars. */
export const barChecks: OptionChecks<BarOptions> = {
  path: optionalOption(pathOption),
  spreadBps: optionalOption(
    textOption(
      'a decimal string of basis points, such as "2"',
      (text) => parseScaled(text, BPS_SCALE) !== undefined,
    ),
  ),
};

const barOption: OptionCheck = optionsOf<BarOptions>(barChecks);

/**
 * Turns bars into quotes, heartbeats and trades: four prices for each bar, at the start of its quarters, the last at its end,
 * a quarter of its volume with each, and a heartbeat every five seconds between. Half of the quarter is the size of the bid,
 * and half that of the ask, so that what an account executes within a bar never exceeds its volume. Throws a TypeError or RangeError that names a wrong option, and a MarketDataError
 * for a bar whose prices are no decimals or whose high or low does not enclose them.
 *
 * @example
 * ```ts
 * import { type Bar, marketOfBars } from "managed-orders/simulator";
 * const bar: Bar = {
 *   symbol: "BTC/USD",
 *   openMs: 0,
 *   intervalMs: 60_000,
 *   open: "60000",
 *   high: "60100",
 *   low: "59900",
 *   close: "60050",
 *   volume: "12",
 * };
 * for await (const row of marketOfBars([bar], { spreadBps: "0" }))
 *   if (row.kind === "quote") console.log(row.timeMs, row.bid);
 * ```
 */
export function marketOfBars(
  bars: Iterable<Bar> | AsyncIterable<Bar>,
  options: BarOptions = {},
): AsyncIterable<MarketRow> {
  barOption(options, "marketOfBars");
  return { [Symbol.asyncIterator]: () => rowsOf(bars, options) };
}

async function* rowsOf(
  bars: Iterable<Bar> | AsyncIterable<Bar>,
  options: BarOptions,
): AsyncGenerator<MarketRow> {
  for await (const bar of bars) yield* rowsOfBar(bar, options);
}

/** Returns the rows of one bar. Throws a MarketDataError. */
export function* rowsOfBar(bar: Bar, { path = "low-first", spreadBps }: BarOptions): Generator<MarketRow> {
  const { symbol, openMs, intervalMs } = bar;
  const { open, high, low, close } = pricesOf(bar);
  const chosen = typeof path === "function" ? path(bar) : path;
  const points = chosen === "high-first" ? [open, high, low, close] : [open, low, high, close];
  const spread = BigInt(parseScaled(spreadBps ?? DEFAULT_SPREAD_BPS, BPS_SCALE) ?? 0);
  const volumes = quarters(bar);
  let quotedMs = openMs;
  for (const [index, price] of points.entries()) {
    const isLast = index === points.length - 1;
    const timeMs = isLast ? openMs + intervalMs - 1 : openMs + Math.floor((intervalMs * index) / 4);
    const quantity = volumes[index] ?? ZERO_QUANTITY;
    for (let atMs = quotedMs + HEARTBEAT_MS; atMs < timeMs; atMs += HEARTBEAT_MS)
      yield { kind: "heartbeat", timeMs: atMs, symbol };
    quotedMs = timeMs;
    yield { kind: "quote", timeMs, symbol, ...aroundPrice(price, spread), ...halves(quantity) };
    if (quantity > 0)
      yield {
        kind: "trade",
        timeMs,
        symbol,
        price: formatPrice(price),
        quantity: formatQuantity(quantity),
        id: `${openMs}-${index}`,
      };
  }
}

type Prices = Readonly<Record<"open" | "high" | "low" | "close", Price>>;

function pricesOf(bar: Bar): Prices {
  const read = (name: keyof Prices): Price => {
    const value = parsePriceFact(bar[name]);
    if (value !== undefined) return value;
    throw new MarketDataError(`${name} must be a positive decimal with at most 8 decimals, got ${bar[name]}`);
  };
  const prices = { open: read("open"), high: read("high"), low: read("low"), close: read("close") };
  const { open, high, low, close } = prices;
  if (high >= open && high >= close && low <= open && low <= close) return prices;
  throw new MarketDataError("high must be the highest and low the lowest of the four prices");
}

/** Divides a volume into four parts whose sum is the volume. Decimals below the smallest quantity are dropped. */
function quarters({ volume }: Bar): readonly Quantity[] {
  const total = floorFact(volume, QUANTITY_SCALE);
  if (total === undefined) throw new MarketDataError(`volume must be a decimal, got ${volume}`);
  const part = portion(total as Quantity, { numerator: 1, denominator: POINTS, rounding: "down" });
  const last = [part, part, part].reduce((rest, each) => subtract(rest, each), total as Quantity);
  return [part, part, part, last];
}

/** Returns a volume as the sizes of both sides. */
function halves(volume: Quantity): Readonly<{ bidQuantity: string; askQuantity: string }> {
  const half = portion(volume, { numerator: 1, denominator: 2n, rounding: "down" });
  return { bidQuantity: formatQuantity(half), askQuantity: formatQuantity(subtract(volume, half)) };
}

/** Returns bid and ask around a price, each half a spread away. */
function aroundPrice(price: Price, spread: bigint): Readonly<{ bid: string; ask: string }> {
  const part = (numerator: bigint, rounding: "up" | "down"): string =>
    formatPrice(withinPriceRange(portion(price, { numerator, denominator: HALVES, rounding })));
  return { bid: part(HALVES - spread, "down"), ask: part(HALVES + spread, "up") };
}
