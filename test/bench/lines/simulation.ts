import { createManualClock, createMemoryStore } from "../../../src/adapters/memory/index.ts";
import { START_MS, SYMBOL } from "../../support/world.ts";
import { intentsOf, openBenchEngine, placeAll, stopIntent } from "../bench-engine.ts";
import { type Line, rounds } from "../line.ts";
import { metered } from "../metered.ts";

const QUOTES = 200_000;
const PARENTS = 1_000;
const STEP_MS = 100;

/** Measures a simulation in which most quotes trigger nothing: a quote, a clock step, all at rest. */
export const simulation: Line = {
  work: "simulation: a quote and a step of the clock, 1,000 parents at rest",
  unit: "quotes",
  timedBy: "processor",
  target: ">= 800 k/s",
  reached: (perSecond) => perSecond >= 800_000,
  async open({ of }) {
    const clock = createManualClock({ startMs: START_MS });
    const { engine } = await openBenchEngine(createMemoryStore(), { clock });
    const quoteAt = (n: number) => ({ symbol: SYMBOL, bid: `99${90 + (n % 10)}`, ask: "10000" });
    engine.market.quote(quoteAt(0));
    await placeAll(
      engine,
      intentsOf(PARENTS, () => stopIntent()),
    );
    const count = of(QUOTES);
    const quotes = Array.from({ length: count }, (_, n) => quoteAt(n));
    return rounds(async () => ({
      ours: await metered(count, async () => {
        for (const quote of quotes) {
          engine.market.quote(quote);
          await clock.advanceBy(STEP_MS, () => engine.idle());
        }
      }),
    }));
  },
};
