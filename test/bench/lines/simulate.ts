import type { NewManagedOrder } from "../../../src/client/index.ts";
import { createRandom } from "../../../src/common/random.ts";
import { formatPrice, Price } from "../../../src/decimal/index.ts";
import type { Quote } from "../../../src/model/index.ts";
import { type MarketRow, type Strategy, simulate } from "../../../src/simulator/index.ts";
import { TriggerBook } from "../../../src/triggers/index.ts";
import { START_MS, SYMBOL } from "../../support/world.ts";
import { type Line, rounds } from "../line.ts";
import { metered } from "../metered.ts";

const QUOTES = 1_000_000;
const TRADES = 300_000;
/** Of the rows of the line of trades, one of so many is a quote. */
const TRADES_A_QUOTE = 10;
/** Of these, about 45 are met; 1,000 stay open to the end. */
const PARENTS = 1_050;
const STEP_MS = 100;

/** A cent, in units of a price. */
const CENT = 1_000_000;
const START_CENTS = 6_000_000;

const text = (cents: number): string => formatPrice((cents * CENT) as unknown as Price);

/**
 * Returns quotes of a random walk that stays within three percent of its start: one every 100 ms, with sizes; with
 * `tradesAQuote`, one of so many rows is a quote after the first two, and the others are trades. They come out of a JSON text,
 * as data that a program has read: texts that V8 has put together lie in many pieces.
 */
function walk(count: number, tradesAQuote = 1): readonly MarketRow[] {
  const random = createRandom(7);
  let cents = START_CENTS;
  return Array.from({ length: count }, (_, n) => {
    const next = cents + random.below(201) - 100;
    cents = Math.abs(next - START_CENTS) > 0.03 * START_CENTS ? cents : next;
    const [bid, ask] = [text(cents), text(cents + 1)];
    const time = `"timeMs":${START_MS + n * STEP_MS},"symbol":"${SYMBOL}"`;
    if (n > 1 && n % tradesAQuote > 0)
      return JSON.parse(`{"kind":"trade",${time},"price":"${bid}","quantity":"0.042109"}`) as MarketRow;
    const sizes = '"bidQuantity":"1.884838","askQuantity":"33.353996"';
    return JSON.parse(`{"kind":"quote",${time},"bid":"${bid}","ask":"${ask}",${sizes}}`) as MarketRow;
  });
}

/** Order n of the mix: stops, trailing stops, limits and take-profits, from a thousandth to a fifth away. */
function orderOf(n: number): NewManagedOrder {
  const bps = 10 + 2 * n;
  const away = Math.round((START_CENTS * bps) / 10_000);
  const common = { symbol: SYMBOL, quantity: "0.01", newClientOrderId: `order-number-${n}-of-the-mix` };
  const [below, above] = [text(START_CENTS - away), text(START_CENTS + away)];
  if (n % 4 === 0) return { ...common, side: "SELL", type: "STOP_MARKET", stopPrice: below };
  if (n % 4 === 1) return { ...common, side: "SELL", type: "TRAILING_STOP_MARKET", trailingDelta: bps };
  if (n % 4 === 2) return { ...common, side: "BUY", type: "SYNTHETIC_LIMIT", price: below };
  return { ...common, side: "SELL", type: "TAKE_PROFIT_MARKET", stopPrice: above };
}

const strategy: Strategy = async ({ account }) => {
  for (let n = 0; n < PARENTS; n++) await account.place(orderOf(n));
};

/** Returns the quotes of a walk as a trigger book gets them. */
const quotesOf = (count: number): readonly Quote[] =>
  walk(count).map((row, index) => {
    if (row.kind !== "quote") throw new Error("a walk without trades has quotes only");
    const [bid, ask] = [Price.parse(row.bid), Price.parse(row.ask)];
    return { symbol: SYMBOL, bid, ask, bids: [], asks: [], timeMs: row.timeMs, sequence: index + 1 };
  });

/** Returns a trigger book with stops that no quote of a walk meets. */
function restingBook(): TriggerBook {
  const book = new TriggerBook(SYMBOL);
  for (let n = 0; n < PARENTS; n++) {
    const condition = { direction: "atOrBelow", level: Price.parse(text(5_000_000 - n)) } as const;
    const watch = { kind: "level", side: "bid", condition } as const;
    book.add({ orderId: -256 * (n + 1), acceptedAtMs: START_MS, acceptance: n + 1, watch });
  }
  return book;
}

/** Measures whole simulations: opening, 1,000 placements, rows, the orders that they meet, and the statistics. */
const simulation = (
  rows: number,
  part: number,
  line: Pick<Line, "work" | "unit"> & Readonly<{ tradesAQuote?: number }>,
): Line => ({
  work: line.work,
  unit: line.unit,
  peer: "the trigger book alone, as many quotes",
  timedBy: "processor",
  target: `>= ${part}x`,
  reached: (_perSecond, ratio) => ratio >= part,
  async open({ of }) {
    const market = walk(of(rows), line.tradesAQuote);
    const [book, quotes] = [restingBook(), quotesOf(of(rows))];
    const balances = { USD: "100000000", BTC: "1000" };
    const run = (some: readonly MarketRow[]): Promise<unknown> =>
      simulate({ symbols: [SYMBOL], market: some, balances, strategy });
    await run(market.slice(0, of(50_000)));
    return rounds(async () => ({
      ours: await metered(market.length, () => run(market)),
      peer: await metered(quotes.length, () => {
        for (const quote of quotes) book.observe(quote);
      }),
    }));
  },
});

export const simulateQuotes: Line = simulation(QUOTES, 0.4, {
  work: "simulate: quotes of one instrument, 1,000 parents near and far, from placement to result",
  unit: "quotes",
});

export const simulateTrades: Line = simulation(TRADES, 0.2, {
  work: "simulate: the same, nine of ten rows are trades",
  unit: "rows",
  tradesAQuote: TRADES_A_QUOTE,
});
