import { describe, expect, it } from "vitest";
import { ownedBy } from "../../src/cluster/cluster-views.ts";
import { InvariantError } from "../../src/errors/index.ts";
import { shardOf } from "../../src/lifecycle/index.ts";
import { MARKET_SHARD } from "../../src/model/index.ts";
import { createCluster, type Sharer, settle, TTL_MS } from "../support/cluster.ts";
import { createScriptedVenue } from "../support/scripted-venue.ts";
import {
  accountOn,
  assignedTo,
  assignTo,
  leasesOf,
  move,
  orderOn,
  pairOf,
  placeOn,
  requireSettled,
  runnersOf,
  shardIn,
  sharers,
  verified,
  viewOf,
} from "../support/sharing.ts";

/** Notes how a promise has ended. */
function ended(promise: Promise<unknown>): { how: string } {
  const end = { how: "not yet" };
  promise.then(
    () => {
      end.how = "resolved";
    },
    (error: { problem?: string }) => {
      end.how = `rejected: ${error.problem ?? String(error)}`;
    },
  );
  return end;
}

describe("a node that is closed in the middle of something", () => {
  it("close() in the middle of leave() ends both, and nothing goes on", async () => {
    const { cluster, a, b } = await pairOf();
    a.faults["leases.assign"] = () => Promise.reject(new Error("the store is away"));
    const leaving = ended(a.node.leave());
    await cluster.pass(3_000);
    expect(leaving.how).toBe("not yet");
    const closing = ended(a.node.close());
    await cluster.pass(2 * TTL_MS);
    expect([closing.how, leaving.how]).toEqual(["resolved", "resolved"]);
    const requested = a.requested.length;
    const renewed = a.renewedMs;
    await cluster.pass(2 * TTL_MS);
    expect([a.requested.length, a.renewedMs]).toEqual([requested, renewed]);
    await requireSettled(cluster, [b]);
  });

  it("leave() twice is one hand-over", async () => {
    const { cluster, a, b } = await pairOf();
    const [one, two] = [ended(a.node.leave()), ended(a.node.leave())];
    await cluster.pass(TTL_MS);
    await settle();
    expect([one.how, two.how]).toEqual(["resolved", "resolved"]);
    await requireSettled(cluster, [b]);
    expect(ended(a.node.leave())).toBeDefined();
    await expect(a.node.leave()).rejects.toMatchObject({ problem: "CLOSING" });
  });

  it.each(["hold", "append", "release"])(
    "close() while a shard leaves (%s): the order is there on the other node, once",
    async (where) => {
      const venue = createScriptedVenue();
      venue.onSubmit = () => "silence";
      const { cluster, a, b } = await pairOf(createCluster(venue));
      const account = accountOn(a);
      const order = await placeOn(a, account, { side: "SELL", type: "STOP_MARKET", stopPrice: "95" });
      const resting = await placeOn(a, account, { price: "90" });
      if (where === "hold") await cluster.quote("94", "96");
      if (where === "append") a.heldMs = 1_000;
      if (where === "release") a.faults["leases.release"] = () => Promise.reject(new Error("away"));
      await assignedTo(cluster, shardIn(order), { from: a, to: b });
      if (where === "append") await cluster.quote("94", "96");
      await cluster.pass(300);
      const closing = ended(a.node.close());
      await cluster.pass(4 * TTL_MS);
      expect(closing.how).toBe("resolved");
      expect(a.node.status()).toMatchObject({ state: "closed", shards: 0, keepsMarket: false });
      await requireSettled(cluster, [b]);
      expect((await orderOn(b, resting)).ended).toBeUndefined();
      expect((await orderOn(b, order)).orderId).toBe(order.orderId);
      await verified([b]);
    },
  );

  it("close() while it takes shards: they go to others, and no later call makes it an owner", async () => {
    const { cluster, a, b } = await pairOf();
    const shard = shardOf(accountOn(a));
    let resume = (): void => undefined;
    b.faults["leases.claim"] = async (honest) => {
      await new Promise<void>((resolve) => {
        resume = resolve;
      });
      return await honest();
    };
    await assignTo(cluster, [shard], b);
    await cluster.pass(4_000);
    expect(runnersOf([a, b], shard)).toEqual([]);
    const closing = ended(b.node.close());
    await settle();
    resume();
    await cluster.pass(3 * TTL_MS);
    expect(closing.how).toBe("resolved");
    await requireSettled(cluster, [a]);
  });

  it("close() while its store is silent: it takes no shards of a node that fails meanwhile, and others take all of them", async () => {
    const cluster = createCluster();
    const [a, b, c] = (await sharers(cluster, ["a", "b", "c"])) as [Sharer, Sharer, Sharer];
    c.process.kill();
    await cluster.pass(TTL_MS / 2);
    a.faults.append = () => new Promise(() => undefined);
    void ended(placeOn(a, accountOn(a), { price: "90" }));
    await settle();
    const before = a.requested.length;
    const closing = ended(a.node.close());
    const ofC = async (): Promise<number> =>
      ownedBy(await viewOf(cluster), c.node.status().incarnation).length;
    while ((await ofC()) > 0 && closing.how === "not yet") await cluster.pass(100);
    expect(closing.how).toBe("not yet");
    expect(a.requested.slice(before)).not.toContain("leases.claim");
    await cluster.pass(2 * TTL_MS);
    expect(closing.how).toBe("resolved");
    await requireSettled(cluster, [b]);
  });

  it("close() while its store is silent: it says that it hands over until its shards are released, and how many it has", async () => {
    const { cluster, a, b } = await pairOf();
    const states: string[] = [];
    a.node.onStatus(({ state }) => void states.push(state));
    a.faults.append = () => new Promise(() => undefined);
    void ended(placeOn(a, accountOn(a), { price: "90" }));
    await settle();
    const closing = ended(a.node.close());
    await cluster.pass(TTL_MS / 2);
    expect(closing.how).toBe("not yet");
    expect(a.node.status()).toMatchObject({ state: "handing-over", shards: 128 });
    expect(states).toEqual(["handing-over"]);
    while (closing.how === "not yet") await cluster.pass(TTL_MS);
    expect(a.node.status()).toMatchObject({ state: "closed", shards: 0 });
    expect(states).toEqual(["handing-over", "closed"]);
    await requireSettled(cluster, [b]);
  });

  it("a child that is decided and not handed over when it closes is withdrawn by a record", async () => {
    const venue = createScriptedVenue({ canVoid: false });
    const sent: string[] = [];
    const cluster = createCluster(venue, { submitting: (name) => void sent.push(name) });
    const { a, b } = await pairOf(cluster);
    const order = await placeOn(a, accountOn(a), { side: "SELL", type: "STOP_MARKET", stopPrice: "95" });
    a.heldMs = 300;
    await cluster.quote("94", "96");
    const closing = ended(a.node.close());
    await cluster.pass(TTL_MS);
    expect(closing.how).toBe("resolved");
    await cluster.quote("94", "96");
    await cluster.pass(1_000);
    expect((await orderOn(b, order)).ended).toMatchObject({ status: "FILLED" });
    expect(sent).toEqual(["b"]);
  });
});

describe("a shard that leaves while something fails", () => {
  it.each(["kept", "lost"])(
    "its last append fails, and was %s: the next owner has what the store has, and the caller is told the truth",
    async (what) => {
      const { cluster, a, b } = await pairOf();
      const account = accountOn(a);
      const shard = shardOf(account);
      let failed = 0;
      a.faults.append = async (honest) => {
        if (failed++ > 0) return await honest();
        if (what === "kept") await honest();
        await new Promise<void>((resolve) =>
          cluster.clock.schedule(cluster.clock.monotonicMs() + 500, resolve),
        );
        throw new Error("connection lost");
      };
      await assignedTo(cluster, shard, { from: a, to: b });
      const placed = ended(placeOn(a, account, { price: "90", newClientOrderId: "one" }));
      await cluster.pass(3 * TTL_MS);
      expect(runnersOf([a, b], shard)).toEqual(["b"]);
      const found = await b.engine.find({ accountId: account, clientOrderId: "one" });
      expect([placed.how === "resolved", found !== undefined]).toEqual([what === "kept", what === "kept"]);
      const again = await placeOn(b, account, { price: "90", newClientOrderId: "one" });
      if (found !== undefined) expect(again.orderId).toBe(found.orderId);
      await cluster.pass(2 * TTL_MS);
      await verified([a, b]);
    },
  );

  it("trust lapses and comes back: the shard goes then, or stays, and runs on one node", async () => {
    const { cluster, a, b } = await pairOf();
    const order = await placeOn(a, accountOn(a), { price: "90" });
    a.faults["leases.renew"] = () => Promise.reject(new Error("away"));
    await cluster.pass(8_000);
    await assignTo(cluster, [shardIn(order)], b);
    await cluster.pass(2_000);
    a.faults["leases.renew"] = undefined;
    await cluster.pass(3 * TTL_MS);
    expect(runnersOf([a, b], shardIn(order))).toHaveLength(1);
    await requireSettled(
      cluster,
      [a, b].filter(({ node }) => node.status().state !== "lost"),
    );
  });

  it("the store is away for 30 s in the middle of a move: afterwards the move ends, and nobody was declared dead", async () => {
    const { cluster, a, b } = await pairOf();
    const order = await placeOn(a, accountOn(a), { price: "90" });
    await assignTo(cluster, [shardIn(order)], b);
    while (!a.requested.includes("leases.release")) await cluster.pass(20);
    for (const node of [a, b]) node.cut = true;
    await cluster.pass(30_000);
    for (const node of [a, b]) node.cut = false;
    await cluster.pass(2 * TTL_MS);
    expect(runnersOf([a, b], shardIn(order))).toEqual(["b"]);
    expect([a, b].map(({ node }) => node.status().state)).toEqual(["active", "active"]);
    await requireSettled(cluster, [a, b]);
    expect(await orderOn(b, order)).toEqual(order);
    await verified([a, b]);
  });

  it("a shard that is read again when it is assigned goes when it runs", async () => {
    const { cluster, a, b } = await pairOf();
    const account = accountOn(a);
    const order = await placeOn(a, account, { price: "90" });
    let appends = 0;
    a.faults.append = (honest) => (appends++ === 0 ? Promise.reject(new Error("lost")) : honest());
    a.faults.fence = () => Promise.reject(new Error("away"));
    const placed = ended(placeOn(a, account, { price: "91" }));
    await assignTo(cluster, [shardIn(order)], b);
    await cluster.pass(6_000);
    expect(placed.how).toContain("rejected");
    expect(runnersOf([b], shardIn(order))).toEqual([]);
    a.faults.fence = undefined;
    await cluster.pass(TTL_MS);
    expect(runnersOf([a, b], shardIn(order))).toEqual(["b"]);
    expect(await orderOn(b, order)).toEqual(order);
  });
});

describe("the market journal", () => {
  it("is written on by the node that owns it, although an append was refused as one of an earlier owner", async () => {
    const { cluster, a, b } = await pairOf();
    const writer = a.node.status().keepsMarket ? a : b;
    let refused = 0;
    writer.faults.append = (honest) =>
      refused++ === 0
        ? Promise.reject(new InvariantError("I60", "the market journal belongs to a later owner"))
        : honest();
    await cluster.print({ id: "one", quantity: "3" });
    await cluster.pass(TTL_MS);
    await cluster.print({ id: "two", quantity: "4" });
    await cluster.pass(TTL_MS);
    expect(refused).toBeGreaterThan(1);
    expect(writer.node.status().keepsMarket).toBe(true);
    const prints = await leasesOf(cluster).prints({ limit: 10 });
    expect(prints.map(({ print }) => print.id)).toEqual(["one", "two"]);
    expect((await viewOf(cluster)).shards[MARKET_SHARD]?.incarnation).toBe(writer.node.status().incarnation);
    await move(cluster, MARKET_SHARD, writer === a ? b : a);
  });
});
