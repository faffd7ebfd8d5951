import { expect, it } from "vitest";
import type { MarketSink } from "../../src/ports/index.ts";
import { createVolumeFaults } from "../../src/sandbox/faults.ts";

it("stale stops prints and nothing else; the stopped prints never arrive", () => {
  const seen: string[] = [];
  const behind: MarketSink = {
    quote: ({ bid }) => {
      seen.push(`quote ${bid}`);
      return "counted";
    },
    heartbeat: (symbol) => void seen.push(`heartbeat ${symbol}`),
    print: ({ id }) => void seen.push(`print ${id}`),
  };
  const { around, setVolumeFault } = createVolumeFaults();
  const sink = around(behind);
  const print = (id: string): void =>
    sink.print({ symbol: "BTC/USD", price: "1", quantity: "1", id, timeMs: 1 });
  print("before");
  setVolumeFault("stale");
  print("during");
  expect(sink.quote({ symbol: "BTC/USD", bid: "99", ask: "101" })).toBe("counted");
  sink.heartbeat("BTC/USD");
  setVolumeFault("none");
  print("after");
  expect(seen).toEqual(["print before", "quote 99", "heartbeat BTC/USD", "print after"]);
});
