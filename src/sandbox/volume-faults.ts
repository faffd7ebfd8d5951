import type { MarketSink } from "../ports/index.ts";

/** Fault of the volume feed. `stale`: no print passes, as when a volume feed stops. `none`: all pass. */
export type VolumeFaultMode = "none" | "stale";

/** Faults of the executed volume, and the sinks whose prints they stop. */
export type VolumeFaults = Readonly<{
  /** Returns a sink in front of another one. */
  around: (sink: MarketSink) => MarketSink;
  setVolumeFault: (mode: VolumeFaultMode) => void;
}>;

/**
 * Creates faults of the executed volume. While it is stale, every print is lost on its way to the engine: those of the
 * control interface, of the market and of the venue's own fills. Neither volume nor last price move, nothing is
 * delivered later, and orders that follow volume wait. Quotes continue.
 */
export function createVolumeFaults(): VolumeFaults {
  let mode: VolumeFaultMode = "none";
  return {
    around: (sink) => ({
      quote: (quote) => sink.quote(quote),
      heartbeat: (symbol) => sink.heartbeat(symbol),
      print: (print) => {
        if (mode === "none") sink.print(print);
      },
    }),
    setVolumeFault: (next) => {
      mode = next;
    },
  };
}
