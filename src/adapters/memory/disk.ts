import { type OptionCheck, optionsOf, uncheckedOption, wrongOption } from "../../common/index.ts";
import { type JournalRecord, type KeptQuote, type MarketMark, SHARD_COUNT } from "../../model/index.ts";
import type { NodeRow } from "../../ports/index.ts";
import { createEndedLists, type EndedLists } from "./ended-lists.ts";
import { createEndedOrders, type EndedOrders } from "./ended-orders.ts";
import { KeptRecords } from "./records.ts";
import { createKeptVolume, type KeptVolume } from "./volume.ts";

/** The owner of a shard or of the market journal. */
export type KeptOwner = {
  epoch: number;
  /** The node that owns it; undefined for nobody. */
  incarnation: number | undefined;
  /** The node to which the owner shall give it; undefined for nobody. */
  next: number | undefined;
};

/** The stored state of one shard: owner and its round, records and newest snapshot, as texts. */
export type KeptShard = KeptOwner & {
  round: number;
  readonly records: KeptRecords;
  snapshot: Readonly<{ sequence: number; counter: number; parents: readonly string[] }> | undefined;
};

/** The row of a node. */
export type KeptNode = { -readonly [Member in keyof NodeRow]: NodeRow[Member] };

/** Everything that is stored. */
export type DiskContents = {
  readonly shards: readonly KeptShard[];
  /** The owner of the market journal: of quotes and of the volume. */
  readonly market: KeptOwner;
  /** Number of nodes that have joined. */
  incarnations: number;
  /** Nodes by incarnation, in rising order. */
  readonly nodes: Map<number, KeptNode>;
  readonly marks: Map<string, MarketMark>;
  /** The last quote of every market, by symbol. */
  readonly quotes: Map<string, KeptQuote>;
  readonly volume: KeptVolume;
  /** Whether a store with leases was opened on it. Only then is each print kept whole. */
  isShared: boolean;
  readonly ended: EndedOrders;
  readonly endedLists: EndedLists;
  readonly values: Map<string, string>;
  /** Called with every record once it is stored. */
  readonly listeners: Set<(record: JournalRecord) => void>;
};

/**
 * The data that survives a memory store, as a disk survives a process. Pass it to the next store after a simulated
 * crash.
 */
export interface MemoryDisk {
  readonly kind: "memory-disk";
}

const contents = new WeakMap<MemoryDisk, DiskContents>();

/**
 * Creates an empty disk.
 *
 * @example
 * ```ts
 * import { createMemoryDisk, createMemoryStore } from "managed-orders/memory";
 * const disk = createMemoryDisk();
 * await createMemoryStore({ disk }).acquire();
 * const [head] = await createMemoryStore({ disk }).acquire();
 * console.log(head?.epoch); // 2
 * ```
 */
export function createMemoryDisk(): MemoryDisk {
  const disk: MemoryDisk = { kind: "memory-disk" };
  contents.set(disk, {
    shards: Array.from({ length: SHARD_COUNT }, () => ({
      epoch: 0,
      round: 0,
      incarnation: undefined,
      next: undefined,
      records: new KeptRecords(),
      snapshot: undefined,
    })),
    market: { epoch: 0, incarnation: undefined, next: undefined },
    incarnations: 0,
    nodes: new Map(),
    marks: new Map(),
    quotes: new Map(),
    volume: createKeptVolume(),
    isShared: false,
    ended: createEndedOrders(),
    endedLists: createEndedLists(),
    values: new Map(),
    listeners: new Set(),
  });
  return disk;
}

/** Returns the contents of a disk. Throws a TypeError for an object that {@link createMemoryDisk} did not make. */
export function contentsOf(disk: MemoryDisk, name = "disk"): DiskContents {
  const kept = contents.get(disk);
  if (kept === undefined) throw wrongOption(disk, name, "a value that createMemoryDisk returned");
  return kept;
}

/** Options of a store in memory. */
export type DiskOptions = Readonly<{ disk?: MemoryDisk }>;

/** Checks the option `disk`; {@link contentsIn} checks the disk itself. */
export const diskOption: OptionCheck = uncheckedOption;

const diskOptions: OptionCheck = optionsOf<DiskOptions>({ disk: diskOption });

/**
 * Returns the contents of the disk in the options of a store, by default of a new one. Throws like {@link contentsOf},
 * and what `check` throws: by default a TypeError for an unknown option.
 */
export function contentsIn<Options extends DiskOptions>(
  options: Options,
  name: string,
  check: OptionCheck = diskOptions,
): DiskContents {
  check(options, name);
  return contentsOf(options.disk ?? createMemoryDisk(), `${name}.disk`);
}
