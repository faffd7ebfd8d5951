import { MARKET_SHARD } from "../../../src/model/index.ts";
import type { ClusterView, NodeEntry, OrderStore, ShardLeases, ShardSet } from "../../../src/ports/index.ts";
import { rulesFor, type StoreRules, type StoreWorld } from "./world.ts";

/** What a node of these rules says of itself. */
export const ENTRY: NodeEntry = {
  name: "a",
  address: "",
  version: "1.0",
  format: 1,
  kinds: ["ACCEPTED", "ENDED"],
  ttlMs: 10_000,
};

/** Returns all shards and the market journal, for a node. */
export const every = (incarnation: number): ShardSet => ({
  incarnation,
  shards: Array.from({ length: MARKET_SHARD + 1 }, (_, shard) => shard),
});

/** Returns the leases of a store that declares them. Throws a TypeError if it has none. */
export function leasesOf({ leases }: OrderStore): ShardLeases {
  if (leases === undefined) throw new TypeError("the store has no leases");
  return leases;
}

/** Returns rules for stores with leases. */
export const leaseRules = (
  checks: Readonly<Record<string, (leases: ShardLeases, world: StoreWorld) => Promise<void>>>,
): StoreRules =>
  rulesFor({ leases: true })(
    Object.fromEntries(
      Object.entries(checks).map(([name, check]) => [name, (world) => check(leasesOf(world.store), world)]),
    ),
  );

/** Joins as a node, and resolves to its incarnation. */
export const joined = async (leases: ShardLeases, name = "a"): Promise<number> =>
  (await leases.join({ ...ENTRY, name })).incarnation;

/** Returns the different owners of a view. */
export const ownersIn = ({ shards }: ClusterView): readonly (number | undefined)[] => [
  ...new Set(shards.map(({ incarnation }) => incarnation)),
];
/** Returns the different epochs of a view. */
export const epochsIn = ({ shards }: ClusterView): readonly number[] => [
  ...new Set(shards.map(({ epoch }) => epoch)),
];
