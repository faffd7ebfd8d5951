import type { Core } from "../core/core.ts";

/** Units of long work in one turn of the event loop. A decision is one unit, some tens of microseconds. */
const SHARE = 128;

/** Units that a lane leaves to each later lane that has work. */
const RESERVE = 16;

/** Units that one key of a lane may use before the next key has its turn. */
const RUN = 16;

/**
 * Lanes in order of priority: quotes, cancels, timed events such as expiry, attempts that quotes and prints caused.
 */
const LANES = ["quotes", "cancels", "time", "attempts"] as const;

/** A kind of long work. */
export type Lane = (typeof LANES)[number];

/** Work in steps. Each step yields the number of units it took. */
export type Steps = Iterator<number, void>;

/** Backlog of the store. `isBehind` says that it is too long to add more decisions. */
type StoreBacklog = Readonly<{ isBehind: boolean }>;

/**
 * Shares the turns of the event loop between long work and everything else. Work begins at once, and ends at once if
 * the share of the turn is enough. The rest continues in later turns: lane by lane, within a lane key by key, within
 * a key in order of arrival. While the store is behind, no work runs, so that its backlog does not grow. The share is
 * counted in units and not in time, so that the same input always takes the same course.
 */
export class Bursts {
  readonly #core: Core;
  readonly #commits: StoreBacklog;
  readonly #lanes: Readonly<Record<Lane, Map<string | number, Steps[]>>> = {
    quotes: new Map(),
    cancels: new Map(),
    time: new Map(),
    attempts: new Map(),
  };
  #left = SHARE;
  /** Whether the next turn is scheduled. */
  #armed = false;
  #running = false;
  #stopped = false;

  constructor(core: Core, commits: StoreBacklog) {
    this.#core = core;
    this.#commits = commits;
  }

  /**
   * Queues work of a key behind the key's waiting work. Runs it now as far as the share of this turn goes, and the
   * rest later.
   */
  add(lane: Lane, key: string | number, steps: Steps): void {
    if (this.#stopped) return;
    const waiting = this.#lanes[lane].get(key);
    if (waiting !== undefined) return void waiting.push(steps);
    this.#lanes[lane].set(key, [steps]);
    if (this.#running) return;
    this.#running = true;
    if (this.#mayRun) this.#runKey(lane, { key, most: this.#left });
    // Run the work that this caused.
    this.#runLanes();
    this.#running = false;
    this.#arm();
  }

  /** Whether work of a key waits. */
  has(lane: Lane, key: string | number): boolean {
    return this.#lanes[lane].has(key);
  }

  /** Queues a single action that counts as one unit. */
  do(lane: Lane, key: string | number, run: () => void): void {
    this.add(lane, key, once(run, 1));
  }

  /**
   * Resolves when all work that waits in a lane now has run. Never does if the engine stops before. This takes no unit, so that
   * no key is left with it alone: a key that {@link has} work goes on with what comes.
   */
  async past(lane: Lane): Promise<void> {
    const keys = [...this.#lanes[lane].values()];
    await Promise.all(keys.map((waiting) => new Promise<void>((resolve) => waiting.push(once(resolve, 0)))));
  }

  /** Subtracts units that other work of this turn has used. */
  spend(units: number): void {
    this.#left = Math.max(this.#left - units, 0);
    this.#arm();
  }

  /** Goes on with work that waited for the store, which has taken an append. */
  wake(): void {
    if (this.#hasWork) this.#arm();
  }

  /** Drops all work and takes no more. */
  stop(): void {
    this.#stopped = true;
    for (const lane of LANES) this.#lanes[lane].clear();
  }

  get #hasWork(): boolean {
    return LANES.some((lane) => this.#lanes[lane].size > 0);
  }

  get #mayRun(): boolean {
    return this.#left > 0 && !this.#commits.isBehind;
  }

  /** Schedules a turn, which renews the share. Does nothing while the share is unused and no work waits. */
  #arm(): void {
    if (this.#armed || this.#stopped || (this.#left === SHARE && !this.#hasWork)) return;
    this.#armed = true;
    this.#core.clock.soon(() => this.#turn());
  }

  #turn(): void {
    this.#armed = false;
    this.#left = SHARE;
    if (!this.#hasWork) return;
    this.#core.counters.activity++;
    this.#running = true;
    this.#runLanes();
    this.#running = false;
    // Otherwise the store wakes it.
    if (this.#left < SHARE) this.#arm();
  }

  #runLanes(): void {
    for (const lane of LANES) if (this.#lanes[lane].size > 0 && this.#mayRun) this.#runLane(lane);
  }

  #runLane(lane: Lane): void {
    const behind = LANES.slice(LANES.indexOf(lane) + 1).filter((other) => this.#lanes[other].size > 0).length;
    const until = Math.min(RESERVE * behind, this.#left - 1);
    const keys = this.#lanes[lane];
    for (const key of keys.keys()) {
      if (this.#left <= until) return;
      const most = Math.min(RUN, this.#left - until);
      if (this.#runKey(lane, { key, most })) continue;
      // Move the key to the end, so that the other keys have their turn first.
      const rest = keys.get(key) ?? [];
      keys.delete(key);
      keys.set(key, rest);
    }
  }

  /** Runs one step and returns its units. Returns undefined after the last step. A step that throws ends its work. */
  #step(steps: Steps): number | undefined {
    try {
      const next = steps.next();
      return next.done === true ? undefined : next.value;
    } catch (error) {
      this.#core.reporterOf("work.failed")(error);
      return undefined;
    }
  }

  /** Runs the waiting work of a key for up to `most` units. Returns false when work is left. */
  #runKey(lane: Lane, { key, most }: Readonly<{ key: string | number; most: number }>): boolean {
    const waiting = this.#lanes[lane].get(key) ?? [];
    let used = 0;
    let done = 0;
    for (let steps = waiting[0]; steps !== undefined && used < most; steps = waiting[done]) {
      const units = this.#step(steps);
      if (units === undefined) done++;
      else used += units;
    }
    waiting.splice(0, done);
    this.#left = Math.max(this.#left - used, 0);
    if (waiting.length > 0) return false;
    this.#lanes[lane].delete(key);
    return true;
  }
}

function* once(run: () => void, units: number): Generator<number, void> {
  run();
  if (units > 0) yield units;
}
