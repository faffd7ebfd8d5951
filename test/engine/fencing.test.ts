import { describe, expect, it } from "vitest";
import { createMemoryStore } from "../../src/adapters/memory/index.ts";
import { formatQuantity, quantity } from "../../src/decimal/index.ts";
import type { Engine } from "../../src/engine/index.ts";
import { shardOf } from "../../src/lifecycle/index.ts";
import type { ParentOrder } from "../../src/model/index.ts";
import { createFaultyWorld, turns } from "../support/faulty-world.ts";
import { requesting } from "../support/recorded-store.ts";
import { createScriptedVenue, filled, reported, sentTo } from "../support/scripted-venue.ts";
import { createWorld, type World } from "../support/world.ts";

/** Opens a second engine on the disk of a world; the first does not know it yet. */
async function takeOver(world: World): Promise<Engine> {
  const first = world.engine;
  await world.crash();
  return first;
}

/** Lets a question of the store wait for longer than other children wait for it. */
const late = ({ clock }: World): Promise<void> =>
  new Promise((resolve) => clock.schedule(clock.monotonicMs() + 150, resolve));

const CROSSING = { symbol: "BTC/USD", bid: "99", ask: "100" };
const PAGE = { accountId: 1, includeHistory: true, newestFirst: false, limit: 10, afterOrderId: 0 };

describe("I26, I60: an engine whose shards another engine took over", () => {
  it("sends nothing: the store refuses its intents", async () => {
    const world = await createWorld();
    await world.quote("101", "102");
    const order = await world.place({ price: "100" });
    const first = await takeOver(world);
    first.market.quote(CROSSING);
    await first.idle();
    await world.engine.idle();
    expect(sentTo(world.venue)).toEqual([]);
    await world.quote("99", "100");
    expect(sentTo(world.venue)).toEqual(["BUY 1 @ 100"]);
    expect(await world.status(order)).toBe("FILLED FILLED");
    expect((await world.engine.verify()).equal).toBe(true);
  });

  it('accepts nothing, and answers -1001 instead of "unknown order" once it knows', async () => {
    const world = await createWorld();
    const order = await world.place({ price: "100" });
    const first = await takeOver(world);
    const fields = {
      symbol: "BTC/USD",
      side: "BUY",
      type: "SYNTHETIC_LIMIT",
      quantity: "1",
      price: "90",
    } as const;
    const gone = { code: -1001, status: 503 };
    await expect(first.place({ accountId: 1, order: fields })).rejects.toMatchObject(gone);
    const key = { accountId: 1, orderId: order.orderId };
    for (const requested of [
      first.place({ accountId: 1, order: fields }),
      first.find(key),
      first.find({ accountId: 1, clientOrderId: order.intent.clientOrderId }),
      first.findAny(order.orderId),
      first.story(order.orderId),
      first.page(PAGE),
      first.cancel(key),
      first.cancelAll(1),
      first.verify(),
    ]) {
      await expect(requested).rejects.toMatchObject(gone);
    }
    expect(await world.status(order)).toBe("NEW WAITING");
    expect((await world.engine.page(PAGE)).total).toBe(1);
  });

  it("reports no cancel, expiry or fill as done that its successor does not have", async () => {
    const world = await createWorld();
    const order = await world.place({ price: "100" });
    const first = await takeOver(world);
    const events = world.updates.length;
    await expect(first.cancel({ accountId: 1, orderId: order.orderId })).rejects.toMatchObject({
      code: -1001,
    });
    await first.idle();
    expect(world.updates).toHaveLength(events);
    expect(await world.status(order)).toBe("NEW WAITING");
  });

  it("does not hand over children that waited for the venue's rate longer than its successor waits", async () => {
    const world = await createWorld({ venue: createScriptedVenue({ ratePerSecond: 0.25 }) });
    await world.place({ price: "100" });
    const second = await world.place({ price: "100", quantity: "2" });
    await world.quote("99", "100");
    const first = await takeOver(world);
    expect(await world.status(second)).toBe("NEW UNKNOWN");
    // It might have been handed over until 6 s from the start, the time of a submit after the first; then the quiet
    // time follows.
    for (let n = 0; n < 9; n++) {
      first.market.heartbeat("BTC/USD");
      await world.pass(1_000);
    }
    expect(sentTo(world.venue)).toEqual(["BUY 1 @ 100"]);
    expect(await world.status(second)).toBe("NEW WAITING");
  });

  it("hands over waiting children when the store says that the shard is still its own, and retries an unreadable store", async () => {
    const { world, store } = await createFaultyWorld({ venue: createScriptedVenue({ ratePerSecond: 0.25 }) });
    await world.place({ price: "100" });
    await world.place({ price: "100", quantity: "2" });
    await world.quote("99", "100");
    for (let n = 0; n < 4; n++) await world.pass(990);
    store().inject("fail-reads", 3);
    await world.pass(140);
    expect(sentTo(world.venue)).toHaveLength(1);
    await world.pass(300);
    expect(sentTo(world.venue)).toEqual(["BUY 1 @ 100", "BUY 2 @ 100"]);
  });

  it("asks who owns the shard before it hands over a child whose record the store was slow to confirm", async () => {
    let stores = 0;
    let answer = (): void => undefined;
    let isSlow = false;
    const world = await createWorld({
      settings: { submitDeadlineMs: 60_000 },
      store: (disk) => {
        const store = createMemoryStore({ disk });
        if (++stores > 1) return store;
        const append: typeof store.append = async (batch) => {
          const outcomes = await store.append(batch);
          if (isSlow) await new Promise<void>((resolve) => (answer = resolve));
          return outcomes;
        };
        return { ...store, append };
      },
    });
    await world.place({ price: "100" });
    isSlow = true;
    world.engine.market.quote(CROSSING);
    await turns(50);
    const first = await takeOver(world);
    await world.clock.advanceBy(3_000, () => turns(50));
    first.market.quote(CROSSING);
    isSlow = false;
    answer();
    await turns(200);
    expect(sentTo(world.venue)).toEqual([]);
  });

  it("asks the store once for all waiting children of a shard, not for each", async () => {
    let heads = 0;
    const world = await createWorld({
      venue: createScriptedVenue({ ratePerSecond: 4 }),
      store: (disk) => {
        const store = createMemoryStore({ disk });
        return { ...store, head: (shard) => store.head(shard).finally(() => heads++) };
      },
    });
    for (let n = 0; n < 24; n++) await world.place({ price: "100" });
    heads = 0;
    await world.quote("99", "100");
    for (let n = 0; n < 12; n++) await world.pass(500);
    expect(sentTo(world.venue)).toHaveLength(24);
    expect(heads).toBe(2);
  });

  it.each([true, false])(
    "children of other shards go out while the owner of one cannot be read, if they reduce a position: %s",
    async (reduceOnly) => {
      let fails = false;
      const world = await createWorld({
        venue: createScriptedVenue({ ratePerSecond: 1 }),
        store: requesting(async (shard) => {
          if (fails && shard === shardOf(1)) throw new Error("the row cannot be read");
        }),
      });
      world.exposure.set({ accountId: 1, symbol: "BTC/USD", quantity: quantity("10") });
      const failing = { side: "SELL", price: "99", reduceOnly } as const;
      for (let count = 0; count < 6; count++) await world.place(failing, 1);
      const others: ParentOrder[] = [];
      for (let count = 0; count < 2; count++) others.push(await world.place({ price: "100" }, 2));
      fails = true;
      for (let step = 0; step < 40; step++) {
        await world.quote("99", "100");
        await world.pass(1_000);
      }
      for (const order of others) expect(await world.status(order)).toBe("FILLED FILLED");
    },
  );

  /** Six orders of account 1 and then two of account 2, at a venue that takes one child per second. They are due at once. */
  async function oneSilent(answer: (world: World) => Promise<void>) {
    let isSilent = false;
    const world: World = await createWorld({
      venue: createScriptedVenue({ ratePerSecond: 1 }),
      settings: { submitDeadlineMs: 60_000 },
      store: requesting(async (shard) => {
        if (isSilent && shard === shardOf(1)) await answer(world);
      }),
    });
    for (let count = 1; count <= 6; count++) await world.place({ price: "100", quantity: `${count}` }, 1);
    for (let count = 7; count <= 8; count++) await world.place({ price: "100", quantity: `${count}` }, 2);
    isSilent = true;
    const startMs = world.clock.monotonicMs();
    const sent: { readonly atMs: number; readonly quantity: string }[] = [];
    world.venue.onSubmit = (child) => {
      sent.push({ atMs: world.clock.monotonicMs() - startMs, quantity: formatQuantity(child.quantity) });
      return filled(child);
    };
    const seconds = async (count: number): Promise<void> => {
      for (let tenth = 0; tenth < count * 10; tenth++) {
        if (tenth % 10 === 0) await world.quote("99", "100");
        await world.pass(100);
      }
    };
    const order = (): string => sent.map((one) => one.quantity).join();
    return { world, sent, seconds, order };
  }

  it("children of other shards go out at the venue's rate while the owner of one is not answered", async () => {
    const { sent, seconds, order } = await oneSilent(() => new Promise(() => undefined));
    await seconds(5);
    expect(order()).toBe("1,2,7,8");
    expect(sent.map(({ atMs }) => Math.floor(atMs / 1_000))).toEqual([0, 1, 2, 3]);
  });

  it("those of a shard whose owner is answered late go out in their order, and at the venue's rate", async () => {
    const { sent, seconds, order } = await oneSilent(({ clock }) => {
      return new Promise((resolve) => clock.schedule(clock.monotonicMs() + 500, resolve));
    });
    await seconds(10);
    expect(order()).toBe("1,2,7,8,3,4,5,6");
    const gaps = sent.slice(1).map(({ atMs }, index) => atMs - (sent[index]?.atMs ?? 0));
    expect(Math.min(...gaps)).toBe(1_000);
  });

  it("those of a shard that has kept a later record need no other confirmation", async () => {
    const { world, seconds, order } = await oneSilent(() => new Promise(() => undefined));
    await seconds(4);
    await world.place({ price: "100", quantity: "9" }, 1);
    await seconds(3);
    expect(order()).toBe("1,2,7,8,3,4");
  });

  it("those of a shard that keeps a later record while its owner is asked do not wait for that answer", async () => {
    const { world, seconds, order } = await oneSilent(() => new Promise(() => undefined));
    await seconds(3);
    await world.place({ price: "100", quantity: "9" }, 1);
    await world.quote("99", "100");
    await seconds(3);
    expect(order()).toBe("1,2,7,3,4,8");
  });

  it("those of a shard whose owner is answered late go before children that came later, also at a busy venue", async () => {
    let isLate = false;
    const world: World = await createWorld({
      venue: createScriptedVenue({ ratePerSecond: 4 }),
      store: requesting(async () => {
        if (isLate) await late(world);
      }),
    });
    isLate = true;
    await world.quote("99", "100");
    for (let count = 0; count < 14; count++) await world.place({ price: "100" }, 2);
    await world.quote("99", "100");
    const order = await world.place({ price: "100" }, 1);
    for (let quarter = 0; quarter < 60; quarter++) {
      await world.place({ price: "100" }, 2);
      await world.quote("99", "100");
      await world.pass(250);
    }
    expect(await world.facts(order)).toEqual([
      "ACCEPTED",
      "CHILD_INTENDED",
      "FILLED",
      "CHILD_CLOSED",
      "ENDED",
    ]);
  });

  it("no longer follows the children of its shards, and voids none", async () => {
    const venue = createScriptedVenue({ honoursDeadline: false, canVoid: true });
    const world = await createWorld({ venue });
    await world.place({ price: "100" });
    venue.onSubmit = ({ childId }) => reported(childId, "open");
    venue.onLookup = ({ childId }) => reported(childId, "open");
    await world.quote("99", "100");
    const first = await takeOver(world);
    await expect(first.cancelAll(1)).rejects.toMatchObject({ code: -1001 });
    expect(first.metrics()).toMatchObject({ inFlight: 0, unknown: 0, openParents: 0 });
    expect(world.engine.metrics()).toMatchObject({ inFlight: 1, openParents: 1 });
  });

  it("a placement whose append is unknown gets -1006 if the shard has another owner by then", async () => {
    const { world, store } = await createFaultyWorld();
    const first = world.engine;
    const stale = store();
    stale.inject("slow");
    const fields = {
      symbol: "BTC/USD",
      side: "BUY",
      type: "SYNTHETIC_LIMIT",
      quantity: "1",
      price: "90",
    } as const;
    const placing = first.place({ accountId: 1, order: fields });
    await turns();
    await createMemoryStore({ disk: world.disk }).acquire();
    stale.inject("unknown", 1);
    stale.release();
    await expect(placing).rejects.toMatchObject({ code: -1006, retry: "reconcile" });
  });

  it("I01: writes no snapshot of shards that it has lost", async () => {
    const world = await createWorld({ settings: { snapshotEvery: 1 } });
    const order = await world.place({ price: "100" });
    await world.crash();
    const second = await takeOver(world);
    await expect(second.cancelAll(1)).rejects.toMatchObject({ code: -1001 });
    await second.idle();
    await world.crash();
    expect(await world.status(order)).toBe("NEW WAITING");
    expect((await world.engine.verify()).equal).toBe(true);
  });

  it("stops writing marks to a market journal that is no longer its own", async () => {
    const world = await createWorld();
    await world.place({ side: "SELL", type: "TRAILING_STOP_MARKET", trailingAmount: "50", stopPrice: "100" });
    await world.quote("100", "101");
    const first = await takeOver(world);
    first.market.quote({ symbol: "BTC/USD", bid: "110", ask: "111" });
    await world.pass(60_000);
    expect(world.reported.filter((name) => name === "append.failed").length).toBeLessThan(3);
  });

  it("I15: a report to both engines is counted once, by the owner", async () => {
    const world = await createWorld();
    const order = await world.place({ price: "100" });
    let answer = (): void => undefined;
    world.venue.onSubmit = (child) => new Promise((resolve) => (answer = () => resolve(filled(child))));
    await world.quote("99", "100");
    const child = world.venue.submitted[0];
    await takeOver(world);
    answer();
    if (child !== undefined) world.venue.say(filled(child));
    world.venue.onLookup = (requested) => filled(requested);
    await world.pass(5_000);
    expect(await world.status(order)).toBe("FILLED FILLED");
    expect((await world.engine.verify()).equal).toBe(true);
  });

  it("I53: is not verified if the takeover shows while the market is read", async () => {
    let duringRead: () => Promise<unknown> = async () => undefined;
    const world = await createWorld({
      store: (disk) => {
        const store = createMemoryStore({ disk });
        return { ...store, readMarks: (shards) => duringRead().then(() => store.readMarks(shards)) };
      },
    });
    const order = await world.place({ price: "100" });
    const first = await takeOver(world);
    duringRead = async () => {
      await first.cancel({ accountId: 1, orderId: order.orderId }).catch(() => undefined);
      duringRead = async () => undefined;
    };
    await expect(first.verify()).rejects.toMatchObject({ code: -1001, status: 503 });
  });
});

describe("I65: an append that the store refuses though no other engine owns the shard", () => {
  it("the shard is not fenced: it is read again and continues, and the caller is told that nothing was written", async () => {
    let refuses = 0;
    const world = await createWorld({
      store: (disk) => {
        const store = createMemoryStore({ disk });
        return {
          ...store,
          async append(batch) {
            if (refuses-- > 0) return batch.shards.map(() => "fenced" as const);
            return await store.append(batch);
          },
        };
      },
    });
    const order = await world.place({ price: "100" });
    refuses = 1;
    await expect(world.place({ price: "90" })).rejects.toMatchObject({ reason: "DISCONNECTED", code: -1001 });
    expect(world.reported).not.toContain("shard.fenced");
    await world.place({ price: "90" });
    await world.quote("99", "100");
    expect(await world.status(order)).toBe("FILLED FILLED");
    expect((await world.engine.verify()).equal).toBe(true);
  });
});
