import { InvariantError } from "../../errors/index.ts";
import { MARKET_SHARD } from "../../model/index.ts";
import type { ShardHead } from "../../ports/index.ts";
import type { DiskContents, KeptOwner } from "./disk.ts";
import { headOf, shardOf } from "./journal.ts";

/** What one handle of a disk has taken over, with the epoch of each shard and of the market journal. */
export class Ownership {
  readonly #disk: DiskContents;
  readonly #epochs: Map<number, number> = new Map();

  constructor(disk: DiskContents) {
    this.#disk = disk;
  }

  /** Returns whether no other handle has taken a shard over since this one did. */
  readonly owns = (shard: number): boolean => this.#epochs.get(shard) === ownerRow(this.#disk, shard).epoch;

  /**
   * Takes shards over for a node, or for nobody: raises their epochs, begins round 0 and ends their assignments. Shards
   * that the node owns already stay as they are.
   */
  take(shards: readonly number[], incarnation: number | undefined): readonly ShardHead[] {
    for (const shard of shards) {
      const row = ownerRow(this.#disk, shard);
      if (incarnation === undefined || row.incarnation !== incarnation) {
        row.epoch += 1;
        row.incarnation = incarnation;
        row.next = undefined;
        if (shard !== MARKET_SHARD) shardOf(this.#disk, shard).round = 0;
      }
      this.#epochs.set(shard, row.epoch);
    }
    return shards.map((shard) =>
      shard === MARKET_SHARD
        ? { shard, epoch: this.#disk.market.epoch, sequence: 0 }
        : headOf(this.#disk, shard),
    );
  }

  /** Throws an InvariantError I60 if every shard has a later owner. */
  readonly requireSome = (): void => {
    if (!this.#disk.shards.some((_, shard) => this.owns(shard)))
      throw new InvariantError("I60", "every shard belongs to a later owner of the store");
  };
}

/** Returns the owner of a shard, or of the market journal. Throws a RangeError for another number. */
export function ownerRow(disk: DiskContents, shard: number): KeptOwner {
  return shard === MARKET_SHARD ? disk.market : shardOf(disk, shard);
}
