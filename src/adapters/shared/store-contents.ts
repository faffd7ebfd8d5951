import type { EndedList, KeptQuote, MarketMark, ParentOrder, Rejection } from "../../model/index.ts";
import type { ShardHead, ShardSnapshot, VolumeState } from "../../ports/index.ts";
import type { KeptBan } from "./limit-counters.ts";

/** Orders of an account on a UTC day, which is numbered from the epoch on. */
export type DayOrders = Readonly<{ day: number; accountId: number; orders: number }>;

/** A record of the journal as it is stored. */
export type RecordText = Readonly<{ sequence: number; text: string }>;

/**
 * Everything that a store contains which no engine has open, in pages of bounded size. The snapshot of one shard and the
 * executed volume come whole, as an engine reads them.
 */
export interface StoreContents {
  /** The heads of all shards, by number. */
  readonly heads: readonly ShardHead[];
  /** The number of the last owner of the market journal. */
  readonly marketOwner: number;
  records(shard: number): AsyncIterable<readonly RecordText[]>;
  snapshot(shard: number): Promise<ShardSnapshot | undefined>;
  ended(shard: number): AsyncIterable<readonly ParentOrder[]>;
  lists(): AsyncIterable<readonly EndedList[]>;
  marks(): Promise<readonly MarketMark[]>;
  quotes(): Promise<readonly KeptQuote[]>;
  volume(): Promise<VolumeState>;
  /** Refused orders, those of an account oldest first. */
  rejections(): AsyncIterable<readonly Rejection[]>;
  /** Orders that rate limiters counted, by day and account. */
  orderCounts(): AsyncIterable<readonly DayOrders[]>;
  bans(): AsyncIterable<readonly KeptBan[]>;
  /** Small values of the host. */
  values(): AsyncIterable<readonly (readonly [key: string, value: string])[]>;
}
