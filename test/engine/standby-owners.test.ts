import { describe, expect, it } from "vitest";
import { type Cluster, type ClusterNode, createCluster, settle, TTL_MS } from "../support/cluster.ts";
import { sentTo } from "../support/scripted-venue.ts";
import { leasesOf } from "../support/sharing.ts";

describe("a node knows who owns a shard", () => {
  it("a standby names the active node, for one shard and for all; the active one names itself", async () => {
    const cluster = createCluster();
    const a = await cluster.start("a", {}, { address: "127.0.0.1:7001" });
    const b = await cluster.start("b", {}, { address: "127.0.0.1:7002" });
    const { incarnation } = a.node.status();
    const owner = { incarnation, address: "127.0.0.1:7001", isSelf: false };
    expect([b.node.ownerOf(), b.node.ownerOf(0), b.node.ownerOf(255)]).toEqual([owner, owner, owner]);
    expect([a.node.ownerOf(), a.node.ownerOf(7)]).toEqual([
      { ...owner, isSelf: true },
      { ...owner, isSelf: true },
    ]);
  });

  it("after a takeover the third node names the new one, without waiting for its next read", async () => {
    const cluster = createCluster();
    const a = await cluster.start("a", {}, { address: "127.0.0.1:7001" });
    const b = await cluster.start("b", {}, { address: "127.0.0.1:7002" });
    const c = await cluster.start("c", {}, { address: "127.0.0.1:7003" });
    await cluster.pass(3_000);
    await a.engine?.close();
    while (b.engine === undefined && c.engine === undefined) await cluster.pass(100);
    const [taken, other] = b.engine === undefined ? [c, b] : [b, c];
    const before = other.requested.length;
    await cluster.clock.advanceBy(101, settle);
    await Promise.all([other.node.readOwners(), other.node.readOwners()]);
    expect(other.node.ownerOf()).toMatchObject({ incarnation: taken.node.status().incarnation });
    await other.node.readOwners();
    const requested = other.requested.slice(before).filter((name) => name === "leases.nodes");
    expect(requested.length).toBeLessThanOrEqual(2);
  });

  it("nobody owns a shard after its node was declared dead, and a store that fails changes nothing", async () => {
    const cluster = createCluster();
    const a = await cluster.start("a", {}, { address: "127.0.0.1:7001" });
    const b = await cluster.start("b");
    const owner = b.node.ownerOf();
    expect(owner).toBeDefined();
    b.cut = true;
    await cluster.clock.advanceBy(200, settle);
    await b.node.readOwners();
    expect(b.node.ownerOf()).toEqual(owner);
    b.cut = false;
    a.process.kill();
    b.faults["leases.claim"] = () => Promise.reject(new Error("away"));
    await cluster.pass(2 * TTL_MS);
    expect(b.node.ownerOf()).toBeUndefined();
    await b.node.close();
    expect(b.node.ownerOf()).toBeUndefined();
  });
});

const POV = { type: "POV", quantity: "10", participationBips: 1_000 } as const;
/** Longer than the age up to which a print is followed. */
const LONG_MS = 6_000;

/** Node a is active, node b its standby, and quotes are fresh. */
async function pair(): Promise<Readonly<{ cluster: Cluster; a: ClusterNode; b: ClusterNode }>> {
  const cluster = createCluster();
  const a = await cluster.start("a");
  const b = await cluster.start("b");
  await cluster.pass(TTL_MS);
  for (let n = 0; n < 2; n++) await cluster.quote("99", "100");
  return { cluster, a, b };
}

/** Kills node a, lets node b take over, and tells it of a quote and of a trade too small to matter. */
async function takenOver({ cluster, a, b }: Awaited<ReturnType<typeof pair>>): Promise<void> {
  a.process.kill();
  await cluster.pass(2 * TTL_MS);
  cluster.active(b);
  await cluster.quote("99", "100");
  await cluster.quote("99", "100");
  await cluster.print({ id: "last", quantity: "0.00001" });
  await cluster.pass(1_000);
}

describe("prints that a standby heard", () => {
  it("a print that was fresh when the standby heard it is followed after a takeover, however long that took", async () => {
    const nodes = await pair();
    const { cluster, a } = nodes;
    await cluster.place(a, POV);
    await cluster.pass(2_000);
    a.process.kill();
    await cluster.print({ id: "unheard", quantity: "20" });
    await takenOver(nodes);
    expect(sentTo(cluster.venue)).toEqual(["BUY 2.000001"]);
  });

  it("a print that was late when the standby heard it is not", async () => {
    const nodes = await pair();
    const { cluster, a } = nodes;
    await cluster.place(a, POV);
    await cluster.pass(2_000);
    a.process.kill();
    await cluster.print({ id: "late", quantity: "20", timeMs: cluster.clock.nowMs() - LONG_MS });
    await takenOver(nodes);
    expect(sentTo(cluster.venue)).toEqual([]);
  });

  it("a print that the owner has counted is followed once", async () => {
    const nodes = await pair();
    const { cluster, a } = nodes;
    await cluster.place(a, POV);
    await cluster.pass(2_000);
    await cluster.print({ id: "both", quantity: "20" });
    await takenOver(nodes);
    expect(sentTo(cluster.venue)).toEqual(["BUY 2"]);
  });

  it.each([0, 900])(
    "a print that only the standby heard, %i ms after the acceptance of a POV at most, is news to it",
    async (afterMs) => {
      const nodes = await pair();
      const { cluster, a, b } = nodes;
      if (afterMs === 0) await cluster.print({ id: "before", quantity: "20" }, [b]);
      await cluster.pass(LONG_MS);
      await cluster.quote("99", "100");
      await cluster.place(a, POV);
      await cluster.pass(afterMs);
      if (afterMs > 0) await cluster.print({ id: "before", quantity: "20" }, [b]);
      await takenOver(nodes);
      expect(sentTo(cluster.venue)).toEqual(["BUY 2.000001"]);
    },
  );
});

/** An active node, and two standbys that are ready; then the active one closes while only `b` can claim. */
async function claimedByB(
  cluster: Cluster,
  meanwhile: (b: ClusterNode) => void,
): Promise<[ClusterNode, ClusterNode]> {
  const a = await cluster.start("a");
  const b = await cluster.start("b");
  const c = await cluster.start("c");
  await cluster.pass(3_000);
  c.faults["leases.claim"] = () => Promise.resolve(undefined);
  meanwhile(b);
  await a.engine?.close();
  await cluster.pass(TTL_MS / 2);
  delete c.faults["leases.claim"];
  return [b, c];
}

const owners = async (cluster: Cluster): Promise<readonly (number | undefined)[]> => {
  const { shards } = await leasesOf(cluster).nodes();
  return [...new Set(shards.map(({ incarnation }) => incarnation))];
};

describe("I61: a standby keeps no shards that it cannot run", () => {
  it("gives them up if its clock went apart after a claim whose answer was lost, and another standby takes over", async () => {
    const cluster = createCluster();
    const [b, c] = await claimedByB(cluster, (one) => {
      one.faults["leases.claim"] = async (honest) => {
        await honest();
        one.skewMs = 5_000;
        throw new Error("the answer was lost");
      };
    });
    await cluster.pass(4 * TTL_MS);
    expect([b.node.status().state, c.node.status().state]).toEqual(["following", "active"]);
    expect(await owners(cluster)).toEqual([c.node.status().incarnation]);
  });
});
