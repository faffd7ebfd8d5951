import type { ClusterNode } from "../../src/cluster/index.ts";
import type { Engine, EngineOptions } from "../../src/engine/index.ts";
import type { Clock, MarketSink } from "../../src/ports/index.ts";
import type { Service } from "../../src/service/index.ts";
import { Link } from "./cluster/link.ts";
import { MachineClock, type Standstill } from "./cluster/machine-clock.ts";
import { Holdings } from "./holdings.ts";
import { SeenMarkets } from "./seen-markets.ts";

type ProbePoint = Parameters<NonNullable<EngineOptions["probe"]>>[0];

/** Wall clock and true time of a world. */
type WorldMoment = Readonly<{ wallMs: number; trueMs: number }>;

/** State of a process. */
export type InstanceState = "opening" | "running" | "closing" | "dead";

/** Number of turns that a process may take before time passes. */
const TURNS_AT_ONCE = 200;

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
  /** Its name in a cluster. Others may have the same. */
  readonly name: string;
  state: InstanceState = "opening";
  engine: Engine | undefined;
  service: Service | undefined;
  /** Number of its present row in the store, in a cluster. */
  incarnation: number | undefined;
  /** Until this true time no renewal of its lease reaches the store. */
  unrenewedUntilMs: number = Number.NEGATIVE_INFINITY;
  /** True time until which calls of its lease and appends that were asked while faults struck may go unanswered. */
  unansweredUntilMs: number = Number.NEGATIVE_INFINITY;
  /** What it is in a cluster. */
  node: ClusterNode | undefined;
  /** The clocks of its machine. */
  readonly machine: MachineClock = new MachineClock();
  /** Its connections to the store and to the venue. */
  readonly links: Readonly<{ store: Link; venue: Link }> = { store: new Link(), venue: new Link() };
  /** True time at which its last successful renewal was asked for. */
  renewedAtMs: number = Number.NEGATIVE_INFINITY;
  /** True time at which clocks of its machine last stood still. */
  stoodAtMs: number = Number.NEGATIVE_INFINITY;
  /** Sink of its engine for quotes and prints. */
  sink: MarketSink | undefined;
  /** The market data that it received and counted. */
  readonly markets: SeenMarkets = new SeenMarkets();
  /** The shards that it has taken over. */
  readonly holdings: Holdings = new Holdings();
  /** Shards of which a release failed, or was not answered, and which it has not claimed since. */
  readonly unreleased: Set<number> = new Set();
  /** The last durable sequence of each shard when it claimed that shard, in a cluster. */
  readonly claimedAt: Map<number, number> = new Map();
  /** Children that it has handed over and of which it awaits the venue's answer, with the true time of the call. */
  readonly unanswered: Map<string, number> = new Map();
  /** The point of its engine at which it dies. */
  diesAt: ProbePoint | undefined;
  /** Number of store faults it met, and of appends and reads in progress. */
  storeFaults = 0;
  appending = 0;
  reading = 0;
  /** Number of turns it took at the current time. */
  #turns = 0;
  #turnsAtMs = 0;
  #held: (() => void)[] | undefined;
  readonly #onDeath: Set<() => void> = new Set();

  constructor(generation: number, openedAtMs: number, name = "") {
    this.generation = generation;
    this.openedAtMs = openedAtMs;
    this.name = name;
  }

  get dead(): boolean {
    return this.state === "dead";
  }

  get paused(): boolean {
    return this.#held !== undefined;
  }

  /** Whether its engine can only be closed: another node owns its shards, or has declared it dead. */
  get isLost(): boolean {
    const reasons = this.paused ? [] : (this.engine?.status().reasons ?? []);
    return reasons.some(({ kind }) => kind === "LEASE_LOST" || kind === "SHARD_FENCED");
  }

  /** Kills the process. Nothing in it runs any more. */
  kill(): void {
    this.state = "dead";
    this.#held = undefined;
    this.sink = undefined;
    const reported = [...this.#onDeath];
    this.#onDeath.clear();
    for (const receive of reported) receive();
  }

  /** Reaches a named point of its engine, at which it may have to die. */
  point(point: ProbePoint, kill: () => void): void {
    if (this.diesAt !== point || this.dead) return;
    this.diesAt = undefined;
    kill();
  }

  /** Calls `receive` once when the process dies. The returned function cancels that. */
  onDeath(receive: () => void): () => void {
    this.#onDeath.add(receive);
    return () => this.#onDeath.delete(receive);
  }

  pause(): void {
    if (!this.dead) this.#held ??= [];
  }

  /** Stops the process with clocks of its machine. `resume` ends it. */
  standStill(what: Standstill, { wallMs, trueMs }: WorldMoment): void {
    if (this.dead || this.paused) return;
    // Whatever it asks now is answered late.
    this.storeFaults++;
    this.pause();
    this.machine.stop(what, { wallMs, monotonicMs: trueMs });
  }

  proceed({ wallMs, trueMs }: WorldMoment): void {
    if (!this.paused) return;
    this.machine.resume({ wallMs, monotonicMs: trueMs });
    this.stoodAtMs = trueMs;
    this.resume();
  }

  /** Returns what the clocks of its machine show. */
  now({ wallMs, trueMs }: WorldMoment): Readonly<{ wallMs: number; monotonicMs: number }> {
    return this.machine.read({ wallMs, monotonicMs: trueMs });
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

  /** Makes an outgoing call, and passes on its answer. Both may be lost on its way. */
  async call<T>(call: () => Promise<T>, link?: Link): Promise<T> {
    if (this.dead) return never();
    if (this.paused) await this.#resumed();
    if (link?.isMute === true) await this.#broken(link);
    try {
      return await call();
    } finally {
      if (link?.isDeaf === true) await this.#broken(link);
      if (this.dead) await never();
      if (this.paused) await this.#resumed();
    }
  }

  async #broken(link: Link): Promise<never> {
    // The process may give the call up before the connection is whole again.
    this.storeFaults++;
    await link.whole();
    if (this.dead) return never();
    if (this.paused) await this.#resumed();
    throw new Error("connection reset");
  }

  /** Returns the world's clock as the process sees it. */
  clock(world: Clock): Clock {
    const clock = this.machine.of(world);
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
