import { describe, expect, it } from "vitest";
import type { Engine, StatusReason } from "../../src/engine/index.ts";
import { type Cluster, type ClusterNode, createCluster, settle, TTL_MS } from "../support/cluster.ts";
import { filled, sentTo } from "../support/scripted-venue.ts";
import { viewOf } from "../support/sharing.ts";
import { rewriteRows } from "../support/stored-rows.ts";

/** A cluster whose node `a` owns the shards, and whose node `b` follows. */
async function startPair(): Promise<Readonly<{ cluster: Cluster; a: ClusterNode; b: ClusterNode }>> {
  const cluster = createCluster();
  return { cluster, a: await cluster.start("a"), b: await cluster.start("b") };
}

const kindsOf = (engine: Engine): readonly StatusReason["kind"][] =>
  engine.status().reasons.map(({ kind }) => kind);

describe("one node owns all shards, the others follow", () => {
  it("takes over a store without an owner at once", async () => {
    const cluster = createCluster();
    const a = await cluster.start("a");
    const order = await cluster.place(a, { price: "100" });
    expect(order.orderId).toBeLessThan(0);
    expect(a.node.status()).toMatchObject({ state: "active", reasons: [] });
  });

  it("follows what the active node decides; verify is equal on both sides", async () => {
    const cluster = createCluster();
    const a = await cluster.start("a");
    await cluster.place(a, { price: "90" });
    const b = await cluster.start("b");
    for (let n = 0; n < 20; n++) await cluster.place(a, { price: `${80 - n}` });
    await cluster.pass(12_000);
    expect(b.node.status().state).toBe("ready");
    const [active, followed] = [await cluster.active(a).verify(), await b.node.verify()];
    expect(followed).toEqual(active);
    expect(followed).toMatchObject({ equal: true, records: 21 });
  });

  it("I53: after its takeover, verify is that of its engine", async () => {
    const { cluster, a } = await startPair();
    await cluster.place(a, { price: "90" });
    const [own, active] = [await a.node.verify(), await cluster.active(a).verify()];
    expect(own).toMatchObject({ equal: true, records: 1 });
    expect(own).toEqual(active);
  });

  it("I60, I61: takes over when the active node dies, one ttl after its last beat was read", async () => {
    const { cluster, a, b } = await startPair();
    await cluster.quote("100", "101");
    const order = await cluster.place(a, { price: "90" });
    await cluster.pass(3_000);
    a.process.kill();
    await cluster.pass((TTL_MS * 3) / 4 - 200);
    expect(b.engine).toBeUndefined();
    await cluster.pass(TTL_MS / 2);
    const engine = cluster.active(b);
    expect((await engine.findAny(order.orderId))?.intent.clientOrderId).toBe(order.intent.clientOrderId);
    await cluster.quote("89", "90");
    expect(sentTo(cluster.venue)).toEqual(["BUY 1 @ 90"]);
    await settle();
    expect((await engine.verify()).equal).toBe(true);
  });
});

describe("no timestamp decides", () => {
  it("an owner that goes on renewing keeps its shards, whatever the clocks of the others say", async () => {
    const { cluster, a, b } = await startPair();
    b.skewMs = 3_600_000;
    await cluster.pass(2 * TTL_MS);
    b.skewMs = -3_600_000;
    await cluster.pass(2 * TTL_MS);
    expect(b.engine).toBeUndefined();
    expect(cluster.active(a).status().system).toBe("normal");
  });

  it("a failed read starts the watch anew: after an outage the owner has a ttl to renew", async () => {
    const { cluster, a, b } = await startPair();
    await cluster.pass(3_000);
    a.process.kill();
    await cluster.pass(TTL_MS / 2);
    b.cut = true;
    await cluster.pass(3_000);
    b.cut = false;
    await cluster.pass(TTL_MS - 1_000);
    expect(b.engine).toBeUndefined();
    await cluster.pass(TTL_MS / 2 + 1_000);
    expect(b.engine).toBeDefined();
  });

  it("a node that was declared dead joins again and follows", async () => {
    const cluster = createCluster();
    await cluster.start("a");
    const b = await cluster.start("b");
    const c = await cluster.start("c");
    await cluster.pass(3_000);
    const before = b.node.status().incarnation;
    b.process.pause();
    await cluster.pass(2 * TTL_MS);
    expect((await viewOf(cluster)).nodes.filter(({ dead }) => dead)).toHaveLength(1);
    b.process.resume();
    await cluster.pass(TTL_MS);
    expect(b.node.status().incarnation).toBeGreaterThan(before);
    expect([b, c].map(({ node }) => node.status().state)).toEqual(["ready", "ready"]);
  });
});

describe("trust", () => {
  const gone = { code: -1001, status: 503 };

  it("a node cut off from the store answers nothing and accepts nothing before another can take over", async () => {
    const { cluster, a, b } = await startPair();
    await cluster.quote("100", "101");
    const order = await cluster.place(a, { price: "90" });
    await cluster.pass(3_000);
    const engine = cluster.active(a);
    const key = { accountId: 1, orderId: order.orderId };
    a.cut = true;
    for (let waited = 0; b.engine === undefined && waited < 3 * TTL_MS; waited += 100) {
      const isTrusted = await engine.find(key).then(
        () => true,
        () => false,
      );
      if (!isTrusted) break;
      await cluster.pass(100);
    }
    expect(b.engine).toBeUndefined();
    for (const requested of [
      engine.find(key),
      engine.find({ accountId: 1, clientOrderId: "unknown" }),
      engine.page({ accountId: 1, includeHistory: false, newestFirst: false, limit: 5, afterOrderId: 0 }),
      engine.cancel(key),
      engine.cancel({ accountId: 1, orderId: -512 }),
      engine.cancelAll(1),
      cluster.place(a, { price: "80" }),
    ])
      await expect(requested).rejects.toMatchObject(gone);
    expect(kindsOf(engine)).toContain("LEASE_LAPSED");
    await cluster.pass(2 * TTL_MS);
    expect(await cluster.active(b).find(key)).toMatchObject({ orderId: order.orderId });
    await expect(engine.find(key)).rejects.toMatchObject(gone);
  });

  it("sends nothing while trust has lapsed, and goes on without a load when the renewal succeeds", async () => {
    const cluster = createCluster();
    const a = await cluster.start("a");
    await cluster.quote("100", "101");
    const order = await cluster.place(a, { price: "90" });
    a.cut = true;
    await cluster.pass(2 * TTL_MS);
    await cluster.quote("89", "90");
    expect(sentTo(cluster.venue)).toEqual([]);
    a.cut = false;
    const requested = a.requested.length;
    await cluster.pass(TTL_MS / 2);
    expect(a.requested.slice(requested)).not.toContain("readRecords");
    expect(kindsOf(cluster.active(a))).not.toContain("LEASE_LAPSED");
    await cluster.quote("89", "90");
    expect(sentTo(cluster.venue)).toEqual(["BUY 1 @ 90"]);
    expect((await cluster.active(a).findAny(order.orderId))?.executedQuantity).toBeGreaterThan(0);
  });

  it("I60: a process that was paused for longer than its ttl sends nothing when it goes on, and is fenced", async () => {
    const { cluster, a, b } = await startPair();
    await cluster.quote("100", "101");
    await cluster.place(a, { price: "90" });
    await cluster.pass(3_000);
    a.process.pause();
    await cluster.quote("89", "90");
    await cluster.pass(2 * TTL_MS);
    await cluster.quote("89", "90");
    await cluster.quote("89", "90");
    expect(sentTo(cluster.venue)).toEqual(["BUY 1 @ 90"]);
    a.process.resume();
    await cluster.pass(TTL_MS);
    expect(sentTo(cluster.venue)).toEqual(["BUY 1 @ 90"]);
    expect(kindsOf(cluster.active(a))).toEqual(expect.arrayContaining(["SHARD_FENCED", "LEASE_LOST"]));
    expect((await cluster.active(b).verify()).equal).toBe(true);
  });

  it("a wall clock that is set forward or back ends trust until the next renewal", async () => {
    const cluster = createCluster();
    const a = await cluster.start("a");
    const order = await cluster.place(a, { price: "90" });
    const key = { accountId: 1, orderId: order.orderId };
    for (const skewMs of [3_600_000, -3_600_000]) {
      a.skewMs = skewMs;
      await expect(cluster.active(a).find(key)).rejects.toMatchObject(gone);
      await cluster.pass(TTL_MS / 2);
      expect(await cluster.active(a).find(key)).toMatchObject(key);
    }
  });

  it("with a clock more than 500 ms from that of the store, no new orders are accepted", async () => {
    const cluster = createCluster();
    const a = await cluster.start("a");
    const order = await cluster.place(a, { price: "90" });
    a.skewMs = 501;
    await cluster.pass(TTL_MS / 2);
    await expect(cluster.place(a, { price: "80" })).rejects.toMatchObject({ code: -1016 });
    expect(cluster.active(a).status().system).toBe("draining");
    await cluster.active(a).cancel({ accountId: 1, orderId: order.orderId });
    a.skewMs = 400;
    await cluster.pass(TTL_MS / 2);
    await cluster.place(a, { price: "80" });
    expect(cluster.active(a).status().system).toBe("normal");
  });
});

describe("a takeover", () => {
  it("looks up a child that the dead node handed over, and sends it no second time", async () => {
    const { cluster, a, b } = await startPair();
    cluster.venue.onSubmit = () => "silence";
    cluster.venue.onLookup = (child) => filled(child);
    await cluster.quote("100", "101");
    const order = await cluster.place(a, { price: "90" });
    await cluster.quote("89", "90");
    expect(sentTo(cluster.venue)).toHaveLength(1);
    a.process.kill();
    await cluster.pass(3 * TTL_MS);
    expect(await cluster.active(b).findAny(order.orderId)).toMatchObject({ attempts: 1, ended: {} });
    expect(sentTo(cluster.venue)).toHaveLength(1);
  });

  it("counts a fill that the venue reported to no active node", async () => {
    const { cluster, a, b } = await startPair();
    await cluster.quote("100", "101");
    cluster.venue.onSubmit = ({ childId }) => ({ childId, state: "open", fills: [] });
    cluster.venue.onLookup = () => new Error("no look-ups today");
    const order = await cluster.place(a, { price: "90" });
    await cluster.quote("89", "90");
    await cluster.pass(3_000);
    a.process.kill();
    const [child] = cluster.venue.submitted;
    if (child === undefined) throw new Error("no child was sent");
    cluster.venue.say(filled(child));
    await cluster.pass(2 * TTL_MS);
    expect(await cluster.active(b).findAny(order.orderId)).toMatchObject({ attempts: 1, ended: {} });
  });

  it("I10: counts a late fill of a closed child that came longer than two ttl before the takeover", async () => {
    const { cluster, a, b } = await startPair();
    await cluster.quote("100", "101");
    cluster.venue.onSubmit = ({ childId }) => ({ childId, state: "closed", fills: [] });
    const order = await cluster.place(a, { price: "90", timeInForce: "GTC" });
    await cluster.quote("89", "90");
    await cluster.pass(1_000);
    const [child] = cluster.venue.submitted;
    if (child === undefined) throw new Error("no child was sent");
    a.process.kill();
    b.cut = true;
    cluster.venue.say(filled(child));
    await cluster.pass(4 * TTL_MS);
    b.cut = false;
    await cluster.pass(2 * TTL_MS);
    expect((await cluster.active(b).findAny(order.orderId))?.executedQuantity).toBe(child.quantity);
  });

  it("believes no wild first quote: a standby's gates need two near ones", async () => {
    const { cluster, a, b } = await startPair();
    const order = {
      symbol: "BTC/USD",
      side: "SELL",
      type: "STOP_MARKET",
      quantity: "1",
      stopPrice: "50",
    } as const;
    await cluster.active(a).place({ accountId: 1, order });
    await cluster.pass(3_000);
    a.process.kill();
    await cluster.quote("1", "2");
    await cluster.pass(2 * TTL_MS);
    expect(cluster.active(b).quote("BTC/USD")).toBeUndefined();
    await cluster.quote("100", "101");
    await cluster.quote("100", "101");
    expect(cluster.active(b).quote("BTC/USD")?.fresh).toBe(true);
    expect(sentTo(cluster.venue)).toEqual([]);
  });

  it("a fact of a newer version: the standby says so and does not take over", async () => {
    const { cluster, a, b } = await startPair();
    await cluster.place(a, { price: "90" });
    rewriteRows(cluster.disk, "log", (text) => text.replace('"kind":"ACCEPTED"', '"kind":"ACCEPTED_ANEW"'));
    await cluster.pass(12_000);
    expect(b.node.status().state).toBe("following");
    expect(b.node.status().reasons.join()).toContain("ACCEPTED_ANEW");
    a.process.kill();
    await cluster.pass(3 * TTL_MS);
    expect(b.engine).toBeUndefined();
  });
});

describe("a planned hand-over", () => {
  it("leaves at most 250 ms without service, and closes the engine", async () => {
    const { cluster, a, b } = await startPair();
    await cluster.quote("100", "101");
    const order = await cluster.place(a, { price: "90" });
    await cluster.pass(3_000);
    const key = { accountId: 1, orderId: order.orderId };
    const engine = cluster.active(a);
    const done = engine.handOver();
    const served: number[] = [];
    for (let waited = 0; waited < 7_000; waited += 10) {
      await cluster.clock.advanceBy(10, settle);
      const reads = [engine, b.node.engine].map((one) => one.find(key));
      const answers = await Promise.allSettled(reads);
      if (answers.some(({ status }) => status === "fulfilled")) served.push(cluster.clock.monotonicMs());
    }
    expect(await done).toMatchObject({ inFlight: 0, unknown: 0, waitingFor: [] });
    expect(cluster.active(b).status().system).toBe("normal");
    const gaps = served.map((atMs, index) => atMs - (served[index - 1] ?? atMs));
    expect(Math.max(...gaps)).toBeLessThanOrEqual(250);
    await expect(engine.find(key)).rejects.toMatchObject({ reason: "ENGINE_CLOSED" });
    await cluster.quote("89", "90");
    expect(sentTo(cluster.venue)).toEqual(["BUY 1 @ 90"]);
  });

  it("rejects without a ready standby, and goes on", async () => {
    const { cluster, a, b } = await startPair();
    b.process.kill();
    const done = cluster.active(a).handOver();
    done.catch(() => undefined);
    await cluster.pass(2 * TTL_MS + 500);
    await expect(done).rejects.toMatchObject({ problem: "NO_STANDBY" });
    await cluster.place(a, { price: "90" });
  });

  it("rejects at once if there is no other live node, so that a host need not wait to close", async () => {
    const cluster = createCluster();
    const a = await cluster.start("a");
    await expect(cluster.active(a).handOver()).rejects.toMatchObject({
      problem: "NO_STANDBY",
      message: expect.stringContaining("there is no other live node"),
    });
    await cluster.place(a, { price: "90" });
  });

  it("says that the node was declared dead if that is why it rejects", async () => {
    const { cluster, a, b } = await startPair();
    a.process.pause();
    await cluster.pass(2 * TTL_MS);
    a.process.resume();
    await cluster.pass(TTL_MS);
    expect(b.engine).toBeDefined();
    await expect(cluster.active(a).handOver()).rejects.toMatchObject({
      problem: "NO_STANDBY",
      message: expect.stringContaining("another node has declared this one dead"),
    });
  });

  it("close() in the middle of it ends both, and nothing goes on", async () => {
    const { cluster, a, b } = await startPair();
    b.skewMs = 5_000;
    await cluster.pass(3_000);
    const ends: string[] = [];
    const engine = cluster.active(a);
    for (const call of ["handOver", "close"] as const) {
      engine[call]().then(
        () => ends.push(call),
        () => ends.push(`no ${call}`),
      );
      await cluster.pass(1_000);
    }
    expect(ends.toSorted()).toEqual(["close", "handOver"]);
    const requested = a.requested.length;
    await cluster.pass(3 * TTL_MS);
    expect(a.requested.length).toBe(requested);
  });

  it("close releases the shards, so that a standby does not wait for a ttl", async () => {
    const { cluster, a, b } = await startPair();
    await cluster.pass(3_000);
    await cluster.active(a).close();
    await cluster.pass(3_000);
    expect(b.engine).toBeDefined();
    expect((await viewOf(cluster)).nodes).toHaveLength(1);
  });

  it("an idle cluster asks the store about once per node and second", async () => {
    const cluster = createCluster();
    const nodes = [await cluster.start("a"), await cluster.start("b")];
    await cluster.pass(3_000);
    const before = nodes.map(({ requested }) => requested.length);
    await cluster.pass(60_000);
    for (const [index, { requested }] of nodes.entries())
      expect((requested.length - (before[index] ?? 0)) / 60).toBeLessThan(1.3);
  });
});
