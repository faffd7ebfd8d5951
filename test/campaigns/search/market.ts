import {
  notional,
  type Price,
  price,
  type Quantity,
  quantity,
  ZERO_QUANTITY,
} from "../../../src/decimal/index.ts";
import type { Rules } from "../../../src/lifecycle/index.ts";
import type { Quote } from "../../../src/model/index.ts";

/** The prices of the searched market, lowest first. A quote shows one of them on both sides, without sizes. */
export const PRICES: readonly Price[] = [price("10"), price("15"), price("20")];

/** A price as a trace shows it. */
export const PRICE_WORDS: readonly string[] = ["10", "15", "20"];

/** Place of the lowest price, at which one unit is worth less than the minimum: a rest of one unit is dust there. */
export const LOW = 0;
export const MIDDLE = 1;
export const HIGH = 2;

/** Distance of every trailing leg. */
export const TRAIL: Price = price("5");

/** Time at which a form is accepted; step k of its clock is k seconds later. */
export const ACCEPTED_AT_MS = 1_760_000_000_000;

/** Time of a step of the clock. */
export const timeOf = (clock: number): number => ACCEPTED_AT_MS + clock * 1_000;

/**
 * The requirements of the exchange; without pauses between children, since time stands still between two steps of the
 * clock.
 */
export const RULES: Rules = { minimum: notional("15"), retryMinMs: 0, retryMaxMs: 0 };

/** The same with the setting by which an entry with a rest below the minimum releases its exits. */
export const RULES_COUNTING_RESIDUALS: Rules = { ...RULES, residualCountsAsFilled: true };

const QUANTITIES: readonly Quantity[] = [ZERO_QUANTITY, ...["1", "2", "3", "4"].map(quantity)];
const UNIT = 1_000_000;

/** A number of units as a quantity. */
export function quantityOf(units: number): Quantity {
  const value = QUANTITIES[units];
  if (value === undefined) throw new RangeError(`no quantity of ${units} units is searched`);
  return value;
}

/** A quantity in units. */
export function unitsOf(value: Quantity): number {
  return Number(value) / UNIT;
}

const QUOTES: readonly Quote[] = PRICES.map((at) => ({
  symbol: "BTC/USD",
  bid: at,
  ask: at,
  bids: [{ price: at }],
  asks: [{ price: at }],
  timeMs: ACCEPTED_AT_MS,
  sequence: 1,
}));

/** The quote at a price. */
export function quoteAt(place: number): Quote {
  const quote = QUOTES[place];
  if (quote === undefined) throw new RangeError(`no price ${place}`);
  return quote;
}

/** The price at a place. */
export function priceAt(place: number): Price {
  return quoteAt(place).bid;
}
