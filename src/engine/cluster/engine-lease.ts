import { errorMessage } from "../../common/index.ts";
import type { ClusterView, NodeEntry, NodeRow, ShardLeases } from "../../ports/index.ts";
import type { Core } from "../core/core.ts";
import type { Shards } from "../shards/shards.ts";
import type { StatusBoard } from "../status/status-board.ts";
import { HandOverError } from "./hand-over-error.ts";
import type { LeaseKeeper } from "./lease-keeper.ts";
import { outdated } from "./node-agreement.ts";
import type { NodeWatch } from "./node-watch.ts";
import { EVERY_SHARD, shardsIn } from "./shard-sets.ts";

/** Pause between two reads of nodes while a hand-over is prepared or awaited. */
export const HAND_OVER_PAUSE_MS = 20;

/** Dependencies of {@link EngineLease}: `entry` is what this node says of itself. */
export type EngineLeaseParts = Readonly<{
  leases: ShardLeases;
  keeper: LeaseKeeper;
  watch: NodeWatch;
  entry: NodeEntry;
  ttlMs: number;
}>;

/** The lease of an engine that took the shards over: its status, its hand-over and its end. */
export class EngineLease {
  readonly #core: Core;
  readonly #parts: EngineLeaseParts;
  #stopped = false;
  #cancelLook: () => void = () => undefined;

  constructor(core: Core, parts: EngineLeaseParts) {
    this.#core = core;
    this.#parts = parts;
  }

  /** Shows the state of the lease on the status of the engine, and fences shards that another node has claimed. */
  watch({ board, shards }: Readonly<{ board: StatusBoard; shards: Shards }>): void {
    const { keeper } = this.#parts;
    keeper.listen({
      lapsed: () => board.leaseFailed("LEASE_LAPSED"),
      renewed: () => board.leaseRenewed(),
      lost: () => {
        board.leaseFailed("LEASE_LOST");
        this.#core.trust.end();
        void this.#fence(shards);
      },
      clockApart: (byMs) => board.clockApart(byMs),
      handOverWanted: (isWanted) => board.handOverWanted(isWanted),
    });
    if (keeper.isLost) void this.#fence(shards);
    void keeper.tell("active");
    void this.#look(board);
  }

  /** Reads the other nodes once per ttl: declares those dead that failed, and shows which could not follow. */
  async #look(board: StatusBoard): Promise<void> {
    const { watch, entry, keeper, ttlMs } = this.#parts;
    if (this.#stopped || keeper.isLost) return;
    try {
      const view = await watch.read();
      const live = watch.others(view).filter((row) => !watch.hasFailed(row));
      const problems = live.map((row) => outdated(row, entry)).filter((problem) => problem !== undefined);
      board.nodesOutdated(problems.length === 0 ? undefined : problems.slice(0, 3).join("; "));
      await watch.buryIdle(view);
    } catch (error) {
      watch.reset();
      this.#unread(error);
    }
    if (this.#stopped) return;
    const { clock } = this.#core;
    this.#cancelLook = clock.schedule(clock.monotonicMs() + ttlMs, () => void this.#look(board));
  }

  /**
   * Tells the other nodes that the shards will be released, and resolves when one of them is ready. Rejects with a
   * HandOverError NO_STANDBY if none is within two ttl, and at once if there is no other live node.
   */
  async announce(): Promise<void> {
    const { keeper, ttlMs } = this.#parts;
    const { monotonicMs } = this.#core;
    const untilMs = monotonicMs() + 2 * ttlMs;
    await keeper.tell("handing-over");
    const before = new Map<number, number>();
    let problem = `no other node was ready to take over within ${2 * ttlMs} ms`;
    while (monotonicMs() < untilMs && !keeper.isLost) {
      const others = await this.#others();
      if (others?.length === 0) {
        problem = "there is no other live node";
        break;
      }
      if (others?.some((row) => isReady(row, before)) === true) return;
      await this.#pause(HAND_OVER_PAUSE_MS);
    }
    await keeper.tell("active");
    await this.#decline();
    throw new HandOverError("NO_STANDBY", problem);
  }

  /** Tells an operator who wanted the hand-over that it does not take place (decision ZJ). */
  async #decline(): Promise<void> {
    const { leases, keeper } = this.#parts;
    const { incarnation, isHandOverWanted } = keeper;
    if (isHandOverWanted) await this.#attempt(async () => void (await leases.want({ incarnation })));
  }

  /** Stops relying on the shards, and makes them nobody's. Others wait for a ttl if the store fails. */
  async release(): Promise<void> {
    const { leases, keeper } = this.#parts;
    const { incarnation } = keeper;
    this.#stopped = true;
    this.#cancelLook();
    this.#core.trust.end();
    keeper.stop();
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

  /** The rows of the other nodes that are not dead; undefined if they cannot be read. */
  async #others(): Promise<readonly NodeRow[] | undefined> {
    const view = await this.#view();
    return view && this.#parts.watch.others(view);
  }

  async #view(): Promise<ClusterView | undefined> {
    try {
      return await this.#parts.leases.nodes();
    } catch (error) {
      this.#unread(error);
      return undefined;
    }
  }

  #unread(error: unknown): void {
    this.#core.telemetry.event("warn", "lease.unread", { message: errorMessage(error) });
  }

  /** Reads the owners until every shard has seen the epoch of another node. */
  async #fence(shards: Shards): Promise<void> {
    const { keeper } = this.#parts;
    while (!this.#stopped && shards.all.some(({ state }) => state === "running" || state === "reloading")) {
      const view = await this.#view();
      for (const { shard, epoch, incarnation } of shardsIn(view?.shards ?? []))
        if (incarnation !== keeper.incarnation) shards.at(shard).saw(epoch);
      await this.#pause(keeper.beatMs);
    }
  }

  #pause(ms: number): Promise<void> {
    const { clock } = this.#core;
    return new Promise((resolve) => clock.schedule(clock.monotonicMs() + ms, resolve));
  }
}

/**
 * Returns whether a node is ready whose beat has risen by two since it was first asked about: between two renewals it has
 * read the nodes, and one that has read the announcement renews with every read.
 */
function isReady({ incarnation, beat, state }: NodeRow, before: Map<number, number>): boolean {
  const first = before.get(incarnation);
  if (first === undefined) before.set(incarnation, beat);
  return state === "ready" && first !== undefined && beat >= first + 2;
}
