import type { Instruments, ShardSnapshot } from "../ports/index.ts";
import type { Core } from "./core.ts";
import type { MarketHub } from "./market-hub.ts";
import type { Shard } from "./shard.ts";
import type { Timers } from "./timers.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const DELETE_BATCH = 1_000;
const SIDES = ["ask", "bid"] as const;

/** Keeps recovery short and the store bounded, off the path of orders: snapshots, retention, the market journal. */
export class Housekeeping {
  readonly #core: Core;
  readonly #shards: readonly Shard[];
  readonly #market: MarketHub;
  readonly #instruments: Instruments;
  #writing: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(
    core: Core,
    parts: Readonly<{
      shards: readonly Shard[];
      market: MarketHub;
      instruments: Instruments;
      timers: Timers;
    }>,
  ) {
    this.#core = core;
    this.#shards = parts.shards;
    this.#market = parts.market;
    this.#instruments = parts.instruments;
    const hourly = (): void => {
      this.#enqueue(() => this.#retain());
      parts.timers.after(HOUR_MS, hourly);
    };
    parts.timers.after(HOUR_MS, hourly);
  }

  /** Records older than this may be deleted. */
  cutoffMs(): number {
    return this.#core.time.steadyMs() - this.#core.settings.retentionDays * DAY_MS;
  }

  /** Takes snapshots of the shards that are due. */
  afterCommit(shards: Iterable<Shard>): void {
    for (const shard of shards) {
      const snapshot = shard.snapshotIfDue();
      if (snapshot === undefined) continue;
      this.#enqueue(async () => {
        await this.#write(snapshot);
        await this.#forgetMarks();
      });
    }
  }

  /** Resolves when what was begun is done. */
  finished(): Promise<void> {
    return this.#writing;
  }

  /** Nothing is begun from now on. */
  stop(): void {
    this.#stopped = true;
  }

  #enqueue(work: () => Promise<void>): void {
    const unlessStopped = (): Promise<void> | undefined => (this.#stopped ? undefined : work());
    this.#writing = this.#writing.then(unlessStopped).catch((error: unknown) => {
      this.#core.telemetry.event("warn", "housekeeping.failed", { message: String(error) });
    });
  }

  async #write(snapshot: ShardSnapshot): Promise<void> {
    this.#core.probe("before-snapshot");
    const written = this.#core.store.writeSnapshot(snapshot);
    this.#core.probe("during-snapshot");
    await written;
    this.#core.probe("after-snapshot");
  }

  async #retain(): Promise<void> {
    const range = { beforeMs: this.cutoffMs(), limit: DELETE_BATCH };
    while ((await this.#core.store.deleteEnded(range)) > 0 && !this.#stopped);
    if (this.#stopped) return;
    await this.#forgetMarks();
    const volumeBeforeMs = this.#core.time.steadyMs() - DAY_MS;
    await this.#core.store.deleteVolume({ beforeMs: volumeBeforeMs });
    this.#market.tape.forget(volumeBeforeMs);
  }

  /** Drops marks that no trailing parent rests on any more. */
  async #forgetMarks(): Promise<void> {
    // While a shard reads itself again, an activation may wait in its mailbox whose mark must stay.
    if (this.#shards.some((shard) => shard.state === "reloading")) return;
    const oldest = this.#oldestPositions();
    for (const { symbol } of this.#instruments.all()) {
      for (const side of SIDES) {
        // Where there was no mark at all, every one has come meanwhile.
        const oldestPosition = oldest.get(`${symbol} ${side}`) ?? 0;
        const marks = this.#market.history.obsolete({ symbol, side, oldestPosition });
        if (marks.length > 0) await this.#core.store.deleteMarks(marks);
      }
    }
  }

  /**
   * Of every side, the oldest position that a reference rests on: of the newest mark, since the next activation may come
   * while marks are dropped and rests on that one or a later one, and of the activations whose parent has no durable
   * trigger, since a record on its way can be lost.
   */
  #oldestPositions(): ReadonlyMap<string, number> {
    const oldest = new Map<string, number>();
    for (const { symbol } of this.#instruments.all()) {
      for (const side of SIDES) {
        const newest = this.#market.history.lastPosition({ symbol, side });
        if (newest !== undefined) oldest.set(`${symbol} ${side}`, newest);
      }
    }
    for (const shard of this.#shards) {
      for (const { working, durable } of shard.slots.values()) {
        const position = working.activation?.position;
        if (position === undefined || durable?.trigger !== undefined || durable?.ended !== undefined)
          continue;
        const key = `${working.intent.symbol} ${working.intent.side === "BUY" ? "ask" : "bid"}`;
        oldest.set(key, Math.min(position, oldest.get(key) ?? position));
      }
    }
    return oldest;
  }
}
