import {
  COSTS,
  type Core,
  type MarketHub,
  type PrintUpdate,
  readEndedOrder,
  ShardFollower,
  type ShardReads,
  timely,
  type WholeReads,
} from "../engine/internal.ts";
import { InvariantError, invariant } from "../errors/index.ts";
import { countOfId } from "../lifecycle/index.ts";
import { type JournalRecord, type ParentOrder, SHARD_COUNT, shardOfId } from "../model/index.ts";
import type { PrintPlace, ShardLeases } from "../ports/index.ts";

/** Most records of one read. */
const PAGE = 1_024;

/**
 * What follows the journal. `observe` is called with every record that was read from
 * the tail, `missed` when records of a shard were gone before they were read. `isFollowed` leaves out the shards that this
 * node runs itself; without it, all are followed.
 */
type JournalFollowers = Readonly<{
  observe: (record: JournalRecord) => void;
  missed?: () => void;
  isFollowed?: (shard: number) => boolean;
}>;

/** Sequence after which a tail has no record: for shards that are not asked for. */
const NONE_AFTER = Number.MAX_SAFE_INTEGER;

/** Follows the journal of shards that other nodes own, so that a takeover needs to read only its last records. */
export class FollowedJournal {
  readonly shards: readonly ShardFollower[];
  readonly #core: Core;
  readonly #reads: ShardReads & Pick<WholeReads, "readEnded">;
  readonly #leases: ShardLeases;
  readonly #followers: JournalFollowers;
  /** Shards with a record that cannot be read, and why. They are followed no further. */
  readonly #broken: Map<number, string> = new Map();
  /** How many calls of {@link followAtLeisure} read nothing from now on. */
  #restingCalls = 0;

  constructor(core: Core, leases: ShardLeases, followers: JournalFollowers) {
    this.#core = core;
    this.#reads = timely(core);
    this.#leases = leases;
    this.#followers = followers;
    this.shards = Array.from({ length: SHARD_COUNT }, (_, number) => new ShardFollower(number, core));
  }

  /** How many records it has read: the sum of the sequences of the last record of each shard that it follows. */
  get followed(): number {
    return this.shards.reduce((sum, { durableSequence }) => sum + durableSequence, 0);
  }

  /**
   * Shards with a record that this version cannot read, or that is damaged, and why. Only a node that shares the shards goes
   * on without them; for any other, following rejects with that error.
   */
  get broken(): ReadonlyMap<number, string> {
    return this.#broken;
  }

  /**
   * Builds the memory of every shard that has records. Rejects when the store cannot be read. Records that are appended
   * meanwhile to a shard without any are read by `follow`.
   */
  async load(): Promise<void> {
    for (const { shard, sequence } of await this.#leases.heads()) {
      const follower = this.shards[shard];
      if (follower !== undefined && sequence > 0) await this.#load(follower);
    }
  }

  /**
   * Reads new records, until a page is not full. The first calls after a read that found nothing read nothing: one, or
   * `rests` of them.
   */
  async followAtLeisure(rests: number = 1): Promise<void> {
    if (this.#restingCalls > 0) {
      this.#restingCalls--;
      return;
    }
    if (!(await this.#follow())) this.#restingCalls = rests;
  }

  /**
   * Resolves to an order of a shard that is followed, open or ended; undefined for one that the store has no more, and
   * "unread" for one that was placed after the last record that was read.
   */
  async orderOf(orderId: number): Promise<ParentOrder | "unread" | undefined> {
    const { memory, followed } = this.shards[shardOfId(orderId)] ?? {};
    const open = memory?.liveOrders.get(orderId)?.durable;
    if (open !== undefined) return open;
    if (followed === undefined || followed.counter < countOfId(orderId)) return "unread";
    return await readEndedOrder(this.#reads.readEnded, orderId);
  }

  /** Reads new records, until a page is not full. */
  async follow(): Promise<void> {
    if (await this.#follow()) this.#restingCalls = 0;
  }

  /** Resolves to whether there were records. */
  async #follow(only?: ReadonlySet<number>): Promise<boolean> {
    let records = await this.#takePage(only);
    const any = records > 0;
    while (records === PAGE) records = await this.#takePage(only);
    return any;
  }

  /** Reads all records of some shards, or of all, that are durable when it is called. */
  async catchUp(only?: ReadonlySet<number>): Promise<void> {
    await this.#follow(only);
  }

  async #takePage(only?: ReadonlySet<number>): Promise<number> {
    const { turns } = this.#core;
    const { isFollowed } = this.#followers;
    const isRequested = ({ number, isFollowing }: ShardFollower): boolean =>
      isFollowing && !this.#broken.has(number) && (only?.has(number) ?? isFollowed?.(number) ?? true);
    const after = this.shards.map((shard) => (isRequested(shard) ? shard.durableSequence : NONE_AFTER));
    const records = await this.#leases.tail({ after, limit: PAGE });
    for (const record of records) {
      if (!this.#broken.has(record.shard)) await this.#attempt(record);
      const turn = turns.spend(COSTS.read);
      if (turn !== undefined) await turn;
    }
    return records.length;
  }

  /** Applies a record, or notes that its shard cannot be read. */
  async #attempt(record: JournalRecord): Promise<void> {
    try {
      await this.#apply(record);
    } catch (error) {
      if (!(error instanceof InvariantError) || this.#followers.isFollowed === undefined) throw error;
      this.#broken.set(record.shard, error.message);
      this.#core.telemetry.event("error", "journal.unreadable", {
        shard: record.shard,
        message: error.message,
      });
    }
  }

  /** Applies a record. A shard with a gap is read again: retention has deleted records that it had not read yet. */
  async #apply(record: JournalRecord): Promise<void> {
    const shard = this.shards[record.shard];
    invariant(shard !== undefined, "I54", `a tail has a record of shard ${record.shard}`);
    const { observe, missed, isFollowed } = this.#followers;
    // The node may have begun to run the shard while the page was read, and may even have given it up again.
    if (!shard.isFollowing || isFollowed?.(record.shard) === false) return;
    // Before the rest: a shard that was loaded again may be further than the page, whose records have not been seen.
    observe(record);
    if (record.sequence <= shard.durableSequence) return;
    if (shard.isNext(record)) {
      shard.apply(record);
      return;
    }
    await this.#load(shard);
    // After the reading: whatever the owner has ended until then is among the ended orders that are read now.
    missed?.();
  }

  async #load(shard: ShardFollower): Promise<void> {
    await shard.load(this.#reads);
  }
}

/** Most prints of one read. */
const PRINTS_PAGE = 1_024;

/** Where the prints are read, where they go, and the place of the last one that the market has already (`upTo` of a volume). */
type FollowedMarketParts = Readonly<{
  leases: Pick<ShardLeases, "prints">;
  market: Pick<MarketHub, "printStored" | "publish">;
  after?: PrintPlace | undefined;
}>;

/**
 * Follows the prints that the writer of the market journal stores, so that the volume of this node becomes that of the
 * store: prints that it has not heard are counted, and those that it has heard wait no longer.
 */
export class FollowedMarket {
  readonly #core: Core;
  readonly #parts: FollowedMarketParts;
  #after: PrintPlace | undefined;
  /** The last read, which never rejects. */
  #reading: Promise<void> = Promise.resolve();

  constructor(core: Core, parts: FollowedMarketParts) {
    this.#core = core;
    this.#parts = parts;
    this.#after = parts.after;
  }

  /**
   * Takes all prints that are stored when it is called. Waits for an earlier call, which may have read too soon. Rejects when
   * the store cannot be read; the next call goes on from the last print that was taken.
   */
  async follow(): Promise<void> {
    const reading = this.#reading.then(() => this.#read());
    this.#reading = reading.catch(() => undefined);
    await reading;
  }

  async #read(): Promise<void> {
    const { leases, market } = this.#parts;
    for (;;) {
      const prints = await leases.prints({
        limit: PRINTS_PAGE,
        ...(this.#after !== undefined && { after: this.#after }),
      });
      // All are counted before an order follows the first: it sends one child for the volume of them all.
      const news: PrintUpdate[] = [];
      for (const { place, print } of prints) {
        const counted = market.printStored(print);
        if (counted !== undefined) news.push(counted);
        this.#after = place;
        const turn = this.#core.turns.spend(COSTS.read);
        if (turn !== undefined) await turn;
      }
      market.publish(news);
      if (prints.length < PRINTS_PAGE) return;
    }
  }
}
