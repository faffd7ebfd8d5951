import type { Engine } from "../../engine/index.ts";
import type { Clock, MarketSink } from "../../ports/index.ts";
import type { Service } from "../../service/index.ts";
import { SeenMarkets } from "./seen-markets.ts";

/** What a process is doing. */
export type InstanceState = "opening" | "running" | "closing" | "dead";

/** Turns that a process may take before time passes. */
const TURNS_AT_ONCE = 2_000;

/** A promise of its own each time: what waits for a shared one is kept for ever. */
const never = (): Promise<never> => new Promise(() => undefined);

/**
 * One process with an engine and a service in it, as an operating system would have it: it can be killed at any moment,
 * then nothing of it reaches the world any more, nor the world it; or be stopped for a while, then everything waits.
 */
export class Instance {
  /** Counts the processes of a world from 1. */
  readonly generation: number;
  readonly openedAtMs: number;
  state: InstanceState = "opening";
  engine: Engine | undefined;
  service: Service | undefined;
  /** Where its engine takes quotes and prints. */
  sink: MarketSink | undefined;
  /** What of the market it was shown and has counted. */
  readonly markets: SeenMarkets = new SeenMarkets();
  /** When it took the store over; undefined until then. */
  ownedAtMs: number | undefined;
  /** When another process took the store over. */
  replacedAtMs: number | undefined;
  /** Faults of the store that it met, and appends and reads that are under way. */
  storeFaults = 0;
  appending = 0;
  reading = 0;
  /** Turns that it took at one moment. */
  #turns = 0;
  #turnsAtMs = 0;
  #held: (() => void)[] | undefined;
  readonly #onDeath: Set<() => void> = new Set();

  constructor(generation: number, openedAtMs: number) {
    this.generation = generation;
    this.openedAtMs = openedAtMs;
  }

  get dead(): boolean {
    return this.state === "dead";
  }

  get paused(): boolean {
    return this.#held !== undefined;
  }

  /** Whether it owns the store as far as the store knows. */
  get owns(): boolean {
    return this.ownedAtMs !== undefined && this.replacedAtMs === undefined;
  }

  /** Nothing of it happens any more. */
  kill(): void {
    this.state = "dead";
    this.#held = undefined;
    this.sink = undefined;
    const told = [...this.#onDeath];
    this.#onDeath.clear();
    for (const hear of told) hear();
  }

  /** Tells once when it dies; the returned function takes that back. */
  onDeath(hear: () => void): () => void {
    this.#onDeath.add(hear);
    return () => this.#onDeath.delete(hear);
  }

  pause(): void {
    if (!this.dead) this.#held ??= [];
  }

  resume(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const run of held) run();
  }

  /** What comes in from outside: dropped when it is dead, later when it is stopped. */
  enter(run: () => void): void {
    if (this.dead) return;
    if (this.#held === undefined) run();
    else this.#held.push(run);
  }

  /** A call of it that goes out, and the answer to it. */
  async call<T>(call: () => Promise<T>): Promise<T> {
    if (this.dead) return never();
    if (this.paused) await this.#resumed();
    try {
      return await call();
    } finally {
      if (this.dead) await never();
      if (this.paused) await this.#resumed();
    }
  }

  /** The world's clock, as it is seen from in here. */
  clock(clock: Clock): Clock {
    const inside = (run: () => void) => (): void => this.enter(run);
    return {
      ...clock,
      onStep: (listener) => clock.onStep?.((ms) => this.enter(() => listener(ms))) ?? (() => undefined),
      schedule: (atMs, run) => clock.schedule(atMs, inside(run)),
      soon: (run) => this.#soon(clock, inside(run)),
    };
  }

  /** On a machine turns take time: who waits by taking turns does not stop the world. */
  #soon(clock: Clock, run: () => void): void {
    const nowMs = clock.monotonicMs();
    if (nowMs !== this.#turnsAtMs) this.#turns = 0;
    this.#turnsAtMs = nowMs;
    if (++this.#turns > TURNS_AT_ONCE) clock.schedule(nowMs + 1, run);
    else clock.soon(run);
  }

  #resumed(): Promise<void> {
    return new Promise((resolve) => this.enter(resolve));
  }
}
