import type { Clock, MarketSink } from "../../ports/index.ts";
import type { Market } from "./market.ts";
import { createRandomWalk, type RandomWalk, type WalkStart } from "./random-walk.ts";

/** Clock and settings of a synthetic market. It takes a step every `stepMs`, by default 250. */
export type SyntheticOptions = Readonly<{
  clock: Clock;
  seed: number;
  starts?: readonly WalkStart[];
  stepMs?: number;
}>;

const STARTS: readonly WalkStart[] = [
  { symbol: "BTC/USD", cents: 6_000_000 },
  { symbol: "ETH/USD", cents: 300_000 },
  { symbol: "SOL/USD", cents: 15_000 },
];

const STEP_MS = 250;

/** Creates a seeded random walk of several instruments. It starts running. */
export function createSyntheticMarket(options: SyntheticOptions): Market {
  return new SyntheticMarket(options);
}

class SyntheticMarket implements Market {
  readonly #clock: Clock;
  readonly #stepMs: number;
  readonly #walks: readonly RandomWalk[];
  #sink: MarketSink | undefined;
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
    for (const walk of this.#walks) {
      const { quote, print } = walk(this.#clock.nowMs());
      this.#sink?.quote(quote);
      if (print !== undefined) this.#sink?.print(print);
    }
    this.#nextMs = this.#clock.monotonicMs() + this.#stepMs;
    this.#cancelTimer = this.#clock.schedule(this.#nextMs, () => this.#step());
  }
}
