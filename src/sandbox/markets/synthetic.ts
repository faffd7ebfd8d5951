import type { Clock, MarketSink } from "../../ports/index.ts";
import type { Market } from "./market.ts";
import { createRandomWalk, type RandomWalk, type WalkStart } from "./random-walk.ts";

/**
 * Clock and settings of a synthetic market. It takes a step every `stepMs`, by default 250. Of many instruments, a part
 * moves in each step.
 */
export type SyntheticOptions = Readonly<{
  clock: Clock;
  seed: number;
  starts?: readonly WalkStart[];
  stepMs?: number;
}>;

const STARTS: readonly WalkStart[] = [
  { symbol: "BTC/USD", steps: 6_000_000, decimals: 2 },
  { symbol: "ETH/USD", steps: 300_000, decimals: 2 },
  { symbol: "SOL/USD", steps: 15_000, decimals: 2 },
];

const STEP_MS = 250;
/** More quotes in one step would hold up everything else, and 500 instruments still have each price every 4 s. */
const MOST_IN_STEP = 32;

/** Creates a seeded random walk of several instruments. It starts running. */
export function createSyntheticMarket(options: SyntheticOptions): Market {
  return new SyntheticMarket(options);
}

class SyntheticMarket implements Market {
  readonly #clock: Clock;
  readonly #stepMs: number;
  readonly #walks: readonly RandomWalk[];
  #sink: MarketSink | undefined;
  #first = 0;
  #nextMs: number | undefined;
  #cancelTimer: (() => void) | undefined;

  constructor({ clock, seed, starts = STARTS, stepMs = STEP_MS }: SyntheticOptions) {
    this.#clock = clock;
    this.#stepMs = stepMs;
    this.#walks = starts.map((start) => createRandomWalk(start, seed));
  }

  get running(): boolean {
    return this.#nextMs !== undefined;
  }

  nextTimeMs(): number | undefined {
    return this.#nextMs;
  }

  start(sink: MarketSink): void {
    this.#sink = sink;
    this.#step();
  }

  /** Always false: only the clock delivers its steps. */
  readonly busy = false;

  async settled(): Promise<void> {}

  run(on: boolean): void {
    if (!on) this.stop();
    else if (!this.running) this.#step();
  }

  stop(): void {
    this.#cancelTimer?.();
    this.#nextMs = undefined;
  }

  #step(): void {
    // At the start, every instrument gets its price.
    const count = this.#nextMs === undefined ? this.#walks.length : MOST_IN_STEP;
    const walks = this.#walks.slice(this.#first, this.#first + count);
    this.#first += count;
    if (this.#first >= this.#walks.length) this.#first = 0;
    for (const walk of walks) {
      const { quote, print } = walk(this.#clock.nowMs());
      this.#sink?.quote(quote);
      if (print !== undefined) this.#sink?.print(print);
    }
    this.#nextMs = this.#clock.monotonicMs() + this.#stepMs;
    this.#cancelTimer = this.#clock.schedule(this.#nextMs, () => this.#step());
  }
}
