import { describe, expect, it } from "vitest";
import { ERRORS, type OrderError } from "../../src/errors/index.ts";
import { statusOf } from "../../src/lifecycle/index.ts";
import type { ParentOrder } from "../../src/model/index.ts";
import { createFaultyWorld, turns } from "../support/faulty-world.ts";
import { createScriptedVenue, filled, fillOf, reported, sentTo } from "../support/scripted-venue.ts";
import type { World } from "../support/world.ts";

const PAGE = { accountId: 1, includeHistory: true, newestFirst: false, limit: 10, afterOrderId: 0 };
const CROSSING = { symbol: "BTC/USD", bid: "99", ask: "100" };

/** Sequences of the reported events of account 1's shard. */
const received = (world: World): readonly number[] => world.updates.map(({ sequence }) => sequence);
const counted = (length: number): readonly number[] => Array.from({ length }, (_, index) => index + 1);

describe("an append that failed and wrote nothing", () => {
  it("I02: a placement gets 503 -1001, leaves no trace, and can be sent again", async () => {
    const { world, store } = await createFaultyWorld();
    store().inject("fail", 1);
    const fields = { price: "100", newClientOrderId: "once" };
    const refused: OrderError = await world.place(fields).catch((error) => error);
    expect([refused.code, refused.status, refused.retry]).toEqual([-1001, 503, ERRORS.DISCONNECTED.retry]);
    expect(await world.engine.find({ accountId: 1, clientOrderId: "once" })).toBeUndefined();
    expect((await world.engine.page(PAGE)).total).toBe(0);
    await world.quote("99", "100");
    expect(sentTo(world.venue)).toEqual([]);
    const order = await world.place(fields);
    await world.quote("99", "100");
    expect(await world.status(order)).toBe("FILLED FILLED");
    expect((await world.engine.verify()).equal).toBe(true);
  });

  it("I20: a child whose intent was not written is not sent; a later quote sends one, under the same number", async () => {
    const { world, store } = await createFaultyWorld();
    const order = await world.place({ price: "100" });
    store().inject("fail", 1);
    await world.quote("99", "100");
    expect(sentTo(world.venue)).toEqual([]);
    expect(await world.status(order)).toBe("NEW WAITING");
    await world.quote("99", "100");
    expect(sentTo(world.venue)).toEqual(["BUY 1 @ 100"]);
    expect(await world.status(order)).toBe("FILLED FILLED");
  });

  it("complaint 17: a fill whose record was not written is counted all the same, and once", async () => {
    const { world, store } = await createFaultyWorld();
    const order = await world.place({ price: "100" });
    world.venue.onSubmit = (child) => {
      store().inject("fail", 1);
      return filled(child);
    };
    world.venue.onLookup = (child) => filled(child);
    await world.quote("99", "100");
    await world.pass(5_000);
    expect(await world.status(order)).toBe("FILLED FILLED");
    expect(await world.executed(order)).toBe("1");
    expect(sentTo(world.venue)).toHaveLength(1);
  });

  it.each(["answers", "says by itself"])(
    "I22: a fill that the venue %s is not forgotten with its record, if a look-up does not find the child",
    async (how) => {
      const { world, store } = await createFaultyWorld();
      const order = await world.place({ price: "100" });
      world.venue.onSubmit = (child) => {
        store().inject("fail", 1);
        if (how === "answers") return filled(child);
        world.venue.say(filled(child));
        return "silence";
      };
      await world.quote("99", "100");
      for (let n = 0; n < 5; n++) {
        await world.pass(5_000);
        await world.quote("99", "100");
      }
      expect([sentTo(world.venue), await world.executed(order)]).toEqual([["BUY 1 @ 100"], "1"]);
    },
  );

  it("I63: a void whose record was not written is decided again", async () => {
    const { world, store } = await createFaultyWorld();
    const order = await world.place({ price: "100" });
    world.venue.onSubmit = () => "silence";
    await world.quote("99", "100");
    await world.pass(4_050);
    expect(await world.status(order)).toBe("NEW UNKNOWN");
    store().inject("fail", 1);
    await world.pass(60_000, { heartbeat: false });
    expect(await world.status(order)).toBe("NEW WAITING");
  });

  it("I63: a void over a crash whose record was not written is decided again", async () => {
    const { world, store } = await createFaultyWorld();
    const order = await world.place({ price: "100" });
    world.venue.onSubmit = () => "silence";
    await world.quote("99", "100");
    await world.crash();
    await world.pass(4_050);
    store().inject("fail", 1);
    await world.pass(60_000);
    expect(await world.status(order)).toBe("NEW WAITING");
  });

  it("I63: an escalation whose record was not written is reported later", async () => {
    const { world, store } = await createFaultyWorld();
    await world.place({ price: "100" });
    world.venue.onSubmit = () => "silence";
    world.venue.onLookup = () => new Error("no connection");
    await world.quote("99", "100");
    await world.pass(61_000);
    store().inject("fail", 1);
    await world.pass(60_000);
    expect(world.alerts.map(({ alert }) => alert)).toEqual(["UNKNOWN_ESCALATED"]);
  });

  it("I62: a withdrawn child whose record was lost does not block its parent for ever", async () => {
    const { world, store } = await createFaultyWorld({ venue: createScriptedVenue({ ratePerSecond: 1 }) });
    await world.place({ price: "100" });
    const second = await world.place({ price: "100" });
    await world.quote("99", "100");
    await world.quote("100", "101");
    store().inject("fail", 1);
    await world.pass(60_000);
    expect(sentTo(world.venue)).toHaveLength(1);
    expect(await world.status(second)).toBe("NEW WAITING");
    await world.quote("99", "100");
    expect(await world.status(second)).toBe("FILLED FILLED");
  });

  it("I62: nor at a venue of which no look-up can prove that the child never arrived", async () => {
    const venue = createScriptedVenue({ ratePerSecond: 1, honoursDeadline: false });
    const { world, store } = await createFaultyWorld({ venue });
    await world.place({ price: "100" });
    const second = await world.place({ price: "100" });
    await world.quote("99", "100");
    await world.quote("100", "101");
    store().inject("fail", 1);
    await world.pass(1_000);
    expect([await world.status(second), world.alerts, venue.lookups]).toEqual(["NEW WAITING", [], []]);
    await world.pass(1_000);
    await world.quote("99", "100");
    expect(await world.status(second)).toBe("FILLED FILLED");
  });

  it("I10: a late fill of an ended parent whose record was not written is applied again", async () => {
    const { world, store } = await createFaultyWorld();
    const order = await world.place({ price: "100" });
    world.venue.onSubmit = ({ childId }) => reported(childId, "closed");
    await world.quote("99", "100");
    await world.cancel(order);
    store().inject("fail", 1);
    world.venue.say(
      reported(world.venue.submitted[0]?.childId ?? "", "closed", [fillOf({ quantity: "0.25" })]),
    );
    await world.pass(10_000);
    expect(await world.executed(order)).toBe("0.25");
  });

  it("the engine comes to rest although a late fill waits until the store may be asked again", async () => {
    const { world, store } = await createFaultyWorld();
    const order = await world.place({ price: "100" });
    world.venue.onSubmit = ({ childId }) => reported(childId, "closed");
    await world.quote("99", "100");
    await world.cancel(order);
    await world.place({ side: "SELL", type: "TRAILING_STOP_MARKET", trailingAmount: "50", stopPrice: "90" });
    await world.quote("99", "100");
    store().inject("fail");
    await world.quote("110", "111");
    world.venue.say(
      reported(world.venue.submitted[0]?.childId ?? "", "closed", [fillOf({ quantity: "0.25" })]),
    );
    await world.engine.idle();
    store().inject("none");
    await world.pass(10_000);
    expect(await world.executed(order)).toBe("0.25");
  });

  it("I10: and so is that of an open parent", async () => {
    const { world, store } = await createFaultyWorld();
    const order = await world.place({ price: "100" });
    world.venue.onSubmit = ({ childId }) => reported(childId, "closed");
    await world.quote("99", "100");
    store().inject("fail", 1);
    world.venue.say(
      reported(world.venue.submitted[0]?.childId ?? "", "closed", [fillOf({ quantity: "0.25" })]),
    );
    await world.pass(10_000);
    expect(await world.executed(order)).toBe("0.25");
  });

  it("I52: a status request that fails changes nothing, and does not describe the order", async () => {
    const { world, store } = await createFaultyWorld();
    const [open, done] = [await world.place({ price: "100" }), await world.place({ price: "90" })];
    await world.cancel(done);
    const { findEnded } = store();
    Object.assign(store(), { findEnded: () => Promise.reject(new Error("no disk")) });
    const find = (orderId: number) => world.engine.find({ accountId: 1, orderId });
    await expect(find(done.orderId)).rejects.toMatchObject({ code: -1001 });
    Object.assign(store(), { findEnded });
    const statuses = [await find(open.orderId), await find(done.orderId)].map(
      (order) => order && statusOf(order).status,
    );
    expect(statuses).toEqual(["NEW", "CANCELED"]);
  });

  it("I52: a cancel that was not written changes nothing and can be sent again", async () => {
    const { world, store } = await createFaultyWorld();
    const order = await world.place({ price: "100" });
    const before = await world.order(order);
    store().inject("fail", 1);
    await expect(world.cancel(order)).rejects.toMatchObject({ code: -1001 });
    expect(await world.order(order)).toEqual(before);
    expect((await world.cancel(order)).ended?.status).toBe("CANCELED");
  });

  it("I31: a move of a reference that was not written is written soon after", async () => {
    const { world, store } = await createFaultyWorld();
    const trail = {
      side: "SELL",
      type: "TRAILING_STOP_MARKET",
      trailingAmount: "5",
      stopPrice: "100",
    } as const;
    const order = await world.place(trail);
    await world.quote("100", "120");
    store().inject("fail", 2);
    await world.quote("110", "120");
    await world.pass(500);
    await world.crash();
    await world.quote("105", "120");
    expect(await world.status(order)).toBe("FILLED FILLED");
  });

  it("an expiry that was not written is retried at once", async () => {
    const { world, store } = await createFaultyWorld();
    const order = await world.place({ price: "100", expireTime: world.clock.nowMs() + 1_000 });
    store().inject("fail", 1);
    await world.pass(1_000);
    await world.pass(0);
    expect(await world.status(order)).toBe("EXPIRED EXPIRED");
  });
});

describe("an append that was written although it failed", () => {
  it("I01: a placement gets ACCEPTED", async () => {
    const { world, store } = await createFaultyWorld();
    store().inject("unknown", 1);
    const order = await world.place({ price: "100" });
    expect(await world.status(order)).toBe("NEW WAITING");
    await world.quote("99", "100");
    expect(await world.status(order)).toBe("FILLED FILLED");
  });

  it("I21: its intent was not handed over; it is looked up, and its parent continues with a new child", async () => {
    const { world, store } = await createFaultyWorld();
    const order = await world.place({ price: "100" });
    store().inject("unknown", 1);
    await world.quote("99", "100");
    expect(sentTo(world.venue)).toEqual([]);
    expect(await world.status(order)).toBe("NEW UNKNOWN");
    await world.pass(5_000);
    await world.quote("99", "100");
    expect(await world.status(order)).toBe("FILLED FILLED");
    expect(world.venue.submitted.map(({ childId }) => childId.slice(-2))).toEqual(["-2"]);
  });

  it("I63: a child that it closed is not looked up again", async () => {
    const { world, store } = await createFaultyWorld();
    const order = await world.place({ price: "100" });
    world.venue.onSubmit = (child) => {
      store().inject("unknown", 1);
      return filled(child);
    };
    await world.quote("99", "100");
    expect(await world.status(order)).toBe("FILLED FILLED");
    expect(world.engine.metrics()).toMatchObject({ inFlight: 0, unknown: 0, openParents: 0 });
    await world.pass(120_000);
    expect(world.venue.lookups).toEqual([]);
    expect(world.alerts).toEqual([]);
  });

  it("I54: its events are reported, so that the numbers have no gap", async () => {
    const { world, store } = await createFaultyWorld();
    store().inject("unknown", 1);
    const order = await world.place({ price: "100" });
    store().inject("unknown", 1);
    await world.quote("99", "100");
    store().inject("fail", 1);
    await world.pass(60_000);
    await world.quote("99", "100");
    expect(await world.status(order)).toBe("FILLED FILLED");
    expect(received(world)).toEqual(counted(world.updates.length));
    expect(world.updates.length).toBe(world.engine.metrics().journalSequence);
  });
});

describe("a store that cannot be read after a failed append", () => {
  it("a placement gets 500 -1006; when the store is back the order exists, or not", async () => {
    for (const fault of ["fail", "unknown"] as const) {
      const { world, store } = await createFaultyWorld({
        report: (name) => name === "append.failed" && store().inject("fail-reads", 2),
      });
      const fields = { price: "100", newClientOrderId: "which" };
      store().inject(fault, 1);
      await expect(world.place(fields)).rejects.toMatchObject({
        code: -1006,
        status: 500,
        retry: "reconcile",
      });
      await expect(world.place(fields)).rejects.toMatchObject({ code: -1001 });
      await world.pass(5_000);
      const stored = await world.engine.find({ accountId: 1, clientOrderId: "which" });
      expect(stored === undefined).toBe(fault === "fail");
      const again = await world.place(fields);
      if (stored !== undefined) expect(again.orderId).toBe(stored.orderId);
      await world.quote("99", "100");
      expect(await world.status(again)).toBe("FILLED FILLED");
      expect(received(world)).toEqual(counted(world.updates.length));
      expect((await world.engine.verify()).equal).toBe(true);
    }
  });

  it("I71: reads of ended orders are an error, never an empty answer", async () => {
    const { world, store } = await createFaultyWorld();
    const order = await world.place({ price: "100", newClientOrderId: "known" });
    await world.cancel(order);
    store().inject("fail-reads");
    const { orderId } = order;
    for (const read of [
      world.engine.find({ accountId: 1, orderId }),
      world.engine.findAny(orderId),
      world.engine.page(PAGE),
      world.engine.story(orderId),
      world.place({ price: "100", newClientOrderId: "known" }),
    ]) {
      await expect(read).rejects.toMatchObject({ code: -1001, status: 503 });
    }
  });
});

describe("I20: nothing leaves before its record is durable", () => {
  it("neither the reply of a placement nor the order", async () => {
    const { world, store } = await createFaultyWorld();
    store().inject("slow");
    let answered = false;
    const placing = world.place({ price: "100", newClientOrderId: "slow" }).finally(() => (answered = true));
    await turns();
    expect(store().waiting).toBe(1);
    expect(answered).toBe(false);
    const key = { accountId: 1, clientOrderId: "slow" };
    await expect(world.engine.find(key)).rejects.toMatchObject({ code: -1001 });
    expect(await world.engine.page(PAGE)).toEqual({ total: 0, nextOrderId: 0, orders: [] });
    await expect(world.engine.cancel(key)).rejects.toMatchObject({ code: -1001 });
    expect(world.updates).toEqual([]);
    world.engine.market.quote(CROSSING);
    store().inject("none");
    store().release();
    const order = await placing;
    expect(await world.status(order)).toBe("NEW WAITING");
    expect(sentTo(world.venue)).toEqual([]);
  });

  it("neither a child nor its event", async () => {
    const { world, store } = await createFaultyWorld();
    const order = await world.place({ price: "100" });
    const events = world.updates.length;
    store().inject("slow");
    world.engine.market.quote(CROSSING);
    await turns();
    expect(store().waiting).toBe(1);
    expect(sentTo(world.venue)).toEqual([]);
    expect(await world.status(order)).toBe("NEW WAITING");
    expect(world.updates).toHaveLength(events);
    store().inject("none");
    store().release();
    await world.engine.idle();
    expect(await world.status(order)).toBe("FILLED FILLED");
  });

  it("neither the reply of a cancel nor that of a repeated cancel, with or without a child in flight", async () => {
    for (const inFlight of [false, true]) {
      const { world, store } = await createFaultyWorld();
      const order = await world.place({ price: "100" });
      world.venue.onSubmit = ({ childId }) => reported(childId, "open");
      if (inFlight) await world.quote("99", "100");
      store().inject("slow");
      const answers: ParentOrder[] = [];
      const cancels = [1, 2, 3].map(() => world.cancel(order).then((after) => answers.push(after)));
      const all = world.engine.cancelAll(1);
      await turns();
      expect(answers).toEqual([]);
      store().inject("none");
      store().release();
      await Promise.all(cancels);
      expect(new Set(answers.map(({ lastSequence }) => lastSequence)).size).toBe(1);
      expect(await all).toMatchObject({ matchedCount: 1, canceledCount: inFlight ? 0 : 1 });
    }
  });

  it("nor that of a repeated cancel while an earlier record becomes durable", async () => {
    const { world, store } = await createFaultyWorld();
    const order = await world.place({ price: "100" });
    world.venue.onSubmit = ({ childId }) => reported(childId, "open");
    await world.quote("99", "100");
    store().inject("slow");
    world.venue.say(
      reported(world.venue.submitted[0]?.childId ?? "", "open", [fillOf({ quantity: "0.25" })]),
    );
    await turns();
    const first = world.cancel(order);
    store().release();
    await turns();
    let answered = false;
    const second = world.cancel(order).finally(() => (answered = true));
    await turns();
    expect([store().waiting, answered]).toEqual([1, false]);
    store().inject("none");
    store().release();
    expect(await second).toEqual(await first);
  });

  it("a cancel that was answered twice and not written was answered with the failure twice", async () => {
    const { world, store } = await createFaultyWorld();
    const order = await world.place({ price: "100" });
    world.venue.onSubmit = ({ childId }) => reported(childId, "open");
    await world.quote("99", "100");
    store().inject("fail", 1);
    const answers = await Promise.allSettled([
      world.cancel(order),
      world.cancel(order),
      world.engine.cancelAll(1),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
    expect(await world.status(order)).toBe("NEW WORKING");
  });
});
