import { describe, expect, it } from "vitest";
import { createMemoryStore } from "../../src/adapters/memory/index.ts";
import type { AppendBatch } from "../../src/ports/index.ts";
import { OCO } from "../support/list-samples.ts";
import { filled, fillOf, reported, sentTo } from "../support/scripted-venue.ts";
import { createWorld } from "../support/world.ts";

describe("cancel", () => {
  it("ends a waiting order at once, and later quotes send nothing for it", async () => {
    const world = await createWorld();
    const order = await world.place({ price: "100" });
    const canceled = await world.cancel(order);
    expect(canceled.ended).toMatchObject({ status: "CANCELED", reason: "USER_CANCELED" });
    await world.quote("99", "100");
    expect(sentTo(world.venue)).toEqual([]);
  });

  it("is -2011 for an order that has ended, is unknown, or belongs to another account", async () => {
    const world = await createWorld();
    const order = await world.place({ price: "100" });
    await world.cancel(order);
    const theirs = await world.place({ price: "100" }, 2);
    await expect(world.cancel(order)).rejects.toMatchObject({ code: -2011 });
    for (const orderId of [theirs.orderId, -1, 0, 77, Number.NaN]) {
      await expect(world.engine.cancel({ accountId: 1, orderId })).rejects.toMatchObject({ code: -2011 });
    }
    await expect(world.engine.cancel({ accountId: 1, clientOrderId: "none" })).rejects.toMatchObject({
      code: -2011,
    });
    expect(await world.status(theirs)).toBe("NEW WAITING");
  });

  it("waits for a child in flight; FILLED if all was executed", async () => {
    const world = await createWorld();
    const order = await world.place({ price: "100" });
    let answer = (): void => undefined;
    world.venue.onSubmit = (child) => new Promise((resolve) => (answer = () => resolve(filled(child))));
    await world.quote("99", "100");
    const pending = await world.cancel(order);
    expect(pending.ended).toBeUndefined();
    expect(await world.status(order)).toBe("NEW WORKING cancelPending");
    answer();
    await world.engine.idle();
    await world.engine.idle();
    expect(await world.status(order)).toBe("FILLED FILLED");
  });

  it("of an order whose child is then refused for good still ends it CANCELED, not REJECTED", async () => {
    const world = await createWorld();
    const order = await world.place({ price: "100" });
    world.venue.onSubmit = ({ childId }) => reported(childId, "open");
    await world.quote("99", "100");
    await world.cancel(order);
    world.venue.say({ ...reported(world.venue.submitted[0]?.childId ?? "", "rejected"), final: true });
    await world.engine.idle();
    expect(await world.status(order)).toBe("CANCELED CANCELED");
  });

  it("I23: a cancel between the durable intent and the hand-over keeps the child from the venue", async () => {
    const world = await createWorld();
    const order = await world.place({ price: "100" });
    world.engine.market.quote({ symbol: "BTC/USD", bid: "99", ask: "100" });
    const canceled = await world.cancel(order);
    await world.engine.idle();
    expect(sentTo(world.venue)).toEqual([]);
    expect(canceled.pendingEnd?.status).toBe("CANCELED");
    expect(await world.status(order)).toBe("CANCELED CANCELED");
    expect(world.engine.metrics()).toMatchObject({ inFlight: 0, venueQueue: 0, openParents: 0 });
  });
});

describe("expiry with a child in flight", () => {
  it("I55: at the moment of expiry nothing triggers or is sent, even if the quote comes before the timer", async () => {
    const world = await createWorld();
    const expireTime = world.clock.nowMs() + 1_000;
    world.clock.schedule(expireTime, () => {
      world.engine.market.quote({ symbol: "BTC/USD", bid: "99", ask: "100" });
    });
    const limit = await world.place({ price: "100", expireTime });
    const stop = await world.place({ type: "STOP_MARKET", stopPrice: "100", expireTime });
    await world.pass(1_000);
    expect(world.engine.metrics().quotesCounted).toBe(1);
    expect(sentTo(world.venue)).toEqual([]);
    for (const order of [limit, stop]) expect(await world.status(order)).toBe("EXPIRED EXPIRED");
    expect((await world.order(stop)).trigger).toBeUndefined();
  });

  it("I55: an expiry that passed while no engine ran ends the order before any quote", async () => {
    const world = await createWorld();
    const order = await world.place({ price: "100", expireTime: world.clock.nowMs() + 1_000 });
    await world.engine.close();
    await world.clock.advanceBy(5_000);
    await world.crash();
    await world.quote("99", "100");
    expect(sentTo(world.venue)).toEqual([]);
    // The wall clock alone must say so for ten seconds.
    await world.pass(10_000);
    expect(await world.status(order)).toBe("EXPIRED EXPIRED");
    expect(sentTo(world.venue)).toEqual([]);
  });

  it("I55: a clock that steps back does not revive an expired order", async () => {
    let backMs = 0;
    const world = await createWorld({
      clock: (clock) => ({ ...clock, nowMs: () => clock.nowMs() - backMs }),
    });
    const order = await world.place({ price: "100", expireTime: world.clock.nowMs() + 1_000 });
    await world.quote("100", "101");
    world.clock.schedule(world.clock.nowMs() + 1_000, () => {
      world.engine.market.heartbeat("BTC/USD");
      backMs = 900;
    });
    await world.clock.advanceBy(1_001);
    await world.quote("99", "100", { timeMs: world.clock.nowMs() });
    expect(sentTo(world.venue)).toEqual([]);
    expect((await world.order(order)).child).toBeUndefined();
  });
});

describe("cancel-all", () => {
  it("counts ended orders and those that wait for a child; other accounts keep their orders", async () => {
    const world = await createWorld();
    await world.place({ price: "90" });
    await world.place({ price: "80" });
    await world.place({ price: "100" });
    const theirs = await world.place({ price: "90" }, 2);
    world.venue.onSubmit = ({ childId }) => reported(childId, "open");
    await world.quote("99", "100");
    expect(await world.engine.cancelAll(1)).toEqual({
      matchedCount: 3,
      canceledCount: 2,
      cancelPendingCount: 1,
    });
    expect(await world.engine.cancelAll(1)).toEqual({
      matchedCount: 1,
      canceledCount: 0,
      cancelPendingCount: 1,
    });
    expect(await world.engine.cancelAll(99)).toEqual({
      matchedCount: 0,
      canceledCount: 0,
      cancelPendingCount: 0,
    });
    expect(await world.status(theirs)).toBe("NEW WAITING");
  });

  it("contract: a child in flight may still fill after it; the parent shows the fill", async () => {
    const world = await createWorld();
    const [whole, part] = [await world.place({ price: "100" }), await world.place({ price: "100" })];
    world.venue.onSubmit = ({ childId }) => reported(childId, "open");
    await world.quote("99", "100");
    expect(await world.engine.cancelAll(1)).toMatchObject({ canceledCount: 0, cancelPendingCount: 2 });
    const [first, second] = world.venue.submitted.map(({ childId }) => childId);
    world.venue.say(reported(first ?? "", "closed", [fillOf({ quantity: "1", id: "a" })]));
    world.venue.say(reported(second ?? "", "closed", [fillOf({ quantity: "0.25", id: "b" })]));
    await world.engine.idle();
    expect([await world.status(whole), await world.executed(whole)]).toEqual(["FILLED FILLED", "1"]);
    expect([await world.status(part), await world.executed(part)]).toEqual(["CANCELED CANCELED", "0.25"]);
    expect((await world.engine.cancelAll(1)).matchedCount).toBe(0);
  });

  it("succeeds when an order ends by itself at the same moment", async () => {
    const world = await createWorld();
    const orders = [await world.place({ price: "90" }), await world.place({ price: "80" })];
    const [, result] = await Promise.all([world.cancel(orders[0] ?? fail()), world.engine.cancelAll(1)]);
    expect(result).toEqual({ matchedCount: 2, canceledCount: 2, cancelPendingCount: 0 });
  });
});

const fail = (): never => {
  throw new Error("no order");
};

describe("a call that cancels in several steps, of which a later one fails", () => {
  it("cancelAll: says that the outcome is not known, not that nothing was stored", async () => {
    const orders = 600;
    let appends = 0;
    const world = await createWorld({
      store: (disk) => {
        const store = createMemoryStore({ disk });
        const isCancel = (batch: AppendBatch): boolean =>
          batch.shards.some(({ records }) => records.some(({ cause }) => cause.kind === "CANCEL"));
        const append = (batch: AppendBatch): ReturnType<typeof store.append> => {
          if (isCancel(batch) && ++appends > 1) return Promise.reject(new Error("the store is away"));
          return store.append(batch);
        };
        return { ...store, append };
      },
    });
    for (let n = 0; n < orders; n++) await world.place({ price: "100" });
    await expect(world.engine.cancelAll(1)).rejects.toMatchObject({ code: -1006 });
    expect(appends).toBeGreaterThan(1);
    const page = { accountId: 1, includeHistory: false, newestFirst: false, limit: 1, afterOrderId: 0 };
    expect((await world.engine.page(page)).total).toBeLessThan(orders);
  });

  it("cancelList: says so too if the canceled list cannot be read", async () => {
    let isAway = false;
    const world = await createWorld({
      store: (disk) => {
        const store = createMemoryStore({ disk });
        const away = (): Promise<never> => Promise.reject(new Error("the store is away"));
        return { ...store, findEndedList: (key) => (isAway ? away() : store.findEndedList(key)) };
      },
    });
    const { listId, legs } = await world.placeList("oco", OCO);
    isAway = true;
    await expect(world.engine.cancelList({ accountId: 1, listId })).rejects.toMatchObject({ code: -1006 });
    isAway = false;
    for (const leg of legs) expect(await world.status(leg)).toBe("CANCELED CANCELED");
  });
});
