import { describe, expect, it } from "vitest";
import type { Engine } from "../../src/engine/index.ts";
import { shardOf } from "../../src/lifecycle/index.ts";
import { MARKET_SHARD, type ParentOrder } from "../../src/model/index.ts";
import type { OrderFields } from "../../src/requests/index.ts";
import { ACCOUNT_IDS, type Cluster, createCluster, type Sharer, settle, TTL_MS } from "../support/cluster.ts";
import { createScriptedVenue, filled } from "../support/scripted-venue.ts";
import {
  accountOn,
  assignedTo,
  assignTo,
  leasesOf,
  orderOn,
  pairOf,
  placeOn,
  requireSettled,
  runnersOf,
  shardIn,
  verified,
  viewOf,
} from "../support/sharing.ts";

const shardsOf = ({ engine }: Sharer): readonly number[] =>
  Array.from({ length: 256 }, (_, shard) => shard).filter((shard) => engine.owns(shard));

/** Returns the node that owns the shard of an account. */
function ownerOf(nodes: readonly Sharer[], accountId: number): Sharer {
  const owners = nodes.filter(({ engine, process }) => !process.dead && engine.owns(shardOf(accountId)));
  expect(owners.map(({ name }) => name)).toHaveLength(1);
  return owners[0] as Sharer;
}

const place = async (
  engine: Engine,
  accountId: number,
  order: Partial<OrderFields>,
): Promise<ParentOrder> => {
  const fields = { symbol: "BTC/USD", side: "BUY", type: "SYNTHETIC_LIMIT", quantity: "1", ...order };
  return (await engine.place({ accountId, order: fields as OrderFields })).order;
};

/** Starts nodes one after the other, and waits until their shares are even. */
async function evenCluster(
  names: readonly string[],
  cluster: Cluster = createCluster(),
): Promise<readonly Sharer[]> {
  const nodes: Sharer[] = [];
  for (const name of names) {
    nodes.push(await cluster.join(name));
    await cluster.quote("100", "101");
    await cluster.quote("100", "101");
  }
  await cluster.pass(6 * TTL_MS);
  return nodes;
}

describe("nodes share the shards", () => {
  it("the first node takes all shards and the market journal at once", async () => {
    const cluster = createCluster();
    const a = await cluster.join("a");
    await cluster.pass(3_000);
    expect(shardsOf(a)).toHaveLength(256);
    expect(a.node.status()).toMatchObject({ state: "active", shards: 256, keepsMarket: true, reasons: [] });
    await cluster.quote("100", "101");
    const order = await place(a.engine, 1, { price: "90" });
    expect(order.accountId).toBe(1);
    expect(await a.node.verify()).toMatchObject({ equal: true, records: 1 });
  });

  it("a node that joins gets its part, and every shard has one owner", async () => {
    const nodes = await evenCluster(["a", "b", "c"]);
    const owned = nodes.map(shardsOf);
    expect(owned.map(({ length }) => length).sort()).toEqual([85, 85, 86]);
    expect(new Set(owned.flat()).size).toBe(256);
    for (const { node } of nodes) expect(node.status()).toMatchObject({ state: "active", reasons: [] });
  });

  it("orders stay where their shard goes: each is there once, with its state, on its new owner alone", async () => {
    const cluster = createCluster();
    const a = await cluster.join("a");
    await cluster.quote("100", "101");
    await cluster.pass(3_000);
    const orders = new Map<number, ParentOrder>();
    for (const accountId of ACCOUNT_IDS)
      orders.set(accountId, await place(a.engine, accountId, { price: "90", newClientOrderId: "one" }));
    const b = await cluster.join("b");
    await cluster.pass(6 * TTL_MS);
    expect(shardsOf(b).length).toBe(128);
    for (const accountId of ACCOUNT_IDS) {
      const owner = ownerOf([a, b], accountId);
      const other = owner === a ? b : a;
      const { orderId } = orders.get(accountId) as ParentOrder;
      expect(await owner.engine.find({ accountId, orderId })).toEqual(orders.get(accountId));
      const refused = { reason: "SHARD_ELSEWHERE", code: -1001 };
      await expect(other.engine.find({ accountId, orderId })).rejects.toMatchObject(refused);
      await expect(place(other.engine, accountId, { price: "90" })).rejects.toMatchObject(refused);
      await expect(other.engine.cancel({ accountId, orderId })).rejects.toMatchObject(refused);
      const again = await place(owner.engine, accountId, { price: "90", newClientOrderId: "one" });
      expect(again.orderId).toBe(orderId);
    }
    const [one, two] = [await a.node.verify(), await b.node.verify()];
    expect(one).toMatchObject({ equal: true, records: ACCOUNT_IDS.length });
    expect(two).toEqual(one);
  });

  it("a node that leaves gives everything away first, and is served by others without a ttl of waiting", async () => {
    const cluster = createCluster();
    const nodes = await evenCluster(["a", "b", "c"], cluster);
    const [a, ...left] = nodes as [Sharer, ...Sharer[]];
    const leaving = a.node.leave();
    await cluster.pass(TTL_MS);
    await settle();
    await leaving;
    expect(a.node.status().state).toBe("closed");
    expect(left.map((node) => shardsOf(node).length)).toEqual([128, 128]);
  });

  it("a single node cannot leave its shards to anybody, and goes on", async () => {
    const cluster = createCluster();
    const a = await cluster.join("a");
    await cluster.pass(3_000);
    const leaving = a.node.leave();
    const refused = expect(leaving).rejects.toMatchObject({
      problem: "NO_STANDBY",
      message: expect.stringContaining("there is no other live node"),
    });
    await cluster.pass(1_000);
    await refused;
    expect(a.node.status()).toMatchObject({ state: "active", shards: 256 });
    await cluster.quote("100", "101");
    expect((await place(a.engine, 1, { price: "90" })).accountId).toBe(1);
  });
});

const STOP = { side: "SELL", type: "STOP_MARKET", stopPrice: "95" } as const;

describe("a quote that has met an order before the shard of the order leaves", () => {
  it("triggers it also if the trust of the node has lapsed meanwhile: the next owner does not see that quote", async () => {
    const sent: string[] = [];
    const cluster = createCluster(createScriptedVenue(), { submitting: (name) => void sent.push(name) });
    const { a, b } = await pairOf(cluster);
    const order = await placeOn(a, accountOn(a), STOP);
    a.faults["leases.renew"] = () => Promise.reject(new Error("away"));
    a.skewMs = -60_000;
    await cluster.quote("94", "96");
    await cluster.quote("100", "101");
    await assignTo(cluster, [shardIn(order)], b);
    await cluster.pass(5_000);
    expect(sent).toEqual([]);
    a.skewMs = 0;
    a.faults["leases.renew"] = undefined;
    await cluster.pass(TTL_MS);
    expect(runnersOf([a, b], shardIn(order))).toEqual(["b"]);
    expect((await orderOn(b, order)).trigger).toBeDefined();
    await cluster.quote("100", "101");
    await cluster.pass(TTL_MS);
    expect(sent).toEqual(["b"]);
    await verified([a, b]);
  });

  it("triggers all of many orders, also while the store is behind with the records of the first ones", async () => {
    const venue = createScriptedVenue();
    venue.onSubmit = (child) => filled(child);
    const { cluster, a, b } = await pairOf(createCluster(venue));
    const accountId = accountOn(a);
    const orders = await Promise.all(Array.from({ length: 600 }, () => placeOn(a, accountId, STOP)));
    await assignedTo(cluster, shardOf(accountId), { from: a, to: b });
    a.heldMs = 1_000;
    await cluster.quote("94", "96");
    await cluster.quote("100", "101");
    while (runnersOf([b], shardOf(accountId)).length === 0) await cluster.pass(500);
    const found = await Promise.all(orders.map((order) => orderOn(b, order)));
    expect(found.filter(({ trigger }) => trigger === undefined)).toHaveLength(0);
  });
});

/** The longest time for which a shard may have no engine, whatever node dies or answer is lost. */
const LONGEST_MS = 3 * TTL_MS;

type Call = () => Promise<unknown>;

/** Lets every release of a node fail. Returns those that may still reach the store. */
function loseReleases({ faults }: Sharer): readonly Call[] {
  const late: Call[] = [];
  faults["leases.release"] = (honest) => {
    late.push(honest);
    return Promise.reject(new Error("no answer"));
  };
  return late;
}

/** Gives a shard to another node in the store alone, as a call that arrives late may do. */
async function takeInStore(
  cluster: Cluster,
  shard: number,
  { from, to }: Readonly<{ from: number; to: number }>,
): Promise<void> {
  const leases = leasesOf(cluster);
  await leases.release({ incarnation: from, shards: [shard] });
  await leases.claim({ incarnation: to, shards: [shard] });
}

describe("an epoch that a release has named is not claimed again", () => {
  it.each(["of an account", "of the market journal"])(
    "an owner that takes the shard %s back keeps it when the release arrives after that",
    async (which) => {
      const { cluster, a, b } = await pairOf();
      const account = accountOn(a);
      const order = await placeOn(a, account, { price: "90" });
      const shard = which === "of an account" ? shardOf(account) : MARKET_SHARD;
      const late = loseReleases(a);
      await assignTo(cluster, [shard], b);
      while (late.length === 0) await cluster.pass(100);
      await leasesOf(cluster).assign({ shards: [shard] });
      // The next step takes the shard back, and must not do so before a release was answered.
      await cluster.pass(1_000);
      expect(runnersOf([a, b], shard === MARKET_SHARD ? 0 : shard).length).toBeLessThan(2);
      a.faults["leases.release"] = undefined;
      await cluster.pass(TTL_MS);
      for (const arrive of late) await arrive();
      expect((await viewOf(cluster)).shards[shard]?.incarnation).toBe(a.node.status().incarnation);
      await cluster.pass(LONGEST_MS);
      await requireSettled(cluster, [a, b]);
      expect(await orderOn(a, order)).toEqual(order);
      expect(a.engine.status().reasons).toEqual([]);
    },
  );

  it("a node that leaves gives all its shards away, although each release is first lost, and arrives late", async () => {
    const { cluster, a, b } = await pairOf();
    const { clock } = cluster;
    let requested = 0;
    a.faults["leases.release"] = (honest) => {
      if (requested++ % 2 === 1) return honest();
      // The store may be closed by then.
      clock.schedule(clock.monotonicMs() + 2_000, () => void honest().catch(() => undefined));
      return Promise.reject(new Error("no answer"));
    };
    const leaving = a.node.leave();
    await cluster.pass(2 * LONGEST_MS);
    await leaving;
    await requireSettled(cluster, [b]);
    expect(b.node.status()).toMatchObject({ shards: 256, keepsMarket: true });
  });

  it("a store that refuses releases at once is asked no more often than shards on their way are read", async () => {
    const { cluster, a, b } = await pairOf();
    const late = loseReleases(a);
    const shard = shardOf(accountOn(a));
    await assignTo(cluster, [shard], b);
    while (late.length === 0) await cluster.pass(100);
    const before = late.length;
    await cluster.pass(1_000);
    expect(late.length - before).toBeLessThanOrEqual(51);
  });
});

describe("a node owns nothing for long that it does not run", () => {
  it("it gives up a shard whose claim it did not hear of, if the shard does not fit any more", async () => {
    const { cluster, a, b } = await pairOf(undefined, { maxOpenParents: 2 });
    const [account, other] = [accountOn(a), accountOn(b)];
    const shard = shardOf(account);
    const order = await placeOn(a, account, { price: "90" });
    await placeOn(b, other, { price: "90" });
    let lost = 0;
    b.faults["leases.claim"] = async (honest) => {
      const heads = await honest();
      if (lost++ > 0) return heads;
      await placeOn(b, other, { price: "90" });
      throw new Error("the answer was lost");
    };
    await assignTo(cluster, [shard], b);
    await cluster.pass(2 * LONGEST_MS);
    expect(lost).toBeGreaterThan(0);
    expect(runnersOf([a, b], shard)).toEqual(["a"]);
    expect(await orderOn(a, order)).toEqual(order);
    await requireSettled(cluster, [a, b]);
  });

  it("it gives up a shard that its engine was fenced from, and that a late claim gives it back", async () => {
    const { cluster, a, b } = await pairOf();
    const account = accountOn(a);
    const shard = shardOf(account);
    const order = await placeOn(a, account, { price: "90" });
    const [from, to] = [a.node.status().incarnation, b.node.status().incarnation];
    await takeInStore(cluster, shard, { from, to });
    await cluster.pass(TTL_MS);
    expect(runnersOf([a, b], shard)).toEqual(["b"]);
    b.faults["leases.release"] = async (honest) => {
      await honest();
      await leasesOf(cluster).claim({ incarnation: from, shards: [shard] });
    };
    await leasesOf(cluster).assign({ shards: [shard], to: from });
    await cluster.pass(LONGEST_MS);
    b.faults["leases.release"] = undefined;
    await cluster.pass(LONGEST_MS);
    expect(runnersOf([a, b], shard)).toEqual(["b"]);
    expect(await orderOn(b, order)).toEqual(order);
  });

  it("it stops writing the market journal when the store says that another node has it, also without quotes", async () => {
    const { cluster, a, b } = await pairOf();
    const [from, to] = [a.node.status().incarnation, b.node.status().incarnation];
    await takeInStore(cluster, MARKET_SHARD, { from, to });
    await cluster.pass(TTL_MS);
    expect([a, b].map(({ node }) => node.status().keepsMarket)).toEqual([false, true]);
    const leaving = a.node.leave();
    await cluster.pass(LONGEST_MS);
    await leaving;
    await requireSettled(cluster, [b]);
  });
});
