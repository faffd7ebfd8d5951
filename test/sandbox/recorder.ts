import type { MarketSink, PrintInput, QuoteInput } from "../../src/ports/index.ts";

/** A sink that records its input. */
export type Recorder = MarketSink & Readonly<{ quotes: QuoteInput[]; prints: PrintInput[]; lines: string[] }>;

export function createRecorder(nowMs: () => number = () => 0): Recorder {
  const quotes: QuoteInput[] = [];
  const prints: PrintInput[] = [];
  const lines: string[] = [];
  return {
    quotes,
    prints,
    lines,
    quote(quote) {
      quotes.push(quote);
      lines.push(`${nowMs()}: ${quote.symbol} ${quote.bid} of ${quote.timeMs}`);
      return "counted";
    },
    heartbeat: () => undefined,
    print(print) {
      prints.push(print);
      lines.push(`${nowMs()}: trade ${print.price} of ${print.timeMs}`);
    },
  };
}
