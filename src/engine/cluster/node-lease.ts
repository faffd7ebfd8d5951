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

  override async release(): Promise<void> {
    this.#parts.stop();
    await super.release();
  }

  /**
   * Gives all shards to other nodes, and resolves when they own them, or when the engine is closed meanwhile. Rejects with a
   * HandOverError NO_STANDBY if no other node takes shards for two ttl, at once if there is no other live node, and when this
   * node is declared dead. Shards that were given stay where they are.
   */
  async announce(): Promise<void> {
    const { giveAll, progress, keeper, ttlMs } = this.#parts;
    const { monotonicMs } = this.#core;
    await giveAll(true);
    let aloneSinceMs: number | undefined;
    let problem = `no other node takes shards for ${2 * ttlMs} ms`;
    while (!keeper.isLost && !this.hasEnded) {
      const now = progress();
      if (now === "given") return;
      if (now === "single") {
        problem = "there is no other live node";
        break;
      }
      if (now === "giving") aloneSinceMs = undefined;
      else aloneSinceMs ??= monotonicMs();
      if (aloneSinceMs !== undefined && monotonicMs() - aloneSinceMs >= 2 * ttlMs) break;
      await this.pause(LOOK_MS);
    }
    if (this.hasEnded) return;
    await giveAll(false);
    await this.decline();
    if (keeper.isLost) problem = "another node has declared this one dead";
    throw new HandOverError("NO_STANDBY", problem);
  }
}
