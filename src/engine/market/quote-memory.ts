import type { KeptQuote, Quote } from "../../model/index.ts";
import type { MarkHistory } from "../../triggers/index.ts";
import type { GateMemory } from "./quote-gate.ts";

/**
 * The last counted quote of every market that open parents watch, as far as it is durable: what the first quote after
 * an opening is judged by (decision BR).
 */
export class QuoteMemory {
  /** What the store has. */
  readonly #kept: Map<string, KeptQuote> = new Map();
  /** How many parents watch each market; it has an entry while one does. */
  readonly #open: Map<string, number> = new Map();
  /** Of those, the symbols whose last quote the store may not have: a commit asks for no other. */
  readonly #unkept: Set<string> = new Set();

  /** `found` is what the store held at the opening. */
  constructor(found: readonly KeptQuote[]) {
    this.kept(found);
  }

  /** These are durable. */
  kept(quotes: readonly KeptQuote[]): void {
    for (const quote of quotes) this.#kept.set(quote.symbol, quote);
  }

  /** A quote was counted. */
  counted({ symbol }: Quote): void {
    if (this.#open.has(symbol)) this.#unkept.add(symbol);
  }

  /** One more open parent watches a market. */
  watch(symbol: string): void {
    const watching = this.#open.get(symbol) ?? 0;
    this.#open.set(symbol, watching + 1);
    if (watching === 0) this.#unkept.add(symbol);
  }

  /** One of those has ended, or is not known any more. */
  unwatch(symbol: string): void {
    const watching = this.#open.get(symbol) ?? 0;
    if (watching > 1) return void this.#open.set(symbol, watching - 1);
    this.#open.delete(symbol);
    this.#unkept.delete(symbol);
  }

  /** The last counted quotes that the store does not have yet, of markets with open parents and of those `touched`. */
  due(last: (symbol: string) => Quote | undefined, touched: Iterable<string>): readonly KeptQuote[] {
    const quotes: KeptQuote[] = [];
    for (const symbol of new Set([...this.#unkept, ...touched])) {
      const quote = last(symbol);
      if (quote === undefined || isSame(this.#kept.get(symbol), quote)) {
        // There is nothing to keep until the next is counted.
        this.#unkept.delete(symbol);
        continue;
      }
      const { bid, ask, timeMs } = quote;
      quotes.push({ symbol, bid, ask, timeMs });
    }
    return quotes;
  }

  /**
   * What the first quotes of the markets with open parents are judged by: the quote that was kept, else the newest mark,
   * else nothing but the next quote. Other markets have no entry.
   */
  atOpening(history: MarkHistory): ReadonlyMap<string, GateMemory> {
    const symbols = [...this.#open.keys()];
    return new Map(
      symbols.map((symbol) => [symbol, this.#kept.get(symbol) ?? newestMark(history, symbol) ?? {}]),
    );
  }
}

function isSame(kept: KeptQuote | undefined, { bid, ask, timeMs }: Quote): boolean {
  return kept !== undefined && kept.bid === bid && kept.ask === ask && kept.timeMs === timeMs;
}

function newestMark(history: MarkHistory, symbol: string): GateMemory | undefined {
  const bid = history.newest({ symbol, side: "bid" });
  const ask = history.newest({ symbol, side: "ask" });
  if (ask === undefined || (bid !== undefined && bid.timeMs > ask.timeMs))
    return bid && { bid: bid.price, timeMs: bid.timeMs };
  return { ask: ask.price, timeMs: ask.timeMs };
}
