import {
  errorMessage,
  listOption,
  numberOption,
  type OptionCheck,
  optionalOption,
  optionsOf,
  wholeOption,
  wrongOption,
} from "../common/index.ts";
import { MARKET_SHARD } from "../model/index.ts";
import type { ClusterView, ShardOwner } from "../ports/index.ts";
import {
  checkedLeases,
  listenerOption,
  OPERATOR_CHECKS,
  type OperatorOptions,
  waitFor,
} from "./cluster-report.ts";
import { rowIn } from "./cluster-views.ts";

/** Progress of a move. */
export interface MoveProgress {
  /** Number of shards that the node does not own yet. */
  readonly left: number;
  /** How many of these belong to nobody, so that the node can claim them. */
  readonly released: number;
  /** Milliseconds since the owners were asked. */
  readonly elapsedMs: number;
  /** Why the store could not be read last; absent if it could. */
  readonly failing?: string;
}

/**
 * Why shards do not move. `no-such-node`: the store has no row of the node. `dead`: another node has declared it dead.
 * `does-not-share`: it takes all shards or none. `owner-does-not-share`: so does the owner of a shard, which hands over as
 * a whole (`drainNode`). `overruled`: somebody has assigned a shard to another node since, or withdrawn it.
 */
export type MoveRefusal = "no-such-node" | "dead" | "does-not-share" | "owner-does-not-share" | "overruled";

/**
 * How a move ended. `moved`: the node owns all shards, or has owned them since. `refused`: it does not go on, and why.
 * `limit`, `aborted`: the time was over, or the signal was aborted. `left` are the shards that the node has not owned; with
 * `isWithdrawn` no owner is asked for one of them any more. Those that were released before stay meant for the node.
 */
export type MoveOutcome =
  | Readonly<{ kind: "moved" }>
  | Readonly<{ kind: "refused"; why: MoveRefusal; left: readonly number[]; isWithdrawn: boolean }>
  | Readonly<{ kind: "limit" | "aborted"; left: readonly number[]; isWithdrawn: boolean }>;

/** Which shards go to which node, and for how long they are waited for. */
export interface MoveOptions extends OperatorOptions {
  /** Numbers of shards, 0 to 255, and 256 for the market journal: at least one, each once, in any order. */
  readonly shards: readonly number[];
  /** The start of a process that shall own them: its number among the nodes of the store. */
  readonly incarnation: number;
  /** How long it may take, in milliseconds; default 60,000. */
  readonly limitMs?: number;
  /** Called after each reading. */
  readonly onProgress?: (progress: MoveProgress) => void;
}

const SHARDS_WANTED = `an array of different shards, each from 0 to ${MARKET_SHARD}`;
const eachShard = listOption(SHARDS_WANTED, wholeOption({ from: 0, to: MARKET_SHARD }));

const shardsOption: OptionCheck = (value, name) => {
  eachShard(value, name);
  const shards = value as readonly number[];
  if (shards.length === 0 || new Set(shards).size < shards.length)
    throw wrongOption(value, name, SHARDS_WANTED, true);
};

const moveOptions: OptionCheck = optionsOf<MoveOptions>({
  ...OPERATOR_CHECKS,
  shards: shardsOption,
  incarnation: wholeOption({ from: 1 }),
  limitMs: optionalOption(numberOption({ from: 0 }, " of milliseconds")),
  onProgress: optionalOption(listenerOption),
});

/**
 * Asks the owners of some shards to give them to a node, and waits until it owns them. Other shards of the owners stay. The
 * owners and the node must share the shards. Whatever ends the wait early also withdraws what was asked. Rejects when the
 * store fails before the owners are asked, and with a TypeError or RangeError that names an option that is missing, unknown
 * or wrong.
 *
 * @example
 * ```ts
 * import { type MoveOutcome, moveShards, type OperatorOptions } from "managed-orders/cluster";
 * const move = async (operator: OperatorOptions, incarnation: number): Promise<MoveOutcome> =>
 *   await moveShards({ ...operator, shards: [0, 1, 2], incarnation, onProgress: ({ left }) => console.log(left) });
 * ```
 */
export async function moveShards(options: MoveOptions): Promise<MoveOutcome> {
  moveOptions(options, "moveShards");
  return await new Move(options).run();
}

class Move {
  readonly #options: MoveOptions;
  readonly #leases: OperatorOptions["leases"];
  /** The shards that the node has not owned yet. One that it has given to another node since has moved. */
  #left: readonly number[];
  #released = 0;
  /** Epochs of the shards when they were assigned. */
  readonly #assigned: Map<number, number> = new Map();

  constructor(options: MoveOptions) {
    this.#options = options;
    this.#leases = checkedLeases(options);
    this.#left = [...options.shards].sort((a, b) => a - b);
  }

  async run(): Promise<MoveOutcome> {
    const before = await this.#leases.nodes();
    const refusal = this.#refusal(before);
    if (refusal !== undefined) return { kind: "refused", why: refusal, left: this.#left, isWithdrawn: true };
    const sinceMs = this.#options.clock.monotonicMs();
    try {
      await this.#assign(this.#waiting(before));
    } catch (error) {
      // The question may have arrived although its answer was lost.
      await this.#withdraw();
      throw error;
    }
    return await waitFor<MoveOutcome>(
      { ...this.#options, sinceMs },
      (elapsedMs) => this.#look(elapsedMs),
      (kind) => this.#withdrawn({ kind }),
    );
  }

  /** Reads how far the move is. Resolves to the outcome if there is one. */
  async #look(elapsedMs: number): Promise<MoveOutcome | undefined> {
    let failing: string | undefined;
    try {
      const view = await this.#leases.nodes();
      const waiting = this.#waiting(view);
      this.#released = waiting.filter((owner) => owner.incarnation === undefined).length;
      if (waiting.length === 0) return { kind: "moved" };
      const why = this.#refusal(view) ?? this.#overruled(waiting);
      if (why !== undefined) return await this.#withdrawn({ kind: "refused", why });
      await this.#assign(waiting);
    } catch (error) {
      failing = errorMessage(error);
    }
    this.#options.onProgress?.({
      ...{ left: this.#left.length, released: this.#released, elapsedMs },
      ...(failing !== undefined && { failing }),
    });
    return undefined;
  }

  /** Returns the shards that the node has not owned yet, as they are in a view. */
  #waiting({ shards }: ClusterView): readonly ShardOwner[] {
    const left = new Set(this.#left);
    const waiting = shards.filter(
      ({ shard, incarnation }) => left.has(shard) && incarnation !== this.#options.incarnation,
    );
    this.#left = waiting.map(({ shard }) => shard);
    return waiting;
  }

  /** Returns why the shards cannot move; undefined if they can. */
  #refusal(view: ClusterView): MoveRefusal | undefined {
    const target = rowIn(view, this.#options.incarnation);
    if (target === undefined) return "no-such-node";
    if (target.dead) return "dead";
    if (target.shares !== true) return "does-not-share";
    const owners = new Set(this.#left.map((shard) => view.shards[shard]?.incarnation));
    const retains = view.nodes.some(
      ({ incarnation, dead, shares }) => owners.has(incarnation) && !dead && shares !== true,
    );
    return retains ? "owner-does-not-share" : undefined;
  }

  /** An assignment ends with the epoch of its shard. One that is gone before was replaced or withdrawn. */
  #overruled(waiting: readonly ShardOwner[]): MoveRefusal | undefined {
    const isOverruled = waiting.some(
      ({ shard, epoch, next }) => next !== this.#options.incarnation && this.#assigned.get(shard) === epoch,
    );
    return isOverruled ? "overruled" : undefined;
  }

  /** Assigns the shards that are not assigned to the node in this epoch: all at first, later those that others claimed. */
  async #assign(waiting: readonly ShardOwner[]): Promise<void> {
    const { incarnation: to } = this.#options;
    const requested = waiting.filter(({ next }) => next !== to);
    if (requested.length > 0) await this.#leases.assign({ shards: requested.map(({ shard }) => shard), to });
    for (const { shard, epoch } of waiting) this.#assigned.set(shard, epoch);
  }

  async #withdrawn(
    end: Readonly<{ kind: "refused"; why: MoveRefusal }> | Readonly<{ kind: "limit" | "aborted" }>,
  ): Promise<MoveOutcome> {
    const isWithdrawn = await this.#withdraw();
    return { ...end, left: this.#left, isWithdrawn };
  }

  /**
   * Withdraws what still belongs to another node. A shard of nobody stays meant for the node, because its owner has given
   * it away already. Resolves to whether certainly no owner is asked any more.
   */
  async #withdraw(): Promise<boolean> {
    const { incarnation: to } = this.#options;
    try {
      const waiting = this.#waiting(await this.#leases.nodes());
      const requested = waiting.filter(({ incarnation, next }) => incarnation !== undefined && next === to);
      if (requested.length > 0) await this.#leases.assign({ shards: requested.map(({ shard }) => shard) });
      return true;
    } catch {
      return false;
    }
  }
}
