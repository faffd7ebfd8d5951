import {
  errorMessage,
  numberOption,
  type OptionCheck,
  optionalOption,
  optionsOf,
  wholeOption,
} from "../common/index.ts";
import { MARKET_SHARD } from "../model/index.ts";
import type { ClusterView, NodeRow } from "../ports/index.ts";
import {
  checkedLeases,
  listenerOption,
  OPERATOR_CHECKS,
  type OperatorOptions,
  waitFor,
} from "./cluster-report.ts";
import { livingIn, ownedBy, rowIn } from "./cluster-views.ts";

/**
 * How far a drain is. `asked`: the node was asked. `handing-over`: it has begun. `released`: its shards belong to nobody
 * until another node claims them, or some do and others have new owners already.
 */
export type DrainStep = "asked" | "handing-over" | "released";

/** Progress of a drain. */
export interface DrainProgress {
  readonly step: DrainStep;
  /** Number of shards that still belong to the node. */
  readonly shards: number;
  /** Milliseconds since the node was asked. */
  readonly elapsedMs: number;
  /** Why the store could not be read last; absent if it could. */
  readonly failing?: string;
}

/**
 * How a drain ended. `drained`: other nodes own all shards of the node. `nothing-owned`: it owned none. `not-live`: it is
 * dead or gone. `no-standby`: it answered that no other node was
 * ready, and goes on. `late`, `stopped`: the time was over, or the signal was aborted, at this step; with `isWithdrawn`
 * the node is not asked any more. One that has begun then still ends its hand-over, or goes on.
 */
export type DrainOutcome =
  | Readonly<{ kind: "drained"; owners: readonly number[] }>
  | Readonly<{ kind: "nothing-owned" | "not-live" | "no-standby" }>
  | Readonly<{
      kind: "late" | "stopped";
      step: DrainStep;
      isWithdrawn: boolean;
    }>;

/** Which node is drained, and for how long it is waited for. */
export interface DrainOptions extends OperatorOptions {
  /** The start of a process that hands its shards over: its number among the nodes of the store. */
  readonly incarnation: number;
  /** How long it may take, in milliseconds; default 60,000. */
  readonly limitMs?: number;
  /** Called after each reading. */
  readonly onProgress?: (progress: DrainProgress) => void;
}

const drainOptions: OptionCheck = optionsOf<DrainOptions>({
  ...OPERATOR_CHECKS,
  incarnation: wholeOption({ from: 1 }),
  limitMs: optionalOption(numberOption({ from: 0 }, " of milliseconds")),
  onProgress: optionalOption(listenerOption),
});

/**
 * Asks a node to hand its shards over, and waits until other nodes own them. The node learns of it with its next renewal,
 * as the status HAND_OVER_WANTED of its engine; its host then calls `engine.handOver()`. Whatever ends the wait early also
 * withdraws the question. Rejects when the store fails before the node is asked, and with a TypeError or RangeError that
 * names an option that is missing, unknown or wrong.
 *
 * @example
 * ```ts
 * import { drainNode, type DrainOutcome, type OperatorOptions } from "managed-orders/cluster";
 * const drain = async (operator: OperatorOptions, incarnation: number): Promise<DrainOutcome> =>
 *   await drainNode({ ...operator, incarnation, onProgress: ({ step }) => console.log(step) });
 * ```
 */
export async function drainNode(options: DrainOptions): Promise<DrainOutcome> {
  drainOptions(options, "drainNode");
  return await new Drain(options).run();
}

class Drain {
  readonly #options: DrainOptions;
  readonly #leases: OperatorOptions["leases"];
  /** The shards that the node owned at first, and those that came to it since: nodes share shards while they move. */
  #own: readonly number[] = [];
  #step: DrainStep = "asked";
  #shards = 0;
  #isRequestedAgain = false;

  constructor(options: DrainOptions) {
    this.#options = options;
    this.#leases = checkedLeases(options);
  }

  async run(): Promise<DrainOutcome> {
    const { incarnation, clock } = this.#options;
    const before = await this.#leases.nodes();
    if (rowIn(before, incarnation)?.dead !== false) return { kind: "not-live" };
    this.#own = numbersOf(before, incarnation);
    this.#shards = countOf(this.#own);
    if (this.#own.length === 0) return { kind: "nothing-owned" };
    const sinceMs = clock.monotonicMs();
    const outcome = await this.#request();
    if (outcome !== undefined) return outcome;
    return await waitFor<DrainOutcome>(
      { ...this.#options, sinceMs },
      (elapsedMs) => this.#look(elapsedMs),
      (why) => this.#withdrawn(why === "limit" ? "late" : "stopped"),
    );
  }

  async #request(): Promise<DrainOutcome | undefined> {
    const { incarnation } = this.#options;
    try {
      const isLive = await this.#leases.want({ incarnation, wanted: "hand-over" });
      return isLive ? undefined : { kind: "not-live" };
    } catch (error) {
      // The question may have arrived although its answer was lost.
      await this.#withdraw();
      throw error;
    }
  }

  /** Reads how far the node is. Resolves to the outcome if there is one. */
  async #look(elapsedMs: number): Promise<DrainOutcome | undefined> {
    const { incarnation } = this.#options;
    let failing: string | undefined;
    try {
      const view = await this.#leases.nodes();
      const row = rowIn(view, incarnation);
      const left = numbersOf(view, incarnation);
      this.#own = [...new Set([...this.#own, ...left])];
      this.#shards = countOf(left);
      const isUnasked = left.length > 0 && row?.dead === false && row.wanted === undefined;
      if (isUnasked && (await this.#hasAnswered(view, row))) return { kind: "no-standby" };
      if (left.length === 0) this.#step = "released";
      else this.#step = row?.state === "handing-over" ? "handing-over" : "asked";
      const owners = this.#successors(view);
      if (owners !== undefined) return { kind: "drained", owners };
    } catch (error) {
      failing = errorMessage(error);
    }
    this.#options.onProgress?.({
      ...{ step: this.#step, shards: this.#shards, elapsedMs },
      ...(failing !== undefined && { failing }),
    });
    return undefined;
  }

  /**
   * Resolves to whether a node that is not asked any more has answered so itself. The end of another operator's drain has
   * withdrawn the question too: a node that has begun goes on all the same, and one that has not is asked again.
   */
  async #hasAnswered(view: ClusterView, { incarnation, state }: NodeRow): Promise<boolean> {
    if (state === "handing-over") return false;
    const isAlone = livingIn(view).size === 1;
    if (this.#step !== "asked" || isAlone || this.#isRequestedAgain) return true;
    this.#isRequestedAgain = await this.#leases.want({ incarnation, wanted: "hand-over" });
    return false;
  }

  /** Returns who owns what the node has owned; undefined while a shard belongs to it, to nobody or to a dead node. */
  #successors(view: ClusterView): readonly number[] | undefined {
    const living = livingIn(view);
    const owners = new Set<number>();
    for (const shard of this.#own) {
      const owner = view.shards[shard]?.incarnation;
      if (owner === undefined || owner === this.#options.incarnation || !living.has(owner)) return undefined;
      owners.add(owner);
    }
    return [...owners];
  }

  async #withdrawn(kind: "late" | "stopped"): Promise<DrainOutcome> {
    return { kind, step: this.#step, isWithdrawn: await this.#withdraw() };
  }

  /** Resolves to whether the node is certainly not asked any more. */
  async #withdraw(): Promise<boolean> {
    const { incarnation } = this.#options;
    try {
      await this.#leases.want({ incarnation });
      return true;
    } catch {
      return false;
    }
  }
}

/** The shards of a node by number, the market journal included. */
const numbersOf = (view: ClusterView, node: number): readonly number[] =>
  ownedBy(view, node).map(({ shard }) => shard);

/** The number of shards without the market journal. */
const countOf = (shards: readonly number[]): number =>
  shards.filter((shard) => shard !== MARKET_SHARD).length;
