import { expect, it } from "vitest";
import type { Quote } from "../../src/model/index.ts";
import type { QuoteInput, QuoteVerdict } from "../../src/ports/index.ts";
import { tapCountedQuotes } from "../../src/sandbox/market.ts";
import { quoteOf } from "./venue-world.ts";

it("the venue sees only counted quotes, in their counted form; the engine sees everything", () => {
  const received: string[] = [];
  const verdicts: QuoteVerdict[] = ["counted", "stale", "jump", "counted"];
  const counted = quoteOf({ bids: ["1"], asks: ["2"] });
  const engine = {
    market: {
      quote: ({ bid }: QuoteInput) => {
        received.push(`quote ${bid}`);
        return verdicts.shift() ?? "stale";
      },
      heartbeat: (symbol: string) => void received.push(`heartbeat ${symbol}`),
      print: ({ id }: { id: string }) => void received.push(`print ${id}`),
    },
    quote: () => ({ quote: counted }),
  };
  const seen: Quote[] = [];
  const sink = tapCountedQuotes(engine, (quote) => seen.push(quote));
  const answers = ["1", "2", "3", "4"].map((bid) => sink.quote({ symbol: "BTC/USD", bid, ask: "9" }));
  sink.heartbeat("BTC/USD");
  sink.print({ symbol: "BTC/USD", price: "1", quantity: "1", id: "p1", timeMs: 1 });
  expect(answers).toEqual(["counted", "stale", "jump", "counted"]);
  expect(seen).toEqual([counted, counted]);
  expect(received).toEqual(["quote 1", "quote 2", "quote 3", "quote 4", "heartbeat BTC/USD", "print p1"]);
});
