import type { MarketRow, MarketSource } from "./market-row.ts";

type Waiting = { readonly rows: AsyncIterator<MarketRow> | Iterator<MarketRow>; row: MarketRow };

/**
 * Merges markets into one, in the order of times. Rows of the same time keep the order of the arguments. Reads one row
 * of each market ahead.
 *
 * @example
 * ```ts
 * import { type MarketRow, mergeMarkets } from "managed-orders/simulator";
 * const bitcoin: MarketRow[] = [{ kind: "quote", timeMs: 2, symbol: "BTC/USD", bid: "60000", ask: "60001" }];
 * const ether: MarketRow[] = [{ kind: "quote", timeMs: 1, symbol: "ETH/USD", bid: "3000", ask: "3001" }];
 * const symbols: string[] = [];
 * for await (const { symbol } of mergeMarkets(bitcoin, ether)) symbols.push(symbol);
 * console.log(symbols.join()); // ETH/USD,BTC/USD
 * ```
 */
export async function* mergeMarkets(...markets: readonly MarketSource[]): AsyncGenerator<MarketRow> {
  const waiting: Waiting[] = [];
  try {
    for (const market of markets) {
      const rows = rowsOf(market);
      const first = await rows.next();
      if (first.done !== true) waiting.push({ rows, row: first.value });
    }
    for (let next = earliest(waiting); next !== undefined; next = earliest(waiting)) {
      yield next.row;
      const { done, value } = await next.rows.next();
      if (done === true) waiting.splice(waiting.indexOf(next), 1);
      else next.row = value;
    }
  } finally {
    for (const { rows } of waiting) await rows.return?.();
  }
}

function rowsOf(market: MarketSource): AsyncIterator<MarketRow> | Iterator<MarketRow> {
  return Symbol.asyncIterator in market ? market[Symbol.asyncIterator]() : market[Symbol.iterator]();
}

function earliest(waiting: readonly Waiting[]): Waiting | undefined {
  let first: Waiting | undefined;
  for (const entry of waiting) if (first === undefined || entry.row.timeMs < first.row.timeMs) first = entry;
  return first;
}
