import { describe, expect, it } from "vitest";
import type { Engine } from "../../src/engine/index.ts";
import { shardOf } from "../../src/lifecycle/index.ts";
import type { ParentOrder } from "../../src/model/index.ts";
import type { OrderFields } from "../../src/requests/index.ts";
import { ACCOUNT_IDS, type Cluster, createCluster, type Sharer, settle, TTL_MS } from "../support/cluster.ts";
import { createScriptedVenue } from "../support/scripted-venue.ts";

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

describe("decision KY: nodes share the shards", () => {
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

  it("an order that has moved is executed by its new owner, once", async () => {
    const venue = createScriptedVenue();
    const sent: string[] = [];
    const cluster = createCluster(venue, {
      submitting: (name, { accountId }) => void sent.push(`${name} ${accountId}`),
    });
    const a = await cluster.join("a");
    await cluster.quote("100", "101");
    await cluster.quote("100", "101");
    await cluster.pass(3_000);
    for (const accountId of ACCOUNT_IDS)
      await place(a.engine, accountId, { side: "SELL", type: "STOP_MARKET", stopPrice: "95" });
    const b = await cluster.join("b");
    await cluster.pass(6 * TTL_MS);
    await cluster.quote("94", "95");
    await cluster.pass(TTL_MS);
    const wanted = ACCOUNT_IDS.map((accountId) => `${ownerOf([a, b], accountId).name} ${accountId}`);
    expect(sent.sort()).toEqual(wanted.sort());
    expect((await a.node.verify()).live).toBe((await b.node.verify()).live);
  });

  it("a crash: the others take the shards of the dead node, with its orders", async () => {
    const cluster = createCluster();
    const nodes = await evenCluster(["a", "b", "c"], cluster);
    const placed = new Map<number, number>();
    for (const accountId of ACCOUNT_IDS) {
      const { engine } = ownerOf(nodes, accountId);
      placed.set(accountId, (await place(engine, accountId, { price: "90" })).orderId);
    }
    const [a, ...left] = nodes as [Sharer, ...Sharer[]];
    a.process.kill();
    await cluster.pass(2 * TTL_MS);
    expect(left.map((node) => shardsOf(node).length)).toEqual([128, 128]);
    expect(left.filter(({ node }) => node.status().keepsMarket)).toHaveLength(1);
    for (const accountId of ACCOUNT_IDS) {
      const { engine } = ownerOf(left, accountId);
      const found = await engine.find({ accountId, orderId: placed.get(accountId) ?? 0 });
      expect(found?.accountId).toBe(accountId);
    }
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
