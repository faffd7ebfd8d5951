import { MARKET_SHARD, type Mutable, SHARD_COUNT } from "../model/index.ts";
import type {
  ClusterView,
  NodeEntry,
  NodeRow,
  ShardAssignment,
  ShardHead,
  ShardLeases,
  ShardOwner,
  ShardRelease,
  ShardSet,
  Storage,
} from "../ports/index.ts";
import { readJson } from "../wire/index.ts";
import { headIn, headKey, type Journal } from "./journal.ts";
import type { MarketRows } from "./market.ts";
import { type Change, limited, type Plan, type Rows, type ValueAt } from "./rows.ts";

/** Rows of dead nodes that stay, so that an operator sees what became of them. */
const DEAD_RETAINED = 16;
const LONGEST_TEXT = 200;

/** Nodes and the owners of shards are one row: whatever is decided of them is decided at one moment. */
const CLUSTER = "cluster";

type Owner = { incarnation?: number; next?: number };
type Node = Mutable<NodeRow>;
type Cluster = { incarnations: number; nodes: Node[]; owners: Record<string, Owner> };

function clusterIn(valueAt: ValueAt): Cluster {
  const text = valueAt(CLUSTER);
  return text === undefined
    ? { incarnations: 0, nodes: [], owners: {} }
    : (readJson(text) as unknown as Cluster);
}

const aliveNode = ({ nodes }: Cluster, incarnation: number): Node | undefined =>
  nodes.find((node) => node.incarnation === incarnation && !node.dead);

const ownsSome = ({ owners }: Cluster, incarnation: number): boolean =>
  Object.values(owners).some((owner) => owner.incarnation === incarnation);

/** What makes all shards nobody's, beside an `acquire`. */
export const nobodysShards: Plan = {
  reads: [CLUSTER],
  change: (valueAt) =>
    valueAt(CLUSTER) === undefined
      ? {}
      : { puts: [[CLUSTER, JSON.stringify({ ...clusterIn(valueAt), owners: {} })]] },
};

/** Dependencies of {@link storedLeases}. */
type LeaseParts = Readonly<{ journal: Journal; market: MarketRows; clock: NonNullable<Storage["clock"]> }>;

/** Nodes that share a storage, and the shards that each of them owns. */
export function storedLeases(rows: Rows, { journal, market, clock }: LeaseParts): ShardLeases {
  return {
    ...nodeLeases(rows, clock),
    ...shardOwners(rows, journal),
    async heads(): Promise<readonly ShardHead[]> {
      return await journal.heads();
    },

    async tail(range: Parameters<ShardLeases["tail"]>[0]): ReturnType<ShardLeases["tail"]> {
      return await journal.tail(limited(range));
    },

    async prints(range: Parameters<ShardLeases["prints"]>[0]): ReturnType<ShardLeases["prints"]> {
      return await market.printsAfter(limited(range));
    },
  };
}

/** Changes the row of the cluster. `change` may be called again, with the row as another node has changed it. */
async function changed<T>(rows: Rows, change: (cluster: Cluster) => T): Promise<T> {
  let result: Readonly<{ value: T }> | undefined;
  await rows.write({
    reads: [CLUSTER],
    isShared: true,
    change(valueAt) {
      const cluster = clusterIn(valueAt);
      result = { value: change(cluster) };
      return { puts: [[CLUSTER, JSON.stringify(cluster)]] };
    },
  });
  if (result === undefined) throw new Error("the row of the cluster was not written");
  return result.value;
}

type NodeLeases = Pick<ShardLeases, "join" | "renew" | "want" | "retire" | "leave">;

function nodeLeases(rows: Rows, clock: LeaseParts["clock"]): NodeLeases {
  return {
    async join(entry: NodeEntry): Promise<Readonly<{ incarnation: number; clockMs: number }>> {
      requireEntry(entry);
      const { name, address, version, format, kinds, ttlMs, shares } = entry;
      const incarnation = await changed(rows, (cluster) => {
        const gone = cluster.nodes.filter((node) => node.dead && !ownsSome(cluster, node.incarnation));
        const dropped = new Set(gone.slice(0, -DEAD_RETAINED));
        cluster.nodes = cluster.nodes.filter((node) => !dropped.has(node));
        cluster.incarnations += 1;
        cluster.nodes.push({
          ...{ name, address, version, format, kinds: [...kinds], ttlMs },
          ...(shares !== undefined && { shares }),
          ...{ incarnation: cluster.incarnations, state: "following", beat: 0, dead: false },
        });
        return cluster.incarnations;
      });
      const { nowMs } = await clock();
      return { incarnation, clockMs: nowMs };
    },

    async renew({
      incarnation,
      state,
      followed,
    }: Parameters<ShardLeases["renew"]>[0]): ReturnType<ShardLeases["renew"]> {
      const node = await changed(rows, (cluster) => {
        const alive = aliveNode(cluster, incarnation);
        if (alive !== undefined)
          Object.assign(alive, { beat: alive.beat + 1, state, ...(followed !== undefined && { followed }) });
        return alive;
      });
      const { nowMs, elsewhere } = await clock();
      return {
        ...{ alive: node !== undefined, clockMs: nowMs },
        ...(elsewhere !== undefined && { elsewhere }),
        ...(node?.wanted !== undefined && { wanted: node.wanted }),
      };
    },

    async want({ incarnation, wanted }: Parameters<ShardLeases["want"]>[0]): Promise<boolean> {
      return await changed(rows, (cluster) => {
        const node = aliveNode(cluster, incarnation);
        if (node !== undefined) {
          if (wanted === undefined) delete node.wanted;
          else node.wanted = wanted;
        }
        return node !== undefined;
      });
    },

    async retire({ incarnation, beat }: Parameters<ShardLeases["retire"]>[0]): Promise<boolean> {
      return await changed(rows, (cluster) => {
        const node = aliveNode(cluster, incarnation);
        if (node?.beat === beat) node.dead = true;
        return node === undefined || node.dead;
      });
    },

    async leave(incarnation: number): Promise<void> {
      await changed(rows, (cluster) => {
        const node = cluster.nodes.find((one) => one.incarnation === incarnation);
        if (node !== undefined && ownsSome(cluster, incarnation)) node.dead = true;
        else cluster.nodes = cluster.nodes.filter((one) => one !== node);
      });
    },
  };
}

type ShardOwners = Pick<ShardLeases, "nodes" | "claim" | "release" | "assign">;

function shardOwners(rows: Rows, journal: Journal): ShardOwners {
  return {
    async nodes(): Promise<ClusterView> {
      const shards = Array.from({ length: SHARD_COUNT + 1 }, (_, shard) => shard);
      const values = await rows.get([CLUSTER, ...shards.map(headKey)]);
      const { nodes, owners } = clusterIn(() => values[0]);
      const ownerOf = (shard: number): ShardOwner => ({
        shard,
        epoch: headIn(values[shard + 1]).epoch,
        ...owners[shard],
      });
      return { nodes, shards: shards.map(ownerOf) };
    },

    async claim(set: ShardSet): Promise<readonly ShardHead[] | undefined> {
      const shards = sortedShards(set);
      const { incarnation } = set;
      let others: ReadonlySet<number> = new Set();
      const more = {
        reads: [CLUSTER],
        change(valueAt: ValueAt): Change | undefined {
          const cluster = clusterIn(valueAt);
          const isTaken = (shard: number): boolean => {
            const owner = cluster.owners[shard]?.incarnation;
            return owner !== undefined && owner !== incarnation && aliveNode(cluster, owner) !== undefined;
          };
          if (aliveNode(cluster, incarnation) === undefined || shards.some(isTaken)) return undefined;
          others = new Set(shards.filter((shard) => cluster.owners[shard]?.incarnation !== incarnation));
          for (const shard of others) cluster.owners[shard] = { incarnation };
          return { puts: [[CLUSTER, JSON.stringify(cluster)]] };
        },
      };
      return await journal.take(shards, more, (shard) => others.has(shard));
    },

    async release(set: ShardRelease): Promise<void> {
      const releases = sortedReleases(set);
      const heads = releases.map(({ shard }) => headKey(shard));
      await rows.write({
        reads: [CLUSTER, ...(set.epochs === undefined ? [] : heads)],
        change(valueAt) {
          const cluster = clusterIn(valueAt);
          for (const { shard, epoch } of releases) {
            const owner = cluster.owners[shard];
            const isLate = epoch !== undefined && epoch !== headIn(valueAt(headKey(shard))).epoch;
            if (owner?.incarnation === set.incarnation && !isLate) delete owner.incarnation;
          }
          return { puts: [[CLUSTER, JSON.stringify(cluster)]] };
        },
      });
    },

    async assign(assignment: ShardAssignment): Promise<number> {
      const { to, from } = assignment;
      const shards = sortedShards(assignment);
      return await changed(rows, (cluster) => {
        if (to !== undefined && aliveNode(cluster, to) === undefined) return 0;
        for (const shard of shards) {
          const owner = cluster.owners[shard] ?? {};
          if (from !== undefined && owner.incarnation !== from) continue;
          if (to === undefined) delete owner.next;
          else owner.next = to;
          cluster.owners[shard] = owner;
        }
        return shards.filter((shard) => cluster.owners[shard]?.next === to).length;
      });
    },
  };
}

function requireEntry({ name, address, version, ttlMs }: NodeEntry): void {
  if (name.length === 0) throw new RangeError("a node needs a name");
  if ([name, address, version].some((text) => text.length > LONGEST_TEXT))
    throw new RangeError(`name, address and version of a node have at most ${LONGEST_TEXT} characters`);
  if (!Number.isSafeInteger(ttlMs) || ttlMs < 1)
    throw new RangeError("the ttl of a node is a whole number of milliseconds above 0");
}

/** Returns the shards of a set by rising number. Throws a RangeError for a set that is not as the port says. */
function sortedShards({ shards }: Pick<ShardSet, "shards">): readonly number[] {
  const sorted = [...shards].sort((a, b) => a - b);
  if (sorted.length === 0) throw new RangeError("a set of shards has at least one");
  for (const [place, shard] of sorted.entries()) {
    if (!Number.isInteger(shard) || shard < 0 || shard > MARKET_SHARD)
      throw new RangeError(`the store has no shard ${shard}`);
    if (shard === sorted[place - 1]) throw new RangeError(`a set of shards has shard ${shard} twice`);
  }
  return sorted;
}

/** Returns the shards of a release by rising number, each with the epoch in which it is released. */
function sortedReleases({
  shards,
  epochs,
}: ShardRelease): readonly Readonly<{ shard: number; epoch: number | undefined }>[] {
  if (epochs !== undefined && epochs.length !== shards.length)
    throw new RangeError("a release has one epoch for each shard, or none");
  const epochOf = new Map(shards.map((shard, place) => [shard, epochs?.[place]]));
  return sortedShards({ shards }).map((shard) => ({ shard, epoch: epochOf.get(shard) }));
}
