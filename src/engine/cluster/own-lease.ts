import { errorMessage } from "../../common/index.ts";
import type { ClusterView, ShardLeases } from "../../ports/index.ts";
import type { Core } from "../core/core.ts";
import type { Shards } from "../shards/shards.ts";
import type { StatusBoard } from "../status/status-board.ts";
import type { LeaseKeeper } from "./lease-keeper.ts";
import { EVERY_SHARD, shardsIn } from "./shard-sets.ts";

/** Dependencies of {@link OwnLease}. */
export type OwnLeaseParts = Readonly<{ leases: ShardLeases; keeper: LeaseKeeper }>;

/** Where the lease is shown; `isIdle` tells whether the node runs no shard, and takes none. */
type Shown = Readonly<{ board: StatusBoard; shards: Shards; isIdle?: () => boolean }>;

/** The lease of the node on which an engine runs: what the engine shows of it, and its end. */
export class OwnLease {
  readonly #core: Core;
  readonly #parts: OwnLeaseParts;
  #isClosing = false;
  #hasEnded = false;

  constructor(core: Core, parts: OwnLeaseParts) {
    this.#core = core;
    this.#parts = parts;
  }

  /** Whether the engine is being closed. */
  get isClosing(): boolean {
    return this.#isClosing;
  }

  /** Notes that the engine begins to close. */
  closing(): void {
    this.#isClosing = true;
  }

  /** Whether the shards were released. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Shows the state of the lease on the status of the engine, and fences shards that another node has claimed. */
  show({ board, shards, isIdle = () => false }: Shown): void {
    const { keeper } = this.#parts;
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

  /** Tells an operator who wanted the hand-over that it does not take place (decision ZJ). */
  async decline(): Promise<void> {
    const { leases, keeper } = this.#parts;
    const { incarnation, isHandOverWanted } = keeper;
    if (isHandOverWanted) await this.#attempt(async () => void (await leases.want({ incarnation })));
  }

  /** Stops relying on the shards, and makes them nobody's. Others wait for a ttl if the store fails. */
  async release(): Promise<void> {
    const { leases, keeper } = this.#parts;
    const { incarnation } = keeper;
    this.#hasEnded = true;
    this.#core.trust.end();
    keeper.stop();
    await this.#attempt(() => leases.release({ incarnation, shards: EVERY_SHARD }));
  }

  /** Deletes the row of this node. */
  async leave(): Promise<void> {
    const { leases, keeper } = this.#parts;
    await this.#attempt(() => leases.leave(keeper.incarnation));
  }

  /** Reads the nodes; undefined if they cannot be read. */
  async view(): Promise<ClusterView | undefined> {
    try {
      return await this.#parts.leases.nodes();
    } catch (error) {
      this.unread(error);
      return undefined;
    }
  }

  /** Reports that the nodes could not be read. */
  unread(error: unknown): void {
    this.#core.telemetry.event("warn", "lease.unread", { message: errorMessage(error) });
  }

  pause(ms: number): Promise<void> {
    const { clock } = this.#core;
    return new Promise((resolve) => clock.schedule(clock.monotonicMs() + ms, resolve));
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
    const { keeper } = this.#parts;
    while (!this.#hasEnded && shards.all.some(({ state }) => state === "running" || state === "reloading")) {
      const view = await this.view();
      for (const { shard, epoch, incarnation } of shardsIn(view?.shards ?? []))
        if (incarnation !== keeper.incarnation) shards.at(shard).noteEpoch(epoch);
      await this.pause(keeper.beatMs);
    }
  }
}
