import {
  add,
  formatNotional,
  NOTIONAL_SCALE,
  type Notional,
  notionalOf,
  parseScaled,
  portion,
  ZERO_NOTIONAL,
} from "../../decimal/index.ts";
import type { Quote } from "../../model/index.ts";
import type { PaperVenue } from "../../paper-exchange/index.ts";
import type { EquityPoint } from "./result.ts";

/** What an equity curve is drawn from. */
export type EquityParts = Readonly<{ venue: PaperVenue; accountId: number; symbols: readonly string[] }>;

/**
 * The value of an account over time, one point for each period that has passed. It begins when each symbol that the
 * account holds has a quote.
 */
export class EquityCurve {
  readonly #parts: EquityParts;
  readonly #points: EquityPoint[] = [];
  readonly #quotes: Map<string, Quote> = new Map();

  constructor(parts: EquityParts) {
    this.#parts = parts;
  }

  get points(): readonly EquityPoint[] {
    return this.#points;
  }

  /** Takes note of the newest quote of a symbol. */
  quoted(quote: Quote): void {
    this.#quotes.set(quote.symbol, quote);
  }

  /** Returns the symbols that the account holds without a quote that the engine counted. They have no value yet. */
  get unquoted(): readonly string[] {
    const { venue, accountId, symbols } = this.#parts;
    return symbols.filter((symbol) => !this.#quotes.has(symbol) && venue.position(accountId, symbol) !== 0);
  }

  /**
   * Adds a point, or replaces the last one if it is of the same time. Returns false and adds none while a holding has no
   * quote, because the first quote of the holding would look like a profit.
   */
  draw(timeMs: number): boolean {
    if (this.unquoted.length > 0) return false;
    if (this.#points.at(-1)?.timeMs === timeMs) this.#points.pop();
    this.#points.push({ timeMs, equity: formatNotional(this.#equity()) });
    return true;
  }

  #equity(): Notional {
    const { venue, accountId, symbols } = this.#parts;
    const usd = parseScaled(venue.balances(accountId)["USD"] ?? "0", NOTIONAL_SCALE) as Notional | undefined;
    return symbols.reduce((sum, symbol) => add(sum, this.#valueOf(symbol)), usd ?? ZERO_NOTIONAL);
  }

  /** Returns the value at the middle of bid and ask. A symbol without a quote is not held. */
  #valueOf(symbol: string): Notional {
    const { venue, accountId } = this.#parts;
    const quote = this.#quotes.get(symbol);
    if (quote === undefined) return ZERO_NOTIONAL;
    const both = add(quote.bid, quote.ask);
    const twice = notionalOf(both, venue.position(accountId, symbol));
    return portion(twice, { numerator: 1, denominator: 2, rounding: "down" });
  }
}
