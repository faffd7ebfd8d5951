import { describe, expect, it } from "vitest";
import { shardOf } from "../../src/lifecycle/index.ts";
import type { ParentOrder } from "../../src/model/index.ts";
import { ACCOUNT_IDS, type Cluster, createCluster, type Sharer, settle, TTL_MS } from "../support/cluster.ts";
import { createScriptedVenue, filled } from "../support/scripted-venue.ts";
import {
  accountOn,
  leasesOf,
  move,
  orderOn,
  pairOf,
  placeOn,
  requireSettled,
  runnersOf,
  shardIn,
  sharers,
  verified,
  viewOf,
} from "../support/sharing.ts";

/** A renewal, and a read of the nodes, is due four times in a ttl. */
const BEAT_MS = TTL_MS / 4;

/** A node that dies is declared dead one ttl after its last beat was read first, and its shards are claimed at once. */
const OWNED_MS = TTL_MS + BEAT_MS + 500;

const STOP = { side: "SELL", type: "STOP_MARKET", stopPrice: "95" } as const;

/** Three nodes with an order of every account. */
async function ordered(
  cluster: Cluster,
): Promise<Readonly<{ nodes: readonly [Sharer, Sharer, Sharer]; orders: readonly ParentOrder[] }>> {
  const [a, b, c] = await sharers(cluster, ["a", "b", "c"]);
  if (a === undefined || b === undefined || c === undefined) throw new Error("a node did not start");
  const orders: ParentOrder[] = [];
  for (const accountId of ACCOUNT_IDS) {
    const owner = [a, b, c].find(({ engine }) => engine.owns(shardOf(accountId)));
    if (owner !== undefined) orders.push(await placeOn(owner, accountId, STOP));
  }
  expect(orders).toHaveLength(ACCOUNT_IDS.length);
  return { nodes: [a, b, c], orders };
}

/** Lets an append of a node wait until the returned function is called. */
function holdAppend(node: Sharer): () => void {
  let resume = (): void => undefined;
  node.faults.append = async (honest) => {
    node.faults.append = undefined;
    await new Promise<void>((resolve) => {
      resume = resolve;
    });
    return await honest();
  };
  return () => resume();
}

describe("I60: two nodes never append to one shard at once", () => {
  it("an append to two shards is refused for the one that another node has claimed meanwhile, and kept for the other", async () => {
    const { cluster, a, b } = await pairOf();
    const one = accountOn(a);
    const two = accountOn(a, one + 1);
    const arrive = holdAppend(a);
    const named = { price: "90", newClientOrderId: "one" };
    const placed = [placeOn(a, one, named), placeOn(a, two, named)] as const;
    const outcomes = Promise.allSettled(placed);
    await settle();
    const leases = leasesOf(cluster);
    await leases.release({ incarnation: a.node.status().incarnation, shards: [shardOf(one)] });
    await leases.claim({ incarnation: b.node.status().incarnation, shards: [shardOf(one)] });
    arrive();
    await cluster.pass(TTL_MS);
    const [refused, stored] = await outcomes;
    expect(refused).toMatchObject({ status: "rejected", reason: { code: -1001 } });
    expect(stored).toMatchObject({ status: "fulfilled" });
    expect(runnersOf([a, b], shardOf(one))).toEqual(["b"]);
    expect(runnersOf([a, b], shardOf(two))).toEqual(["a"]);
    expect((await b.node.verify()).records).toBe(1);
    // The id is free: nothing of the refused placement is stored.
    const again = await placeOn(b, one, named);
    expect((await orderOn(b, again)).accountId).toBe(one);
  });

  it("an append that reaches the store after its node was declared dead stores nothing, and its caller is not told that it did", async () => {
    const { cluster, a, b } = await pairOf();
    const account = accountOn(a);
    const arrive = holdAppend(a);
    const placed = Promise.allSettled([placeOn(a, account, { price: "90", newClientOrderId: "one" })]);
    await settle();
    a.unleased = true;
    await cluster.pass(2 * TTL_MS);
    expect(runnersOf([b], shardOf(account))).toEqual(["b"]);
    arrive();
    await cluster.pass(BEAT_MS);
    const [outcome] = await placed;
    expect(outcome?.status).toBe("rejected");
    expect((await b.node.verify()).records).toBe(0);
    const order = await placeOn(b, account, { price: "80", newClientOrderId: "one" });
    expect(await orderOn(b, order)).toEqual(order);
  });

  it("a shard that goes and comes back is appended to in rising epochs, by one node in each", async () => {
    const { cluster, a, b } = await pairOf();
    const account = accountOn(a);
    const shard = shardOf(account);
    const epochs: number[] = [];
    for (const node of [a, b, a, b]) {
      if (!node.engine.owns(shard)) await move(cluster, shard, node);
      await placeOn(node, account, { price: "90" });
      const row = (await viewOf(cluster)).shards[shard];
      expect(row?.incarnation).toBe(node.node.status().incarnation);
      epochs.push(row?.epoch ?? 0);
      const other = node === a ? b : a;
      await expect(placeOn(other, account, { price: "90" })).rejects.toMatchObject({ code: -1001 });
    }
    expect(epochs).toEqual([...new Set(epochs)].sort((one, two) => one - two));
    await cluster.pass(TTL_MS);
    expect((await verified([a, b])).records).toBe(epochs.length);
  });
});

describe("I61: every accepted parent has a live owner within a ttl and a beat", () => {
  it.each([
    ["one of three nodes dies", [0], "kill"],
    ["two of three nodes die at once", [0, 1], "kill"],
    ["a node is stopped, and comes back too late", [2], "pause"],
    ["two nodes cannot renew, and do not know whether others can", [1, 2], "unlease"],
  ] as const)("%s", async (_what, failing, how) => {
    const cluster = createCluster();
    const { nodes, orders } = await ordered(cluster);
    const failed = failing.map((index) => nodes[index]);
    for (const node of failed) {
      if (how === "kill") node.process.kill();
      else if (how === "pause") node.process.pause();
      else node.unleased = true;
    }
    const left = nodes.filter((node) => !failed.includes(node));
    const isOwned = (order: ParentOrder): boolean => runnersOf(left, shardIn(order)).length === 1;
    let ms = 0;
    for (; !orders.every(isOwned) && ms < 2 * OWNED_MS; ms += 100) await cluster.pass(100);
    expect(ms).toBeLessThanOrEqual(OWNED_MS);
    for (const order of orders) {
      const owner = left.find(({ engine }) => engine.owns(shardIn(order))) as Sharer;
      expect(await orderOn(owner, order)).toEqual(order);
    }
    if (how === "pause") for (const { process } of failed) process.resume();
    for (const node of failed) node.unleased = false;
    await cluster.pass(TTL_MS);
    await requireSettled(cluster, left);
    await verified(left);
  });
});

describe("I62: with faults over and fresh quotes, every eligible parent makes progress", () => {
  /** Lets time pass with quotes below all stops, until every order has ended. Returns how long that took. */
  async function ended(
    cluster: Cluster,
    nodes: readonly Sharer[],
    orders: readonly ParentOrder[],
  ): Promise<number> {
    const hasEnded = async (order: ParentOrder): Promise<boolean> => {
      const owner = nodes.find(({ engine }) => engine.owns(shardIn(order)));
      return owner !== undefined && (await orderOn(owner, order)).ended?.status === "FILLED";
    };
    for (let ms = 0; ms < 4 * TTL_MS; ms += 500) {
      const isOver = await Promise.all(orders.map(hasEnded));
      if (isOver.every(Boolean)) return ms;
      await cluster.quote("94", "95");
      await cluster.pass(500);
    }
    throw new Error("an order goes on");
  }

  it("orders whose trigger was met while their shards had no engine are executed once by the next owner", async () => {
    const venue = createScriptedVenue();
    const cluster = createCluster(venue);
    const { nodes, orders } = await ordered(cluster);
    const [a, b, c] = nodes;
    a.process.kill();
    const ms = await ended(cluster, [b, c], orders);
    expect(ms).toBeLessThanOrEqual(OWNED_MS + 500);
    expect(venue.submitted).toHaveLength(orders.length);
    await cluster.pass(TTL_MS);
    await verified([b, c]);
  });

  it("children that a dead node has sent, and of which it knew no answer, are settled by the next owner", async () => {
    const venue = createScriptedVenue({ canVoid: true });
    venue.onSubmit = () => new Promise(() => undefined);
    venue.onLookup = (child) => filled(child);
    const cluster = createCluster(venue);
    const { nodes, orders } = await ordered(cluster);
    const [a, b, c] = nodes;
    await cluster.quote("94", "95");
    a.process.kill();
    expect(await ended(cluster, [b, c], orders)).toBeLessThanOrEqual(OWNED_MS + 2_000);
    expect(venue.submitted).toHaveLength(orders.length);
  });

  it("after a store that was away from all nodes for three ttl, every order goes on where it was", async () => {
    const venue = createScriptedVenue();
    const cluster = createCluster(venue);
    const { nodes, orders } = await ordered(cluster);
    for (const node of nodes) node.cut = true;
    await cluster.quote("94", "95");
    await cluster.pass(3 * TTL_MS);
    expect(venue.submitted).toHaveLength(0);
    for (const node of nodes) node.cut = false;
    await cluster.pass(BEAT_MS);
    expect(await ended(cluster, nodes, orders)).toBeLessThanOrEqual(BEAT_MS);
    expect(venue.submitted).toHaveLength(orders.length);
    await requireSettled(cluster, nodes);
  });
});
