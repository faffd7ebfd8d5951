import { Price, Quantity } from "managed-orders";
import type { KeptQuote, MarketMark, VolumeState } from "managed-orders/ports";
import type { Mark, Market, Print, Quote } from "./entries.ts";

const MINUTE_MS = 60_000;
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
const keyOf = ({ shard, symbol, side, position }: Mark): string =>
  JSON.stringify([shard, symbol, side, position]);

type Bar = { symbol: string; minuteMs: number; quantity: Quantity };
type Seen = Readonly<{ symbol: string; id: string; seenAtMs: number }>;

/** Marks, last quotes and executed volume. */
export class MarketRows {
  readonly #marks = new Map<string, Mark>();
  readonly #quotes = new Map<string, Quote>();
  readonly #totals = new Map<string, Quantity>();
  readonly #bars = new Map<string, Bar>();
  readonly #prints = new Map<string, Seen>();

  putMarks(marks: readonly Mark[]): void {
    for (const mark of marks) this.#marks.set(keyOf(mark), mark);
  }

  put({ quotes, prints }: Market): void {
    for (const quote of quotes) this.#quotes.set(quote.symbol, quote);
    for (const print of prints) this.#count(print);
  }

  deleteMarks(marks: readonly Mark[]): void {
    for (const mark of marks) this.#marks.delete(keyOf(mark));
  }

  deleteVolume(beforeMs: number): void {
    for (const [key, { minuteMs }] of this.#bars) if (minuteMs < beforeMs) this.#bars.delete(key);
    for (const [key, { seenAtMs }] of this.#prints) if (seenAtMs < beforeMs) this.#prints.delete(key);
  }

  marks(): readonly MarketMark[] {
    return [...this.#marks.values()]
      .sort(
        (a, b) =>
          compare(a.symbol, b.symbol) ||
          compare(a.side, b.side) ||
          a.shard - b.shard ||
          a.position - b.position,
      )
      .map((mark) => ({ ...mark, price: Price.parse(mark.price) }));
  }

  quotes(): readonly KeptQuote[] {
    return [...this.#quotes.values()]
      .sort((a, b) => compare(a.symbol, b.symbol))
      .map((quote) => ({ ...quote, bid: Price.parse(quote.bid), ask: Price.parse(quote.ask) }));
  }

  /** Returns the volume without price bars, which this store does not keep. */
  volume(): VolumeState {
    return {
      totals: [...this.#totals]
        .map(([symbol, total]) => ({ symbol, total }))
        .sort((a, b) => compare(a.symbol, b.symbol)),
      bars: [...this.#bars.values()]
        .map((bar) => ({ ...bar }))
        .sort((a, b) => compare(a.symbol, b.symbol) || a.minuteMs - b.minuteMs),
      prints: [...this.#prints.values()]
        .map((print) => ({ ...print }))
        .sort((a, b) => a.seenAtMs - b.seenAtMs || compare(a.symbol, b.symbol) || compare(a.id, b.id)),
    };
  }

  /** Counts a print, unless its symbol and id are stored: a batch may come again after an unknown outcome. */
  #count({ symbol, id, quantity, timeMs, seenAtMs, fresh }: Print): void {
    const key = JSON.stringify([symbol, id]);
    if (this.#prints.has(key)) return;
    this.#prints.set(key, { symbol, id, seenAtMs });
    const amount = Quantity.parse(quantity);
    const minuteMs = timeMs - (timeMs % MINUTE_MS);
    const barKey = JSON.stringify([symbol, minuteMs]);
    const bar = this.#bars.get(barKey);
    this.#bars.set(barKey, { symbol, minuteMs, quantity: bar ? Quantity.add(bar.quantity, amount) : amount });
    if (!fresh) return;
    const total = this.#totals.get(symbol);
    this.#totals.set(symbol, total === undefined ? amount : Quantity.add(total, amount));
  }
}
