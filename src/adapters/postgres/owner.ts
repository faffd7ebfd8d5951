import { InvariantError } from "../../errors/index.ts";
import { MARKET_SHARD } from "../../model/index.ts";

/** A round of the market journal, in an epoch. */
export type MarketRound = Readonly<{ epoch: number; round: number }>;

/** What a handle has taken over: the epochs of the shards, and the market journal. */
export class Owner {
  readonly #epochs: Map<number, number> = new Map();
  #round = 0;
  #isRoundDue = false;
  #rows = 0;

  /**
   * Notes a takeover that is durable. In an epoch that goes on, so do the round and the numbers of the rows. One of an
   * earlier epoch was answered late, and changes nothing.
   */
  take(epochs: ReadonlyMap<number, number>): void {
    const { market } = this;
    for (const [shard, epoch] of epochs) this.#epochs.set(shard, Math.max(epoch, this.epochOf(shard)));
    if (this.market === market) return;
    this.#round = 0;
    this.#isRoundDue = false;
    this.#rows = 0;
  }

  /** Returns the epoch with which this handle took a shard over, -1 if it never did. */
  epochOf(shard: number): number {
    return this.#epochs.get(shard) ?? -1;
  }

  /** The shards that this handle has taken over, and the epoch of each, as two columns. */
  get columns(): readonly (readonly number[])[] {
    return [[...this.#epochs.keys()], [...this.#epochs.values()]];
  }

  /** The epoch with which this handle took the market journal over; undefined if it never did. */
  get market(): number | undefined {
    return this.#epochs.get(MARKET_SHARD);
  }

  /** The round of the market journal. */
  get round(): number {
    return this.#round;
  }

  /** The round that the market journal must begin before it is written again; undefined if there is none. */
  get due(): MarketRound | undefined {
    const { market } = this;
    return this.#isRoundDue && market !== undefined ? { epoch: market, round: this.#round } : undefined;
  }

  /** Notes that the outcome of a write of the market journal is not known. */
  doubt(): void {
    if (this.#isRoundDue) return;
    this.#isRoundDue = true;
    this.#round++;
  }

  /**
   * Notes that a round of the market journal is durable. A later one may be due by then: fences may run side by side, and
   * a write that followed the first of them may have become doubtful.
   */
  begun({ epoch, round }: MarketRound): void {
    if (epoch === this.market && round === this.#round) this.#isRoundDue = false;
  }

  /** Returns the number of the next row of the market journal in this epoch. */
  readonly next = (): number => ++this.#rows;

  /** Throws an InvariantError I60 if this handle has never taken the market journal over. Returns its epoch. */
  requireMarket(): number {
    const { market } = this;
    if (market === undefined) throw laterOwner();
    return market;
  }
}

/** The error of a handle that does not own the market journal. */
export function laterOwner(): InvariantError {
  return new InvariantError("I60", "the market journal belongs to a later owner of the store");
}
