import type { Engine } from "../../engine/index.ts";
import type { Clock, MarketSink } from "../../ports/index.ts";
import type { Service } from "../../service/index.ts";
import { SeenMarkets } from "./seen-markets.ts";

/** State of a process. */
export type InstanceState = "opening" | "running" | "closing" | "dead";

/** Number of turns that a process may take before time passes. */
const TURNS_AT_ONCE = 2_000;

/** Returns a new promise each time: whatever waits for a shared promise is kept in memory forever. */
const never = (): Promise<never> => new Promise(() => undefined);

/**
 * One process with an engine and a service, as under an operating system. It can be killed at any moment; then nothing
 * passes between it and the world any more. It can be paused; then everything waits.
 */
export class Instance {
  /** Number of the process in its world, from 1. */
  readonly generation: number;
  readonly openedAtMs: number;
  state: InstanceState = "opening";
  engine: Engine | undefined;
  service: Service | undefined;
  /** Sink of its engine for quotes and prints. */
  sink: MarketSink | undefined;
  /** The market data that it received and counted. */
  readonly markets: SeenMarkets = new SeenMarkets();
  /** Time of its takeover of the store; undefined before. */
  ownedAtMs: number | undefined;
  /** Time at which another process took over the store. */
  replacedAtMs: number | undefined;
  /** Number of store faults it met, and of appends and reads in progress. */
  storeFaults = 0;
  appending = 0;
  reading = 0;
  /** Number of turns it took at the current time. */
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

  /** Whether it owns the store, as far as the store knows. */
  get owns(): boolean {
    return this.ownedAtMs !== undefined && this.replacedAtMs === undefined;
  }

  /** Kills the process. Nothing in it runs any more. */
  kill(): void {
    this.state = "dead";
    this.#held = undefined;
    this.sink = undefined;
    const told = [...this.#onDeath];
    this.#onDeath.clear();
    for (const hear of told) hear();
  }

  /** Calls `hear` once when the process dies. The returned function cancels that. */
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

  /** Runs input from outside: drops it if the process is dead, and delays it while the process is paused. */
  enter(run: () => void): void {
    if (this.dead) return;
    if (this.#held === undefined) run();
    else this.#held.push(run);
  }

  /** Makes an outgoing call, and passes on its answer. */
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

  /** Returns the world's clock as the process sees it. */
  clock(clock: Clock): Clock {
    const inside = (run: () => void) => (): void => this.enter(run);
    return {
      ...clock,
      onStep: (listener) => clock.onStep?.((ms) => this.enter(() => listener(ms))) ?? (() => undefined),
      schedule: (atMs, run) => clock.schedule(atMs, inside(run)),
      soon: (run) => this.#soon(clock, inside(run)),
    };
  }

  /** On a real machine turns take time. So a process that waits by taking turns does not stop the world. */
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
