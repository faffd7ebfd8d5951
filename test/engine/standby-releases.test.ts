import { describe, expect, it } from "vitest";
import { type Cluster, type ClusterNode, createCluster, TTL_MS } from "../support/cluster.ts";
import { leasesOf } from "../support/sharing.ts";

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
