import { describe, expect, it } from "vitest";
import { createCluster, settle, TTL_MS } from "../support/cluster.ts";

describe("decision ZN: a node knows who owns a shard", () => {
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
