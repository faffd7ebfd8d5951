import { describe, expect, it } from "vitest";
import type { Engine } from "../../src/engine/index.ts";
import { childIdOf } from "../../src/lifecycle/index.ts";
import type { ParentOrder } from "../../src/model/index.ts";
import { type Cluster, type ClusterNode, createCluster, TTL_MS } from "../support/cluster.ts";
import { createScriptedVenue, filled, fillOf, reported, sentTo } from "../support/scripted-venue.ts";
import { START_MS } from "../support/world.ts";

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

describe("decision YH: a venue that tells no time and cannot void", () => {
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

describe("decision YI: events that a standby had to drop", () => {
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
