import { describe, expect, it } from "vitest";
import { quantity } from "../../src/decimal/index.ts";
import type { Renewal } from "../../src/ports/index.ts";
import { type Cluster, type ClusterNode, createCluster, settle, TTL_MS } from "../support/cluster.ts";
import { createScriptedVenue, filled, reported } from "../support/scripted-venue.ts";

const QUIET_MS = 2_000;

const activeOf = (nodes: readonly ClusterNode[]): readonly ClusterNode[] =>
  nodes.filter(({ engine, process }) => engine !== undefined && !process.dead);

describe("a takeover reads what the owner appended last", () => {
  it("an append that becomes durable between the last read and the claim is not lost", async () => {
    const cluster = createCluster();
    const a = await cluster.start("a");
    const b = await cluster.start("b");
    await cluster.quote("100", "101");
    const before = await cluster.place(a, { price: "90" });
    await cluster.pass(3_000);
    let arrive: () => void = () => undefined;
    const onItsWay = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    let stored: Promise<unknown> = Promise.resolve();
    a.faults.append = (honest) => {
      stored = onItsWay.then(honest);
      return stored;
    };
    void cluster.place(a, { price: "80" }).catch(() => undefined);
    await settle();
    a.process.kill();
    const reads: number[] = [];
    b.faults["leases.claim"] = async (honest) => {
      reads.push(b.requested.filter((call) => call === "leases.tail").length);
      arrive();
      expect(await stored).toEqual(["durable"]);
      return await honest();
    };
    await cluster.pass(2 * TTL_MS);
    expect(reads).not.toEqual([]);
    const engine = cluster.active(b);
    const page = { accountId: 1, includeHistory: false, newestFirst: false, limit: 9, afterOrderId: 0 };
    const { orders } = await engine.page(page);
    expect(orders.map(({ orderId }) => orderId)).toEqual(
      expect.arrayContaining([before.orderId, expect.any(Number)]),
    );
    expect(orders).toHaveLength(2);
    await cluster.place(b, { price: "70" });
    expect(await engine.verify()).toMatchObject({ equal: true, records: 3 });
  });
});

describe("I60: nodes that get in each other's way", () => {
  it("of two standbys one takes over, and the other follows it", async () => {
    const cluster = createCluster();
    const a = await cluster.start("a");
    const others = [await cluster.start("b"), await cluster.start("c")];
    await cluster.place(a, { price: "90" });
    await cluster.pass(TTL_MS);
    a.process.kill();
    await cluster.pass(2 * TTL_MS);
    expect(activeOf(others)).toHaveLength(1);
    const states = others.map(({ node }) => node.status().state).sort();
    expect(states).toEqual(["active", "ready"]);
    const [owner] = activeOf(others);
    expect((await owner?.engine?.verify())?.equal).toBe(true);
  });

  it("a claim that arrives after it was made again takes nothing from the engine that it opened", async () => {
    const cluster = createCluster();
    const a = await cluster.start("a");
    const b = await cluster.start("b");
    await cluster.quote("100", "101");
    await cluster.pass(TTL_MS);
    let arrive: () => unknown = () => undefined;
    b.faults["leases.claim"] = (honest) => {
      delete b.faults["leases.claim"];
      arrive = honest;
      return new Promise(() => undefined);
    };
    a.process.kill();
    await cluster.pass(4 * TTL_MS);
    const engine = cluster.active(b);
    await arrive();
    const { orderId } = await cluster.place(b, { price: "90" });
    await cluster.pass(TTL_MS);
    expect(engine.status().reasons.filter(({ kind }) => kind !== "QUOTES_STOPPED")).toEqual([]);
    await engine.cancel({ accountId: 1, orderId });
    expect((await engine.verify()).equal).toBe(true);
  });

  it("two nodes with one name are two nodes", async () => {
    const cluster = createCluster();
    const nodes = [await cluster.start("a"), await cluster.start("a")];
    await cluster.pass(TTL_MS);
    expect(nodes.map(({ node }) => node.status().state)).toEqual(["active", "ready"]);
    nodes[0]?.process.kill();
    await cluster.pass(2 * TTL_MS);
    expect(activeOf(nodes)).toEqual([nodes[1]]);
  });

  it("a standby that is closed while it claims leaves the shards to another one", async () => {
    const cluster = createCluster();
    const a = await cluster.start("a");
    const b = await cluster.start("b");
    let closed: Promise<unknown> | undefined;
    b.faults["leases.claim"] = (honest) => {
      closed ??= b.node.close();
      return honest();
    };
    await cluster.pass(TTL_MS);
    a.process.kill();
    await cluster.pass(2 * TTL_MS);
    await closed;
    expect(b.node.status()).toMatchObject({ state: "closed", reasons: [] });
    const c = await cluster.start("c");
    await cluster.pass(1_000);
    expect(c.engine).toBeDefined();
  });

  it("every close() of a standby resolves when its store is closed, and not before", async () => {
    const cluster = createCluster();
    await cluster.start("a");
    const b = await cluster.start("b");
    let isClosed = false;
    b.faults.close = async (honest) => {
      await new Promise<void>((resolve) =>
        cluster.clock.schedule(cluster.clock.monotonicMs() + 500, resolve),
      );
      await honest();
      isClosed = true;
    };
    const closes = [b.node.close(), b.node.close()].map((closing) => closing.then(() => isClosed));
    await cluster.pass(1_000);
    expect(await Promise.all(closes)).toEqual([true, true]);
    await b.node.close();
  });
});

describe("clocks and pauses of a takeover", () => {
  it("I60: a process that is stopped between its look at the clock and the write to its socket executes nothing twice", async () => {
    const venue = createScriptedVenue({ honoursDeadline: true });
    const cluster = createCluster(venue);
    const executed: string[] = [];
    let write: () => void = () => undefined;
    const isStopped = new Promise<void>((resolve) => {
      write = resolve;
    });
    let firstDeadlineMs = 0;
    venue.venueTimeMs = () => Promise.resolve(cluster.clock.nowMs());
    venue.submit = async (child, { deadlineMs }) => {
      if (firstDeadlineMs === 0) {
        firstDeadlineMs = deadlineMs;
        await isStopped;
      }
      if (cluster.clock.nowMs() > deadlineMs) return reported(child.childId, "rejected");
      // The proof that the first child never arrived needs its deadline and the quiet time.
      expect(cluster.clock.nowMs()).toBeGreaterThanOrEqual(firstDeadlineMs + QUIET_MS);
      executed.push(child.childId);
      return filled(child);
    };
    const a = await cluster.start("a");
    const b = await cluster.start("b");
    await cluster.pass(TTL_MS);
    await cluster.quote("100", "101");
    const order = await cluster.place(a, { price: "90" });
    await cluster.quote("89", "90");
    expect(firstDeadlineMs).toBeGreaterThan(0);
    a.process.pause();
    await cluster.pass(3 * TTL_MS);
    for (let n = 0; n < 3; n++) {
      await cluster.quote("89", "90");
      await cluster.pass(1_000);
    }
    expect(executed).toHaveLength(1);
    write();
    a.process.resume();
    await cluster.pass(TTL_MS);
    expect(executed).toHaveLength(1);
    const found = await cluster.active(b).findAny(order.orderId);
    expect(found?.executedQuantity).toBe(quantity("1"));
    expect((await cluster.active(b).verify()).equal).toBe(true);
  });

  it.each([10_000, -10_000, 3_600_000, -3_600_000])(
    "a store whose clock is off by %i ms moves no shard and ends no trust; nobody takes over by it",
    async (offMs) => {
      const cluster = createCluster();
      const nodes = [await cluster.start("a"), await cluster.start("b")];
      const [a, b] = nodes as [ClusterNode, ClusterNode];
      const order = await cluster.place(a, { price: "90" });
      await cluster.pass(TTL_MS);
      const wrong = async (honest: () => Promise<unknown>): Promise<Renewal> => {
        const renewal = (await honest()) as Renewal;
        return { ...renewal, clockMs: renewal.clockMs + offMs };
      };
      for (const { faults } of nodes) faults["leases.renew"] = wrong;
      await cluster.pass(2 * TTL_MS);
      expect(activeOf(nodes)).toEqual([a]);
      expect(cluster.active(a).status()).toMatchObject({
        system: "draining",
        reasons: [{ kind: "CLOCK_APART" }, { kind: "QUOTES_STOPPED" }],
      });
      expect(b.node.status().reasons.join()).toContain(`${Math.abs(offMs)} ms apart`);
      await cluster.active(a).find({ accountId: 1, orderId: order.orderId });
      a.process.kill();
      await cluster.pass(3 * TTL_MS);
      expect(b.engine).toBeUndefined();
      b.faults["leases.renew"] = undefined;
      await cluster.pass(TTL_MS);
      expect(await cluster.active(b).findAny(order.orderId)).toMatchObject({ orderId: order.orderId });
    },
  );
});

describe("a hand-over waits for a node that has seen it", () => {
  it("leaves at most 250 ms without service, whenever the standby renews and reads", async () => {
    // Its reads come at other times than its renewals; the hand-over begins between a renewal and a read, or the reverse.
    for (const [offMs, laterMs] of [
      [300, 0],
      [900, 700],
      [1_500, 1_300],
      [2_100, 1_900],
      [1_200, 2_400],
    ] as const) {
      const cluster = createCluster();
      const a = await cluster.start("a");
      await cluster.pass(TTL_MS);
      const b = await cluster.start("b");
      let isLate = false;
      b.faults["leases.nodes"] = async (honest) => {
        const waitMs = isLate ? 0 : offMs;
        isLate = true;
        await new Promise<void>((resolve) =>
          cluster.clock.schedule(cluster.clock.monotonicMs() + waitMs, resolve),
        );
        return await honest();
      };
      await cluster.pass(TTL_MS + laterMs);
      const engine = cluster.active(a);
      void engine.handOver();
      let withoutMs = 0;
      for (let waited = 0; b.engine === undefined && waited < 2 * TTL_MS; waited += 10) {
        await cluster.clock.advanceBy(10, settle);
        if (engine.draining) withoutMs += 10;
      }
      expect(b.engine).toBeDefined();
      expect(withoutMs).toBeLessThanOrEqual(250);
    }
  });
});

/** Delays each answer about the nodes by a third of a ttl. */
function slowDown({ clock }: Cluster, { faults }: ClusterNode): void {
  faults["leases.nodes"] = async (honest) => {
    const view = await honest();
    await new Promise<void>((resolve) => clock.schedule(clock.monotonicMs() + TTL_MS / 3, resolve));
    return view;
  };
}

describe("a slow read shortens the watch and does not start it anew", () => {
  it("a standby whose reads take a third of a ttl takes over a ttl, a pause and four reads after the death of the owner", async () => {
    const cluster = createCluster();
    const a = await cluster.start("a");
    const b = await cluster.start("b");
    await cluster.pass(3_000);
    slowDown(cluster, b);
    await cluster.pass(TTL_MS);
    a.process.kill();
    await cluster.pass(TTL_MS - 100);
    expect(b.engine).toBeUndefined();
    // A pause and two reads until the last beat is known, one read that was under way when the ttl ended, and the last.
    await cluster.pass(100 + TTL_MS / 4 + (4 * TTL_MS) / 3);
    expect(cluster.active(b).status().system).toBe("normal");
  });

  it("I60: reads that take as long declare no node dead that renews", async () => {
    const cluster = createCluster();
    const a = await cluster.start("a");
    const b = await cluster.start("b");
    slowDown(cluster, b);
    await cluster.pass(5 * TTL_MS);
    expect([a.engine?.status().system, b.engine]).toEqual(["normal", undefined]);
  });
});
