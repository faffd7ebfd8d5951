/** A key and its value. */
export type Entry = readonly [key: string, value: string];

/** What a key must have: this value, or none. */
export type Condition = readonly [key: string, value: string | undefined];

/** A part of a transaction. It is written whole, or not at all if one of its conditions does not hold. */
export interface CommitPart {
  /** Each key stands here at most once. */
  readonly conditions: readonly Condition[];
  /** A value replaces the one that the key has. Each key stands at most once in `puts` and `deletes` together. */
  readonly puts: readonly Entry[];
  /** A key that is not there stays so. */
  readonly deletes: readonly string[];
}

/** The keys from `from` on and before `before`, rising, or falling from the last one if `reverse` is true. */
export interface KeyRange {
  readonly from: string;
  readonly before: string;
  /** A whole number of at least 1. */
  readonly limit: number;
  readonly reverse?: boolean;
}

/** What a storage says of the time when it answered. */
export interface StorageTime {
  /** In whole epoch milliseconds. */
  readonly nowMs: number;
  /** Whether it is the clock of another machine than the caller's. */
  readonly elsewhere?: boolean;
}

/**
 * Ordered keys with values: all that a database has to offer so that orders are stored in it. A key has 1 to 1,000
 * characters from space to `~` (ASCII 32 to 126), and keys are ordered by their bytes. A value is any text of valid
 * Unicode without the character 0, of up to some megabytes. `openStore` makes an order store of it.
 *
 * Keys that begin with `log ` are the journal: they are written in rising order within the first eight characters, never
 * replaced, and read in order. A storage need not know that, but may place them by it.
 */
export interface Storage {
  /**
   * Writes parts in one transaction, which is durable when it resolves, to one answer per part, in their order: true if the
   * part was written, false if a condition did not hold and it was left out. No key that one part puts or deletes stands in
   * another part. A rejection means that the outcome is unknown, for all parts alike: the transaction may be under way and
   * become durable at any later time, or never. Transactions have one order, in which each sees all before it.
   */
  commit(parts: readonly CommitPart[]): Promise<readonly boolean[]>;
  /** Returns the value of each of the keys, undefined if it has none. */
  get(keys: readonly string[]): Promise<readonly (string | undefined)[]>;
  /**
   * Returns the entries of each range, at most `limit` of it and in its order. It may return fewer if they are large, but at
   * least one if there is one.
   */
  range(ranges: readonly KeyRange[]): Promise<readonly (readonly Entry[])[]>;
  /**
   * True if a commit is over when its promise settles, and one that rejects was not written: then an outcome is never in
   * doubt, and what was refused for want of room needs no write to go on.
   */
  readonly isSettled?: boolean;
  /** The clock of the storage. A storage that has it can be shared by several processes. */
  clock?(): Promise<StorageTime>;
  /** Releases what it holds. It is called once, as the last call. */
  close(): Promise<void>;
}
