import type { Quantity } from "../decimal/index.ts";
import type {
  CountedPrint,
  EndedList,
  JournalRecord,
  KeptQuote,
  MarketMark,
  ParentOrder,
  VolumeBar,
} from "../model/index.ts";

/** Where a shard stands in the store: the epoch that owns it and the sequence of its last record. */
export type ShardHead = Readonly<{ shard: number; epoch: number; sequence: number }>;

/**
 * What one shard adds: records in sequence, and the parents that changed while being ended (a newly ended one, or
 * an ended one that a late fill changed), as full rows that replace the row of the same orderId.
 */
export type ShardAppend = Readonly<{
  shard: number;
  epoch: number;
  /** The round of the epoch that it belongs to, see `fence`; an epoch begins with round 0. */
  round: number;
  records: readonly JournalRecord[];
  /** The text of each record, as `encodeRecord` makes it: a store that keeps texts need not make them again. */
  texts?: readonly string[];
  ended: readonly ParentOrder[];
  /** Lists whose last leg ended; a row replaces the one of the same listId. */
  endedLists?: readonly EndedList[];
}>;

/**
 * One transaction: what several shards add, the market journal's new marks, the executed volume counted since, and the
 * last counted quotes. A print whose symbol and id are kept already adds nothing (a retry after an unknown append); a
 * quote replaces the one of its symbol.
 */
export type AppendBatch = Readonly<{
  shards: readonly ShardAppend[];
  marks: readonly MarketMark[];
  prints?: readonly CountedPrint[];
  quotes?: readonly KeptQuote[];
}>;

/**
 * `durable`: kept. `fenced`: another epoch owns the shard, or a later round of it has begun, or its sequence does not
 * follow; nothing of it was kept.
 */
export type AppendOutcome = "durable" | "fenced";

/** All open parents of a shard as of `sequence`, and the counter its ids were taken from. */
export type ShardSnapshot = Readonly<{
  shard: number;
  sequence: number;
  counter: number;
  parents: readonly ParentOrder[];
}>;

/** Names one ended parent of an account. */
export type EndedKey = Readonly<{ accountId: number } & ({ orderId: number } | { clientOrderId: string })>;

/** A page of ended parents. Ids fall from the cursor, or rise when `newestFirst`; cursor 0 starts. */
export type EndedPage = Readonly<{
  accountId: number;
  afterOrderId: number;
  newestFirst: boolean;
  limit: number;
}>;

/** The name that a client gave an ended parent. */
export type EndedName = Readonly<{ accountId: number; clientOrderId: string }>;

/** A page of names of ended parents of all accounts, those after a name; the first page is after none. */
export type EndedNamePage = Readonly<{ after?: EndedName; limit: number }>;

/** How many ended parents an account has in a store whose last record of the account's shard is `sequence`. */
export type EndedCount = Readonly<{ count: number; sequence: number }>;

/** Names one ended list of an account. */
export type EndedListKey = Readonly<
  { accountId: number } & ({ listId: number } | { listClientOrderId: string })
>;

/** The newest ended lists of an account that were accepted in this time, both ends included. */
export type EndedListPage = Readonly<{
  accountId: number;
  startTimeMs?: number;
  endTimeMs?: number;
  limit: number;
}>;

/** All executed volume that is kept: the sum of fresh prints per symbol, the bars, and the ids that were counted. */
export type VolumeState = Readonly<{
  totals: readonly Readonly<{ symbol: string; total: Quantity }>[];
  bars: readonly VolumeBar[];
  prints: readonly Readonly<{ symbol: string; id: string; seenAtMs: number }>[];
}>;

/**
 * The durable store. `append` is one transaction and durable when it resolves; when it rejects, nothing is known, also
 * not whether it is still on its way: the caller raises the round of its shards with `fence` and reads the store again,
 * which decides what is durable. Reads show durable state only.
 * Marks with a position that exists already are replaced (a retry after an unknown append).
 */
export type OrderStore = {
  /** Takes every shard over: each epoch rises by one, so that an earlier owner is fenced. Resolves to all heads. */
  acquire(): Promise<readonly ShardHead[]>;
  /** The head of one shard as it is durable now. */
  head(shard: number): Promise<ShardHead>;
  append(batch: AppendBatch): Promise<readonly AppendOutcome[]>;
  /**
   * Raises the round of a shard for as long as `epoch` owns it; when it resolves, an append of an earlier round of the
   * epoch is in the store already, or will never be, however late it arrives. Changes nothing when another epoch owns the
   * shard, or when the round is as high already: it may be called again, and may itself arrive late.
   */
  fence(round: Readonly<{ shard: number; epoch: number; round: number }>): Promise<void>;
  /** Records of a shard with a sequence above `after`, in order, at most `limit`; fewer when they are large, one at least. */
  readRecords(
    range: Readonly<{ shard: number; after: number; limit: number }>,
  ): Promise<readonly JournalRecord[]>;
  /**
   * The newest complete snapshot of a shard. A store that reads a long one in parts calls `reading` after each, so that it
   * is not taken for one that does not answer.
   */
  readSnapshot(shard: number, reading?: () => void): Promise<ShardSnapshot | undefined>;
  /**
   * Writes a snapshot whole or not at all; a later one replaces it, and is not replaced by it, however late it arrives.
   * A store that writes a long one in parts calls `writing` after each, so that it is not taken for one that does not
   * answer.
   */
  writeSnapshot(snapshot: ShardSnapshot, writing?: () => void): Promise<void>;
  /** All marks of the market journal, by symbol, side and position. */
  readMarks(): Promise<readonly MarketMark[]>;
  /** The last quote kept of every market, by symbol. */
  readQuotes(): Promise<readonly KeptQuote[]>;
  /** Drops marks that no reference can need any more; a few hundred at a time. */
  deleteMarks(marks: readonly MarketMark[]): Promise<void>;
  findEnded(key: EndedKey): Promise<ParentOrder | undefined>;
  pageEnded(page: EndedPage): Promise<readonly ParentOrder[]>;
  /** The ended parents of an account of that shard, and the last record of the shard, both as of one moment. */
  countEnded(whose: Readonly<{ accountId: number; shard: number }>): Promise<EndedCount>;
  /** All ended parents of a shard, in id order falling from `afterOrderId` (0 starts): for verification. */
  readEnded(
    range: Readonly<{ shard: number; afterOrderId: number; limit: number }>,
  ): Promise<readonly ParentOrder[]>;
  /**
   * Names of the ended parents of all accounts that come after `after`, at most `limit`: by rising account id, those of an
   * account by client order id in the order of its bytes (`COLLATE "C"`, `BINARY`). An empty page says that there is none
   * after it; a page may be short for other reasons. It holds everything that was durable at the latest `acquire`; what is
   * added or deleted while pages are read may be in them or not. An engine that has read all pages asks `findEnded` only
   * for client ids that may be in them (decision IG); without this method it asks for every new one.
   */
  pageEndedNames?(page: EndedNamePage): Promise<readonly EndedName[]>;
  findEndedList(key: EndedListKey): Promise<EndedList | undefined>;
  /** Newest first. */
  pageEndedLists(page: EndedListPage): Promise<readonly EndedList[]>;
  /**
   * Deletes about `limit` of what ended before `beforeMs`: parents outside lists, and lists with all their legs.
   * Resolves to how many rows went; 0 says that none is left.
   */
  deleteEnded(range: Readonly<{ beforeMs: number; limit: number }>): Promise<number>;
  /** Executed volume: totals, bars and print ids, bars by symbol and minute. */
  readVolume(): Promise<VolumeState>;
  /**
   * Drops bars of minutes that began, and ids of prints first seen, before `beforeMs`; totals stay. Appends go on
   * meanwhile. A store that deletes in parts calls `deleting` after each.
   */
  deleteVolume(range: Readonly<{ beforeMs: number }>, deleting?: () => void): Promise<void>;
  close(): Promise<void>;
};
