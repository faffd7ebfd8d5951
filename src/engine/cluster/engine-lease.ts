import type { NodeEntry, NodeRow, ShardLeases } from "../../ports/index.ts";
import type { Core } from "../core/core.ts";
import type { Shards } from "../shards/shards.ts";
import type { StatusBoard } from "../status/status-board.ts";
import { HandOverError } from "./hand-over-error.ts";
import type { LeaseKeeper } from "./lease-keeper.ts";
import { outdatedIn } from "./node-agreement.ts";
import type { NodeWatch } from "./node-watch.ts";
import { OwnLease } from "./own-lease.ts";

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

/** The lease of an engine that took all shards over: its status, its hand-over and its end. */
export class EngineLease {
  readonly #core: Core;
  readonly #parts: EngineLeaseParts;
  readonly #own: OwnLease;
  #cancelLook: () => void = () => undefined;

  constructor(core: Core, parts: EngineLeaseParts) {
    this.#core = core;
    this.#parts = parts;
    this.#own = new OwnLease(core, parts);
  }

  /** Shows the state of the lease on the status of the engine, and fences shards that another node has claimed. */
  watch({ board, shards }: Readonly<{ board: StatusBoard; shards: Shards }>): void {
    this.#own.show({ board, shards });
    void this.#parts.keeper.reportState("active");
    void this.#look(board);
  }

  /** Reads the other nodes once per ttl: declares those dead that failed, and shows which could not follow. */
  async #look(board: StatusBoard): Promise<void> {
    const { watch, entry, keeper, ttlMs } = this.#parts;
    if (this.#own.hasEnded || keeper.isLost) return;
    try {
      const view = await watch.read();
      const live = watch.others(view).filter((row) => !watch.hasFailed(row));
      board.nodesOutdated(outdatedIn(live, entry));
      await watch.declareIdleDead(view);
    } catch (error) {
      watch.reset();
      this.#own.unread(error);
    }
    if (this.#own.hasEnded) return;
    const { clock } = this.#core;
    this.#cancelLook = clock.schedule(clock.monotonicMs() + ttlMs, () => void this.#look(board));
  }

  /**
   * Tells the other nodes that the shards will be released, and resolves when one of them is ready, or when the engine is closed
   * meanwhile. Rejects with a HandOverError NO_STANDBY if none is within two ttl, and at once if there is no other live node, or
   * when this node is declared dead.
   */
  async announce(): Promise<void> {
    const { keeper, ttlMs } = this.#parts;
    const { monotonicMs } = this.#core;
    const untilMs = monotonicMs() + 2 * ttlMs;
    await keeper.reportState("handing-over");
    const before = new Map<number, number>();
    let problem = `no other node was ready to take over within ${2 * ttlMs} ms`;
    while (monotonicMs() < untilMs && !keeper.isLost && !this.#own.isClosing) {
      const others = await this.#others();
      if (others?.length === 0) {
        problem = "there is no other live node";
        break;
      }
      if (others?.some((row) => isReady(row, before)) === true) return;
      await this.#own.pause(HAND_OVER_PAUSE_MS);
    }
    if (this.#own.isClosing) return;
    if (keeper.isLost) problem = "another node has declared this one dead";
    await keeper.reportState("active");
    await this.#own.decline();
    throw new HandOverError("NO_STANDBY", problem);
  }

  /** Notes that the engine begins to close. */
  closing(): void {
    this.#own.closing();
  }

  /** Stops relying on the shards, and makes them nobody's. Others wait for a ttl if the store fails. */
  async release(): Promise<void> {
    this.#cancelLook();
    await this.#own.release();
  }

  /** Deletes the row of this node. */
  async leave(): Promise<void> {
    await this.#own.leave();
  }

  /** The rows of the other nodes that are not dead; undefined if they cannot be read. */
  async #others(): Promise<readonly NodeRow[] | undefined> {
    const view = await this.#own.view();
    return view && this.#parts.watch.others(view);
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
