import {
  add,
  formatPrice,
  formatQuantity,
  min,
  type Notional,
  notionalOf,
  type Price,
  portion,
  type Quantity,
  subtract,
  ZERO_QUANTITY,
} from "../decimal/index.ts";
import type { Fill, Level, Quote, Side } from "../model/index.ts";
import type { LevelInput, PrintInput, QuoteInput } from "../ports/index.ts";

/** An order from the book's point of view. Without a `limitPrice` it takes every level. */
export type Taker = Readonly<{ symbol: string; side: Side; quantity: Quantity; limitPrice?: Price }>;

/** A part of an order at one level, and the quantity that the level had before, if the quote has sizes. */
export type Take = Readonly<{ price: Price; quantity: Quantity; shown?: Quantity }>;

/** An order by amount. `slip` returns the part at one level at the price that it really gets. */
type AmountTaker = Readonly<{
  symbol: string;
  side: Side;
  amount: Notional;
  slip: (take: Take) => Take;
}>;

/** The smallest quantity. Amount divided by price is counted in it. */
const ONE_STEP = 1 as Quantity;

/** Returns the whole steps of quantity that an amount buys at a price. */
const quantityFor = (amount: Notional, price: Price): Quantity =>
  portion(ONE_STEP, { numerator: amount, denominator: price, rounding: "down" });

type OpenLevel = { readonly price: Price; left: Quantity | undefined };

/** One side of a quote. Its levels are opened when an order first looks at them, because most quotes meet none. */
type OpenSide = { levels: readonly OpenLevel[] | undefined };
type Sides = { quote: Quote; readonly bids: OpenSide; readonly asks: OpenSide };

const opened = (levels: readonly Level[]): readonly OpenLevel[] =>
  levels.map(({ price, size }) => ({ price, left: size }));

const isTaken = (levels: readonly Level[], side: OpenSide): boolean =>
  side.levels?.some(({ left }, index) => left !== levels[index]?.size) ?? false;

const inputOf = (levels: readonly Level[], side: OpenSide): readonly LevelInput[] =>
  (side.levels ?? opened(levels)).map(({ price, left }) =>
    left === undefined ? [formatPrice(price)] : [formatPrice(price), formatQuantity(left)],
  );

const takeOf = ({ price, left }: OpenLevel, quantity: Quantity): Take =>
  left === undefined ? { price, quantity } : { price, quantity, shown: left };

/** Remaining sizes of the newest quote of every symbol. */
export class OrderBook {
  readonly #quotes: Map<string, Sides> = new Map();

  /** Applies a newer quote, which resets the sizes. */
  replace(quote: Quote): void {
    const sides = this.#quotes.get(quote.symbol);
    if (sides === undefined) {
      this.#quotes.set(quote.symbol, { quote, bids: { levels: undefined }, asks: { levels: undefined } });
      return;
    }
    sides.quote = quote;
    sides.bids.levels = undefined;
    sides.asks.levels = undefined;
  }

  /** Returns the current matches of an order, best price first. Takes nothing. */
  match(order: Taker): readonly Take[] {
    const takes: Take[] = [];
    let rest = order.quantity;
    for (const level of this.#reachable(order)) {
      if (rest <= 0) break;
      const quantity = level.left === undefined ? rest : min(rest, level.left);
      if (quantity <= 0) continue;
      takes.push(takeOf(level, quantity));
      rest = subtract(rest, quantity);
    }
    return takes;
  }

  /**
   * Returns the current matches of an order by amount, at the prices that `slip` gives to the levels. It receives the
   * quantity that the amount buys without slippage. `spent` is false if the levels ran out before the amount was used
   * up.
   */
  matchAmount({ amount, slip, ...market }: AmountTaker): Readonly<{
    takes: readonly Take[];
    spent: boolean;
  }> {
    const takes: Take[] = [];
    let rest = amount;
    for (const { price: shown, left } of this.#reachable(market)) {
      if (left !== undefined && left <= 0) continue;
      const affordable = quantityFor(rest, shown);
      if (affordable <= 0) return { takes, spent: true };
      const there = takeOf({ price: shown, left }, left === undefined ? affordable : min(affordable, left));
      const { price } = slip(there);
      const wanted = quantityFor(rest, price);
      if (wanted <= 0) return { takes, spent: true };
      const quantity = left === undefined ? wanted : min(wanted, left);
      takes.push({ ...there, price, quantity });
      if (quantity === wanted) return { takes, spent: true };
      rest = subtract(rest, notionalOf(price, quantity));
    }
    return { takes, spent: false };
  }

  /** Returns the newest quote of a symbol with what is left of its sizes; undefined if nothing was taken of them. */
  left(symbol: string): QuoteInput | undefined {
    const sides = this.#quotes.get(symbol);
    if (sides === undefined) return undefined;
    const { quote, bids, asks } = sides;
    if (!isTaken(quote.bids, bids) && !isTaken(quote.asks, asks)) return undefined;
    const prices = { bid: formatPrice(quote.bid), ask: formatPrice(quote.ask) };
    return { symbol, ...prices, bids: inputOf(quote.bids, bids), asks: inputOf(quote.asks, asks) };
  }

  /** Returns whether a quote of the symbol ever arrived. */
  has(symbol: string): boolean {
    return this.#quotes.has(symbol);
  }

  /** Takes the result of {@link match}. It is unavailable until the next quote. */
  take(order: Omit<Taker, "quantity">, takes: readonly Take[]): void {
    let rest = total(takes);
    for (const level of this.#reachable(order)) {
      const quantity = level.left === undefined ? rest : min(rest, level.left);
      if (level.left !== undefined) level.left = subtract(level.left, quantity);
      rest = subtract(rest, quantity);
    }
  }

  #reachable({ symbol, side, limitPrice }: Omit<Taker, "quantity">): readonly OpenLevel[] {
    const sides = this.#quotes.get(symbol);
    if (sides === undefined) return [];
    if (side === "BUY") {
      sides.asks.levels ??= opened(sides.quote.asks);
      return sides.asks.levels.filter(({ price }) => limitPrice === undefined || price <= limitPrice);
    }
    sides.bids.levels ??= opened(sides.quote.bids);
    return sides.bids.levels.filter(({ price }) => limitPrice === undefined || price >= limitPrice);
  }
}

/** Returns the sum of quantities. */
export function total(parts: readonly Readonly<{ quantity: Quantity }>[]): Quantity {
  return parts.reduce((sum, part) => add(sum, part.quantity), ZERO_QUANTITY);
}

/** Returns the first parts of takes, up to a quantity. */
export function firstOf(takes: readonly Take[], most: Quantity): readonly Take[] {
  const first: Take[] = [];
  let rest = most;
  for (const take of takes) {
    if (rest <= 0) break;
    const quantity = min(rest, take.quantity);
    first.push({ ...take, quantity });
    rest = subtract(rest, quantity);
  }
  return first;
}

/** Reports the fills of the venue as prints. */
export class PrintPublisher {
  readonly #listeners: Set<(print: PrintInput) => void> = new Set();

  subscribe(listener: (print: PrintInput) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  publish(symbol: string, fills: readonly Fill[]): void {
    for (const { executionId: id, price, quantity, timeMs } of fills) {
      const print = { symbol, price: formatPrice(price), quantity: formatQuantity(quantity), id, timeMs };
      for (const listener of [...this.#listeners]) listener(print);
    }
  }
}
