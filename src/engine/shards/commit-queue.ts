import type { MarketMark } from "../../model/index.ts";
import type { PendingRecord } from "../core/live-order.ts";
import type { Shard } from "./shard.ts";

/**
 * Most records in one append. Few enough that storing and settling them fits into a turn of the event loop beside
 * other work.
 */
const MOST_RECORDS = 256;

/** Most records of one shard in one append. What an account decides at once keeps the appends, and the turns, of others short. */
const MOST_OF_SHARD = 64;

/** Records of one shard before those of others have their turn. A shard has one sequence, also if it has several accounts. */
const RUN = 16;

/** A record that is to be acted on, and its shard. */
type DurablePart = Readonly<{ shard: Shard; record: PendingRecord }>;

/** The records and marks of one shard in one append, and the epoch of the shard in it. */
export type ShardPart = Readonly<{
  shard: Shard;
  epoch: number;
  pending: readonly PendingRecord[];
  marks: readonly MarketMark[];
}>;

/** The shards with records that are decided and not handed to the store yet. Those of held shards wait and do not count. */
export class CommitQueue {
  readonly #shards: Set<Shard> = new Set();
  readonly #held: Set<Shard> = new Set();

  add(shard: Shard): void {
    if (!this.#held.has(shard)) this.#shards.add(shard);
  }

  /** Whether the records of a shard wait for an append of it that has no answer. */
  isHeld(shard: Shard): boolean {
    return this.#held.has(shard);
  }

  hold(shards: readonly Shard[]): void {
    for (const shard of shards) {
      this.#held.add(shard);
      this.#shards.delete(shard);
    }
  }

  /** Holds the shards that have such a record, and returns them. */
  holdIf(has: (record: PendingRecord) => boolean): readonly Shard[] {
    const shards = [...this.#shards].filter(({ pending }) => pending.some(has));
    this.hold(shards);
    return shards;
  }

  release(shards: readonly Shard[]): void {
    for (const shard of shards) {
      this.#held.delete(shard);
      if (shard.pending.size > 0) this.#shards.add(shard);
    }
  }

  get isEmpty(): boolean {
    return this.#shards.size === 0;
  }

  /** Whether more is decided than the next append can hold. */
  get isBehind(): boolean {
    let waiting = 0;
    for (const shard of this.#shards) waiting += shard.pending.size;
    return waiting >= MOST_RECORDS;
  }

  /**
   * Takes the oldest records, up to the limit of an append, by shard: of each shard up to {@link RUN}, before any has more.
   * Those of a shard that was held may be older by far than those of the others, which must not wait for as many appends.
   */
  take(): Map<Shard, readonly PendingRecord[]> {
    const taken = new Map<Shard, readonly PendingRecord[]>();
    const left = (): number =>
      MOST_RECORDS - [...taken.values()].reduce((sum, { length }) => sum + length, 0);
    for (let most = RUN; this.#shards.size > 0 && left() > 0 && most <= MOST_OF_SHARD; )
      if (!this.#takeOldest(taken, left(), most)) most += RUN;
    return taken;
  }

  /** Takes the oldest `left` records of shards of which fewer than `most` are taken. Returns whether there is such a shard. */
  #takeOldest(taken: Map<Shard, readonly PendingRecord[]>, left: number, most: number): boolean {
    const shards = [...this.#shards].filter((shard) => (taken.get(shard)?.length ?? 0) < most);
    // Decisions are numbered without gaps, and the store was handed all older ones, except for those of held shards.
    const oldest = shards.reduce(
      (before, { pending }) => Math.min(before, pending.first?.decision ?? before),
      Number.POSITIVE_INFINITY,
    );
    for (const shard of shards) {
      const earlier = taken.get(shard);
      const mayFollow = ({ decision }: PendingRecord, taken: number): boolean =>
        decision < oldest + left && taken < most - (earlier?.length ?? 0);
      const pending = shard.pending.takeWhile(mayFollow);
      if (pending.length > 0) taken.set(shard, earlier?.concat(pending) ?? pending);
      if (shard.pending.size === 0) this.#shards.delete(shard);
    }
    return shards.length > 0;
  }
}

/**
 * Returns the records of an append in the order in which to act on them: that of their decisions. If they take several turns,
 * the first {@link RUN} of each shard come before the next ones of any.
 */
export function settlingOrder(parts: readonly ShardPart[], perTurn: number): readonly DurablePart[] {
  const all = parts.flatMap(({ shard, pending }) =>
    pending.map((record, index) => ({ shard, record, round: Math.floor(index / RUN) })),
  );
  const isLong = all.length > perTurn;
  return all.sort((a, b) => (isLong ? a.round - b.round : 0) || a.record.decision - b.record.decision);
}
