import { OrderError } from "../../../errors/index.ts";
import { readDayTickerQuery, readTickerQuery } from "../../../requests/index.ts";
import type { JsonInput, Parameters } from "../../../wire/index.ts";
import { symbolOf, type Ticker, tickerOf } from "../market-handlers.ts";
import type { ServiceParts } from "../parts.ts";

type Shown = (ticker: Ticker) => Ticker | undefined;

/** Answers with a part of the ticker of one market, or of all markets that have that part. */
function tickers(show: Shown): (parts: ServiceParts, parameters: Parameters) => JsonInput {
  const shownOf = (parts: ServiceParts, symbol: string): Ticker | undefined => {
    const known = tickerOf(parts, symbol);
    return known && show(known);
  };
  return (parts, parameters) => {
    const { symbol } = readDayTickerQuery(parameters);
    if (symbol === undefined) {
      const all = parts.instruments.all().map((each) => shownOf(parts, each.symbol));
      return all.filter((one) => one !== undefined);
    }
    const one = shownOf(parts, symbolOf(parts, symbol));
    if (one === undefined) throw new OrderError("NO_DEPTH");
    return one;
  };
}

/** GET /compat/api/v3/ticker/price: the price of GET /api/ticker. */
export const priceTicker: ReturnType<typeof tickers> = tickers(({ symbol, price }) => ({ symbol, price }));

/** GET /compat/api/v3/ticker/bookTicker: the best prices and sizes of the last counted quote. */
export const bookTicker: ReturnType<typeof tickers> = tickers(
  ({ symbol, bidPrice, bidQty, askPrice, askQty }) =>
    bidPrice === undefined ? undefined : { symbol, bidPrice, bidQty, askPrice, askQty },
);

/**
 * GET /compat/api/v3/avgPrice: the price by which the opening minimum of a market order is checked. It is the last price
 * and no average, which `mins` 0 says, as `avgPriceMins` of the filter does.
 */
export function averagePrice(parts: ServiceParts, parameters: Parameters): JsonInput {
  const known = tickerOf(parts, symbolOf(parts, readTickerQuery(parameters).symbol));
  if (known === undefined) throw new OrderError("NO_DEPTH");
  return { mins: 0, price: known.price, closeTime: parts.clock.nowMs() };
}
