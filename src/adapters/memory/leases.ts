import type { JournalRecord } from "../../model/index.ts";
import type {
  ClusterView,
  NodeEntry,
  NodeRow,
  ShardHead,
  ShardLeases,
  TailRange,
} from "../../ports/index.ts";
import { limited } from "../shared/index.ts";
import type { DiskContents, KeptNode } from "./disk.ts";
import { headOf, readRecords } from "./journal.ts";

/** Rows of dead nodes that stay, so that an operator sees what became of them. */
const DEAD_KEPT = 16;
const LONGEST_TEXT = 200;

/** Dependencies of the leases of one handle. */
export type LeaseParts = Readonly<{
  disk: DiskContents;
  nowMs: () => number;
  /** Takes every shard over for this handle, as `acquire` does. */
  takeOver: () => readonly ShardHead[];
  /** Runs a call unless the handle is closed. */
  guarded: <T>(run: () => T) => Promise<T>;
}>;

/** Creates the leases of a handle. */
export function memoryLeases({ disk, nowMs, takeOver, guarded }: LeaseParts): ShardLeases {
  return {
    join: (entry) => guarded(() => ({ incarnation: join(disk, entry), clockMs: nowMs() })),
    renew: ({ incarnation, state }) =>
      guarded(() => {
        const node = aliveNode(disk, incarnation);
        if (node !== undefined) Object.assign(node, { beat: node.beat + 1, state });
        return { alive: node !== undefined, clockMs: nowMs() };
      }),
    nodes: () => guarded(() => view(disk)),
    bury: ({ incarnation, beat }) =>
      guarded(() => {
        const node = aliveNode(disk, incarnation);
        if (node?.beat === beat) node.dead = true;
        return node === undefined || node.dead;
      }),
    claim: (incarnation) =>
      guarded(() => {
        if (aliveNode(disk, incarnation) === undefined) return undefined;
        if (disk.shards.some((shard) => isTaken(disk, shard.incarnation, incarnation))) return undefined;
        const heads = takeOver();
        for (const shard of disk.shards) shard.incarnation = incarnation;
        return heads;
      }),
    release: (incarnation) => guarded(() => release(disk, incarnation)),
    leave: (incarnation) =>
      guarded(() => {
        const node = disk.nodes.get(incarnation);
        if (node !== undefined && owns(disk, incarnation)) node.dead = true;
        else disk.nodes.delete(incarnation);
      }),
    tail: (range) => guarded(() => tail(disk, range)),
  };
}

function join(disk: DiskContents, entry: NodeEntry): number {
  const { name, address, version, format, kinds, ttlMs } = entry;
  if (name.length === 0) throw new RangeError("a node needs a name");
  if ([name, address, version].some((text) => text.length > LONGEST_TEXT))
    throw new RangeError(`name, address and version of a node have at most ${LONGEST_TEXT} characters`);
  if (!Number.isSafeInteger(ttlMs) || ttlMs < 1)
    throw new RangeError("the ttl of a node is a whole number of milliseconds above 0");
  const gone = [...disk.nodes.values()].filter((node) => node.dead && !owns(disk, node.incarnation));
  for (const node of gone.slice(0, -DEAD_KEPT)) disk.nodes.delete(node.incarnation);
  disk.incarnations += 1;
  const incarnation = disk.incarnations;
  const said = { name, address, version, format, kinds: [...kinds], ttlMs };
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

const owns = (disk: DiskContents, incarnation: number): boolean =>
  disk.shards.some((shard) => shard.incarnation === incarnation);

function release(disk: DiskContents, incarnation: number): void {
  for (const shard of disk.shards) if (shard.incarnation === incarnation) shard.incarnation = undefined;
}

function view(disk: DiskContents): ClusterView {
  return {
    nodes: [...disk.nodes.values()].map((node): NodeRow => ({ ...node })),
    shards: disk.shards.map(({ epoch, incarnation }, shard) => ({
      shard,
      epoch,
      ...(incarnation !== undefined && { incarnation }),
    })),
  };
}

/** Reads shard after shard, and none of the shards without further records. */
function tail(disk: DiskContents, range: TailRange): readonly JournalRecord[] {
  const { after, limit } = limited(range);
  const found: JournalRecord[] = [];
  for (const [shard] of disk.shards.entries()) {
    const known = after[shard] ?? 0;
    if (found.length >= limit || headOf(disk, shard).sequence <= known) continue;
    for (const record of readRecords(disk, { shard, after: known, limit: limit - found.length }))
      found.push(record);
  }
  return found;
}
