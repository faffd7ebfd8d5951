import type { AppendOutcome } from "managed-orders/ports";
import { EndedRows } from "./ended-rows.ts";
import type { Entry, Part } from "./entries.ts";
import { MarketRows } from "./market-rows.ts";

/** Number of shards of a store. */
export const SHARDS = 256;

type Shard = {
  epoch: number;
  round: number;
  readonly records: string[];
  snapshot: Readonly<{ sequence: number; counter: number; parents: readonly string[] }> | undefined;
};

/** What an entry did: the outcomes of an append, the number of deleted rows, or why it did nothing. */
export type Result = Readonly<{ outcomes?: readonly AppendOutcome[]; gone?: number; refused?: string }>;

type EntryOf<C extends Entry["call"]> = Extract<Entry, { call: C }>;

/**
 * The content of a store: all entries of its log, applied in their order. Every handle applies every entry, so they all
 * come to the same result. That makes fences certain: an append that is written after a fence is applied after it.
 */
export class State {
  readonly shards: readonly Shard[] = Array.from({ length: SHARDS }, () => ({
    ...{ epoch: 0, round: 0, records: [], snapshot: undefined },
  }));
  readonly ended: EndedRows = new EndedRows();
  readonly market: MarketRows = new MarketRows();
  /** The handle that acquired the store last. */
  #owner = "";

  /** Applies an entry. */
  apply(entry: Entry): Result {
    switch (entry.call) {
      case "acquire":
        return this.#acquire(entry.handle);
      case "fence":
        return this.#fence(entry);
      case "append":
        return this.#append(entry);
      case "snapshot":
        return this.#snapshot(entry);
      case "deleteEnded":
        return { gone: this.ended.deleteBefore(entry.beforeMs, entry.limit) };
      default:
        return this.#deleteMarket(entry);
    }
  }

  /** Returns a shard. Throws a RangeError if there is none of that number. */
  shard(number: number): Shard {
    const shard = this.shards[number];
    if (shard === undefined) throw new RangeError(`the store has no shard ${number}`);
    return shard;
  }

  #acquire(handle: string): Result {
    this.#owner = handle;
    for (const shard of this.shards) {
      shard.epoch += 1;
      shard.round = 0;
    }
    return {};
  }

  /** Raises the round, and never lowers it: a fence may arrive late. */
  #fence({ shard: number, epoch, round }: EntryOf<"fence">): Result {
    const shard = this.shard(number);
    if (shard.epoch === epoch) shard.round = Math.max(shard.round, round);
    return {};
  }

  #append({ parts, market, handle }: EntryOf<"append">): Result {
    const isOwner = handle === this.#owner;
    const isMarketAlone = parts.length === 0 && Object.values(market).some(({ length }) => length > 0);
    if (isMarketAlone && !isOwner) return { refused: "another handle owns the store" };
    const outcomes = this.#outcomes(parts);
    const durable = parts.filter((_, place) => outcomes[place] === "durable");
    const taken = this.ended.conflict(
      durable.flatMap(({ ended }) => ended),
      durable.flatMap(({ endedLists }) => endedLists),
    );
    if (taken !== undefined) return { refused: `the client id of ${taken} is taken` };
    for (const { shard, records, ended, endedLists, marks } of durable) {
      this.shard(shard).records.push(...records);
      this.ended.put(shard, ended, endedLists);
      this.market.putMarks(marks);
    }
    if (isOwner) this.market.put(market);
    return { outcomes };
  }

  /** Decides each part. A batch may have several parts of one shard. */
  #outcomes(parts: readonly Part[]): readonly AppendOutcome[] {
    const lengths = new Map<number, number>();
    return parts.map(({ shard: number, epoch, round, sequences }): AppendOutcome => {
      const shard = this.shard(number);
      const length = lengths.get(number) ?? shard.records.length;
      const isOwned = epoch > 0 && epoch === shard.epoch && round === shard.round;
      const follows = sequences.every((sequence, place) => sequence === length + 1 + place);
      if (!isOwned || !follows) return "fenced";
      lengths.set(number, length + sequences.length);
      return "durable";
    });
  }

  #snapshot({ shard: number, sequence, counter, parents }: EntryOf<"snapshot">): Result {
    const shard = this.shard(number);
    if (sequence > shard.records.length) return { refused: "the snapshot is ahead of its journal" };
    if (sequence >= (shard.snapshot?.sequence ?? 0)) shard.snapshot = { sequence, counter, parents };
    return {};
  }

  #deleteMarket(entry: EntryOf<"deleteMarks"> | EntryOf<"deleteVolume">): Result {
    const isOwner = entry.handle === this.#owner;
    if (entry.call === "deleteVolume" && !isOwner) return { refused: "another handle owns the store" };
    if (entry.call === "deleteVolume") this.market.deleteVolume(entry.cutoff.beforeMs);
    else if (isOwner) this.market.deleteMarks(entry.marks);
    return {};
  }
}
