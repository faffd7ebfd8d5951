import {
  QueuedRejections,
  type StoredRateLimiter,
  type StoredRateLimiterOptions,
  StoredRateLimiters,
} from "../adapters/shared/index.ts";
import {
  flagOption,
  numberOption,
  type OptionCheck,
  optionalOption,
  optionsOf,
  wholeOption,
} from "../common/index.ts";
import type {
  AppendBatch,
  AppendOutcome,
  KeyValueStore,
  OrderStore,
  Rejections,
  ShardAppend,
  Storage,
  Telemetry,
} from "../ports/index.ts";
import { storageOption, telemetryOption } from "../ports/internal.ts";
import { readJson } from "../wire/index.ts";
import { afterMs } from "./after-ms.ts";
import { Ended, endedRows } from "./ended.ts";
import { Journal, laterOwner, Owned, type PartRows } from "./journal.ts";
import { escaped, keyOf } from "./keys.ts";
import { nobodysShards, storedLeases } from "./leases.ts";
import { LeavingOrders, type RetainRecords } from "./leaving.ts";
import { limitTable } from "./limits.ts";
import { MarketRows, markEntries } from "./market.ts";
import { rejectionTable } from "./rejections.ts";
import { limited, type Plan, Rows } from "./rows.ts";
import { Snapshots } from "./snapshots.ts";

/** Rejections that survive a restart of the process. */
export interface StoredRejections extends Rejections {
  /** Resolves when all waiting rejections are written or lost. */
  flush(): Promise<void>;
}

/** Options for retained rejections. */
export interface StoredRejectionOptions {
  /**
   * Number of rejections that may wait to be written; default 1000. Further rejections are lost, and counted as lost.
   */
  readonly capacity?: number;
  /** Number of days for which a rejection is kept; default 30. */
  readonly retentionDays?: number;
  /** Rejections kept per account; default 10000. Beyond it the oldest are deleted. */
  readonly perAccount?: number;
  /** Receives an event for lost rejections. */
  readonly telemetry?: Telemetry;
}

/** Options of {@link openStore}. */
export interface StoreOptions {
  readonly rejections?: StoredRejectionOptions;
  readonly journal?: Readonly<{
    /** If true, the records of an order are deleted with its row. Default false: the journal keeps everything. */
    prune?: boolean;
  }>;
}

/**
 * An order store on a storage. The same storage holds small values of the host, retained rejections, and what rate limiters
 * count. An engine closes its store; `await using` closes one that has no engine.
 */
export interface Store extends OrderStore {
  readonly keyValue: KeyValueStore;
  readonly rejections: StoredRejections;
  /**
   * Opens a rate limiter that begins with the orders of the day and the bans in the storage. It writes bans at once and
   * orders once a second, and neither in the turn of a request; closing the store writes the rest. Rejects if the storage
   * cannot be read, and with a TypeError or RangeError that names an option that is missing, unknown or wrong.
   */
  openRateLimiter(options: StoredRateLimiterOptions): Promise<StoredRateLimiter>;
  /** Closes a store that has no engine. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** The check of the options of a store. */
export const storeOptions: Readonly<Record<keyof StoreOptions, OptionCheck>> = {
  rejections: optionalOption(
    optionsOf<StoredRejectionOptions>({
      capacity: optionalOption(wholeOption({ from: 0 })),
      retentionDays: optionalOption(numberOption({ from: 0 })),
      perAccount: optionalOption(wholeOption({ from: 0 })),
      telemetry: optionalOption(telemetryOption),
    }),
  ),
  journal: optionalOption(
    optionsOf<NonNullable<StoreOptions["journal"]>>({ prune: optionalOption(flagOption) }),
  ),
};

const checkOptions: OptionCheck = optionsOf<StoreOptions>(storeOptions);

/**
 * Opens an order store on ordered keys with values. One with a clock can be shared: its store has leases. Throws a TypeError
 * or RangeError that names an option or a method that is missing, unknown or wrong.
 *
 * @example
 * ```ts
 * import { createMemoryStorage } from "managed-orders/memory";
 * import { openStore } from "managed-orders/store";
 * const store = openStore(createMemoryStorage());
 * const heads = await store.acquire();
 * console.log(heads.length, heads[0]?.epoch); // 256 1
 * ```
 */
export function openStore(storage: Storage, options: StoreOptions = {}): Store {
  storageOption(storage, "openStore(storage)");
  checkOptions(options, "openStore(options)");
  return storeOn(storage, options);
}

/** Opens a store whose options were checked. `retain` is called before records are deleted. */
export function storeOn(storage: Storage, options: StoreOptions, retain?: RetainRecords): Store {
  const rows = new Rows(storage);
  const owned = new Owned();
  const journal = new Journal(rows, owned, storage.isSettled);
  const snapshots = new Snapshots(rows, journal);
  const ended = new Ended(rows, journal);
  const clock = storage.clock?.bind(storage);
  const market = new MarketRows(rows, owned, clock !== undefined);
  const leaving = new LeavingOrders(rows, { owned, ended, journal, snapshots, retain });
  const rejections = new QueuedRejections(rejectionTable(rows), options.rejections ?? {});
  const limiters = new StoredRateLimiters(limitTable(rows), afterMs);
  const close = async (): Promise<void> => {
    await rejections.flush();
    await limiters.close();
    await rows.close();
  };
  return {
    acquire: () => journal.acquire(nobodysShards),
    head: (shard) => journal.head(shard),
    append: (batch) => append({ rows, market, journal }, batch),
    fence: (round) => journal.fence(round),
    readRecords: async (range) => await journal.records(limited(range)),
    readSnapshot: (shard, reading) => snapshots.read(shard, reading),
    writeSnapshot: (snapshot, writing) => snapshots.write(snapshot, writing),
    readMarks: (shards) => market.marks(shards),
    readQuotes: () => market.quotes(),
    deleteMarks: (marks) => market.deleteMarks(marks),
    findEnded: (key) => ended.find(key),
    pageEnded: async (page) => await ended.page(limited(page)),
    countEnded: (whose) => ended.count(whose),
    readEnded: async (range) => await ended.ofShard(limited(range)),
    pageEndedNames: async (page) => await ended.names(limited(page)),
    findEndedList: (key) => ended.findList(key),
    pageEndedLists: async (page) => await ended.pageLists(limited(page)),
    deleteEnded: async (range) => await leaving.delete(limited(range)),
    ...(options.journal?.prune === true && {
      pruneEnded: ({ beforeMs }: Readonly<{ beforeMs: number }>, goesOn: () => boolean) =>
        leaving.prune(beforeMs, goesOn),
    }),
    readVolume: (reading) => market.volume(reading),
    deleteVolume: (cutoff, deleting) => market.deleteVolume(cutoff, deleting),
    ...(clock !== undefined && { leases: storedLeases(rows, { journal, market, clock }) }),
    close,
    [Symbol.asyncDispose]: close,
    rejections,
    openRateLimiter: (limits) => limiters.open(limits),
    keyValue: keyValueStore(rows),
  };
}

async function append(
  { rows, market, journal }: Readonly<{ rows: Rows; market: MarketRows; journal: Journal }>,
  { shards, prints = [], quotes = [] }: AppendBatch,
): Promise<readonly AppendOutcome[]> {
  const plans: Plan[] = shards.map((part) => journal.append(part, rowsWith(part)));
  const hasMarket = prints.length + quotes.length > 0;
  if (hasMarket) plans.push(market.plan(prints, quotes));
  const written = await rows.commit(plans);
  if (hasMarket && shards.length === 0 && written[0] !== true) laterOwner();
  return shards.map((_, place) => (written[place] === true ? "durable" : "fenced"));
}

/** The rows of an append besides its records, if there are any. */
function rowsWith(part: ShardAppend): PartRows | undefined {
  const { ended, endedLists = [], marks = [] } = part;
  if (ended.length + endedLists.length + marks.length === 0) return undefined;
  const { change, ...reads } = endedRows(part);
  const ofMarks = markEntries(marks);
  return {
    ...reads,
    change(valueAt) {
      const { puts, deletes } = change(valueAt);
      return { puts: [...puts, ...ofMarks], deletes };
    },
  };
}

function keyValueStore(rows: Rows): KeyValueStore {
  const keyOfValue = (key: string): string => keyOf("value", escaped(key));
  return {
    async get(key) {
      const text = await rows.value(keyOfValue(key));
      return text === undefined ? undefined : (readJson(text) as string);
    },
    async set(key, value) {
      await rows.write({ reads: [], change: () => ({ puts: [[keyOfValue(key), JSON.stringify(value)]] }) });
    },
  };
}
