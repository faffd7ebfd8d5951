import { describe, expect, it } from "vitest";
import { parseQuantity, type Quantity, ZERO_QUANTITY } from "../../src/decimal/index.ts";
import { statusOf } from "../../src/lifecycle/index.ts";
import { type Cluster, type ClusterNode, createCluster, settle, TTL_MS } from "../support/cluster.ts";
import { sentTo } from "../support/scripted-venue.ts";
import { accountOn, leasesOf, orderOn, pairOf, placeOn } from "../support/sharing.ts";
import { createWorld, START_MS, type World } from "../support/world.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const quantityIn = (text: string): Quantity => parseQuantity(text) ?? ZERO_QUANTITY;

const clockAlerts = ({ alerts }: World): readonly string[] =>
  alerts.filter(({ alert }) => alert === "CLOCK_STEPPED").map(({ detail }) => detail);

/** A node that runs all shards, with an order that expires in an hour. */
async function active(): Promise<
  Readonly<{ cluster: Cluster; a: ClusterNode; ended: () => Promise<boolean> }>
> {
  const cluster = createCluster();
  const a = await cluster.start("a");
  await cluster.pass(TTL_MS);
  const { orderId } = await cluster.place(a, { price: "50", expireTime: cluster.clock.nowMs() + HOUR });
  const ended = async () => (await cluster.active(a).findAny(orderId))?.ended !== undefined;
  return { cluster, a, ended };
}

/** Lets the clock of the store say a time with each renewal. */
function storeSays(
  { cluster, a }: Readonly<{ cluster: Cluster; a: ClusterNode }>,
  aheadMs: number,
  elsewhere: boolean,
): void {
  a.faults["leases.renew"] = async (honest) => ({
    ...((await honest()) as object),
    clockMs: cluster.clock.monotonicMs() + aheadMs,
    elsewhere,
  });
}

describe("the clock of a store is a witness only on another machine", () => {
  it("elsewhere, it ends what a machine slept over with the next renewal", async () => {
    const { cluster, a, ended } = await active();
    storeSays({ cluster, a }, 2 * HOUR, true);
    a.skewMs = 2 * HOUR;
    await cluster.pass(TTL_MS / 2);
    expect(await ended()).toBe(true);
  });

  it("on what may be the same machine it is none: the wall clock must say so for ten seconds", async () => {
    const { cluster, a, ended } = await active();
    storeSays({ cluster, a }, 2 * HOUR, false);
    a.skewMs = 2 * HOUR;
    await cluster.pass(9_900);
    expect(await ended()).toBe(false);
    await cluster.pass(TTL_MS);
    expect(await ended()).toBe(true);
  });

  it("elsewhere, engine time follows the wall clock no further than it says", async () => {
    const { cluster, a, ended } = await active();
    storeSays({ cluster, a }, 1_500, true);
    a.skewMs = DAY;
    await cluster.pass(TTL_MS / 2);
    a.skewMs = 0;
    await cluster.pass(TTL_MS);
    expect(await ended()).toBe(false);
  });
});

describe("a node that is apart from a store elsewhere", () => {
  it("ends nothing for as long as the store says an earlier time, and goes on with it", async () => {
    const { cluster, a, ended } = await active();
    const aheadMs = cluster.clock.nowMs() - cluster.clock.monotonicMs();
    storeSays({ cluster, a }, aheadMs, true);
    a.skewMs = 2 * HOUR;
    await cluster.pass(60_000);
    const { reasons } = cluster.active(a).status();
    expect(reasons.map(({ kind }) => kind)).toContain("CLOCK_APART");
    expect(await ended()).toBe(false);
    storeSays({ cluster, a }, aheadMs + 2 * HOUR, true);
    await cluster.pass(TTL_MS / 2);
    expect(await ended()).toBe(true);
  });

  it("and nothing is ended by a clock that is right again", async () => {
    const { cluster, a, ended } = await active();
    storeSays({ cluster, a }, cluster.clock.nowMs() - cluster.clock.monotonicMs(), true);
    a.skewMs = 2 * HOUR;
    await cluster.pass(60_000);
    a.skewMs = 0;
    await cluster.pass(60_000);
    expect(await ended()).toBe(false);
  });
});

/** A world whose engine was closed for an hour: the wall clock of its opening is that far ahead of the newest record. */
async function openedLate(): Promise<World> {
  const world = await createWorld();
  await world.place({ price: "50" });
  await world.engine.close();
  await world.clock.advanceBy(HOUR);
  await world.crash();
  await world.quote("99", "100");
  return world;
}

describe("an opening whose wall clock is far ahead of the store", () => {
  it("says in the alert and to who places a schedule what is waited for, and for how long", async () => {
    const world = await openedLate();
    const twap = { type: "TWAP", quantity: "10", interval: 1_000, intervalCount: 10 } as const;
    await expect(world.place(twap)).rejects.toMatchObject({
      reason: "DISCONNECTED",
      message: expect.stringContaining("in 10000 ms"),
    });
    await world.pass(1_000);
    expect(clockAlerts(world)).toEqual([
      expect.stringMatching(/^the wall clock is 3600000 ms ahead of the newest record.* for 9000 ms more$/),
    ]);
    await world.pass(9_000);
    await world.quote("99", "100");
    expect(await world.status(await world.place(twap))).toBe("NEW WAITING");
    expect(clockAlerts(world)).toHaveLength(1);
  });

  it("triggers and submits meanwhile, and what it writes carries the time that is confirmed", async () => {
    const world = await openedLate();
    const order = await world.place({ price: "100" });
    await world.quote("99", "100");
    expect(await world.status(order)).toBe("FILLED FILLED");
    expect(world.updates.every(({ record }) => record.timeMs < START_MS + HOUR)).toBe(true);
    expect(world.venue.deadlines).toEqual([START_MS + HOUR + 2_000]);
  });

  it("deletes nothing in the hour after it, although the wall clock stays", async () => {
    const world = await createWorld({ settings: { retentionDays: 1 } });
    const order = await world.place({ price: "50" });
    await world.cancel(order);
    world.clock.stepWall(40 * DAY);
    await world.crash();
    await world.clock.advanceBy(HOUR, () => world.engine.idle());
    expect(await world.status(order)).toBe("CANCELED CANCELED");
  });

  it("verifies all orders after it: a clock that was days ahead does not leave them out as deleted", async () => {
    const world = await createWorld();
    await world.cancel(await world.place({ price: "50" }));
    world.clock.stepWall(40 * DAY);
    await world.crash();
    await world.pass(20);
    world.clock.stepWall(-40 * DAY);
    expect(await world.engine.verify()).toMatchObject({ equal: true, live: expect.stringMatching(/^1:/) });
  });

  it("takes no execution as older than it is: a reduce-only child after it sells nothing twice", async () => {
    const world = await createWorld({ exposure: { lagMs: 5_000, position: () => quantityIn("2") } });
    const sell = { side: "SELL", type: "STOP_MARKET", reduceOnly: true, stopPrice: "100" } as const;
    const meet = async () => {
      for (let n = 0; n < 3; n++) await world.quote("99", "100");
    };
    await world.place({ ...sell, quantity: "1" });
    await meet();
    expect(sentTo(world.venue)).toEqual(["SELL 1"]);
    world.clock.stepWall(DAY);
    await world.crash();
    await world.place({ ...sell, quantity: "2" });
    await meet();
    expect(sentTo(world.venue).slice(1)).not.toContain("SELL 2");
  });

  it("nor one of several that it reads: none pushes an earlier one out", async () => {
    const world = await createWorld({ exposure: { lagMs: 5_000, position: () => quantityIn("4") } });
    const sell = { side: "SELL", type: "STOP_MARKET", reduceOnly: true, stopPrice: "100" } as const;
    const meet = async () => {
      for (let n = 0; n < 3; n++) await world.quote("99", "100");
    };
    for (const quantity of ["1", "2"]) {
      await world.place({ ...sell, quantity });
      await meet();
    }
    world.clock.stepWall(DAY);
    await world.crash();
    await world.place({ ...sell, quantity: "4" });
    await meet();
    expect(sentTo(world.venue)).toEqual(["SELL 1", "SELL 2", "SELL 1"]);
  });

  it("also of a node that joins others: one reading a day ahead ends nothing of the shards that it takes", async () => {
    const { cluster, a, b } = await pairOf();
    const order = await placeOn(a, accountOn(a), { price: "50", expireTime: cluster.clock.nowMs() + HOUR });
    cluster.clock.stepWall(DAY);
    const c = await cluster.join("c");
    await cluster.clock.advanceBy(20, settle);
    cluster.clock.stepWall(-DAY);
    a.process.kill();
    b.process.kill();
    await cluster.pass(4 * TTL_MS);
    expect(c.engine.owns(0)).toBe(true);
    expect(statusOf(await orderOn(c, order)).status).toBe("NEW");
    expect((await placeOn(c, order.accountId, { price: "50" })).acceptedAtMs).toBeLessThan(START_MS + HOUR);
  });

  it("a standby that began in such a moment takes over with the right time at once", async () => {
    const cluster = createCluster();
    const a = await cluster.start("a");
    await cluster.pass(TTL_MS);
    const { orderId } = await cluster.place(a, { price: "50", expireTime: cluster.clock.nowMs() + HOUR });
    cluster.clock.stepWall(DAY);
    const b = await cluster.start("b");
    await cluster.clock.advanceBy(20, settle);
    cluster.clock.stepWall(-DAY);
    await cluster.pass(2 * TTL_MS);
    a.process.kill();
    await cluster.pass(3 * TTL_MS);
    const engine = cluster.active(b);
    expect((await engine.findAny(orderId))?.ended).toBeUndefined();
    expect((await cluster.place(b, { price: "40" })).acceptedAtMs).toBe(cluster.clock.nowMs());
  });
});

describe("takeovers and nodes that are apart", () => {
  it("records of a shard taken over that are ahead raise engine time, which is told", async () => {
    const { cluster, a, b } = await pairOf();
    const account = accountOn(a);
    const order = await placeOn(a, account, { price: "50" });
    a.skewMs = HOUR;
    await cluster.pass(2 * TTL_MS);
    await a.engine.cancel({ accountId: account, orderId: order.orderId });
    const reported: string[] = [];
    b.engine.events.on(
      "alert",
      ({ alert, detail }) => void (alert === "CLOCK_STEPPED" && reported.push(detail)),
    );
    a.process.kill();
    await cluster.pass(3 * TTL_MS);
    const after = await placeOn(b, account, { price: "50" });
    expect(after.acceptedAtMs).toBeGreaterThan(START_MS + HOUR);
    expect(reported.filter((detail) => detail.includes("taken over"))).toHaveLength(1);
  });

  it("a node whose lease has lapsed ends nothing by time until it is renewed", async () => {
    const cluster = createCluster();
    const a = await cluster.start("a");
    await cluster.pass(TTL_MS);
    const { orderId } = await cluster.place(a, {
      price: "50",
      expireTime: cluster.clock.nowMs() + 2 * TTL_MS,
    });
    a.unleased = true;
    const records = async () =>
      (await leasesOf(cluster).heads()).reduce((sum, { sequence }) => sum + sequence, 0);
    const before = await records();
    await cluster.pass(3 * TTL_MS);
    expect(await records()).toBe(before);
    a.unleased = false;
    await cluster.pass(TTL_MS / 2);
    expect((await cluster.active(a).findAny(orderId))?.ended).toBeDefined();
  });
});

describe("deadlines of the venue", () => {
  it("one reading a day ahead sets none of a day: the estimate goes on from what the clock said before", async () => {
    const world = await createWorld();
    world.clock.stepWall(DAY);
    await world.place({ price: "100" });
    await world.quote("99", "100");
    await world.pass(20);
    expect(world.venue.deadlines).toEqual([START_MS + 2_000]);
  });

  it("a child that waited while the machine slept is not handed over", async () => {
    const world = await createWorld({ settings: { quoteMaxAgeMs: 2 * HOUR } });
    Object.assign(world.venue.capabilities, { ratePerSecond: 1 });
    for (const name of ["a", "b", "c"]) await world.place({ price: "100", newClientOrderId: name });
    await world.quote("99", "100");
    const before = world.venue.submitted.length;
    world.clock.stepWall(HOUR);
    await world.pass(3_000, { heartbeat: false });
    expect(world.venue.submitted).toHaveLength(before);
  });
});
