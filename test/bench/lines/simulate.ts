import type { NewManagedOrder } from "../../../src/client/index.ts";
import { createRandom } from "../../../src/common/random.ts";
import { formatPrice, type Price } from "../../../src/decimal/index.ts";
import { type MarketRow, type Strategy, simulate } from "../../../src/simulator/index.ts";
import { START_MS, SYMBOL } from "../../support/world.ts";
import { type Line, rounds } from "../line.ts";
import { metered } from "../metered.ts";

const QUOTES = 1_000_000;
/** Of these, about 45 are met; 1,000 stay open to the end. */
const PARENTS = 1_050;
const STEP_MS = 100;

/** A cent, in units of a price. */
const CENT = 1_000_000;
const START_CENTS = 6_000_000;

const text = (cents: number): string => formatPrice((cents * CENT) as unknown as Price);

/**
 * Returns quotes of a random walk that stays within three percent of its start: one every 100 ms, with sizes. They come
 * out of a JSON text, as data that a program has read: texts that V8 has put together lie in many pieces.
 */
function walk(count: number): readonly MarketRow[] {
  const random = createRandom(7);
  let cents = START_CENTS;
  return Array.from({ length: count }, (_, n) => {
    const next = cents + random.below(201) - 100;
    cents = Math.abs(next - START_CENTS) > 0.03 * START_CENTS ? cents : next;
    const [bid, ask] = [text(cents), text(cents + 1)];
    const time = `"timeMs":${START_MS + n * STEP_MS},"symbol":"${SYMBOL}"`;
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

/** Measures a whole simulation: opening, 1,000 placements, quotes, the orders that they meet, and the statistics. */
export const simulateQuotes: Line = {
  work: "simulate: quotes of one instrument, 1,000 parents near and far, from placement to result",
  unit: "quotes",
  timedBy: "processor",
  target: ">= 800 k/s",
  reached: (perSecond) => perSecond >= 800_000,
  async open({ of }) {
    const market = walk(of(QUOTES));
    const balances = { USD: "100000000", BTC: "1000" };
    const run = (rows: readonly MarketRow[]): Promise<unknown> =>
      simulate({ symbols: [SYMBOL], market: rows, balances, strategy });
    await run(market.slice(0, of(50_000)));
    return rounds(async () => ({ ours: await metered(market.length, () => run(market)) }));
  },
};
