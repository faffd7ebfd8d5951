import type {
  Bursts,
  Committer,
  Core,
  Dispatcher,
  EventStream,
  Followed,
  MarketHub,
  Placements,
  Rearming,
  Shard,
  Shards,
  Timers,
} from "../engine/internal.ts";
import type { MarketMark } from "../model/index.ts";
import { IdMap } from "../triggers/index.ts";

/** How often a shard is looked at whose last records are not durable yet, in milliseconds. */
const LOOK_MS = 5;

/** Parts of an engine that know of single shards. */
type MoveParts = Readonly<{
  shards: Shards;
  market: MarketHub;
  committer: Committer;
  dispatcher: Dispatcher;
  rearming: Rearming;
  placements: Pick<Placements, "recount">;
  stream: EventStream;
  timers: Timers;
  bursts: Bursts;
}>;

/** A shard that a claim has made this engine's, and its state as it was followed up to its last record. */
export type Arrival = Readonly<{ shard: number; epoch: number; followed: Followed }>;

/**
 * What follows when a shard does not run any more. `left` takes what its follower goes on from, and releases it: nobody
 * serves the shard until then, so its parents are let go afterwards. `release` says that this is done, and that the
 * follower may change them.
 */
type Departure = Readonly<{ left: (followed: Followed) => Promise<void>; release: () => void }>;

/** Lets a running engine begin with shards and give shards up, while its other shards go on. */
export class ShardMoves {
  readonly #core: Core;
  readonly #parts: MoveParts;

  constructor(core: Core, parts: MoveParts) {
    this.#core = core;
    this.#parts = parts;
  }

  /**
   * Runs shards from now on. Their parents are armed and their children looked up in turns, while the shards decide already.
   * `marks` has the durable marks of all of them, read after the claim.
   */
  arrive(arrivals: readonly Arrival[], marks: readonly MarketMark[]): void {
    const { shards, market, committer, placements, stream } = this.#parts;
    const { time, monotonicMs } = this.#core;
    const beforeMs = time.nowMs() - monotonicMs();
    for (const { shard: number, epoch, followed } of arrivals) {
      committer.dropMarks(number);
      market.arrive(number, marks);
      shards.at(number).arrive(epoch, followed);
      this.#core.counters.shards++;
      this.#core.effects.emit({ kind: "SHARD_RELOADED", shard: number, before: new IdMap() });
    }
    placements.recount();
    const raisedMs = Math.round(time.nowMs() - monotonicMs() - beforeMs);
    if (raisedMs >= this.#core.settings.clockStepMs) stream.raised(raisedMs);
    stream.moved({ gained: arrivals.map(({ shard }) => shard), lost: [] });
  }

  /**
   * Gives a shard up: nothing more of it is sent, then what quotes and prints have met is decided, then nothing more, then
   * everything becomes durable. Then it calls the functions of the departure, unless the shard has stopped by itself.
   */
  async leave(number: number, departure: Departure): Promise<void> {
    const { shards, dispatcher, stream } = this.#parts;
    const [shard, only] = [shards.at(number), new Set([number])];
    try {
      await dispatcher.hold(only);
      await this.#met();
      shard.leave();
      stream.moved({ gained: [], lost: [number] });
      await this.#settled(shard);
      // Only now are all children of it known that will not be handed over.
      dispatcher.withdraw(only);
      await this.#settled(shard);
      await this.#persistMarks(shard);
      await this.#depart(shard, departure);
    } finally {
      dispatcher.release(only);
    }
  }

  /**
   * Resolves when all orders are decided that quotes and prints have met until now: the next owner may not meet these prices. A
   * store that keeps this work waiting for `hostTimeoutMs` must not keep the shard.
   */
  #met(): Promise<void> {
    const { bursts, timers } = this.#parts;
    return new Promise((resolve) => {
      const cancel = timers.after(this.#core.settings.hostTimeoutMs, resolve);
      const over = (): void => {
        cancel();
        resolve();
      };
      void bursts.past("quotes").then(() => bursts.past("attempts").then(over));
    });
  }

  /** Resolves when everything that a shard has decided is durable, or it does not run any more. */
  async #settled(shard: Shard): Promise<void> {
    while (!shard.isSettled && isAlive(shard)) await this.#look();
  }

  /**
   * Makes the references of a leaving shard durable, so that the next owner has them as they are. A store that does not keep
   * them for `hostTimeoutMs` must not keep the shard: the next owner has the last durable ones, as after a crash.
   */
  async #persistMarks(shard: Shard): Promise<void> {
    const { monotonicMs, settings } = this.#core;
    const untilMs = monotonicMs() + settings.hostTimeoutMs;
    const persist = (): Promise<boolean> => this.#parts.committer.persistMarks(shard.number);
    while (!(await persist()) && monotonicMs() < untilMs && isAlive(shard)) await this.#look();
  }

  #look(): Promise<void> {
    return new Promise((resolve) => this.#parts.timers.after(LOOK_MS, resolve));
  }

  async #depart(shard: Shard, { left, release }: Departure): Promise<void> {
    const { rearming } = this.#parts;
    const { turns, counters } = this.#core;
    // Work on an earlier memory of the shard would meet its next one. It may have to wait for the store.
    while ((rearming.isBusy(shard) || !shard.isSettled) && isAlive(shard)) await this.#look();
    if (!isAlive(shard)) return;
    const followed = shard.depart();
    counters.shards--;
    try {
      await left(followed);
    } finally {
      await rearming.releaseAll(shard, followed.memory.liveOrders, turns);
      release();
    }
  }
}

const isAlive = ({ state }: Shard): boolean => state === "running" || state === "reloading";
