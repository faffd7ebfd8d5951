import type { JournalRecord } from "../../model/index.ts";
import type {
  ClusterView,
  NodeEntry,
  NodeRow,
  ShardAssignment,
  ShardHead,
  ShardLeases,
  ShardRelease,
  ShardSet,
  TailRange,
} from "../../ports/index.ts";
import { limited, sortedReleases, sortedShards } from "../shared/index.ts";
import type { DiskContents, KeptNode, KeptOwner } from "./disk.ts";
import { headOf, readRecords } from "./journal.ts";
import { type Ownership, ownerRow } from "./ownership.ts";

/** Rows of dead nodes that stay, so that an operator sees what became of them. */
const DEAD_KEPT = 16;
const LONGEST_TEXT = 200;

/** Dependencies of the leases of one handle. */
export type LeaseParts = Readonly<{
  disk: DiskContents;
  nowMs: () => number;
  ownership: Ownership;
  /** Runs a call unless the handle is closed. */
  guarded: <T>(run: () => T) => Promise<T>;
}>;

/** Creates the leases of a handle. */
export function memoryLeases({ disk, nowMs, ownership, guarded }: LeaseParts): ShardLeases {
  return {
    join: (entry) => guarded(() => ({ incarnation: join(disk, entry), clockMs: nowMs() })),
    renew: ({ incarnation, state, followed }) =>
      guarded(() => {
        const node = aliveNode(disk, incarnation);
        if (node !== undefined) Object.assign(node, { beat: node.beat + 1, state });
        if (node !== undefined && followed !== undefined) node.followed = followed;
        const { wanted } = node ?? {};
        return {
          alive: node !== undefined,
          clockMs: nowMs(),
          ...(wanted !== undefined && { wanted }),
        };
      }),
    want: ({ incarnation, wanted }) =>
      guarded(() => {
        const node = aliveNode(disk, incarnation);
        if (node === undefined) return false;
        if (wanted === undefined) delete node.wanted;
        else node.wanted = wanted;
        return true;
      }),
    nodes: () => guarded(() => view(disk)),
    bury: ({ incarnation, beat }) =>
      guarded(() => {
        const node = aliveNode(disk, incarnation);
        if (node?.beat === beat) node.dead = true;
        return node === undefined || node.dead;
      }),
    claim: (set) => guarded(() => claim(disk, ownership, set)),
    release: (set) => guarded(() => release(disk, set)),
    assign: (assignment) => guarded(() => assign(disk, assignment)),
    leave: (incarnation) =>
      guarded(() => {
        const node = disk.nodes.get(incarnation);
        if (node !== undefined && owns(disk, incarnation)) node.dead = true;
        else disk.nodes.delete(incarnation);
      }),
    heads: () => guarded(() => disk.shards.map((_, shard) => headOf(disk, shard))),
    tail: (range) => guarded(() => tail(disk, range)),
    prints: (range) => guarded(() => disk.volume.after(limited(range))),
  };
}

function join(disk: DiskContents, entry: NodeEntry): number {
  const { name, address, version, format, kinds, ttlMs, shares } = entry;
  if (name.length === 0) throw new RangeError("a node needs a name");
  if ([name, address, version].some((text) => text.length > LONGEST_TEXT))
    throw new RangeError(`name, address and version of a node have at most ${LONGEST_TEXT} characters`);
  if (!Number.isSafeInteger(ttlMs) || ttlMs < 1)
    throw new RangeError("the ttl of a node is a whole number of milliseconds above 0");
  const gone = [...disk.nodes.values()].filter((node) => node.dead && !owns(disk, node.incarnation));
  for (const node of gone.slice(0, -DEAD_KEPT)) disk.nodes.delete(node.incarnation);
  disk.incarnations += 1;
  const incarnation = disk.incarnations;
  const said = {
    ...{ name, address, version, format, kinds: [...kinds], ttlMs },
    ...(shares !== undefined && { shares }),
  };
  disk.nodes.set(incarnation, { ...said, incarnation, state: "following", beat: 0, dead: false });
  return incarnation;
}

function aliveNode(disk: DiskContents, incarnation: number): KeptNode | undefined {
  const node = disk.nodes.get(incarnation);
  return node?.dead === false ? node : undefined;
}

/** Returns whether the owner of a shard is another node that is not dead. */
function isTaken(disk: DiskContents, owner: number | undefined, claimant: number): boolean {
  return owner !== undefined && owner !== claimant && aliveNode(disk, owner) !== undefined;
}

/** Owners of the shards by number, and of the market journal. */
const ownersOf = (disk: DiskContents): readonly KeptOwner[] => [...disk.shards, disk.market];

const owns = (disk: DiskContents, incarnation: number): boolean =>
  ownersOf(disk).some((owner) => owner.incarnation === incarnation);

/** Takes all of a set or nothing. */
function claim(disk: DiskContents, ownership: Ownership, set: ShardSet): readonly ShardHead[] | undefined {
  const shards = sortedShards(set);
  const { incarnation } = set;
  if (aliveNode(disk, incarnation) === undefined) return undefined;
  if (shards.some((shard) => isTaken(disk, ownerRow(disk, shard).incarnation, incarnation))) return undefined;
  return ownership.take(shards, incarnation);
}

function release(disk: DiskContents, set: ShardRelease): void {
  for (const { shard, epoch } of sortedReleases(set)) {
    const owner = ownerRow(disk, shard);
    const isLate = epoch !== undefined && epoch !== owner.epoch;
    if (owner.incarnation === set.incarnation && !isLate) owner.incarnation = undefined;
  }
}

/** Returns how many shards of the set have the assignment now. */
function assign(disk: DiskContents, assignment: ShardAssignment): number {
  const { to, from } = assignment;
  const owners = sortedShards(assignment).map((shard) => ownerRow(disk, shard));
  if (to !== undefined && aliveNode(disk, to) === undefined) return 0;
  for (const owner of owners) if (from === undefined || owner.incarnation === from) owner.next = to;
  return owners.filter(({ next }) => next === to).length;
}

function view(disk: DiskContents): ClusterView {
  return {
    nodes: [...disk.nodes.values()].map((node): NodeRow => ({ ...node })),
    shards: ownersOf(disk).map(({ epoch, incarnation, next }, shard) => ({
      shard,
      epoch,
      ...(incarnation !== undefined && { incarnation }),
      ...(next !== undefined && { next }),
    })),
  };
}

/** Reads shard after shard, and none of the shards without further records. */
function tail(disk: DiskContents, range: TailRange): readonly JournalRecord[] {
  const { after, limit } = limited(range);
  const found: JournalRecord[] = [];
  for (const [shard, { records }] of disk.shards.entries()) {
    const known = after[shard] ?? 0;
    if (found.length >= limit || records.last <= known) continue;
    for (const record of readRecords(disk, { shard, after: known, limit: limit - found.length }))
      found.push(record);
  }
  return found;
}
