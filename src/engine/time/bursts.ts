import type { Core } from "../core/core.ts";

/** Units that one turn of the event loop has for long work. A decision is one, some tens of microseconds. */
const SHARE = 128;

/** Units that a lane leaves to each lane behind it that has work. */
const RESERVE = 16;

/** Units that one key of a lane may use before the next has its turn. */
const RUN = 16;

/** What has its share first: quotes act, then cancels, then what time has ended, then what quotes and prints decide. */
const LANES = ["quotes", "cancels", "time", "attempts"] as const;

/** A kind of long work. */
export type Lane = (typeof LANES)[number];

/** Work in steps: each does something and yields how many units that was. */
export type Steps = Iterator<number, void>;

/** Whether so much is decided and not yet with the store that nothing should be added. */
export type StoreBacklog = Readonly<{ isBehind: boolean }>;

/**
 * Shares the turns of the event loop between long work and everything else. Work begins at once, and ends at once when
 * the share of the turn is enough for it; the rest goes on in later turns, lane by lane, in each lane key by key, of one
 * key in the order in which it came. While the store is behind, nothing is added to what it has to keep. The share is
 * counted in units and not in time, so that the same input takes the same course again.
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
  /** Whether the next turn is asked for. */
  #armed = false;
  #running = false;
  #stopped = false;

  constructor(core: Core, commits: StoreBacklog) {
    this.#core = core;
    this.#commits = commits;
  }

  /** Does work of a key after what that has waiting: now as far as the share of this turn goes, then later. */
  add(lane: Lane, key: string | number, steps: Steps): void {
    if (this.#stopped) return;
    const waiting = this.#lanes[lane].get(key);
    if (waiting !== undefined) return void waiting.push(steps);
    this.#lanes[lane].set(key, [steps]);
    if (this.#running) return;
    this.#running = true;
    if (this.#mayRun) this.#runKey(lane, { key, most: this.#left });
    // What came of it.
    this.#runLanes();
    this.#running = false;
    this.#arm();
  }

  /** Does one thing that is one unit. */
  do(lane: Lane, key: string | number, run: () => void): void {
    this.add(lane, key, once(run));
  }

  /** Other work of this turn has used so much of its share. */
  spend(units: number): void {
    this.#left = Math.max(this.#left - units, 0);
    this.#arm();
  }

  /** The store has taken something: what waited for that goes on. */
  wake(): void {
    if (this.#hasWork) this.#arm();
  }

  /** Nothing is done from now on. */
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

  /** A turn gives a new share. Without one that is used up nothing is asked for. */
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
    // Else the store wakes it.
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
      // To the end, so that the others have their turn first.
      const rest = keys.get(key) ?? [];
      keys.delete(key);
      keys.set(key, rest);
    }
  }

  /** The units that a step took; undefined when there is none left, or when it failed: then the rest is not done. */
  #step(steps: Steps): number | undefined {
    try {
      const next = steps.next();
      return next.done === true ? undefined : next.value;
    } catch (error) {
      this.#core.told("work.failed")(error);
      return undefined;
    }
  }

  /** Runs what a key has waiting for so many units; false when something is left. */
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

function* once(run: () => void): Generator<number, void> {
  run();
  yield 1;
}
