import { errorMessage, pause } from "../common/index.ts";
import { HandOverError } from "../engine/index.ts";
import { APPEND_PATIENCE, type Core, type Shards, type StatusBoard } from "../engine/internal.ts";
import type { ShardLeases } from "../ports/index.ts";
import { EVERY_SHARD, shardsIn } from "./cluster-views.ts";
import type { LeaseKeeper } from "./lease.ts";

/**
 * How far a node is that gives all its shards away: `given` when it owns nothing any more, `alone` while no other node takes
 * shards, and `single` while there is none.
 */
export type GivingProgress = "giving" | "given" | "alone" | "single";

/** Dependencies of {@link NodeLease}. */
type NodeLeaseParts = Readonly<{
  leases: ShardLeases;
  keeper: LeaseKeeper;
  ttlMs: number;
  /** Begins to give all shards away, or with false stops doing so. */
  giveAll: (wanted: boolean) => Promise<void>;
  /** Returns how far that is. */
  progress: () => GivingProgress;
  /** Whether the node runs no shard, and takes none. */
  isIdle: () => boolean;
  /** Ends the part of the node in the cluster: it takes and gives no more. */
  stop: () => void;
  /** Called when the node begins to close, and when its shards are released. */
  changed: () => void;
}>;

/** How often the progress of a hand-over is looked at, in milliseconds. */
const LOOK_MS = 20;

/** The lease of the node on which an engine runs: what the engine shows of it, its hand-over and its end. */
export class NodeLease {
  readonly #core: Core;
  readonly #parts: NodeLeaseParts;
  #isClosing = false;
  #hasEnded = false;

  constructor(core: Core, parts: NodeLeaseParts) {
    this.#core = core;
    this.#parts = parts;
  }

  /** Whether the shards were released. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Takes and gives no more, and tells the other nodes to give it none: its engine does not serve them. */
  closing(): void {
    this.#isClosing = true;
    this.#parts.stop();
    void this.#parts.keeper.reportState("handing-over");
    this.#parts.changed();
  }

  /** Shows the state of the lease on the status of the engine, and fences shards that another node has claimed. */
  show({ board, shards }: Readonly<{ board: StatusBoard; shards: Shards }>): void {
    const { keeper, isIdle } = this.#parts;
    const lost = (): void => {
      board.leaseFailed("LEASE_LOST");
      this.#core.trust.end();
      void this.#fence(shards);
    };
    keeper.listen({
      lapsed: () => board.leaseFailed("LEASE_LAPSED"),
      renewed: () => board.leaseRenewed(),
      // Nothing is lost of a node that runs no shard: it joins again.
      lost: () => isIdle() || lost(),
      clockApart: (byMs) => board.clockApart(byMs),
      handOverWanted: (isWanted) => board.handOverWanted(isWanted),
    });
    // It may have been declared dead while it opened.
    if (keeper.isLost) lost();
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
    while (problem === undefined && !keeper.isLost && !this.#isClosing) {
      const now = progress();
      if (now === "given") return;
      problem = standstill.problem({ progress: now, shards: counters.shards, nowMs: monotonicMs() });
      if (problem === undefined) await pause(this.#core.clock, LOOK_MS);
    }
    if (this.#isClosing) return;
    await giveAll(false);
    await this.#decline();
    throw new HandOverError("NO_STANDBY", problem ?? "another node has declared this one dead");
  }

  /** Tells an operator who wanted the hand-over that it does not take place. */
  async #decline(): Promise<void> {
    const { leases, keeper } = this.#parts;
    const { incarnation, isHandOverWanted } = keeper;
    if (isHandOverWanted) await this.#attempt(async () => void (await leases.want({ incarnation })));
  }

  /** Stops relying on the shards, and makes them nobody's. Others wait for a ttl if the store fails. */
  async release(): Promise<void> {
    const { leases, keeper, changed } = this.#parts;
    const { incarnation } = keeper;
    this.#hasEnded = true;
    this.#core.trust.end();
    keeper.stop();
    changed();
    await this.#attempt(() => leases.release({ incarnation, shards: EVERY_SHARD }));
  }

  /** Deletes the row of this node. */
  async leave(): Promise<void> {
    const { leases, keeper } = this.#parts;
    await this.#attempt(() => leases.leave(keeper.incarnation));
  }

  async #attempt(call: () => Promise<void>): Promise<void> {
    const { telemetry } = this.#core;
    try {
      await call();
    } catch (error) {
      telemetry.event("warn", "lease.unreleased", { message: errorMessage(error) });
    }
  }

  /** Reads the owners until every shard has seen the epoch of another node. */
  async #fence(shards: Shards): Promise<void> {
    const { leases, keeper } = this.#parts;
    const { telemetry } = this.#core;
    while (!this.#hasEnded && shards.all.some(({ state }) => state === "running" || state === "reloading")) {
      try {
        for (const { shard, epoch, incarnation } of shardsIn((await leases.nodes()).shards))
          if (incarnation !== keeper.incarnation) shards.at(shard).noteEpoch(epoch);
      } catch (error) {
        telemetry.event("warn", "lease.unread", { message: errorMessage(error) });
      }
      await pause(this.#core.clock, keeper.beatMs);
    }
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
