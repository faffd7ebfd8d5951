import type { Quantity } from "../decimal/index.ts";
import type {
  BarLengthMs,
  EndedList,
  JournalRecord,
  MarketMark,
  ParentOrder,
  PriceBar,
  PricedPrint,
  StoredQuote,
  VolumeBar,
} from "../model/index.ts";
import type { PrintPlace, ShardHead, ShardLeases } from "./leases.ts";

/**
 * Additions of one shard: records in sequence, and as full rows the parents that these records ended or changed after
 * their end (a late fill). A row replaces the row of the same orderId.
 */
export interface ShardAppend {
  readonly shard: number;
  readonly epoch: number;
  /** The round of the epoch that it belongs to, see `fence`. An epoch begins with round 0. */
  readonly round: number;
  readonly records: readonly JournalRecord[];
  /** The text of each record as `encodeRecord` creates it. A store that keeps texts need not encode them again. */
  readonly texts?: readonly string[];
  readonly ended: readonly ParentOrder[];
  /** Lists whose last leg ended. A row replaces the row of the same listId. */
  readonly endedLists?: readonly EndedList[];
  /** New marks of this shard. One replaces that of the same market, side and position (a retry after an unknown append). */
  readonly marks?: readonly MarketMark[];
}

/**
 * One transaction: additions of several shards, the executed volume counted since, and the last counted quotes. A print whose symbol and id are stored already adds nothing (a retry after an unknown
 * append). A quote replaces the one of its symbol.
 */
export interface AppendBatch {
  readonly shards: readonly ShardAppend[];
  readonly prints?: readonly PricedPrint[];
  readonly quotes?: readonly StoredQuote[];
}

/**
 * `durable`: kept. `fenced`: another epoch owns the shard, a later round of the epoch has begun, or the sequence does
 * not follow; nothing of the append was kept.
 */
export type AppendOutcome = "durable" | "fenced";

/** All open parents of a shard after the record `sequence`, and the counter of its ids. */
export interface ShardSnapshot {
  readonly shard: number;
  readonly sequence: number;
  readonly counter: number;
  readonly parents: readonly ParentOrder[];
}

/** Identifies one ended parent of an account. */
export type EndedKey = { readonly accountId: number } & (
  | { readonly orderId: number }
  | { readonly clientOrderId: string }
);

/** A page of ended parents. Ids fall from the cursor, or rise with `newestFirst`. Cursor 0 starts. */
export interface EndedPage {
  readonly accountId: number;
  readonly afterOrderId: number;
  readonly newestFirst: boolean;
  readonly limit: number;
}

/** The client id of an ended parent. */
export interface EndedName {
  readonly accountId: number;
  readonly clientOrderId: string;
}

/** A page of names of ended parents of all accounts, after a given name. The first page has no `after`. */
export interface EndedNamePage {
  readonly after?: EndedName;
  readonly limit: number;
}

/** Number of ended parents of an account in a store whose last record of the account's shard is `sequence`. */
export interface EndedCount {
  readonly count: number;
  readonly sequence: number;
}

/** Identifies one ended list of an account. */
export type EndedListKey = { readonly accountId: number } & (
  | { readonly listId: number }
  | { readonly listClientOrderId: string }
);

/** Asks for the newest ended lists of an account that were accepted in a period, both ends included. */
export interface EndedListPage {
  readonly accountId: number;
  readonly startTimeMs?: number;
  readonly endTimeMs?: number;
  readonly limit: number;
}

/**
 * All executed volume in the store: the sum of fresh prints per symbol, the bars, and the ids that were counted.
 * `priceBars` are the bars of all lengths that `barsOf` makes of the prints, each joined with the stored one of the same
 * symbol, length and start. A store that keeps none leaves them out; a service on it has no klines. A store with leases
 * names the place of the last print that all parts contain, in `upTo`, unless it has none: `ShardLeases.prints` goes on
 * from there.
 */
export interface VolumeState {
  readonly totals: readonly Readonly<{ symbol: string; total: Quantity }>[];
  readonly bars: readonly VolumeBar[];
  readonly priceBars?: readonly PriceBar[];
  readonly prints: readonly Readonly<{ symbol: string; id: string; seenAtMs: number }>[];
  readonly upTo?: PrintPlace;
}

/**
 * What to delete of the executed volume: bars of minutes that began, and ids of prints first seen, before `beforeMs`,
 * and price bars of each length that began before its time. Times are in epoch milliseconds.
 */
export interface VolumeCutoff {
  readonly beforeMs: number;
  readonly priceBars?: readonly Readonly<{ lengthMs: BarLengthMs; beforeMs: number }>[];
}

/**
 * The durable store. `append` is one transaction and durable when it resolves. When it rejects, its outcome is
 * unknown, and it may still be under way: the caller raises the round of its shards with `fence` and reads the store
 * again, which decides what is durable. Reads show durable state only.
 */
export interface OrderStore {
  /** Takes every shard over: raises each epoch by one, so that an earlier owner is fenced. Resolves to all heads. */
  acquire(): Promise<readonly ShardHead[]>;
  /** Returns the current durable head of one shard. */
  head(shard: number): Promise<ShardHead>;
  /**
   * Writes a batch as one transaction and resolves when it is durable: to one outcome per entry of `shards`, in their
   * order. Only the entries that are `fenced` are left out. A rejection means that the outcome is unknown. While an append
   * has no answer for long, the engine asks for others, of other shards and without prints and quotes: none may wait for it.
   */
  append(batch: AppendBatch): Promise<readonly AppendOutcome[]>;
  /**
   * Raises the round of a shard while `epoch` owns it. When it resolves, an append of an earlier round of the epoch
   * is either in the store or never will be, however late it arrives. Changes nothing when another epoch owns the
   * shard, or when the round is already as high: it may be called again, and may itself arrive late.
   */
  fence(round: Readonly<{ shard: number; epoch: number; round: number }>): Promise<void>;
  /**
   * Returns at most `limit` records of a shard with a sequence above `after`, in order. Large records may make it
   * fewer, but at least one. Sequences at or below `forgotten` of the head may be missing; above it none is.
   */
  readRecords(
    range: Readonly<{ shard: number; after: number; limit: number }>,
  ): Promise<readonly JournalRecord[]>;
  /**
   * Returns the newest complete snapshot of a shard. A store that reads a long one in parts calls `reading` after
   * each, so that it does not count as unresponsive.
   */
  readSnapshot(shard: number, reading?: () => void): Promise<ShardSnapshot | undefined>;
  /**
   * Writes a snapshot whole or not at all. A later snapshot replaces it and is never replaced by it, however late it
   * arrives. A store that writes a long one in parts calls `writing` after each, so that it does not count as
   * unresponsive.
   */
  writeSnapshot(snapshot: ShardSnapshot, writing?: () => void): Promise<void>;
  /**
   * Returns all marks of these shards, or without `shards` of all shards, by symbol, side, shard and position. A shard
   * without marks, such as the market journal, adds none.
   */
  readMarks(shards?: readonly number[]): Promise<readonly MarketMark[]>;
  /** Returns the last stored quote of every market, by symbol. */
  readQuotes(): Promise<readonly StoredQuote[]>;
  /**
   * Deletes marks that no reference can need any more, as far as they belong to shards that the caller owns. The engine
   * passes a few hundred at a time.
   */
  deleteMarks(marks: readonly MarketMark[]): Promise<void>;
  /** Resolves to an ended parent of an account, to undefined if there is none of that id. */
  findEnded(key: EndedKey): Promise<ParentOrder | undefined>;
  /** Resolves to at most `limit` ended parents of an account after the cursor, in the order that {@link EndedPage} defines. */
  pageEnded(page: EndedPage): Promise<readonly ParentOrder[]>;
  /**
   * Returns the number of ended parents of an account of that shard, and the last record of the shard, both at one
   * moment.
   */
  countEnded(whose: Readonly<{ accountId: number; shard: number }>): Promise<EndedCount>;
  /** Returns all ended parents of a shard by falling id from `afterOrderId` (0 starts). Used for verification. */
  readEnded(
    range: Readonly<{ shard: number; afterOrderId: number; limit: number }>,
  ): Promise<readonly ParentOrder[]>;
  /**
   * Returns at most `limit` names of ended parents of all accounts that come after `after`: by rising account id, and
   * within an account by client order id in byte order (`COLLATE "C"`, `BINARY`). An empty page means that no name follows.
   * A page may also be short for other reasons. Pages contain everything that was durable at the latest `acquire`; names
   * added or deleted while pages are read may or may not appear. An engine that has read all pages calls `findEnded` only
   * for client ids that may be in them; without this method it calls it for every new client id.
   */
  pageEndedNames?(page: EndedNamePage): Promise<readonly EndedName[]>;
  /** Resolves to an ended list of an account, to undefined if there is none of that id. */
  findEndedList(key: EndedListKey): Promise<EndedList | undefined>;
  /** Returns lists, newest first. */
  pageEndedLists(page: EndedListPage): Promise<readonly EndedList[]>;
  /**
   * Deletes about `limit` rows that ended before `beforeMs`: parents outside lists, and lists with all their legs. A store
   * with leases deletes only rows of shards that the caller has taken over last.
   * Resolves to the number of deleted rows; 0 means that none is left.
   */
  deleteEnded(range: Readonly<{ beforeMs: number; limit: number }>): Promise<number>;
  /**
   * Deletes the rows that `deleteEnded` would delete, and with each row, in the same transaction, the records of its order.
   * A row stays while its last record is not below the sequence of the newest snapshot of its shard, because an opening
   * reads the records from there on, and the record of the snapshot itself for its time. Works in short steps and calls
   * `goesOn` after each; ends when nothing is left to delete, or when `goesOn` returns false. Rows of shards that another
   * handle has taken over since stay; rejects, and deletes nothing, if those are all shards. An engine calls it instead of
   * `deleteEnded` if the store has it, and takes snapshots more often.
   */
  pruneEnded?(range: Readonly<{ beforeMs: number }>, goesOn: () => boolean): Promise<void>;
  /**
   * Returns the executed volume: totals, bars and print ids, bars by symbol and minute, price bars by symbol, length and
   * start. A store that reads it in parts calls `reading` after each, so that it does not count as unresponsive. The
   * parts need not be of one moment, because an engine uses the answer only before its first append; but with `upTo` they
   * contain exactly the prints up to that place, also while another engine appends.
   */
  readVolume(reading?: () => void): Promise<VolumeState>;
  /**
   * Deletes old bars and ids of prints. Totals stay. Appends continue meanwhile. A store that deletes in parts calls
   * `deleting` after each.
   */
  deleteVolume(cutoff: VolumeCutoff, deleting?: () => void): Promise<void>;
  /**
   * Lets several processes share the store, each with the shards that it owns. Without it, a store has one engine at a
   * time. After an `acquire`, the shards belong to nobody.
   */
  readonly leases?: ShardLeases;
  /** Releases what the store holds. The engine calls it once, as its last call. Rejects if the store fails to close. */
  close(): Promise<void>;
}
