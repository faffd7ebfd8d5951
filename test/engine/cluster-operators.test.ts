import { describe, expect, it } from "vitest";
import { createManualClock, createMemoryDisk, createMemoryStore } from "../../src/adapters/memory/index.ts";
import {
  type DrainOutcome,
  type DrainProgress,
  drainNode,
  type MoveOutcome,
  type MoveProgress,
  moveShards,
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

describe("an operator asks a node to hand over", () => {
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

describe("an operator watches the nodes by a clock of the operator's own", () => {
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

const ALL = Array.from({ length: 257 }, (_, shard) => shard);
const ENTRY = { address: "", version: "", format: 1, kinds: [], ttlMs: 10_000 };

/** Nodes of a store without engines: the tests release and claim for them. */
async function createNodes() {
  const clock = createManualClock({ startMs: 1_000 });
  const disk = createMemoryDisk();
  const leases = createMemoryStore({ disk, clock }).leases as ShardLeases;
  const join = async (name: string, shares = true): Promise<number> =>
    (await leases.join({ ...ENTRY, name, shares })).incarnation;
  const plan = async (): Promise<readonly unknown[]> =>
    (await leases.nodes()).shards.flatMap(({ shard, next }) => (next === undefined ? [] : [[shard, next]]));
  const give = async (shards: readonly number[], from: number, to: number): Promise<void> => {
    await leases.release({ incarnation: from, shards });
    await leases.claim({ incarnation: to, shards });
  };
  const [a, b] = [await join("a"), await join("b")];
  await leases.claim({ incarnation: a, shards: ALL });
  return { clock, leases, join, plan, give, a, b };
}

type Nodes = Awaited<ReturnType<typeof createNodes>>;
type Requested = Readonly<{
  shards: readonly number[];
  to: number;
  leases?: Partial<ShardLeases>;
  signal?: AbortSignal;
  limitMs?: number;
}>;

/** Moves shards. `meanwhile` runs after each reading, with the number of readings before; time passes until the end. */
async function moving(
  { clock, leases }: Nodes,
  { shards, to, leases: own, ...options }: Requested,
  meanwhile: (reading: number, progress: MoveProgress) => Promise<unknown> = async () => undefined,
): Promise<MoveOutcome> {
  let readings = 0;
  let running: Promise<unknown> = Promise.resolve();
  const requested = moveShards({
    ...{ clock, leases: { ...leases, ...own }, shards, incarnation: to, limitMs: 2_000, ...options },
    onProgress(progress) {
      running = meanwhile(readings++, progress);
    },
  });
  let isSettled = false;
  const end = requested.finally(() => {
    isSettled = true;
  });
  end.catch(() => undefined);
  for (let waited = 0; !isSettled && waited < 60_000; waited += 250) {
    await settle();
    await running;
    if (!isSettled) await clock.advanceBy(250);
  }
  return await end;
}

describe("an operator moves shards to a node", () => {
  it("their owner is asked for these alone, and the move ends when the node owns the last one", async () => {
    const nodes = await createNodes();
    const { leases, a, b, give, plan } = nodes;
    const seen: unknown[] = [];
    const outcome = await moving(nodes, { shards: [40, 7, 256], to: b }, async (reading, progress) => {
      seen.push([progress, await plan()]);
      if (reading === 0) await give([7], a, b);
      if (reading === 1) await leases.release({ incarnation: a, shards: [40, 256] });
      if (reading === 2) await leases.claim({ incarnation: b, shards: [40, 256] });
    });
    expect(outcome).toEqual({ kind: "moved" });
    const rest = [
      [40, b],
      [256, b],
    ];
    expect(seen).toEqual([
      [{ left: 3, released: 0, elapsedMs: 0 }, [[7, b], ...rest]],
      [{ left: 2, released: 0, elapsedMs: 250 }, rest],
      [{ left: 2, released: 2, elapsedMs: 500 }, rest],
    ]);
    const owners = (await leases.nodes()).shards.filter(({ incarnation }) => incarnation !== a);
    expect([owners.map(({ shard }) => shard), await plan()]).toEqual([[7, 40, 256], []]);
    const silent = { assign: () => Promise.reject(new Error("not asked")) };
    expect(await moving(nodes, { shards: [7, 40], to: b, leases: silent })).toEqual({ kind: "moved" });
  });

  it("is refused, and nothing is assigned, to a node that is gone, dead or does not share, and from one that does not", async () => {
    const nodes = await createNodes();
    const { leases, join, plan, b } = nodes;
    const [alone, dead] = [await join("alone", false), await join("dead")];
    await leases.retire({ incarnation: dead, beat: 0 });
    const refused = (why: string, left: readonly number[]) => ({
      ...{ kind: "refused", why, left, isWithdrawn: true },
    });
    const shards = [1, 0];
    expect(await moving(nodes, { shards, to: dead + 1 })).toEqual(refused("no-such-node", [0, 1]));
    expect(await moving(nodes, { shards, to: dead })).toEqual(refused("dead", [0, 1]));
    expect(await moving(nodes, { shards, to: alone })).toEqual(refused("does-not-share", [0, 1]));
    await leases.release({ incarnation: nodes.a, shards: [5] });
    await leases.claim({ incarnation: alone, shards: [5] });
    expect(await moving(nodes, { shards: [5, 6], to: b })).toEqual(refused("owner-does-not-share", [5, 6]));
    expect(await plan()).toEqual([]);
    await leases.retire({ incarnation: alone, beat: 0 });
    const claim = async (): Promise<unknown> => await leases.claim({ incarnation: b, shards: [5] });
    expect(await moving(nodes, { shards: [5], to: b }, claim)).toEqual({ kind: "moved" });
  });

  it("shards that do not exist, one twice, and none are refused before the store is asked", async () => {
    const nodes = await createNodes();
    const to = nodes.b;
    const silent = { nodes: () => Promise.reject(new Error("not asked")) };
    for (const [shards, place] of [
      [[], "shards"],
      [[4, 4], "shards"],
      [[4, 257], "shards[1]"],
      [[-1], "shards[0]"],
      [[0.5], "shards[0]"],
    ] as const)
      await expect(moving(nodes, { shards, to, leases: silent })).rejects.toThrow(
        new RegExp(`^moveShards.${place.replace("[", "\\[")} must be a`),
      );
  });

  it("a shard that another node claims meanwhile is asked of that node", async () => {
    const nodes = await createNodes();
    const { leases, join, plan, give, a, b } = nodes;
    const c = await join("c");
    const plans: unknown[] = [];
    const outcome = await moving(nodes, { shards: [3, 4], to: b }, async (reading) => {
      plans.push(await plan());
      if (reading === 0) await leases.retire({ incarnation: a, beat: 0 });
      if (reading === 1) await leases.claim({ incarnation: c, shards: [3, 5] });
      if (reading === 2) await give([3, 4], c, b);
    });
    const both = [
      [3, b],
      [4, b],
    ];
    expect([outcome, plans]).toEqual([{ kind: "moved" }, [both, both, both]]);
  });

  it("a shard that the node gives away again has moved", async () => {
    const nodes = await createNodes();
    const { give, plan, a, b } = nodes;
    const outcome = await moving(nodes, { shards: [3, 4], to: b }, async (reading) => {
      if (reading === 0) await give([3], a, b);
      if (reading === 1) await give([3], b, a);
      if (reading === 2) await give([4], a, b);
    });
    expect([outcome, await plan()]).toEqual([{ kind: "moved" }, []]);
  });

  it.each(["another assignment", "a withdrawal"])("%s ends it, and what is left is not asked", async (by) => {
    const nodes = await createNodes();
    const { leases, join, plan, b } = nodes;
    const c = await join("c");
    const to = by === "a withdrawal" ? {} : { to: c };
    const outcome = await moving(nodes, { shards: [3, 4], to: b }, async (reading) => {
      if (reading === 1) await leases.assign({ shards: [4], ...to });
    });
    expect(outcome).toEqual({ kind: "refused", why: "overruled", left: [3, 4], isWithdrawn: true });
    expect(await plan()).toEqual(by === "a withdrawal" ? [] : [[4, c]]);
  });

  it("the death of the node ends it", async () => {
    const nodes = await createNodes();
    const { leases, plan, give, a, b } = nodes;
    const outcome = await moving(nodes, { shards: [3, 4], to: b }, async (reading) => {
      if (reading === 0) await give([3], a, b);
      if (reading === 1) await leases.retire({ incarnation: b, beat: 0 });
    });
    expect(outcome).toEqual({ kind: "refused", why: "dead", left: [4], isWithdrawn: true });
    expect(await plan()).toEqual([]);
  });

  it("the end of the time and the signal withdraw what owners were not done with", async () => {
    const nodes = await createNodes();
    const { leases, plan, give, a, b } = nodes;
    const begun = async (reading: number): Promise<void> => {
      if (reading === 0) await give([3], a, b);
      if (reading === 1) await leases.release({ incarnation: a, shards: [4] });
    };
    const late = await moving(nodes, { shards: [3, 4, 5], to: b }, begun);
    expect(late).toEqual({ kind: "limit", left: [4, 5], isWithdrawn: true });
    expect(await plan()).toEqual([[4, b]]);
    const stopping = new AbortController();
    const stopped = await moving(nodes, { shards: [8], to: b, signal: stopping.signal }, async (reading) => {
      if (reading === 2) stopping.abort();
    });
    expect(stopped).toEqual({ kind: "aborted", left: [8], isWithdrawn: true });
    expect(await plan()).toEqual([[4, b]]);
  });

  it("a store that fails meanwhile is told and asked again; at the end nobody knows whether it was withdrawn", async () => {
    const nodes = await createNodes();
    const { leases, b } = nodes;
    let isFailing = false;
    const reported: (string | undefined)[] = [];
    const outcome = await moving(
      nodes,
      {
        ...{ shards: [8], to: b },
        leases: { nodes: () => (isFailing ? Promise.reject(new Error("the store fails")) : leases.nodes()) },
      },
      async (reading, { failing }) => {
        reported.push(failing);
        isFailing = reading !== 2;
      },
    );
    expect(outcome).toEqual({ kind: "limit", left: [8], isWithdrawn: false });
    expect(reported.slice(0, 5)).toEqual([
      undefined,
      "the store fails",
      "the store fails",
      undefined,
      "the store fails",
    ]);
  });

  it("an assignment whose answer is lost is withdrawn, and the move rejects", async () => {
    const nodes = await createNodes();
    const { leases, plan, b } = nodes;
    const assign: ShardLeases["assign"] = async (assignment) => {
      const assigned = await leases.assign(assignment);
      if (assignment.to !== undefined) throw new Error("the answer is lost");
      return assigned;
    };
    await expect(moving(nodes, { shards: [8], to: b, leases: { assign } })).rejects.toThrow("is lost");
    expect(await plan()).toEqual([]);
  });
});

describe("a node that shares is drained", () => {
  it("when others own all that it owned, and what came to it since", async () => {
    const nodes = await createNodes();
    const { clock, leases, join, give, a, b } = nodes;
    const c = await join("c");
    await give(ALL.slice(100), a, b);
    let readings = 0;
    let [isSettled, running] = [false, Promise.resolve()];
    const act = async (reading: number): Promise<void> => {
      if (reading === 0) await give([200], b, a);
      if (reading === 1) await give(ALL.slice(0, 50), a, b);
      if (reading === 2) await give(ALL.slice(50, 100), a, c);
      if (reading === 4) await give([200], a, c);
    };
    const drained = drainNode({
      ...{ clock, leases, incarnation: a },
      onProgress: () => {
        running = act(readings++);
      },
    }).finally(() => {
      isSettled = true;
    });
    while (!isSettled) {
      await settle();
      await running;
      if (!isSettled) await clock.advanceBy(250);
    }
    expect(await drained).toEqual({ kind: "drained", owners: [b, c] });
    expect(readings).toBe(5);
  });
});

describe("an operator sees what is on its way", () => {
  it("which nodes share, and how many shards are assigned to each node and away from it", async () => {
    const { clock, leases, join, a, b } = await createNodes();
    const [alone, dead] = [await join("alone", false), await join("dead")];
    await leases.release({ incarnation: a, shards: [9] });
    await leases.assign({ shards: [1, 2, 9, 256], to: b });
    await leases.assign({ shards: [3], to: dead });
    await leases.assign({ shards: [4], to: a });
    await leases.retire({ incarnation: dead, beat: 0 });
    const { nodes } = await readCluster({ clock, leases, watchMs: 0 });
    const counts = nodes.map(({ incarnation, shares, shards, coming, going }) => {
      return [incarnation, shares, shards, coming, going];
    });
    expect(counts).toEqual([
      [a, true, 255, 0, 2],
      [b, true, 0, 3, 0],
      [alone, false, 0, 0, 0],
      [dead, true, 0, 0, 0],
    ]);
  });
});
