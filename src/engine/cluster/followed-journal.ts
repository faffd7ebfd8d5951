import { invariant } from "../../errors/index.ts";
import { type JournalRecord, SHARD_COUNT } from "../../model/index.ts";
import type { ShardLeases } from "../../ports/index.ts";
import type { Core } from "../core/core.ts";
import { type ShardReads, timely } from "../core/stored.ts";
import { COSTS } from "../core/turns.ts";
import { ShardFollower } from "../shards/shard-follower.ts";
import type { FollowedBooks } from "./followed-books.ts";

/** Most records of one read. */
const PAGE = 1_024;

/** What follows the journal: `saw` is called with every record that was read from the tail. */
export type JournalFollowers = Readonly<{
  books: FollowedBooks;
  saw: (record: JournalRecord) => void;
}>;

/** Follows the journal of all shards, so that a takeover needs to read only its last records. */
export class FollowedJournal {
  readonly shards: readonly ShardFollower[];
  readonly #core: Core;
  readonly #reads: ShardReads;
  readonly #leases: ShardLeases;
  readonly #followers: JournalFollowers;
  /** Whether the last read found nothing. */
  #isQuiet = false;

  constructor(core: Core, leases: ShardLeases, followers: JournalFollowers) {
    this.#core = core;
    this.#reads = timely(core);
    this.#leases = leases;
    this.#followers = followers;
    this.shards = Array.from({ length: SHARD_COUNT }, (_, number) => new ShardFollower(number, core));
  }

  /** How many records it has read: the sum of the sequences of the last record of each shard. */
  get followed(): number {
    return this.shards.reduce((sum, { durableSequence }) => sum + durableSequence, 0);
  }

  /**
   * Builds the memory of every shard that has records (decision XL). Rejects when the store cannot be read. Records that are
   * appended meanwhile to a shard without any are read by `follow`.
   */
  async load(): Promise<void> {
    for (const { shard, sequence } of await this.#leases.heads()) {
      const follower = this.shards[shard];
      if (follower !== undefined && sequence > 0) await this.#load(follower);
    }
  }

  /** Reads new records, until a page is not full. The first call after a read that found nothing reads nothing (decision YO). */
  async followAtLeisure(): Promise<void> {
    if (this.#isQuiet) this.#isQuiet = false;
    else await this.follow();
  }

  /** Reads new records, until a page is not full. */
  async follow(): Promise<void> {
    while ((await this.#takePage()) === PAGE);
  }

  /** Reads all records that are durable when it is called, and those that become so meanwhile. */
  async catchUp(): Promise<void> {
    while ((await this.#takePage()) > 0);
  }

  async #takePage(): Promise<number> {
    const { turns } = this.#core;
    const after = this.shards.map(({ durableSequence }) => durableSequence);
    const records = await this.#leases.tail({ after, limit: PAGE });
    this.#isQuiet = records.length === 0;
    for (const record of records) {
      await this.#apply(record);
      const turn = turns.spend(COSTS.read);
      if (turn !== undefined) await turn;
    }
    return records.length;
  }

  /** Applies a record. A shard with a gap is read again: retention has deleted records that it had not read yet. */
  async #apply(record: JournalRecord): Promise<void> {
    const shard = this.shards[record.shard];
    invariant(shard !== undefined, "I54", `a tail has a record of shard ${record.shard}`);
    const { books, saw } = this.#followers;
    // Before the rest: a shard that was loaded again may be further than the page, whose records have not been seen.
    saw(record);
    if (record.sequence <= shard.durableSequence) return;
    if (shard.isNext(record)) for (const live of shard.apply(record)) books.follow(live, shard.memory);
    else await this.#load(shard);
  }

  async #load(shard: ShardFollower): Promise<void> {
    const before = shard.memory;
    await shard.load(this.#reads);
    await this.#followers.books.reloaded(shard.memory, before);
  }
}
