import { createMemoryStore } from "../../src/adapters/memory/index.ts";
import { formatPrice } from "../../src/decimal/index.ts";
import type { EngineSettings, Verification } from "../../src/engine/index.ts";
import type { MarketHub } from "../../src/engine/market/market-hub.ts";
import { shardOf } from "../../src/lifecycle/index.ts";
import { MARKET_SHARD, type ParentOrder, shardOfId } from "../../src/model/index.ts";
import type { ClusterView, ShardLeases } from "../../src/ports/index.ts";
import type { OrderFields } from "../../src/requests/index.ts";
import { type Cluster, createCluster, type Sharer, settle, TTL_MS } from "./cluster.ts";
import { SYMBOL } from "./world.ts";

/** How long a planned move may take at most: the owner reads the nodes, and then the next owner does. */
export const MOVE_MS = 8_000;

/** A step in which time passes where something is waited for. */
const STEP_MS = 5;

/** The shards and the market journal by number. */
const EVERY_SHARD: readonly number[] = Array.from({ length: MARKET_SHARD + 1 }, (_, shard) => shard);

/** A handle of an operator on the store of a cluster. */
export function leasesOf({ disk, clock }: Cluster): ShardLeases {
  const { leases } = createMemoryStore({ disk, clock });
  if (leases === undefined) throw new Error("the store has no leases");
  return leases;
}

/** Returns what the store says of nodes and shards. */
export const viewOf = (cluster: Cluster): Promise<ClusterView> => leasesOf(cluster).nodes();

/** Starts nodes one after the other over one store, and waits until their shares are even. */
export async function sharers(
  cluster: Cluster,
  names: readonly string[],
  settings?: Partial<EngineSettings>,
): Promise<readonly Sharer[]> {
  const nodes: Sharer[] = [];
  for (const name of names) {
    nodes.push(await cluster.join(name, settings));
    await cluster.quote("100", "101");
    await cluster.quote("100", "101");
  }
  await cluster.pass(names.length === 1 ? 3_000 : 6 * TTL_MS);
  return nodes;
}

/** Two nodes with even shares. */
export async function pairOf(
  cluster: Cluster = createCluster(),
  settings?: Partial<EngineSettings>,
): Promise<Readonly<{ cluster: Cluster; a: Sharer; b: Sharer }>> {
  const [a, b] = await sharers(cluster, ["a", "b"], settings);
  if (a === undefined || b === undefined) throw new Error("a node did not start");
  return { cluster, a, b };
}

/** The engines that run a shard, of processes that live. */
export const runnersOf = (nodes: readonly Sharer[], shard: number): readonly string[] =>
  nodes.filter(({ engine, process }) => !process.dead && engine.owns(shard)).map(({ name }) => name);

/** Returns an account whose shard a node runs. */
export function accountOn({ name, engine }: Sharer, from = 1): number {
  for (let accountId = from; accountId <= 24; accountId++)
    if (engine.owns(shardOf(accountId))) return accountId;
  throw new Error(`${name} runs the shard of no account`);
}

/** Assigns shards to a node as an operator does. */
export async function assignTo(cluster: Cluster, shards: readonly number[], to: Sharer): Promise<void> {
  await leasesOf(cluster).assign({ shards, to: to.node.status().incarnation });
}

/** Assigns a shard to a node as an operator does, and waits until it runs there. Returns how long that took. */
export async function move(
  cluster: Cluster,
  shard: number,
  to: Sharer,
  mostMs: number = MOVE_MS,
): Promise<number> {
  const startedMs = cluster.clock.monotonicMs();
  await assignTo(cluster, [shard], to);
  const passed = (): number => cluster.clock.monotonicMs() - startedMs;
  while (!isOn(to, shard)) {
    if (passed() > mostMs) throw new Error(`shard ${shard} did not come to ${to.name}`);
    await cluster.pass(100);
  }
  return passed();
}

/**
 * Assigns a shard to a node as an operator does, and waits until its owner has read that. The shard leaves some tens of
 * milliseconds later, when the owner has read that the node waits for it.
 */
export async function assignedTo(
  cluster: Cluster,
  shard: number,
  { from, to }: Readonly<{ from: Sharer; to: Sharer }>,
): Promise<void> {
  await assignTo(cluster, [shard], to);
  const reads = (): number => from.requested.filter((name) => name === "leases.nodes").length;
  const before = reads();
  while (reads() === before) await cluster.clock.advanceBy(STEP_MS, settle);
}

const isOn = ({ node, engine }: Sharer, shard: number): boolean =>
  shard === MARKET_SHARD ? node.status().keepsMarket : engine.owns(shard);

/** Places an order on the node that is named. */
export async function placeOn(
  { engine }: Sharer,
  accountId: number,
  order: Partial<OrderFields>,
): Promise<ParentOrder> {
  const fields = { symbol: SYMBOL, side: "BUY", type: "SYNTHETIC_LIMIT", quantity: "1", ...order };
  return (await engine.place({ accountId, order: fields as OrderFields })).order;
}

/** Returns the durable state of an order on the node that is named. */
export async function orderOn({ engine }: Sharer, { orderId }: ParentOrder): Promise<ParentOrder> {
  const found = await engine.findAny(orderId);
  if (found === undefined) throw new Error(`order ${orderId} is unknown`);
  return found;
}

/** Returns the reference of a trailing order on a node; undefined if it has none there. */
export function referenceOn({ engine }: Sharer, { orderId }: ParentOrder): string | undefined {
  const reference = (engine.market as MarketHub).book(SYMBOL)?.reference(orderId);
  return reference === undefined ? undefined : formatPrice(reference);
}

/** Verifies on all nodes. Throws unless memory and journal are equal on each, and all say the same. */
export async function verified(nodes: readonly Sharer[]): Promise<Verification> {
  const all = await Promise.all(nodes.map(({ node }) => node.verify()));
  const [first] = all;
  if (first === undefined || all.some(({ equal, live }) => !equal || live !== first.live))
    throw new Error(`the nodes differ: ${JSON.stringify(all)}`);
  return first;
}

/** Throws unless each shard that the store gives to a node runs there, and nowhere else. */
export async function requireSettled(cluster: Cluster, nodes: readonly Sharer[]): Promise<void> {
  const { shards } = await viewOf(cluster);
  for (const shard of EVERY_SHARD) {
    const owner = nodes.find(({ node }) => node.status().incarnation === shards[shard]?.incarnation);
    const runs = nodes.filter((node) => !node.process.dead && isOn(node, shard)).map(({ name }) => name);
    if (owner === undefined || runs.join() !== owner.name)
      throw new Error(`shard ${shard} belongs to ${owner?.name ?? "nobody"} and runs on [${runs.join()}]`);
  }
}

/** The shard of an order. */
export const shardIn = ({ orderId }: ParentOrder): number => shardOfId(orderId);
