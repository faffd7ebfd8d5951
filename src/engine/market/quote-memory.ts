import type { KeptQuote, Quote } from "../../model/index.ts";
import type { MarkHistory } from "../../triggers/index.ts";
import type { GateMemory } from "./quote-gate.ts";

/**
 * The last counted quote of every market that open parents watch, in its durable version. The first quote after an
 * opening is checked against it (decision BR).
 */
export class QuoteMemory {
  readonly #watchesAll: boolean;
  /** Quotes in the store. */
  readonly #stored: Map<string, KeptQuote> = new Map();
  /** Number of parents that watch each market. Only watched markets have an entry. */
  readonly #open: Map<string, number> = new Map();
  /** Watched symbols whose last quote the store may not have. A commit looks at no others. */
  readonly #unkept: Set<string> = new Set();

  /** With `watchesAll`, the last quotes of all open markets are kept: orders of other nodes may watch them. */
  constructor({ watchesAll = false }: Readonly<{ watchesAll?: boolean }> = {}) {
    this.#watchesAll = watchesAll;
  }

  /** Notes that a market was opened. */
  opened(symbol: string): void {
    if (this.#watchesAll) this.watch(symbol);
  }

  /** Stores quotes that are durable: those that the store held at the opening, and later ones. */
  stored(quotes: readonly KeptQuote[]): void {
    for (const quote of quotes) this.#stored.set(quote.symbol, quote);
  }

  /** Forgets which quotes the store has, so that all last quotes are due: another engine may have stored others. */
  doubt(): void {
    this.#stored.clear();
    for (const symbol of this.#open.keys()) this.#unkept.add(symbol);
  }

  /** Notes a counted quote. */
  counted({ symbol }: Quote): void {
    if (this.#open.has(symbol)) this.#unkept.add(symbol);
  }

  /** Returns whether an open parent of this engine watches a market. */
  hasParents(symbol: string): boolean {
    return (this.#open.get(symbol) ?? 0) > (this.#watchesAll ? 1 : 0);
  }

  /** Returns the markets that open parents of this engine watch. */
  watched(): readonly string[] {
    return [...this.#open.keys()].filter((symbol) => this.hasParents(symbol));
  }

  /** Counts one more open parent that watches a market. */
  watch(symbol: string): void {
    const watching = this.#open.get(symbol) ?? 0;
    this.#open.set(symbol, watching + 1);
    if (watching === 0) this.#unkept.add(symbol);
  }

  /** Subtracts a parent that has ended or is not known any more. */
  unwatch(symbol: string): void {
    const watching = this.#open.get(symbol) ?? 0;
    if (watching > 1) return void this.#open.set(symbol, watching - 1);
    this.#open.delete(symbol);
    this.#unkept.delete(symbol);
  }

  /**
   * Returns the last counted quotes that the store does not have yet: of markets with open parents and of those in
   * `touched`.
   */
  due(last: (symbol: string) => Quote | undefined, touched: Iterable<string>): readonly KeptQuote[] {
    const quotes: KeptQuote[] = [];
    for (const symbol of new Set([...this.#unkept, ...touched])) {
      const quote = last(symbol);
      if (quote === undefined || isSame(this.#stored.get(symbol), quote)) {
        // Nothing needs keeping until the next quote is counted.
        this.#unkept.delete(symbol);
        continue;
      }
      const { bid, ask, timeMs } = quote;
      quotes.push({ symbol, bid, ask, timeMs });
    }
    return quotes;
  }

  /**
   * Returns the prices against which the first quote of a market with open parents is checked: the kept quote, else the
   * newest mark, else an empty memory, so that only the next quote confirms. Returns undefined for any other market.
   */
  before(symbol: string, history: MarkHistory): GateMemory | undefined {
    if (!this.#open.has(symbol)) return undefined;
    return this.#stored.get(symbol) ?? newestMark(history, symbol) ?? {};
  }
}

function isSame(stored: KeptQuote | undefined, { bid, ask, timeMs }: Quote): boolean {
  return stored !== undefined && stored.bid === bid && stored.ask === ask && stored.timeMs === timeMs;
}

function newestMark(history: MarkHistory, symbol: string): GateMemory | undefined {
  const bid = history.newest({ symbol, side: "bid" });
  const ask = history.newest({ symbol, side: "ask" });
  if (ask === undefined || (bid !== undefined && bid.timeMs > ask.timeMs))
    return bid && { bid: bid.price, timeMs: bid.timeMs };
  return { ask: ask.price, timeMs: ask.timeMs };
}
