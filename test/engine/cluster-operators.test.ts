import { describe, expect, it } from "vitest";
import { createMemoryStore } from "../../src/adapters/memory/index.ts";
import {
  type DrainOutcome,
  type DrainProgress,
  drainNode,
  type OperatorOptions,
  readCluster,
} from "../../src/cluster/index.ts";
import { HandOverError } from "../../src/engine/index.ts";
import type { ShardAssignment, ShardLeases } from "../../src/ports/index.ts";
import { type Cluster, type ClusterNode, createCluster, settle, TTL_MS } from "../support/cluster.ts";

/** The leases of the cluster's store as an operator has them. */
function operatorOf({ clock, disk }: Cluster): OperatorOptions & { readonly leases: ShardLeases } {
  return { clock, leases: createMemoryStore({ disk, clock }).leases as ShardLeases };
}

/** Lets time pass until a promise is settled. */
async function during<T>(cluster: Cluster, requested: Promise<T>): Promise<T> {
  let isSettled = false;
  const end = requested.finally(() => {
    isSettled = true;
  });
  end.catch(() => undefined);
  for (let waited = 0; !isSettled && waited < 20 * TTL_MS; waited += 100) await cluster.pass(100);
  return await end;
}

/** The host of a node hands over when an operator wants it, as docs/cluster.md shows. */
function obey(cluster: Cluster, node: ClusterNode): readonly string[] {
  const engine = cluster.active(node);
  const answer: string[] = [];
  engine.events.on("status", ({ change }) => {
    answer.push(change);
    if (change !== "HAND_OVER_WANTED") return;
    engine.handOver().then(
      () => answer.push("handed over"),
      (error: unknown) => answer.push(error instanceof HandOverError ? error.problem : "failed"),
    );
  });
  return answer;
}

async function startPair(): Promise<Readonly<{ cluster: Cluster; a: ClusterNode; b: ClusterNode }>> {
  const cluster = createCluster();
  const a = await cluster.start("a");
  const b = await cluster.start("b");
  await cluster.pass(TTL_MS);
  return { cluster, a, b };
}

const numberOf = ({ node }: ClusterNode): number => node.status().incarnation;

describe("decision ZJ: an operator asks a node to hand over", () => {
  it("the node learns of it with its beat, its host hands over, and another node owns every shard", async () => {
    const { cluster, a, b } = await startPair();
    const answer = obey(cluster, a);
    const steps: DrainProgress[] = [];
    const options = { ...operatorOf(cluster), incarnation: numberOf(a) };
    const outcome = await during(
      cluster,
      drainNode({ ...options, onProgress: (progress) => steps.push(progress) }),
    );
    expect(outcome).toEqual<DrainOutcome>({ kind: "drained", owners: [numberOf(b)] });
    expect(b.engine).toBeDefined();
    await settle();
    expect(answer).toContain("handed over");
    expect(steps[0]).toMatchObject({ step: "asked", shards: 256 });
    expect(Math.max(...steps.map(({ elapsedMs }) => elapsedMs))).toBeLessThan(TTL_MS);
    expect(await during(cluster, drainNode(options))).toEqual({ kind: "not-live" });
    const standby = { ...options, incarnation: numberOf(await cluster.start("c")) };
    expect(await during(cluster, drainNode(standby))).toEqual({ kind: "nothing-owned" });
  });

  it("without a node that is ready the answer is no, nothing stays wanted, and the node serves", async () => {
    const cluster = createCluster();
    const a = await cluster.start("a");
    await cluster.pass(1_000);
    const answer = obey(cluster, a);
    const operator = operatorOf(cluster);
    const outcome = await during(cluster, drainNode({ ...operator, incarnation: numberOf(a) }));
    expect(outcome).toEqual({ kind: "no-standby" });
    await cluster.pass(TTL_MS);
    expect(answer).toEqual(["HAND_OVER_WANTED", "NO_STANDBY", "HAND_OVER_WITHDRAWN"]);
    expect(cluster.active(a).status()).toMatchObject({ system: "normal" });
    expect((await operator.leases.nodes()).nodes[0]?.wanted).toBeUndefined();
  });

  it("a host that does not answer: the drain ends in time, withdraws, and the status tells both", async () => {
    const { cluster, a } = await startPair();
    const operator = operatorOf(cluster);
    const requested = drainNode({ ...operator, incarnation: numberOf(a), limitMs: TTL_MS });
    await cluster.pass(TTL_MS / 2);
    const { reasons } = cluster.active(a).status();
    expect(reasons.map(({ kind }) => kind)).toEqual(["HAND_OVER_WANTED"]);
    expect(await during(cluster, requested)).toEqual({ kind: "late", step: "asked", isWithdrawn: true });
    await cluster.pass(TTL_MS / 2);
    expect(cluster.active(a).status().reasons).toEqual([]);
  });

  it("an operator who stops withdraws the question, also while the store fails", async () => {
    const { cluster, a } = await startPair();
    const operator = operatorOf(cluster);
    const stopping = new AbortController();
    let isFailing = false;
    const failing = <T>(call: () => Promise<T>): Promise<T> =>
      isFailing ? Promise.reject(new Error("the store fails")) : call();
    const leases = {
      heads: () => failing(() => operator.leases.heads()),
      nodes: () => failing(() => operator.leases.nodes()),
      want: (wish: Parameters<ShardLeases["want"]>[0]) => failing(() => operator.leases.want(wish)),
      assign: (assignment: ShardAssignment) => failing(() => operator.leases.assign(assignment)),
    };
    const reported: (string | undefined)[] = [];
    const drain = (): Promise<DrainOutcome> =>
      drainNode({
        ...{ leases, clock: cluster.clock, signal: stopping.signal, incarnation: numberOf(a) },
        onProgress: ({ failing: why }) => reported.push(why),
      });
    const requested = drain();
    await cluster.pass(500);
    isFailing = true;
    await cluster.pass(500);
    stopping.abort();
    expect(await during(cluster, requested)).toEqual({ kind: "stopped", step: "asked", isWithdrawn: false });
    expect(reported).toContain("the store fails");
    isFailing = false;
    expect(await during(cluster, drain())).toEqual({ kind: "stopped", step: "asked", isWithdrawn: true });
    expect((await operator.leases.nodes()).nodes[0]?.wanted).toBeUndefined();
  });

  it.each(["before", "after"])(
    "of two drains of a node, the one that ends %s the node has begun takes nothing from the other",
    async (moment) => {
      const { cluster, a, b } = await startPair();
      const options = { ...operatorOf(cluster), incarnation: numberOf(a) };
      const stopping = new AbortController();
      const first = drainNode({ ...options, signal: stopping.signal });
      const second = drainNode(options);
      await cluster.pass(500);
      if (moment === "before") stopping.abort();
      await cluster.pass(500);
      expect((await options.leases.nodes()).nodes[0]?.wanted).toBe("hand-over");
      const handed = cluster.active(a).handOver();
      await cluster.pass(500);
      stopping.abort();
      expect(await first).toMatchObject({ kind: "stopped", isWithdrawn: true });
      expect(await during(cluster, second)).toEqual({ kind: "drained", owners: [numberOf(b)] });
      await handed;
    },
  );
});

describe("decision ZK: an operator watches the nodes by a clock of the operator's own", () => {
  it("a node is live by its beat, silent without one, and dead when another has declared it so", async () => {
    const { cluster, a, b } = await startPair();
    const c = await cluster.start("c");
    await cluster.pass(3_000);
    c.process.kill();
    const options = operatorOf(cluster);
    const report = await during(cluster, readCluster(options));
    expect(report.unserved).toBe(0);
    expect(report.nodes.map(({ name, life, shards, state }) => [name, life, shards, state])).toEqual([
      ["a", "live", 256, "active"],
      ["b", "live", 0, "ready"],
      ["c", "silent", 0, "ready"],
    ]);
    expect(report.nodes[2]?.watchedMs).toBeGreaterThan(TTL_MS / 4);
    await cluster.pass(2 * TTL_MS);
    a.process.kill();
    b.process.kill();
    const after = await during(cluster, readCluster(options));
    expect(after.nodes.map(({ life }) => life)).toEqual(["silent", "silent", "dead"]);
    expect(after.unserved).toBe(257);
  });

  it("a standby says how far it has read, and its distance is known from the records of the store", async () => {
    const { cluster, a, b } = await startPair();
    await cluster.quote("100", "101");
    for (const price of ["90", "91", "92"]) await cluster.place(a, { price });
    await cluster.pass(TTL_MS);
    const behind = async (): Promise<unknown> =>
      (await during(cluster, readCluster(operatorOf(cluster)))).nodes.map((row) => row.behind);
    expect(await behind()).toEqual([undefined, 0]);
    b.faults["leases.tail"] = () => Promise.reject(new Error("no tail"));
    await cluster.place(a, { price: "93" });
    await cluster.place(a, { price: "94" });
    expect(await behind()).toEqual([undefined, 2]);
  });
});
