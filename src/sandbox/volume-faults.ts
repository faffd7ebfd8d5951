import type { MarketSink } from "../ports/index.ts";

/** stale: no print comes through, as when a volume feed stops; none: all of them. */
export type VolumeFaultMode = "none" | "stale";

/** A sink whose prints stop as asked. */
export type FaultyVolume = Readonly<{ sink: MarketSink; setVolumeFault: (mode: VolumeFaultMode) => void }>;

/**
 * Puts the executed volume behind faults. While it is stale every print is lost on its way to the engine, of control, of
 * the market and of the venue's own fills alike: neither volume nor last price move, nothing is told later, and what
 * follows volume waits. Quotes go on.
 */
export function withVolumeFaults(sink: MarketSink): FaultyVolume {
  let mode: VolumeFaultMode = "none";
  return {
    sink: {
      quote: (quote) => sink.quote(quote),
      heartbeat: (symbol) => sink.heartbeat(symbol),
      print: (print) => {
        if (mode === "none") sink.print(print);
      },
    },
    setVolumeFault: (next) => {
      mode = next;
    },
  };
}
