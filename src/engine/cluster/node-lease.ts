import { APPEND_PATIENCE } from "../commit/committer.ts";
import type { Core } from "../core/core.ts";
import { HandOverError } from "./hand-over-error.ts";
import { OwnLease, type OwnLeaseParts } from "./own-lease.ts";

/**
 * How far a node is that gives all its shards away: `given` when it owns nothing any more, `alone` while no other node takes
 * shards, and `single` while there is none.
 */
export type GivingProgress = "giving" | "given" | "alone" | "single";

/** Dependencies of {@link NodeLease}. */
export type NodeLeaseParts = OwnLeaseParts &
  Readonly<{
    ttlMs: number;
    /** Begins to give all shards away, or with false stops doing so. */
    giveAll: (wanted: boolean) => Promise<void>;
    /** Returns how far that is. */
    progress: () => GivingProgress;
    /** Ends the part of the node in the cluster: it takes and gives no more. */
    stop: () => void;
    /** Called when the node begins to close, and when its shards are released. */
    changed: () => void;
  }>;

/** How often the progress of a hand-over is looked at, in milliseconds. */
const LOOK_MS = 20;

/** The lease of an engine whose node shares the shards: its status, its hand-over and its end. */
export class NodeLease extends OwnLease {
  readonly #core: Core;
  readonly #parts: NodeLeaseParts;

  constructor(core: Core, parts: NodeLeaseParts) {
    super(core, parts);
    this.#core = core;
    this.#parts = parts;
  }

  /** Takes and gives no more, and tells the other nodes to give it none: its engine does not serve them. */
  override closing(): void {
    super.closing();
    this.#parts.stop();
    void this.#parts.keeper.reportState("handing-over");
    this.#parts.changed();
  }

  override async release(): Promise<void> {
    const released = super.release();
    this.#parts.changed();
    await released;
  }

  /**
   * Gives all shards to other nodes, and resolves when they own them, or when the engine is closed meanwhile. Rejects with a
   * HandOverError NO_STANDBY if no other node takes shards for two ttl, at once if there is no other live node, when no shard
   * has left for longer than an append may last, and when this node is declared dead. Shards that were given stay where they
   * are.
   */
  async announce(): Promise<void> {
    const { giveAll, progress, keeper, ttlMs } = this.#parts;
    const { monotonicMs, counters, settings } = this.#core;
    const standstill = new Standstill({ ttlMs, hostTimeoutMs: settings.hostTimeoutMs });
    await giveAll(true);
    let problem: string | undefined;
    while (problem === undefined && !keeper.isLost && !this.isClosing) {
      const now = progress();
      if (now === "given") return;
      problem = standstill.problem({ progress: now, shards: counters.shards, nowMs: monotonicMs() });
      if (problem === undefined) await this.pause(LOOK_MS);
    }
    if (this.isClosing) return;
    await giveAll(false);
    await this.decline();
    throw new HandOverError("NO_STANDBY", problem ?? "another node has declared this one dead");
  }
}

/** A hand-over as it is looked at: how far it is, and how many shards the node still runs. */
type Giving = Readonly<{ progress: GivingProgress; shards: number; nowMs: number }>;

/** Knows for how long a hand-over has gone no further. */
class Standstill {
  readonly #aloneMs: number;
  readonly #stuckMs: number;
  #aloneSinceMs: number | undefined;
  #fewest = Number.POSITIVE_INFINITY;
  #fewestSinceMs = 0;

  constructor({ ttlMs, hostTimeoutMs }: Readonly<{ ttlMs: number; hostTimeoutMs: number }>) {
    this.#aloneMs = 2 * ttlMs;
    this.#stuckMs = this.#aloneMs + APPEND_PATIENCE * hostTimeoutMs;
  }

  /** Returns why the hand-over is to be given up, in words for an operator; undefined if it is to go on. */
  problem({ progress, shards, nowMs }: Giving): string | undefined {
    if (progress === "single") return "there is no other live node";
    if (progress !== "alone") this.#aloneSinceMs = undefined;
    else this.#aloneSinceMs ??= nowMs;
    if (shards < this.#fewest) [this.#fewest, this.#fewestSinceMs] = [shards, nowMs];
    if (this.#aloneSinceMs !== undefined && nowMs - this.#aloneSinceMs >= this.#aloneMs)
      return `no other node takes shards for ${this.#aloneMs} ms`;
    if (nowMs - this.#fewestSinceMs < this.#stuckMs) return undefined;
    return `no shard has left this node for ${this.#stuckMs} ms`;
  }
}
