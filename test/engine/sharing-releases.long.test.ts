import { describe, expect, it } from "vitest";
import { shardOf } from "../../src/lifecycle/index.ts";
import { MARKET_SHARD } from "../../src/model/index.ts";
import { type Cluster, type Sharer, TTL_MS } from "../support/cluster.ts";
import {
  accountOn,
  assignTo,
  leasesOf,
  orderOn,
  pairOf,
  placeOn,
  requireSettled,
  runnersOf,
  viewOf,
} from "../support/sharing.ts";

/** The longest time for which a shard may have no engine, whatever node dies or answer is lost. */
const LONGEST_MS = 3 * TTL_MS;

type Call = () => Promise<unknown>;

/** Lets every release of a node fail. Returns those that may still reach the store. */
function loseReleases({ faults }: Sharer): readonly Call[] {
  const late: Call[] = [];
  faults["leases.release"] = (honest) => {
    late.push(honest);
    return Promise.reject(new Error("no answer"));
  };
  return late;
}

/** Gives a shard to another node in the store alone, as a call that arrives late may do. */
async function takeInStore(
  cluster: Cluster,
  shard: number,
  { from, to }: Readonly<{ from: number; to: number }>,
): Promise<void> {
  const leases = leasesOf(cluster);
  await leases.release({ incarnation: from, shards: [shard] });
  await leases.claim({ incarnation: to, shards: [shard] });
}

describe("decision RK: an epoch that a release has named is not claimed again", () => {
  it.each(["of an account", "of the market journal"])(
    "an owner that takes the shard %s back keeps it when the release arrives after that",
    async (which) => {
      const { cluster, a, b } = await pairOf();
      const account = accountOn(a);
      const order = await placeOn(a, account, { price: "90" });
      const shard = which === "of an account" ? shardOf(account) : MARKET_SHARD;
      const late = loseReleases(a);
      await assignTo(cluster, [shard], b);
      while (late.length === 0) await cluster.pass(100);
      await leasesOf(cluster).assign({ shards: [shard] });
      // The next step takes the shard back, and must not do so before a release was answered.
      await cluster.pass(1_000);
      expect(runnersOf([a, b], shard === MARKET_SHARD ? 0 : shard).length).toBeLessThan(2);
      a.faults["leases.release"] = undefined;
      await cluster.pass(TTL_MS);
      for (const arrive of late) await arrive();
      expect((await viewOf(cluster)).shards[shard]?.incarnation).toBe(a.node.status().incarnation);
      await cluster.pass(LONGEST_MS);
      await requireSettled(cluster, [a, b]);
      expect(await orderOn(a, order)).toEqual(order);
      expect(a.engine.status().reasons).toEqual([]);
    },
  );

  it("a node that leaves gives all its shards away, although each release is first lost, and arrives late", async () => {
    const { cluster, a, b } = await pairOf();
    const { clock } = cluster;
    let requested = 0;
    a.faults["leases.release"] = (honest) => {
      if (requested++ % 2 === 1) return honest();
      // The store may be closed by then.
      clock.schedule(clock.monotonicMs() + 2_000, () => void honest().catch(() => undefined));
      return Promise.reject(new Error("no answer"));
    };
    const leaving = a.node.leave();
    await cluster.pass(2 * LONGEST_MS);
    await leaving;
    await requireSettled(cluster, [b]);
    expect(b.node.status()).toMatchObject({ shards: 256, keepsMarket: true });
  });

  it("a store that refuses releases at once is asked no more often than shards on their way are read", async () => {
    const { cluster, a, b } = await pairOf();
    const late = loseReleases(a);
    const shard = shardOf(accountOn(a));
    await assignTo(cluster, [shard], b);
    while (late.length === 0) await cluster.pass(100);
    const before = late.length;
    await cluster.pass(1_000);
    expect(late.length - before).toBeLessThanOrEqual(51);
  });
});

describe("decision KX: a node owns nothing for long that it does not run", () => {
  it("it gives up a shard whose claim it did not hear of, if the shard does not fit any more", async () => {
    const { cluster, a, b } = await pairOf(undefined, { maxOpenParents: 2 });
    const [account, other] = [accountOn(a), accountOn(b)];
    const shard = shardOf(account);
    const order = await placeOn(a, account, { price: "90" });
    await placeOn(b, other, { price: "90" });
    let lost = 0;
    b.faults["leases.claim"] = async (honest) => {
      const heads = await honest();
      if (lost++ > 0) return heads;
      await placeOn(b, other, { price: "90" });
      throw new Error("the answer was lost");
    };
    await assignTo(cluster, [shard], b);
    await cluster.pass(2 * LONGEST_MS);
    expect(lost).toBeGreaterThan(0);
    expect(runnersOf([a, b], shard)).toEqual(["a"]);
    expect(await orderOn(a, order)).toEqual(order);
    await requireSettled(cluster, [a, b]);
  });

  it("it gives up a shard that its engine was fenced from, and that a late claim gives it back", async () => {
    const { cluster, a, b } = await pairOf();
    const account = accountOn(a);
    const shard = shardOf(account);
    const order = await placeOn(a, account, { price: "90" });
    const [from, to] = [a.node.status().incarnation, b.node.status().incarnation];
    await takeInStore(cluster, shard, { from, to });
    await cluster.pass(TTL_MS);
    expect(runnersOf([a, b], shard)).toEqual(["b"]);
    b.faults["leases.release"] = async (honest) => {
      await honest();
      await leasesOf(cluster).claim({ incarnation: from, shards: [shard] });
    };
    await leasesOf(cluster).assign({ shards: [shard], to: from });
    await cluster.pass(LONGEST_MS);
    b.faults["leases.release"] = undefined;
    await cluster.pass(LONGEST_MS);
    expect(runnersOf([a, b], shard)).toEqual(["b"]);
    expect(await orderOn(b, order)).toEqual(order);
  });

  it("it stops writing the market journal when the store says that another node has it, also without quotes", async () => {
    const { cluster, a, b } = await pairOf();
    const [from, to] = [a.node.status().incarnation, b.node.status().incarnation];
    await takeInStore(cluster, MARKET_SHARD, { from, to });
    await cluster.pass(TTL_MS);
    expect([a, b].map(({ node }) => node.status().keepsMarket)).toEqual([false, true]);
    const leaving = a.node.leave();
    await cluster.pass(LONGEST_MS);
    await leaving;
    await requireSettled(cluster, [b]);
  });
});
