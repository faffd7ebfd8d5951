import { formatPrice, formatQuantity, max, min, type Price, type Quantity } from "../../decimal/index.ts";
import type { Quote } from "../../model/index.ts";
import type { MarketChart } from "./chart.ts";
import { Columns } from "./columns.ts";

const MOST_COLUMNS = 2_048;

type Prices = Readonly<{
  timeMs: number;
  bid: Price;
  ask: Price;
  lowestBid: Price;
  highestBid: Price;
  lowestAsk: Price;
  highestAsk: Price;
}>;
type Volume = Readonly<{ timeMs: number; total: Quantity }>;

/** Prices and executed volume of one symbol, in bounded memory. */
export class MarketPath {
  readonly #prices: Columns<Prices>;
  readonly #volumes: Columns<Volume>;

  constructor(startMs: number) {
    this.#prices = new Columns<Prices>(startMs, { most: MOST_COLUMNS, join: joinPrices });
    this.#volumes = new Columns<Volume>(startMs, { most: MOST_COLUMNS, join: (_, later) => later });
  }

  /** Takes note of a counted quote. */
  quoted(quote: Quote): void {
    const { bid, ask, timeMs } = quote;
    const range = { lowestBid: bid, highestBid: bid, lowestAsk: ask, highestAsk: ask };
    this.#prices.add(timeMs, { timeMs, bid, ask, ...range });
  }

  /** Takes note of the executed volume since the start. */
  traded(timeMs: number, total: Quantity): void {
    this.#volumes.add(timeMs, { timeMs, total });
  }

  /** Returns the course so far. */
  chart(symbol: string): MarketChart {
    return {
      symbol,
      columnMs: this.#prices.lengthMs,
      prices: this.#prices.all().map(({ value: { timeMs, ...prices } }) => ({
        timeMs,
        bid: formatPrice(prices.bid),
        ask: formatPrice(prices.ask),
        lowestBid: formatPrice(prices.lowestBid),
        highestBid: formatPrice(prices.highestBid),
        lowestAsk: formatPrice(prices.lowestAsk),
        highestAsk: formatPrice(prices.highestAsk),
      })),
      volumes: this.#volumes
        .all()
        .map(({ value: { timeMs, total } }) => ({ timeMs, total: formatQuantity(total) })),
    };
  }
}

function joinPrices(earlier: Prices, later: Prices): Prices {
  return {
    timeMs: earlier.timeMs,
    bid: later.bid,
    ask: later.ask,
    lowestBid: min(earlier.lowestBid, later.lowestBid),
    highestBid: max(earlier.highestBid, later.highestBid),
    lowestAsk: min(earlier.lowestAsk, later.lowestAsk),
    highestAsk: max(earlier.highestAsk, later.highestAsk),
  };
}
