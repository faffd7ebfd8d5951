import {
  type Activation,
  BAR_LENGTHS_MS,
  BARS_RETAINED,
  type MarketMark,
  shardOfId,
} from "../../model/index.ts";
import { executableSide, type MarketOf } from "../../triggers/index.ts";
import type { Core } from "../core/core.ts";
import type { LiveOrder } from "../core/live-order.ts";
import { timely, type Upkeep } from "../core/stored.ts";
import { COSTS } from "../core/turns.ts";
import type { MarketHub } from "../market/market-hub.ts";
import type { Shard } from "../shards/shard.ts";
import type { ShardMemory } from "../shards/shard-memory.ts";
import type { Shards } from "../shards/shards.ts";
import type { Timers } from "../time/timers.ts";

/** A side of a market, and its highest durable position when the search began. */
type Market = MarketOf & Readonly<{ lastPosition: number }>;

/** By side of a market and by shard, the position of the oldest activation. */
type Oldest = ReadonlyMap<string, ReadonlyMap<number, number>>;

/** The parents of all shards when the search began, by shard. A shard that is read again, leaves or comes has others. */
type Memories = readonly ShardMemory[];

/**
 * Finds the marks that no trailing parent rests on any more. A parent that becomes active during the search rests on the
 * newest durable mark at its beginning, or on a later one.
 */
export class ObsoleteMarks {
  readonly #core: Core;
  readonly #shards: Shards;
  readonly #market: MarketHub;

  constructor(core: Core, shards: Shards, market: MarketHub) {
    this.#core = core;
    this.#shards = shards;
    this.#market = market;
  }

  /**
   * Returns the marks of the shards that run, at most `most` at a time, and forgets them. It ends when a shard is read again,
   * leaves or comes: a shard that comes has activations that the search does not know, at lower positions than others.
   */
  async *inBatchesOf(most: number): AsyncGenerator<readonly MarketMark[]> {
    const markets = this.#markets();
    const memories = this.#shards.all.map((shard) => shard.memory);
    const oldest = await this.#oldestActivations(memories);
    if (oldest === undefined) return;
    let batch: MarketMark[] = [];
    for (const market of markets) {
      for (const mark of this.#obsoleteIn(market, { oldest, limit: most, memories })) {
        batch.push(mark);
        if (batch.length < most) continue;
        yield batch;
        batch = [];
        await this.#core.turns.next();
      }
    }
    if (batch.length > 0) yield batch;
  }

  *#obsoleteIn(
    { symbol, side, lastPosition }: Market,
    { oldest, limit, memories }: Readonly<{ oldest: Oldest; limit: number; memories: Memories }>,
  ): Generator<MarketMark> {
    if (!this.#areSame(memories)) return;
    const activations = oldest.get(keyOf({ symbol, side }));
    let beforePosition = lastPosition;
    for (const position of activations?.values() ?? []) beforePosition = Math.min(beforePosition, position);
    this.#market.book(symbol)?.pruneMarks({ side, beforePosition });
    for (const shard of this.#market.history.shardsOf({ symbol, side })) {
      if (this.#shards.at(shard).state !== "running") continue;
      const oldestPosition = Math.min(activations?.get(shard) ?? lastPosition, lastPosition);
      const range = { shard, symbol, side, oldestPosition, limit };
      const next = (): readonly MarketMark[] => this.#market.history.obsolete(range);
      for (let marks = next(); marks.length > 0; marks = next()) {
        yield* marks;
        // The store has deleted a batch meanwhile, and the shard may have left and come back with other activations.
        if (!this.#areSame(memories)) return;
      }
    }
  }

  #markets(): readonly Market[] {
    const { history } = this.#market;
    // Also those whose instrument the host has withdrawn since.
    return history.markets().flatMap((of) => {
      const lastPosition = history.lastPosition(of);
      return lastPosition === undefined ? [] : [{ ...of, lastPosition }];
    });
  }

  /** Whether every shard goes on with the parents that it had when the search began. */
  #areSame(memories: Memories): boolean {
    const { all } = this.#shards;
    return all.every((shard, index) => shard.state !== "reloading" && shard.memory === memories[index]);
  }

  /**
   * Returns the oldest activations of parents without a durable trigger; a trigger record under way can still be lost.
   * Returns undefined when a shard was or is being read again: its mailbox may hold an activation whose mark must stay.
   */
  async #oldestActivations(memories: Memories): Promise<Oldest | undefined> {
    if (!this.#areSame(memories)) return undefined;
    const oldest = new Map<string, Map<number, number>>();
    for (const { memory, activating } of this.#shards.all) {
      for (const live of memory.liveOrders.values()) {
        noteActivation(live, activating.get(live.working.orderId), oldest);
        const turn = this.#core.turns.spend(COSTS.visit);
        if (turn !== undefined) await turn;
      }
    }
    return this.#areSame(memories) ? oldest : undefined;
  }
}

/** Notes the activation of a parent. `waiting` is one that waits in the mailbox, as it does while trust has lapsed. */
function noteActivation(
  { working, durable }: LiveOrder,
  waiting: Activation | undefined,
  oldest: Map<string, Map<number, number>>,
): void {
  const position = (working.activation ?? waiting)?.position;
  if (position === undefined || durable?.trigger !== undefined || durable?.ended !== undefined) return;
  const { orderId, intent } = working;
  const { symbol, side } = intent;
  const key = keyOf({ symbol, side: executableSide(side) });
  const ofMarket = oldest.get(key) ?? new Map<number, number>();
  oldest.set(key, ofMarket);
  const shard = shardOfId(orderId);
  ofMarket.set(shard, Math.min(position, ofMarket.get(shard) ?? position));
}

const keyOf = ({ symbol, side }: MarketOf): string => `${symbol} ${side}`;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Rows deleted per request to the store. One request takes a millisecond or two. */
const DELETE_BATCH = 250;

/** Print ids forgotten at a time. This takes less than a millisecond. */
const FORGET_BATCH = 2_000;

/** Keeps recovery short and the store bounded, off the path of orders: snapshots, retention, the market journal. */
export class Housekeeping {
  readonly #core: Core;
  readonly #store: Upkeep;
  readonly #shards: Shards;
  readonly #market: MarketHub;
  readonly #obsoleteMarks: ObsoleteMarks;
  readonly #failed: (error: unknown) => void;
  /** Shards that wait for their snapshot. */
  readonly #due: Set<Shard> = new Set();
  #writing: Promise<void> = Promise.resolve();
  /** The deletion of ended parents that is under way, which never rejects. */
  #deleting: Promise<void> = Promise.resolve();
  /** Number of callers that need every row to stay. */
  #holders = 0;
  /** Number of tasks that were begun and are not done. */
  #open = 0;
  #stopped = false;

  constructor(core: Core, shards: Shards, market: MarketHub, timers: Timers) {
    this.#core = core;
    this.#store = timely(core);
    this.#shards = shards;
    this.#market = market;
    this.#obsoleteMarks = new ObsoleteMarks(core, shards, market);
    this.#failed = (error) => {
      core.telemetry.event("warn", "housekeeping.failed", { message: String(error) });
    };
    const hourly = (): void => {
      this.#enqueue(() => this.#retain());
      timers.after(HOUR_MS, hourly);
    };
    timers.after(HOUR_MS, hourly);
  }

  /** Returns the time before which records may have been deleted. */
  cutoffMs(): number {
    return this.#beforeMs(this.#core.time.deletedByMs());
  }

  /**
   * Takes snapshots of the due shards one after the other, then deletes marks that no snapshot and no order needs.
   */
  afterCommit(shards: Iterable<Shard>): void {
    const isQueued = this.#due.size > 0;
    for (const shard of shards) if (shard.isSnapshotDue) this.#due.add(shard);
    if (!isQueued && this.#due.size > 0) this.#enqueue(() => this.#takeSnapshots());
  }

  /** Whether a task is under way. */
  get busy(): boolean {
    return this.#open > 0;
  }

  /** Resolves when all begun tasks are done. */
  finished(): Promise<void> {
    return this.#writing;
  }

  /** Runs work while retention deletes no row and no record. Waits for the deletion that is under way. */
  async whileRetained<T>(work: () => Promise<T>): Promise<T> {
    this.#holders++;
    try {
      await this.#deleting;
      return await work();
    } finally {
      this.#holders--;
    }
  }

  /** Starts no further tasks. */
  stop(): void {
    this.#stopped = true;
  }

  #enqueue(work: () => Promise<void>): void {
    const unlessStopped = (): Promise<void> | undefined => (this.#stopped ? undefined : work());
    this.#open++;
    this.#writing = this.#writing
      .then(unlessStopped)
      .catch(this.#failed)
      .finally(() => {
        this.#open--;
      });
  }

  async #takeSnapshots(): Promise<void> {
    const group = [...this.#due];
    this.#due.clear();
    for (const shard of group) {
      if (this.#stopped) return;
      if (shard.isSnapshotDue) await this.#takeSnapshot(shard).catch(this.#failed);
    }
    if (!this.#stopped) await this.#deleteMarks();
  }

  async #takeSnapshot(shard: Shard): Promise<void> {
    const snapshot = await shard.snapshot();
    if (snapshot === undefined) return;
    this.#core.probe("before-snapshot");
    const written = this.#store.writeSnapshot(snapshot);
    this.#core.probe("during-snapshot");
    await written;
    this.#core.probe("after-snapshot");
  }

  async #retain(): Promise<void> {
    const { turns, time } = this.#core;
    if (this.#store.pruneEnded !== undefined) await this.#takeSnapshotsToPrune();
    if (this.#deletes) {
      // A full disk must not stop the other work of the hour.
      this.#deleting = this.#deleteEnded().catch(this.#failed);
      await this.#deleting;
    }
    if (this.#stopped) return;
    await this.#deleteMarks();
    if (time.hasSteppedWithin(HOUR_MS)) return;
    const nowMs = time.retentionMs();
    const volumeBeforeMs = nowMs - DAY_MS;
    const priceBars = BAR_LENGTHS_MS.map((lengthMs) => ({
      lengthMs,
      beforeMs: nowMs - BARS_RETAINED * lengthMs,
    }));
    // Whoever writes the market journal deletes of it. The others only forget.
    if (this.#market.writes) await this.#store.deleteVolume({ beforeMs: volumeBeforeMs, priceBars });
    this.#market.prints.evict(priceBars);
    while (!this.#stopped && this.#market.tape.evict(volumeBeforeMs, FORGET_BATCH) > 0) await turns.next();
  }

  /** Whether rows may be deleted now: not in the hour after the wall clock was set, which may be wrong. */
  get #deletes(): boolean {
    if (this.#stopped || this.#holders > 0 || this.#core.counters.shards === 0) return false;
    return !this.#core.time.hasSteppedWithin(HOUR_MS);
  }

  /**
   * Takes snapshots of shards whose records could not be forgotten otherwise, of those with at least as many records
   * since their last snapshot as open parents: so the cost by record stays the same, however many parents are open.
   */
  async #takeSnapshotsToPrune(): Promise<void> {
    for (const shard of this.#shards.all) {
      if (this.#stopped) return;
      if (!shard.hasRecordsSince(Math.max(1, shard.memory.openParents))) continue;
      await this.#takeSnapshot(shard).catch(this.#failed);
    }
  }

  /** A deletion that fails may go on in the store: until the next one has ended well, no number of rows is relied on. */
  async #deleteEnded(): Promise<void> {
    for (const { endings } of this.#shards.all) endings.counts.rowsLeave();
    await this.#deleteRows();
    for (const { endings } of this.#shards.all) endings.counts.rowsStay();
  }

  async #deleteRows(): Promise<void> {
    const beforeMs = this.#beforeMs(this.#core.time.retentionMs());
    const { pruneEnded, deleteEnded } = this.#store;
    if (pruneEnded !== undefined) return await pruneEnded({ beforeMs }, () => this.#deletes);
    const range = { beforeMs, limit: DELETE_BATCH };
    while (this.#deletes && (await deleteEnded(range)) > 0) await this.#core.turns.next();
  }

  /** Returns the end of the period of retention: a whole number, which a store may demand. */
  #beforeMs(nowMs: number): number {
    return Math.floor(nowMs - this.#core.settings.retentionDays * DAY_MS);
  }

  async #deleteMarks(): Promise<void> {
    for await (const marks of this.#obsoleteMarks.inBatchesOf(DELETE_BATCH)) {
      if (this.#stopped) return;
      await this.#store.deleteMarks(marks);
    }
  }
}
