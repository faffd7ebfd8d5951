import { describe, expect, it } from "vitest";
import { createMemoryStore } from "../../src/adapters/memory/index.ts";
import { EVERY_SHARD } from "../../src/cluster/cluster-views.ts";
import type { Engine } from "../../src/engine/index.ts";
import { childIdOf } from "../../src/lifecycle/index.ts";
import type { ParentOrder } from "../../src/model/index.ts";
import type { NodeEntry, NodeState, ShardLeases } from "../../src/ports/index.ts";
import { readableJournal } from "../../src/wire/index.ts";
import { type Cluster, type ClusterNode, createCluster, TTL_MS } from "../support/cluster.ts";
import { createScriptedVenue, filled, fillOf, reported, sentTo } from "../support/scripted-venue.ts";
import { START_MS } from "../support/world.ts";

const OWN: NodeEntry = { name: "old", address: "", version: "0.9", ttlMs: TTL_MS, ...readableJournal() };
const LESS = { ...OWN, kinds: OWN.kinds.filter((kind) => kind !== "RESUMED") };
const MORE = { ...OWN, name: "new", version: "2.0", kinds: [...OWN.kinds, "SPLIT"] };

const leasesOf = ({ disk, clock }: Cluster): ShardLeases =>
  createMemoryStore({ disk, clock }).leases as ShardLeases;

/** Adds a node of another version, which renews until it is stopped. */
async function join(cluster: Cluster, entry: NodeEntry, state: NodeState) {
  const leases = leasesOf(cluster);
  const { incarnation } = await leases.join(entry);
  let isStopped = false;
  const renew = async (): Promise<void> => {
    if (isStopped) return;
    await leases.renew({ incarnation, state });
    cluster.clock.schedule(cluster.clock.monotonicMs() + TTL_MS / 4, () => void renew());
  };
  await renew();
  const stop = (): void => {
    isStopped = true;
  };
  return { leases, incarnation, stop };
}

describe("the ttls of nodes are compared", () => {
  it("a standby with another ttl than the owner is not ready, says both values, and takes over after its crash", async () => {
    const cluster = createCluster();
    const a = await cluster.start("a", {}, { ttlMs: 2 * TTL_MS });
    const b = await cluster.start("b");
    await cluster.pass(TTL_MS);
    expect(b.node.status()).toMatchObject({
      state: "following",
      reasons: [
        'cluster.ttlMs is 10000 here and 20000 at node "a", which owns the shards: give all nodes the same value',
      ],
    });
    const done = cluster.active(a).handOver();
    done.catch(() => undefined);
    await cluster.pass(5 * TTL_MS);
    await expect(done).rejects.toMatchObject({ problem: "NO_STANDBY" });
    a.process.kill();
    await cluster.pass(TTL_MS + TTL_MS / 2);
    // The owner relies on its lease for nearly two ttl of this node.
    expect(b.engine).toBeUndefined();
    await cluster.pass(TTL_MS + TTL_MS / 2);
    expect(b.engine).toBeDefined();
  });

  it("standbys with different ttls do not keep each other from a takeover", async () => {
    const cluster = createCluster();
    const a = await cluster.start("a");
    const b = await cluster.start("b");
    const c = await cluster.start("c", {}, { ttlMs: TTL_MS / 2 });
    await cluster.pass(TTL_MS);
    expect([b, c].map(({ node }) => node.status().state)).toEqual(["ready", "following"]);
    a.process.kill();
    await cluster.pass(2 * TTL_MS);
    expect([b, c].filter(({ engine }) => engine !== undefined)).toHaveLength(1);
  });
});

describe("what nodes can read is compared", () => {
  it("a standby that cannot read what the owner may write is not ready and says why", async () => {
    const cluster = createCluster();
    const owner = await join(cluster, { ...MORE, format: OWN.format + 1 }, "active");
    await owner.leases.claim({ incarnation: owner.incarnation, shards: EVERY_SHARD });
    const b = await cluster.start("b");
    await cluster.pass(TTL_MS);
    expect(b.node.status()).toMatchObject({
      state: "following",
      reasons: [
        expect.stringContaining(
          `node "new" (2.0), which owns the shards, may write format ${OWN.format + 1}`,
        ),
        expect.stringContaining("may write facts of kind SPLIT, which this version cannot read"),
      ],
    });
    await owner.leases.release({ incarnation: owner.incarnation, shards: EVERY_SHARD });
    await owner.leases.leave(owner.incarnation);
    await cluster.pass(TTL_MS);
    expect(b.engine).toBeDefined();
  });

  it("an engine shows live nodes that cannot read what it writes, until they are gone", async () => {
    const cluster = createCluster();
    const a = await cluster.start("a");
    const changes: string[] = [];
    cluster.active(a).events.on("status", ({ change }) => void changes.push(change));
    const old = await join(cluster, LESS, "following");
    await cluster.pass(TTL_MS + 1_000);
    expect(cluster.active(a).status()).toMatchObject({
      system: "degraded",
      reasons: [
        {
          kind: "NODE_OUTDATED",
          detail: expect.stringContaining('node "old" (0.9) cannot read facts of kind RESUMED'),
        },
      ],
    });
    old.stop();
    await cluster.pass(3 * TTL_MS);
    expect(cluster.active(a).status()).toEqual({ system: "normal", reasons: [] });
    expect(changes).toEqual(["NODE_OUTDATED", "NODES_CURRENT"]);
    const rows = (await old.leases.nodes()).nodes;
    expect(rows.map(({ name, dead }) => [name, dead])).toEqual([
      ["a", false],
      ["old", true],
    ]);
  });

  it.each(["ready", "following"] as const)(
    "a standby takes free shards at once, also beside a node that is %s and could not follow it",
    async (state) => {
      const cluster = createCluster();
      const a = await cluster.start("a");
      const b = await cluster.start("b");
      await cluster.pass(TTL_MS);
      const old = await join(cluster, LESS, state);
      await cluster.active(a).close();
      await cluster.pass(3_000);
      expect(b.engine).toBeDefined();
      old.stop();
    },
  );
});

/** Places an order on node a, whose child goes out; the venue never answers and does not know the child. */
async function handedOver(cluster: Cluster, a: ClusterNode): Promise<ParentOrder> {
  cluster.venue.onSubmit = () => "silence";
  await cluster.quote("100", "101");
  const order = await cluster.place(a, { price: "90" });
  await cluster.quote("89", "90");
  expect(sentTo(cluster.venue)).toHaveLength(1);
  return order;
}

const ownerIn = (nodes: readonly ClusterNode[]): Engine => {
  const owner = nodes.find(({ engine, process }) => engine !== undefined && !process.dead)?.engine;
  if (owner === undefined) throw new Error("no node is active");
  return owner;
};

const escalationsOf = async (engine: Engine, { orderId }: ParentOrder): Promise<readonly string[]> => {
  const records = (await engine.story(orderId))?.records ?? [];
  const facts = records.flatMap(({ changes }) => changes.flatMap((change) => change.facts));
  return facts.flatMap((fact) => (fact.kind === "ALERT" ? [fact.detail] : []));
};

describe("a venue that tells no time and cannot void", () => {
  it.each([
    [{ honoursDeadline: true }, 400, -400],
    [{ honoursDeadline: true }, -400, 400],
    [{ honoursDeadline: false }, 0, 0],
  ])(
    "%o: a child stays unknown after every takeover and is escalated, with clocks %i and %i ms apart",
    async (has, skewA, skewB) => {
      const cluster = createCluster(createScriptedVenue({ canVoid: false, ...has }));
      const nodes = [await cluster.start("a"), await cluster.start("b"), await cluster.start("c")];
      for (const [index, node] of nodes.entries()) node.skewMs = index === 0 ? skewA : skewB;
      await cluster.pass(TTL_MS);
      const order = await handedOver(cluster, nodes[0] as ClusterNode);
      for (const takeovers of [1, 2]) {
        nodes.find(({ engine, process }) => engine !== undefined && !process.dead)?.process.kill();
        await cluster.pass(2 * TTL_MS + 60_000);
        const engine = ownerIn(nodes);
        expect(await engine.findAny(order.orderId)).toMatchObject({
          child: { state: "UNKNOWN" },
          attempts: 1,
        });
        expect(engine.status().reasons.map(({ kind }) => kind)).toEqual(["CHILD_UNKNOWN"]);
        expect(await escalationsOf(engine, order)).toHaveLength(takeovers);
      }
      await cluster.quote("89", "90");
      expect(sentTo(cluster.venue)).toHaveLength(1);
      const [child] = cluster.venue.submitted;
      if (child === undefined) throw new Error("no child was sent");
      cluster.venue.say(filled(child));
      await cluster.pass(1_000);
      expect(await ownerIn(nodes).findAny(order.orderId)).toMatchObject({ attempts: 1, ended: {} });
    },
  );

  it("the node that handed a child over itself proves it by its own clock, as without a cluster", async () => {
    const cluster = createCluster(createScriptedVenue({ canVoid: false, honoursDeadline: true }));
    const a = await cluster.start("a");
    const order = await handedOver(cluster, a);
    await cluster.pass(60_000);
    const found = await cluster.active(a).findAny(order.orderId);
    expect(found?.child?.state).not.toBe("UNKNOWN");
  });

  it("a venue that tells its time proves it after a takeover", async () => {
    const venue = createScriptedVenue({ canVoid: false, honoursDeadline: true });
    const cluster = createCluster(venue);
    venue.venueTimeMs = () => Promise.resolve(cluster.clock.nowMs());
    const a = await cluster.start("a");
    const b = await cluster.start("b");
    await cluster.pass(TTL_MS);
    const order = await handedOver(cluster, a);
    a.process.kill();
    await cluster.pass(3 * TTL_MS);
    await cluster.quote("100", "101");
    await cluster.pass(TTL_MS);
    expect((await cluster.active(b).findAny(order.orderId))?.child?.state).not.toBe("UNKNOWN");
  });
});

describe("events that a standby had to drop", () => {
  it("the engine that takes over shows how many, until it closes", async () => {
    const cluster = createCluster();
    const a = await cluster.start("a");
    const b = await cluster.start("b");
    await cluster.pass(TTL_MS);
    a.process.kill();
    const fills = Array.from({ length: 10_000 }, (_, n) => fillOf({ quantity: "1", id: `x${n}` }));
    for (let n = 1; n <= 18; n++)
      cluster.venue.say(reported(childIdOf({ orderId: -256 * n, acceptedAtMs: START_MS }, 1), "open", fills));
    await cluster.pass(2 * TTL_MS);
    expect(cluster.active(b).status().reasons).toContainEqual({
      kind: "EVENTS_DROPPED",
      detail: expect.stringContaining("before it took over: 2;"),
    });
  });
});
