import { formatPrice, type Price, parsePrice, parseQuantity } from "../../src/decimal/index.ts";
import { DEFAULT_SETTINGS } from "../../src/engine/index.ts";
import { QuoteGate } from "../../src/engine/market/quote-gate.ts";
import { TriggerBook } from "../../src/triggers/index.ts";
import { figure, medianOf, printTable, secondsOf } from "./measure.ts";

type QuoteText = readonly [bid: string, bidQuantity: string, ask: string, askQuantity: string];
type Case = Readonly<{ name: string; parents: number; trailing: boolean }>;

const SYMBOL = "BTC/USD";
const RUNS = 3;

const text = (scaled: number): string => formatPrice(scaled as unknown as Price);

/** Quotes around 7,000 USD; for trailing cases every quote sets a new high, the worst for references. */
function quotesOf(count: number, rising: boolean): readonly QuoteText[] {
  return Array.from({ length: count }, (_, n) => {
    const bid = 700_000_000_000 + (rising ? n * 1_000_000 : (n % 100) * 1_000_000);
    return [text(bid), "1.884838", text(bid + 1_000_000), "33.353996"];
  });
}

/** The gate and the book, from the four strings on. */
function withHeads({ parents, trailing }: Case, quotes: readonly QuoteText[]): number {
  const gate = new QuoteGate(DEFAULT_SETTINGS);
  const book = new TriggerBook(SYMBOL);
  for (let n = 0; n < parents; n++) {
    const orderId = -256 * (n + 1);
    const level = (600_000_000_000 - n * 1_000_000) as unknown as Price;
    book.add({
      orderId,
      acceptedAtMs: n,
      watch: trailing
        ? { kind: "trail", side: "bid", distance: { kind: "bps", bps: 1_000 + (n % 9_000) } }
        : { kind: "level", side: "bid", condition: { direction: "atOrBelow", level } },
    });
  }
  const feed = (quote: QuoteText, nowMs: number): void => {
    const [bid, bidQuantity, ask, askQuantity] = quote;
    const input = { symbol: SYMBOL, bid, bidQuantity, ask, askQuantity };
    const taken = gate.take(input, { wallMs: nowMs, monotonicMs: nowMs });
    if (typeof taken === "string") throw new Error(`a quote was dropped: ${taken}`);
    if (book.observe(taken).fired.length > 0) throw new Error("a dormant order fired");
    if (trailing) book.takeMarks();
  };
  feed(quotes[0] ?? ["1", "1", "1", "1"], 0);
  return secondsOf(() => {
    for (let n = 1; n < quotes.length; n++) feed(quotes[n] as QuoteText, n);
  });
}

/** The peer: every order looks at every quote, exactly. */
function withScan({ parents, trailing }: Case, quotes: readonly QuoteText[]): number {
  const meets = trailing ? ratchets(parents) : stops(parents);
  return secondsOf(() => {
    for (const [bidText, bidQuantity, askText, askQuantity] of quotes) {
      const bid = parsePrice(bidText);
      parseQuantity(bidQuantity);
      parsePrice(askText);
      parseQuantity(askQuantity);
      if (bid === undefined || meets(BigInt(bid))) throw new Error("a dormant order fired");
    }
  });
}

/** One exact comparison per stop. */
function stops(parents: number): (bid: bigint) => boolean {
  const levels = Array.from({ length: parents }, (_, n) => BigInt(600_000_000_000 - n * 1_000_000));
  return (bid) => {
    for (const level of levels) if (bid <= level) return true;
    return false;
  };
}

/** One exact comparison and one ratchet per trailing order. */
function ratchets(parents: number): (bid: bigint) => boolean {
  const trails = Array.from({ length: parents }, (_, n) => ({ keep: BigInt(9_000 - (n % 9_000)), high: 0n }));
  return (bid) => {
    for (const trail of trails) {
      if (bid * 10_000n <= trail.high * trail.keep) return true;
      if (bid > trail.high) trail.high = bid;
    }
    return false;
  };
}

/** Quotes per second of the trigger book against a linear exact scan. */
export function benchQuotes(): void {
  const rows: string[][] = [["resting parents", "heads, quotes/s", "linear scan, quotes/s", "ratio"]];
  for (const parents of [1_000, 100_000]) {
    for (const trailing of [false, true]) {
      const one: Case = { name: `${parents} ${trailing ? "trailing" : "stops"}`, parents, trailing };
      const many = quotesOf(300_000, trailing);
      const few = many.slice(0, parents > 10_000 ? 60 : 5_000);
      const heads = medianOf(Array.from({ length: RUNS }, () => (many.length - 1) / withHeads(one, many)));
      const scan = medianOf(Array.from({ length: RUNS }, () => few.length / withScan(one, few)));
      rows.push([one.name, figure(heads), figure(scan), `${figure(heads / scan)}x`]);
    }
  }
  printTable("Quotes, from four decimal strings on (trailing: every quote is a new high)", rows);
}
