import { describe, expect, it } from "vitest";
import { clearWork, liveOrderOf } from "../../src/engine/core/live-order.ts";
import type { MarketHub } from "../../src/engine/market/market-hub.ts";
import { shardOf } from "../../src/lifecycle/index.ts";
import { MARKET_SHARD, type ParentOrder } from "../../src/model/index.ts";
import { createCluster, type Sharer, settle, TTL_MS } from "../support/cluster.ts";
import { createGate, type Gate } from "../support/gate.ts";
import { createScriptedVenue, filled } from "../support/scripted-venue.ts";
import {
  accountOn,
  assignTo,
  move,
  orderOn,
  pairOf,
  placeOn,
  runnersOf,
  shardIn,
  sharers,
  verified,
} from "../support/sharing.ts";
import { SYMBOL } from "../support/world.ts";

const STOP = { side: "SELL", type: "STOP_MARKET", stopPrice: "95" } as const;

/** Whether a node watches the market for an order. */
const isArmed = ({ engine }: Sharer, { orderId }: ParentOrder): boolean =>
  (engine.market as MarketHub).book(SYMBOL)?.has(orderId) ?? false;

/** Holds the answers to calls of the store until the gate is opened. */
function heldAnswers(node: Sharer, name: string): Gate {
  const answers = createGate();
  answers.shut();
  node.faults[name] = async (honest) => {
    const answer = await honest();
    await answers.pass();
    return answer;
  };
  return answers;
}

describe("shards of a node with open orders leave one after the other", () => {
  it("the next one still decides while the one before it waits for the store", async () => {
    const { cluster, a, b } = await pairOf();
    const first = accountOn(a);
    const accounts = [first, accountOn(a, first + 1)].sort((one, other) => shardOf(one) - shardOf(other));
    const [leaving, waiting] = accounts as [number, number];
    for (const account of accounts) await placeOn(a, account, STOP);
    const answers = heldAnswers(a, "leases.release");
    await assignTo(cluster, accounts.map(shardOf), b);
    while (!a.requested.includes("leases.release")) await cluster.pass(20);
    await expect(placeOn(a, leaving, STOP)).rejects.toMatchObject({ reason: "SHARD_ELSEWHERE" });
    const order = await placeOn(a, waiting, STOP);
    answers.open();
    await cluster.pass(2_000);
    for (const accountId of accounts) expect(runnersOf([a, b], shardOf(accountId))).toEqual(["b"]);
    expect(await orderOn(b, order)).toEqual(order);
    await verified([a, b]);
  });

  it("those without open orders are released together, before the others", async () => {
    const { cluster, a, b } = await pairOf();
    const order = await placeOn(a, accountOn(a), STOP);
    const empty = Array.from({ length: MARKET_SHARD }, (_, shard) => shard)
      .filter((shard) => a.engine.owns(shard) && shard !== shardIn(order))
      .slice(0, 3);
    const running: number[] = [];
    a.faults["leases.release"] = (honest) => {
      running.push(runnersOf([a], shardIn(order)).length);
      return honest();
    };
    await assignTo(cluster, [...empty, shardIn(order)], b);
    await cluster.pass(TTL_MS);
    for (const shard of [...empty, shardIn(order)]) expect(runnersOf([a, b], shard)).toEqual(["b"]);
    expect(running).toEqual([1, 0]);
    await verified([a, b]);
  });

  it("a shard is released before its orders leave the books of the node", async () => {
    const { cluster, a, b } = await pairOf();
    const order = await placeOn(a, accountOn(a), STOP);
    const armed: boolean[] = [];
    a.faults["leases.release"] = (honest) => {
      armed.push(isArmed(a, order));
      return honest();
    };
    await assignTo(cluster, [shardIn(order)], b);
    await cluster.pass(TTL_MS);
    expect([armed, isArmed(a, order), isArmed(b, order)]).toEqual([[true], false, true]);
  });

  it("a shard comes back only when all its orders have left the books, and is then watched again", async () => {
    const venue = createScriptedVenue();
    const cluster = createCluster(venue);
    const { a, b } = await pairOf(cluster, { hostTimeoutMs: 10 * TTL_MS });
    venue.onSubmit = (child) => filled(child);
    const order = await placeOn(a, accountOn(a), STOP);
    const answers = heldAnswers(a, "leases.release");
    await assignTo(cluster, [shardIn(order)], b);
    while (!a.requested.includes("leases.release")) await cluster.pass(20);
    b.process.kill();
    await cluster.pass(2 * TTL_MS);
    expect(runnersOf([a], shardIn(order))).toEqual([]);
    answers.open();
    await cluster.pass(TTL_MS);
    expect(runnersOf([a], shardIn(order))).toEqual(["a"]);
    expect(isArmed(a, order)).toBe(true);
    await cluster.quote("94", "96");
    await cluster.pass(1_000);
    expect((await orderOn(a, order)).ended).toMatchObject({ status: "FILLED" });
  });

  it("until its orders are let go, its follower has its state, and takes no record of the next owner", async () => {
    const { cluster, a, b } = await pairOf(createCluster(), { hostTimeoutMs: 10 * TTL_MS });
    const order = await placeOn(a, accountOn(a), STOP);
    const answers = heldAnswers(a, "leases.release");
    await assignTo(cluster, [shardIn(order)], b);
    while (runnersOf([b], shardIn(order)).length === 0) await cluster.pass(20);
    const { accountId, orderId } = order;
    await verified([a, b]);
    const before = a.requested.length;
    await b.engine.cancel({ accountId, orderId });
    await cluster.pass(TTL_MS);
    expect(isArmed(a, order)).toBe(true);
    answers.open();
    await cluster.pass(TTL_MS);
    expect(isArmed(a, order)).toBe(false);
    expect(a.requested.slice(before), "its memory is not read from the store").not.toContain("readSnapshot");
    await verified([a, b]);
  });

  it("an order that was let go is as one that was followed", () => {
    const order = { orderId: -1 } as ParentOrder;
    const live = liveOrderOf(order, order);
    Object.assign(live, { wait: "PRICE", measuring: {}, followedTo: 7, isFollowing: true });
    clearWork(live);
    expect(live).toEqual(liveOrderOf(order, order));
  });

  it("a POV that comes back follows the next print, also if it heard one while its shard was leaving", async () => {
    const venue = createScriptedVenue();
    venue.onSubmit = (child) => filled(child);
    const cluster = createCluster(venue);
    const { a, b } = await pairOf(cluster, { hostTimeoutMs: 60_000 });
    const accountId = accountOn(a);
    await cluster.quote("99", "100");
    const order = await placeOn(a, accountId, { type: "POV", quantity: "10", participationBips: 1_000 });
    const shard = shardIn(order);
    const answers = heldAnswers(a, "append");
    const other = placeOn(a, accountId, { price: "50" });
    await assignTo(cluster, [shard], b);
    while (a.engine.owns(shard)) await cluster.pass(20);
    await expect(placeOn(a, accountId, { price: "51" })).rejects.toMatchObject({ reason: "SHARD_ELSEWHERE" });
    await cluster.print({ id: "while leaving", quantity: "1" }, [a]);
    answers.open();
    await other;
    while (runnersOf([b], shard).length === 0) await cluster.pass(100);
    const before = venue.submitted.length;
    await move(cluster, shard, a);
    await cluster.quote("99", "100");
    await cluster.print({ id: "after it came back", quantity: "50" });
    await cluster.pass(1_000);
    expect(venue.submitted.length - before).toBe(1);
  });

  it("its next owner claims a free shard before it reads the records of other shards", async () => {
    const { cluster, a, b } = await pairOf();
    const order = await placeOn(a, accountOn(a), STOP);
    const before = b.requested.length;
    await assignTo(cluster, [shardIn(order)], b);
    await cluster.pass(TTL_MS);
    const requested = b.requested.slice(before);
    const claimed = requested.indexOf("leases.claim");
    expect(claimed).toBeGreaterThan(0);
    expect(requested.slice(requested.lastIndexOf("leases.nodes", claimed), claimed)).not.toContain(
      "leases.tail",
    );
  });
});

describe("a node that forwards reads the owners again", () => {
  it("after 20 ms while a shard is on its way, and otherwise after 100 ms", async () => {
    const cluster = createCluster();
    const [a, b, c] = (await sharers(cluster, ["a", "b", "c"])) as [Sharer, Sharer, Sharer];
    const order = await placeOn(a, accountOn(a), STOP);
    const readsAfter = async (ms: number): Promise<number> => {
      await c.node.readOwners();
      await cluster.clock.advanceBy(ms, settle);
      const before = c.requested.filter((name) => name === "leases.nodes").length;
      await c.node.readOwners();
      return c.requested.filter((name) => name === "leases.nodes").length - before;
    };
    expect([await readsAfter(21), await readsAfter(101)]).toEqual([0, 1]);
    const answers = heldAnswers(a, "leases.release");
    await assignTo(cluster, [shardIn(order)], b);
    b.faults["leases.claim"] = () => Promise.reject(new Error("away"));
    await cluster.clock.advanceBy(101, settle);
    expect(await readsAfter(21)).toBe(1);
    answers.open();
  });
});
