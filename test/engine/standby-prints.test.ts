import { describe, expect, it } from "vitest";
import { type Cluster, type ClusterNode, createCluster, TTL_MS } from "../support/cluster.ts";
import { sentTo } from "../support/scripted-venue.ts";

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

describe("decision XP: prints that a standby heard", () => {
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
    "decision XP: a print that only the standby heard, %i ms after the acceptance of a POV at most, is news to it",
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
