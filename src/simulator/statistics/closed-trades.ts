import { Decimal } from "decimal.js";
import type { Side } from "../../model/index.ts";

/** A sale, or the part of one, of what was bought before. `profit` is after commissions, in USD. */
export interface ClosedTrade {
  readonly symbol: string;
  readonly openedMs: number;
  readonly closedMs: number;
  readonly quantity: string;
  readonly profit: string;
}

type Execution = Readonly<{
  timeMs: number;
  symbol: string;
  side: Side;
  price: string;
  quantity: string;
  commission: string;
}>;

type Lot = { left: Decimal; readonly unitCost: Decimal; readonly timeMs: number };

/**
 * Returns one closed trade for each sale that sells something bought in the simulation, oldest purchase first. What the
 * account had at the start has no purchase and closes nothing.
 */
export function closedTrades(
  fills: readonly Execution[],
  held: Readonly<Record<string, string>>,
): readonly ClosedTrade[] {
  const lots = new Map<string, Lot[]>();
  const closed: ClosedTrade[] = [];
  const initial = new Map(Object.entries(held).map(([symbol, quantity]) => [symbol, new Decimal(quantity)]));
  for (const fill of fills) {
    const queue = lots.get(fill.symbol) ?? [];
    lots.set(fill.symbol, queue);
    if (fill.side === "BUY") queue.push(lotOf(fill));
    else {
      const trade = sell(fill, queue, initial);
      if (trade !== undefined) closed.push(trade);
    }
  }
  return closed;
}

function lotOf({ timeMs, price, quantity, commission }: Execution): Lot {
  const bought = new Decimal(quantity);
  return { left: bought, unitCost: new Decimal(commission).dividedBy(bought).plus(price), timeMs };
}

function sell(fill: Execution, queue: Lot[], initial: Map<string, Decimal>): ClosedTrade | undefined {
  const { symbol, timeMs, price, quantity, commission } = fill;
  const sold = new Decimal(quantity);
  const unitProceeds = new Decimal(price).minus(new Decimal(commission).dividedBy(sold));
  const wanted = takenFromStart(symbol, sold, initial);
  let [rest, profit] = [wanted, new Decimal(0)];
  const openedMs = queue[0]?.timeMs;
  for (let lot = queue[0]; lot !== undefined && !rest.isZero(); lot = queue[0]) {
    const part = Decimal.min(lot.left, rest);
    profit = profit.plus(unitProceeds.minus(lot.unitCost).times(part));
    lot.left = lot.left.minus(part);
    rest = rest.minus(part);
    if (lot.left.isZero()) queue.shift();
  }
  const closed = wanted.minus(rest);
  if (openedMs === undefined || closed.isZero()) return undefined;
  return {
    symbol,
    openedMs,
    closedMs: timeMs,
    quantity: closed.toFixed(),
    profit: profit.toDecimalPlaces(8).toFixed(),
  };
}

/** Returns what is left of a sale after the quantity that the account had at the start. */
function takenFromStart(symbol: string, sold: Decimal, initial: Map<string, Decimal>): Decimal {
  const had = initial.get(symbol) ?? new Decimal(0);
  const part = Decimal.min(had, sold);
  initial.set(symbol, had.minus(part));
  return sold.minus(part);
}
