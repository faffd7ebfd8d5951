import type { Random } from "../../../src/common/random.ts";
import { shardOf } from "../../../src/lifecycle/index.ts";
import { MARKET_SHARD } from "../../../src/model/index.ts";
import type { WorldParts } from "../parts.ts";
import { Disturbance } from "./disturbance.ts";

/** An operator of a cluster whose nodes share the shards. He assigns shards to other nodes than their owners. */
export class ShardOperator {
  readonly #parts: WorldParts;
  readonly #random: Random;
  /** Decides whether the market journal moves as well. */
  readonly #market: Random;
  readonly #disturbance: Disturbance;
  /** The shards of the clients' accounts. */
  readonly #shards: readonly number[];

  constructor(parts: WorldParts) {
    this.#parts = parts;
    this.#random = parts.random.of("operator of shards");
    this.#market = parts.random.of("operator of the market journal");
    this.#disturbance = new Disturbance(parts);
    this.#shards = [...new Set(parts.plan.clients.map(({ accountId }) => shardOf(accountId)))];
  }

  /** A shard with accounts. */
  anyShard(): number {
    return this.#random.pick(this.#shards);
  }

  /** Assigns some shards to a random living node, those with accounts above all. */
  async assign(): Promise<void> {
    const { fleet, disk, situations, plan } = this.#parts;
    const random = this.#random;
    const others = Array.from({ length: random.below(4) }, () => random.below(MARKET_SHARD + 1));
    const wanted = new Set([...this.#shards.filter(() => random.chance(0.5)), ...others]);
    if (this.#market.chance(0.25)) wanted.add(MARKET_SHARD);
    const nodes = fleet.alive.filter(({ incarnation }) => incarnation !== undefined);
    if (nodes.length === 0 || wanted.size === 0) return;
    const to = random.pick(nodes).incarnation;
    const assigned = await disk.reader.leases?.assign({
      shards: [...wanted],
      ...(to !== undefined && { to }),
    });
    if (assigned === undefined || assigned === 0) return;
    situations.observe("shards assigned by an operator");
    await this.#disturbance.disturb([...wanted], plan.cluster?.ttlMs ?? 0);
  }

  /** Notes what a look at the nodes shows. */
  look(): void {
    const { fleet, situations } = this.#parts;
    const idle = fleet.alive.some(({ node, holdings, paused }) => {
      return !paused && node?.status().state === "ready" && holdings.owned.length === 0;
    });
    if (idle) situations.observe("node without any shard");
  }

  /** Whether shards are on their way: assigned to a node that does not own them yet. */
  async areOnWay(): Promise<boolean> {
    const view = await this.#parts.disk.reader.leases?.nodes();
    return view?.shards.some(({ incarnation, next }) => next !== undefined && next !== incarnation) === true;
  }
}
