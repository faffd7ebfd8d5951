import fc from "fast-check";
import "./property-sizes.ts";
import { type ShareReading, ShareWatch } from "../../src/cluster/share-plan.ts";
import { MARKET_SHARD } from "../../src/model/index.ts";
import type { ClusterView, NodeRow, ShardOwner } from "../../src/ports/index.ts";

export const TTL_MS = 1_000;

/** What a test sets of the row of a node. */
export type RowPart = Partial<Pick<NodeRow, "state" | "dead" | "shares">>;

export const rowOf = (incarnation: number, part: RowPart = {}): NodeRow => ({
  ...{ incarnation, name: `node-${incarnation}`, address: "", version: "", format: 1, kinds: [] },
  ...{ state: "active", dead: false, beat: 1, ttlMs: TTL_MS, shares: true },
  ...part,
});

/** Rows of all shards with these owners and assignments. */
export const shardsOf = (
  ownerOf: (shard: number) => number | undefined,
  nextOf: (shard: number) => number | undefined = () => undefined,
): readonly ShardOwner[] =>
  Array.from({ length: MARKET_SHARD + 1 }, (_, shard) => {
    const [incarnation, next] = [ownerOf(shard), nextOf(shard)];
    return {
      ...{ shard, epoch: 1 },
      ...(incarnation !== undefined && { incarnation }),
      ...(next !== undefined && { next }),
    };
  });

/** What a node decides from after its first reading of this view. */
export const firstReading = (view: ClusterView, own: number, mostShards?: number): ShareReading =>
  new ShareWatch({
    ...{ ttlMs: TTL_MS, canRead: () => true },
    ...(mostShards !== undefined && { mostShards }),
  }).observe(view, own, { requestedMs: 0, answeredMs: 0 });

/** All shards, with the market journal. */
export const ALL: number = MARKET_SHARD + 1;

/** A node without a row. */
export const GONE = 99;

/** Rows of nodes: several able ones, and up to one of each other kind. */
const someNodes = fc
  .record({
    able: fc.integer({ min: 1, max: 6 }),
    others: fc.uniqueArray(
      fc.constantFrom<RowPart>(
        { dead: true },
        { shares: false, state: "ready" },
        { state: "following" },
        { state: "handing-over" },
      ),
      { maxLength: 4 },
    ),
  })
  .map(({ able, others }) => [
    ...Array.from({ length: able }, (_, index) =>
      rowOf(index + 1, { state: index === 0 ? "ready" : "active" }),
    ),
    ...others.map((part, index) => rowOf(index + 11, part)),
  ]);

/** The able nodes, by the words of the rule "Who takes which shard follows from one view of the cluster". */
export const ableIn = ({ nodes }: ClusterView): readonly number[] =>
  nodes
    .filter(
      ({ dead, shares, state }) => !dead && shares === true && (state === "ready" || state === "active"),
    )
    .map(({ incarnation }) => incarnation);

export const isFreeIn =
  ({ nodes }: ClusterView) =>
  ({ incarnation }: ShardOwner): boolean =>
    nodes.every((row) => row.incarnation !== incarnation || row.dead);

const someBytes = fc.uint8Array({ minLength: ALL, maxLength: ALL });

/** Any owners and assignments of all shards, many of them free. */
export const someView: fc.Arbitrary<ClusterView> = fc
  .tuple(someNodes, someBytes, someBytes)
  .map(([nodes, owners, nexts]) => {
    const anyone = [...nodes.map(({ incarnation }) => incarnation), GONE];
    /** The byte of a shard tells to whom it belongs; to nobody if it is below a limit. */
    const from =
      (bytes: Uint8Array, limit: number) =>
      (shard: number): number | undefined => {
        const byte = bytes[shard] ?? 0;
        return byte < limit ? undefined : anyone[byte % anyone.length];
      };
    return { nodes, shards: shardsOf(from(owners, 100), from(nexts, 225)) };
  });

/** Able nodes only, that own all shards, unevenly. */
export const unevenView: fc.Arbitrary<ClusterView> = fc
  .tuple(fc.array(fc.nat({ max: 100 }), { minLength: 1, maxLength: 8 }), someBytes)
  .map(([weights, bytes]) => {
    const all = weights.flatMap((weight, index) => new Array<number>(weight + 1).fill(index + 1));
    return {
      nodes: weights.map((_, index) => rowOf(index + 1)),
      shards: shardsOf((shard) => all[((bytes[shard] ?? 0) * 31) % all.length]),
    };
  });

/** The number of shards that are assigned to a node that does not own them yet. */
export const onWayIn = ({ shards }: ClusterView): number =>
  shards.filter(({ incarnation, next }) => next !== undefined && next !== incarnation).length;
