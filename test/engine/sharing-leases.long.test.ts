import { describe, expect, it } from "vitest";
import { shardOf } from "../../src/lifecycle/index.ts";
import { MARKET_SHARD } from "../../src/model/index.ts";
import { createCluster, settle, TTL_MS } from "../support/cluster.ts";
import {
  accountOn,
  assignTo,
  leasesOf,
  move,
  orderOn,
  pairOf,
  placeOn,
  requireSettled,
  runnersOf,
  sharers,
  verified,
  viewOf,
} from "../support/sharing.ts";
import { listOf, SYMBOL } from "../support/world.ts";

/** The longest time for which a shard may have no engine, whatever node dies or answer is lost. */
const LONGEST_MS = 3 * TTL_MS;

/** After so long without a shard that leaves, a hand-over is given up. */
const STUCK_MS = 2 * TTL_MS + 12 * 5_000;

const never = (): Promise<never> => new Promise(() => undefined);

describe("an answer of the store that is lost", () => {
  it.each(["leases.claim", "leases.release", "leases.assign"])(
    "%s, although the call was made: the shard has one engine soon after, and loses nothing",
    async (call) => {
      const { cluster, a, b } = await pairOf();
      const account = accountOn(a);
      const shard = shardOf(account);
      const order = await placeOn(a, account, { price: "90" });
      const { incarnation } = b.node.status();
      let lost = 0;
      const once = async (honest: () => Promise<unknown>): Promise<unknown> => {
        const answer = await honest();
        if (lost++ === 0) throw new Error("the answer was lost");
        return answer;
      };
      const node = call === "leases.claim" ? b : a;
      node.faults[call] = once;
      if (call === "leases.assign") {
        const leaving = a.node.leave();
        await cluster.pass(LONGEST_MS);
        await leaving;
      } else {
        await leasesOf(cluster).assign({ shards: [shard], to: incarnation });
        for (let ms = 0; ms < LONGEST_MS; ms += 100) {
          await cluster.pass(100);
          expect(runnersOf([a, b], shard).length).toBeLessThan(2);
        }
      }
      expect(lost).toBeGreaterThan(0);
      expect(runnersOf([a, b], shard)).toEqual(["b"]);
      expect(await orderOn(b, order)).toEqual(order);
      if (call !== "leases.assign") await requireSettled(cluster, [a, b]);
    },
  );

  it.each(["leases.claim", "leases.release"])(
    "%s, which never reaches the store: the shard has one engine soon after",
    async (call) => {
      const { cluster, a, b } = await pairOf();
      const shard = shardOf(accountOn(a));
      let requested = 0;
      const node = call === "leases.claim" ? b : a;
      node.faults[call] = (honest) => (requested++ === 0 ? never() : honest());
      await move(cluster, shard, b, LONGEST_MS);
      await requireSettled(cluster, [a, b]);
    },
  );

  it("a release that reaches the store only after the shard has come back takes nothing away", async () => {
    const { cluster, a, b } = await pairOf();
    const account = accountOn(a);
    const shard = shardOf(account);
    let late: (() => Promise<unknown>) | undefined;
    a.faults["leases.release"] = (honest) => {
      if (late !== undefined) return honest();
      late = honest;
      return Promise.reject(new Error("no answer"));
    };
    await move(cluster, shard, b);
    await move(cluster, shard, a);
    const order = await placeOn(a, account, { price: "90" });
    await late?.();
    await cluster.pass(LONGEST_MS);
    await requireSettled(cluster, [a, b]);
    expect(runnersOf([a, b], shard)).toHaveLength(1);
    const owner = a.engine.owns(shard) ? a : b;
    expect(await orderOn(owner, order)).toEqual(order);
    expect(a.engine.status().reasons).toEqual([]);
    await move(cluster, shard, b);
    await move(cluster, shard, a);
    expect(await orderOn(a, order)).toEqual(order);
  });

  it("a claim that reaches the store only after the shard was given away leaves it with one engine", async () => {
    const { cluster, a, b } = await pairOf();
    const shard = shardOf(accountOn(a));
    let late: (() => Promise<unknown>) | undefined;
    b.faults["leases.claim"] = (honest) => {
      if (late !== undefined) return honest();
      late = honest;
      return Promise.reject(new Error("no answer"));
    };
    await move(cluster, shard, b, LONGEST_MS);
    await move(cluster, shard, a);
    await late?.();
    await cluster.pass(LONGEST_MS);
    await requireSettled(cluster, [a, b]);
    // While it belongs to nobody, the late claim gives it back to b.
    a.faults["leases.release"] = async (honest) => {
      await honest();
      await late?.();
    };
    await assignTo(cluster, [shard], b);
    await cluster.pass(LONGEST_MS);
    await requireSettled(cluster, [a, b]);
    expect(runnersOf([a, b], shard)).toEqual(["b"]);
  });
});

describe("a node that leaves while the store keeps no assignment", () => {
  it("gives the hand-over up after a while, says why, and goes on with all its shards", async () => {
    const { cluster, a, b } = await pairOf();
    const account = accountOn(a);
    const { shards } = a.node.status();
    a.faults["leases.assign"] = () => Promise.reject(new Error("the store refuses"));
    const leaving = a.node.leave().catch((error: unknown) => error);
    await cluster.pass(STUCK_MS - TTL_MS);
    expect(a.node.status().state).toBe("handing-over");
    await cluster.pass(2 * TTL_MS);
    expect(await leaving).toMatchObject({
      problem: "NO_STANDBY",
      message: `no shard has left this node for ${STUCK_MS} ms`,
    });
    expect(a.node.status()).toMatchObject({ shards });
    expect(await placeOn(a, account, { price: "90" })).toBeDefined();
    a.faults["leases.assign"] = undefined;
    await cluster.pass(LONGEST_MS);
    await requireSettled(cluster, [a, b]);
  });
});

describe("a node that dies in the middle of a move", () => {
  it.each([
    ["the owner after it has assigned", "a", "assigned"],
    ["the owner while the shard leaves", "a", "leases.release"],
    ["the owner after its release", "a", "released"],
    ["the next owner before it claims", "b", "released"],
    ["the next owner after its claim", "b", "claimed"],
    ["the next owner while it reads the last records", "b", "leases.tail"],
    ["the next owner while it reads the marks", "b", "readMarks"],
  ])("%s: the shard runs somewhere within some ttl, with its orders", async (_what, dying, when) => {
    const cluster = createCluster();
    const nodes = await sharers(cluster, ["a", "b", "c"]);
    const [a, b, c] = nodes;
    if (a === undefined || b === undefined || c === undefined) throw new Error("a node did not start");
    const account = accountOn(a);
    const shard = shardOf(account);
    const order = await placeOn(a, account, { price: "90" });
    const node = dying === "a" ? a : b;
    let isClaimed = false;
    b.faults["leases.claim"] = async (honest) => {
      const heads = await honest();
      isClaimed = true;
      if (when === "claimed") b.process.kill();
      return heads;
    };
    if (when === "released") {
      a.faults["leases.release"] = async (honest) => {
        await honest();
        node.process.kill();
      };
    } else if (when !== "claimed" && when !== "assigned")
      node.faults[when] = (honest) => {
        if (node === a || isClaimed) node.process.kill();
        return honest();
      };
    await assignTo(cluster, [shard], b);
    if (when === "assigned") a.process.kill();
    let withoutMs = 0;
    for (let ms = 0; ms < 2 * LONGEST_MS; ms += 100) {
      await cluster.pass(100);
      const runners = runnersOf(nodes, shard);
      expect(runners.length).toBeLessThan(2);
      if (runners.length === 0) withoutMs += 100;
    }
    expect(node.process.dead).toBe(true);
    expect(withoutMs).toBeLessThan(LONGEST_MS);
    const left = nodes.filter(({ process }) => !process.dead);
    const [owner] = left.filter(({ engine }) => engine.owns(shard));
    if (owner === undefined) throw new Error("the shard runs nowhere");
    expect(await orderOn(owner, order)).toEqual(order);
    await requireSettled(cluster, left);
    await verified(left);
  });
});

describe("a node that is declared dead while it lives", () => {
  it("decides and answers nothing more, says so, and names the new owners", async () => {
    const { cluster, a, b } = await pairOf();
    const account = accountOn(a);
    const shard = shardOf(account);
    const order = await placeOn(a, account, { price: "90" });
    a.unleased = true;
    await cluster.pass(2 * TTL_MS);
    expect(runnersOf([b], shard)).toEqual(["b"]);
    await expect(placeOn(a, account, { price: "90" })).rejects.toMatchObject({ code: -1001 });
    await expect(a.engine.find({ accountId: account, orderId: order.orderId })).rejects.toMatchObject({
      code: -1001,
    });
    a.unleased = false;
    await cluster.pass(TTL_MS);
    expect(a.node.status()).toMatchObject({ state: "lost", shards: 0, keepsMarket: false });
    expect(a.engine.owns(shard)).toBe(false);
    await a.node.readOwners();
    expect(a.node.ownerOf(shard)).toMatchObject({ incarnation: b.node.status().incarnation, isSelf: false });
    expect(a.engine.status().reasons.map(({ kind }) => kind)).toContain("LEASE_LOST");
    await expect(a.node.verify()).rejects.toMatchObject({ reason: "SHARD_FENCED" });
    expect(await orderOn(b, order)).toEqual(order);
    await a.node.close();
    expect(a.node.status()).toMatchObject({ state: "closed", shards: 0 });
    await requireSettled(cluster, [b]);
  });

  it("I03: does not call a list another one whose copy the new owner has accepted, and one of whose legs has ended", async () => {
    const { cluster, a, b } = await pairOf();
    const account = accountOn(a);
    const list = listOf("oco", {
      ...{ symbol: SYMBOL, side: "SELL", quantity: "1", listClientOrderId: "twice" },
      ...{ aboveType: "TAKE_PROFIT_MARKET", aboveStopPrice: "110", aboveClientOrderId: "above" },
      ...{ belowType: "STOP_MARKET", belowStopPrice: "95", belowClientOrderId: "below" },
    });
    // Its client ids have been used at this node, which therefore looks them up.
    a.faults["append"] = () => Promise.reject(new Error("away"));
    await expect(a.engine.placeList({ accountId: account, list })).rejects.toThrow();
    a.faults["append"] = undefined;
    await cluster.pass(1_000);
    let go = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      go = resolve;
    });
    a.faults["findEnded"] = (honest) => gate.then(honest);
    a.unleased = true;
    // The copy is asked for while the node is still trusted.
    await cluster.pass(7_000);
    const copy = a.engine.placeList({ accountId: account, list }).then(
      () => "placed",
      (error: unknown) => (error as { code: number }).code,
    );
    for (let ms = 0; ms < 4_500 && !b.engine.owns(shardOf(account)); ms += 100) await cluster.pass(100);
    await b.engine.placeList({ accountId: account, list });
    await cluster.quote("94", "96");
    await cluster.quote("94", "96");
    go();
    expect(await copy).toBe(-1001);
  });

  it("that slept through the takeover sends nothing when it wakes", async () => {
    const { cluster, a, b } = await pairOf();
    const account = accountOn(a);
    const order = await placeOn(a, account, { side: "SELL", type: "STOP_MARKET", stopPrice: "95" });
    a.process.pause();
    await cluster.pass(2 * TTL_MS);
    await cluster.quote("94", "96");
    await cluster.pass(TTL_MS);
    expect(cluster.venue.submitted).toHaveLength(1);
    a.process.resume();
    await settle();
    await cluster.pass(TTL_MS);
    expect(cluster.venue.submitted).toHaveLength(1);
    expect(a.node.status()).toMatchObject({ state: "lost", shards: 0 });
    expect((await orderOn(b, order)).ended).toBeDefined();
    expect((await viewOf(cluster)).shards[MARKET_SHARD]?.incarnation).toBe(b.node.status().incarnation);
  });

  it("in the middle of taking shards runs none of them", async () => {
    const { cluster, a, b } = await pairOf();
    const shard = shardOf(accountOn(a));
    let resume = (): void => undefined;
    b.faults.readMarks = async (honest) => {
      await new Promise<void>((resolve) => {
        resume = resolve;
      });
      return await honest();
    };
    await assignTo(cluster, [shard], b);
    await cluster.pass(6_000);
    expect(runnersOf([a, b], shard)).toEqual([]);
    b.unleased = true;
    resume();
    b.faults.readMarks = undefined;
    await cluster.pass(2 * TTL_MS);
    b.unleased = false;
    await cluster.pass(TTL_MS);
    expect(b.node.status()).toMatchObject({ state: "lost", shards: 0 });
    expect(runnersOf([a, b], shard)).toEqual(["a"]);
    await requireSettled(cluster, [a]);
  });
});
