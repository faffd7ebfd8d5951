import { flagOption, type OptionCheck, optional, optionsOf, portOption } from "../../common/index.ts";
import { invariant } from "../../errors/index.ts";
import { MARKET_SHARD } from "../../model/index.ts";
import type { Clock, OrderStore, ShardHead, ShardSnapshot } from "../../ports/index.ts";
import { decodeParent, encodeParent } from "../../wire/index.ts";
import { inTurns, limited } from "../shared/index.ts";
import { contentsIn, type DiskContents, diskOption, type MemoryDisk } from "./disk.ts";
import { forgetEnded } from "./forgetting.ts";
import {
  append,
  deleteEnded,
  deleteMarks,
  deleteVolume,
  fence,
  headOf,
  readMarks,
  readQuotes,
  readRecords,
  shardOf,
} from "./journal.ts";
import { memoryLeases } from "./leases.ts";
import { Ownership } from "./ownership.ts";

/** Disk of a store in memory (by default a new one), the lifetime of its journal, and the clock of its leases. */
export interface MemoryStoreOptions {
  readonly disk?: MemoryDisk;
  /** The wall clock of the store. A store with a clock has leases, so that several engines of a test can share a disk. */
  readonly clock?: Pick<Clock, "nowMs">;
  readonly journal?: Readonly<{
    /** If true, the records of an order are deleted with its row (decision TA). Default false. */
    forget?: boolean;
  }>;
}

const storeOptions: OptionCheck = optionsOf<MemoryStoreOptions>({
  disk: diskOption,
  clock: optional(portOption<Pick<Clock, "nowMs">>("Clock (managed-orders/ports)", { nowMs: "required" })),
  journal: optional(optionsOf<NonNullable<MemoryStoreOptions["journal"]>>({ forget: optional(flagOption) })),
});

/**
 * Creates an order store in memory, for tests, simulations and hosts that need no durability. It stores texts, as a
 * database does, so it shares no reference with its user. Pass a disk to reopen the data of an earlier store. It
 * implements the whole contract of the order store port, including fencing (I60).
 *
 * @example
 * ```ts
 * import { createMemoryStore } from "managed-orders/memory";
 * const store = createMemoryStore();
 * const heads = await store.acquire();
 * console.log(heads.length, heads[0]?.epoch); // 256 1
 * ```
 */
export function createMemoryStore(options: MemoryStoreOptions = {}): OrderStore {
  const disk = contentsIn(options, "createMemoryStore", storeOptions);
  let closed = false;
  const ownership = new Ownership(disk);
  const { owns, requireSome } = ownership;
  const ownsMarket = (): boolean => owns(MARKET_SHARD);
  const guarded = async <T>(run: () => T): Promise<T> => {
    if (closed) throw new Error("the store is closed");
    return run();
  };
  const acquire = (): readonly ShardHead[] => {
    const shards = disk.shards.map((_, shard) => shard);
    ownership.take([MARKET_SHARD], undefined);
    return ownership.take(shards, undefined);
  };
  const { clock } = options;
  if (clock !== undefined) disk.isShared = true;
  return {
    acquire: () => guarded(acquire),
    head: (shard) => guarded(() => headOf(disk, shard)),
    append: (batch) => guarded(() => append(disk, batch, ownsMarket())),
    fence: (round) => guarded(() => fence(disk, round)),
    readRecords: (range) => guarded(() => readRecords(disk, limited(range))),
    readSnapshot: (shard, reading) => inTurns(readSnapshot(disk, shard, reading), guarded),
    writeSnapshot: (snapshot, writing) => inTurns(writeSnapshot(disk, snapshot), guarded, writing),
    readMarks: (shards) => guarded(() => readMarks(disk, shards)),
    readQuotes: () => guarded(() => readQuotes(disk)),
    deleteMarks: (marks) => guarded(() => deleteMarks(disk, marks, owns)),
    findEnded: (key) => guarded(() => disk.ended.find(key)),
    pageEnded: (page) =>
      guarded(() => disk.ended.ofAccount(page.accountId, { ...limited(page), rising: page.newestFirst })),
    countEnded: ({ accountId, shard }) =>
      guarded(() => ({ count: disk.ended.count(accountId), sequence: headOf(disk, shard).sequence })),
    readEnded: (range) =>
      guarded(() => disk.ended.ofShard(range.shard, { ...limited(range), rising: false })),
    pageEndedNames: async (page) => await inTurns(disk.ended.names(limited(page)), guarded),
    findEndedList: (key) => guarded(() => disk.endedLists.find(key)),
    pageEndedLists: (page) => guarded(() => disk.endedLists.page(limited(page))),
    deleteEnded: async (range) => await inTurns(deleteEnded(disk, limited(range), owns), guarded),
    readVolume: () => guarded(() => disk.volume.read()),
    deleteVolume: (cutoff, deleting) => inTurns(deleteVolume(disk, cutoff, ownsMarket), guarded, deleting),
    ...(options.journal?.forget === true && {
      forgetEnded: (range: Readonly<{ beforeMs: number }>, goesOn: () => boolean) =>
        inTurns(forgetEnded(disk, range, { owns, requireSome, goesOn }), guarded),
    }),
    ...(clock !== undefined && {
      leases: memoryLeases({ disk, nowMs: () => clock.nowMs(), ownership, guarded }),
    }),
    close: async () => {
      closed = true;
    },
  };
}

/** Number of parents that one step reads or writes, which takes some milliseconds. */
const PARENTS_PER_STEP = 512;

function* readSnapshot(
  disk: DiskContents,
  shard: number,
  reading?: () => void,
): Generator<void, ShardSnapshot | undefined> {
  const { snapshot } = shardOf(disk, shard);
  if (snapshot === undefined) return undefined;
  const { sequence, counter } = snapshot;
  const parents = yield* converted(snapshot.parents, (text) => decodeParent(text), reading);
  return { shard, sequence, counter, parents };
}

function* writeSnapshot(disk: DiskContents, snapshot: ShardSnapshot): Generator<void, void> {
  const { sequence, counter } = snapshot;
  const shard = shardOf(disk, snapshot.shard);
  invariant(
    sequence <= shard.records.last,
    "I53",
    `the snapshot of shard ${snapshot.shard} is ahead of its journal`,
  );
  const parents = yield* converted(snapshot.parents, encodeParent);
  if (shard.snapshot !== undefined && sequence < shard.snapshot.sequence) return;
  shard.snapshot = { sequence, counter, parents };
}

function* converted<From, To>(
  given: readonly From[],
  convert: (one: From) => To,
  stepped?: () => void,
): Generator<void, readonly To[]> {
  const made: To[] = [];
  for (const one of given) {
    if (made.length > 0 && made.length % PARENTS_PER_STEP === 0) {
      stepped?.();
      yield;
    }
    made.push(convert(one));
  }
  return made;
}
