import type { ShardHead, ShardLeases, ShardOwner } from "../../ports/index.ts";

/** Dependencies of {@link ShardClaims}. `incarnation` returns that of the node. */
export type ShardClaimParts = Readonly<{
  leases: Pick<ShardLeases, "claim" | "release">;
  incarnation: () => number;
}>;

/** A shard of a node, and the epoch in which the node has it. */
export type Held = Pick<ShardOwner, "shard" | "epoch">;

/**
 * Claims and releases shards for a node. No epoch is claimed again that a release has named: a release without an answer may
 * reach the store at any later time, and a claim of shards that the node owns already leaves them their epochs. So the
 * release is repeated until it has an answer, and the claim then begins another epoch (decision RK).
 */
export class ShardClaims {
  readonly #parts: ShardClaimParts;
  /** By shard: the epoch that the last release of it has named, if that release has no answer. */
  readonly #ending: Map<number, number> = new Map();

  constructor(parts: ShardClaimParts) {
    this.#parts = parts;
  }

  /** Claims a set of shards. Resolves to undefined if nothing was claimed. */
  async claim(shards: readonly number[]): Promise<readonly ShardHead[] | undefined> {
    const ending = shards.flatMap((shard) => {
      const epoch = this.#ending.get(shard);
      return epoch === undefined ? [] : [{ shard, epoch }];
    });
    await this.release(ending);
    const { leases, incarnation } = this.#parts;
    return await leases.claim({ incarnation: incarnation(), shards });
  }

  /** Makes shards nobody's that are in these epochs still. */
  async release(held: readonly Held[]): Promise<void> {
    if (held.length === 0) return;
    const { leases, incarnation } = this.#parts;
    for (const { shard, epoch } of held) this.#ending.set(shard, epoch);
    const [shards, epochs] = [held.map(({ shard }) => shard), held.map(({ epoch }) => epoch)];
    await leases.release({ incarnation: incarnation(), shards, epochs });
    for (const shard of shards) this.#ending.delete(shard);
  }
}
