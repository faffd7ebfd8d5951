import { describe, expect, it } from "vitest";
import { createMemoryStore } from "../../src/adapters/memory/index.ts";
import { formatPrice } from "../../src/decimal/index.ts";
import { shardOf } from "../../src/lifecycle/index.ts";
import type { ParentOrder } from "../../src/model/index.ts";
import type { OrderStore, ShardAppend } from "../../src/ports/index.ts";
import { orderIntent } from "../../src/requests/index.ts";
import { encodeRecord } from "../../src/wire/index.ts";
import { breakingIntent } from "../support/breaking-intent.ts";
import { createFaultyWorld, turns } from "../support/faulty-world.ts";
import { createGate } from "../support/gate.ts";
import { OCO } from "../support/list-samples.ts";
import { fillOf, reported, sentTo } from "../support/scripted-venue.ts";
import { createWorld, listOf, SYMBOL, type World } from "../support/world.ts";

const TRAIL = { side: "SELL", type: "TRAILING_STOP_MARKET", trailingAmount: "5" } as const;

const referenceOf = ({ trigger }: ParentOrder): string | undefined =>
  trigger?.reference && formatPrice(trigger.reference);

/** A world whose reads of ended orders are done at once and answered one by one on request of the test. */
async function slowReads(): Promise<
  Readonly<{ world: World; hold(shard: number): void; answer(): Promise<void> }>
> {
  let holding: number | undefined;
  const answers = createGate();
  answers.shut();
  const slow = (store: OrderStore): OrderStore => ({
    ...store,
    async readEnded(range) {
      const page = await store.readEnded(range);
      if (range.shard === holding) await answers.pass();
      return page;
    },
  });
  const world = await createWorld({ store: (disk) => slow(createMemoryStore({ disk })) });
  return {
    world,
    hold: (shard) => {
      holding = shard;
    },
    async answer() {
      answers.release();
      await turns();
    },
  };
}

/** An order that was canceled after its one child filled nothing. */
async function canceled(
  world: World,
  accountId = 1,
): Promise<Readonly<{ order: ParentOrder; childId: string }>> {
  const order = await world.place({ price: "100" }, accountId);
  world.venue.onSubmit = ({ childId }) => reported(childId, "closed");
  await world.quote("99", "100");
  await world.cancel(order);
  return { order, childId: world.venue.submitted[0]?.childId ?? "" };
}

describe("I10: late fills of an ended order", () => {
  it("that arrive while the first is read build on each other's result", async () => {
    const { world, hold, answer } = await slowReads();
    const { order, childId } = await canceled(world);
    hold(shardOf(1));
    for (let n = 0; n < 3; n++) world.venue.say(reported(childId, "closed", [fillOf({ quantity: "0.25" })]));
    for (let n = 0; n < 6; n++) await answer();
    const store = createMemoryStore({ disk: world.disk });
    const after = await store.findEnded({ accountId: 1, orderId: order.orderId });
    expect(after?.executions.size).toBe(3);
  });

  it("I53: one that arrives while the state is verified raises no false alarm", async () => {
    const { world, hold, answer } = await slowReads();
    const [first, second] = shardOf(1) < shardOf(2) ? [1, 2] : [2, 1];
    await world.place({ price: "50" }, first);
    const { order, childId } = await canceled(world, second);
    hold(shardOf(first));
    const verifying = world.engine.verify();
    await turns();
    world.venue.say(reported(childId, "closed", [fillOf({ quantity: "0.25" })]));
    await turns();
    expect(await world.executed(order)).toBe("0.25");
    await answer();
    expect((await verifying).equal).toBe(true);
    expect((await world.engine.findAny(order.orderId))?.ended?.status).toBe("CANCELED");
  });
});

describe("I31: the marks that a trailing reference rests on", () => {
  it("stay while a trigger that would make them unnecessary is not durable", async () => {
    const { world, store } = await createFaultyWorld({ settings: { snapshotEvery: 1 } });
    const first = await world.place({ ...TRAIL, stopPrice: "100" });
    await world.quote("100", "120");
    await world.quote("110", "120");
    await world.place(TRAIL);
    await world.quote("106", "120");
    store().inject("slow", 1);
    const other = world.place({ price: "50" });
    await turns();
    world.engine.market.quote({ symbol: "BTC/USD", bid: "105", ask: "120" });
    store().inject("fail");
    store().release();
    await other;
    await turns(500);
    expect((await world.order(first)).trigger).toBeUndefined();
    await world.crash();
    await world.quote("105", "120");
    expect(referenceOf(await world.order(first))).toBe("110");
  });

  it("if they are missing, the parent is frozen and reported, with its account; all others continue", async () => {
    const world = await createWorld();
    const broken = await world.place({ ...TRAIL, stopPrice: "100" });
    const beside = await world.place({ price: "100" });
    const other = await world.place({ price: "100" }, 2);
    await world.quote("101", "120");
    const thief = createMemoryStore({ disk: world.disk });
    await thief.acquire();
    await thief.deleteMarks(await thief.readMarks());
    await world.crash();
    expect(world.alerts.map(({ alert, orderId }) => [alert, orderId])).toEqual([
      ["INVARIANT_BROKEN", broken.orderId],
    ]);
    await world.quote("50", "60");
    expect(sentTo(world.venue)).toEqual(["BUY 1 @ 100"]);
    expect(await world.status(other)).toBe("FILLED FILLED");
    expect(await world.status(broken)).toBe("NEW WAITING");
    expect((await world.engine.story(broken.orderId))?.waitingFor).toMatch(/^the order is stopped/);
    expect((await world.engine.story(beside.orderId))?.waitingFor).toMatch(/^the account is stopped/);
    expect(await world.status(beside)).toBe("NEW WAITING");
    await world.cancel(broken);
    await world.cancel(beside);
    expect(await world.status(broken)).toBe("CANCELED CANCELED");
    expect((await world.engine.verify()).equal).toBe(true);
  });
});

describe("a broken invariant of the rules", () => {
  it("freezes the parent and its account; the others that fire on the same quote continue", async () => {
    const world = await createWorld();
    const stop = { type: "STOP_MARKET", stopPrice: "101" } as const;
    await world.quote("100", "100");
    const offset = orderIntent({
      symbol: "BTC/USD",
      side: "BUY",
      type: "TRAILING_STOP_LIMIT",
      quantity: "1",
      trailingAmount: "1",
      limitOffset: "1",
      newClientOrderId: "broken",
    });
    const { intent, state } = breakingIntent(offset);
    const { order: broken } = await world.engine.place({ accountId: 1, intent });
    const beside = await world.place({ price: "50" });
    const others = [await world.place(stop, 2), await world.place({ ...stop, stopPrice: "100.5" }, 2)];
    state.isBroken = true;
    await world.quote("100", "100");
    await world.quote("101", "101");
    state.isBroken = false;
    for (const other of others) expect(await world.status(other)).toBe("FILLED FILLED");
    expect(world.alerts.map(({ alert, orderId }) => [alert, orderId])).toEqual([
      ["INVARIANT_BROKEN", broken.orderId],
    ]);
    await world.quote("49", "50");
    expect(sentTo(world.venue)).toEqual(["BUY 1", "BUY 1"]);
    expect((await world.cancel(broken)).ended?.status).toBe("CANCELED");
    expect((await world.cancel(beside)).ended?.status).toBe("CANCELED");
  });
});

describe("I53: recovery", () => {
  it("from snapshot and tail, with children, triggers and trails on both sides of the snapshot", async () => {
    const world = await createWorld({ settings: { snapshotEvery: 4 } });
    const stopLimit = await world.place({ type: "STOP_LOSS_LIMIT", stopPrice: "100", price: "101" });
    const trail = await world.place({ ...TRAIL, stopPrice: "100" });
    for (const bid of ["100", "103", "109"]) await world.quote(bid, "110");
    for (let n = 0; n < 10; n++) await world.place({ price: "10", quantity: "2" });
    await world.crash();
    await world.quote("104", "105");
    expect(referenceOf(await world.order(trail))).toBe("109");
    await world.crash();
    await world.quote("100", "101");
    expect(await world.status(stopLimit)).toBe("FILLED FILLED");
    expect((await world.engine.verify()).equal).toBe(true);
  });

  it("of a canceled order whose child is in flight: the end still waits, and no new child goes out", async () => {
    const world = await createWorld();
    const order = await world.place({ price: "100" });
    world.venue.onSubmit = ({ childId }) => reported(childId, "open", [fillOf({ quantity: "0.25" })]);
    await world.quote("99", "100");
    await world.cancel(order);
    await world.crash();
    expect(await world.status(order)).toBe("PARTIALLY_FILLED UNKNOWN cancelPending");
    world.venue.onLookup = ({ childId }) => reported(childId, "closed");
    await world.pass(5_000);
    await world.quote("99", "100");
    expect(await world.status(order)).toBe("CANCELED CANCELED");
    expect(await world.executed(order)).toBe("0.25");
    expect(sentTo(world.venue)).toHaveLength(1);
  });

  it("I55: of an order whose expiry waits for a child", async () => {
    const world = await createWorld();
    const order = await world.place({ price: "100", expireTime: world.clock.nowMs() + 1_000 });
    world.venue.onSubmit = ({ childId }) => reported(childId, "open");
    await world.quote("99", "100");
    await world.pass(1_000);
    await world.crash();
    world.venue.onLookup = ({ childId }) => reported(childId, "closed");
    await world.pass(10_000);
    expect(await world.status(order)).toBe("EXPIRED EXPIRED");
  });

  it("after close the store is released, and pending work is durable", async () => {
    const world = await createWorld();
    const placing = world.place({ price: "100", newClientOrderId: "last" });
    await turns();
    await world.engine.close();
    await placing;
    await expect(world.engine.find({ accountId: 1, clientOrderId: "gone" })).rejects.toMatchObject({
      code: -1001,
    });
    await world.crash();
    expect(await world.engine.find({ accountId: 1, clientOrderId: "last" })).toBeDefined();
  });
});

const FIELDS = { symbol: SYMBOL, side: "BUY", type: "SYNTHETIC_LIMIT", quantity: "1", price: "100" } as const;
const intentOf = (newClientOrderId: string) => orderIntent({ ...FIELDS, newClientOrderId });

describe("an intent built by hand that no journal can store", () => {
  const broken = { ...intentOf("broken"), price: 0.5 as never };

  it("is refused alone, with the member named; simultaneous placements are stored", async () => {
    const { engine } = await createWorld();
    const results = await Promise.allSettled([
      engine.place({ accountId: 1, intent: intentOf("before") }),
      engine.place({ accountId: 1, intent: broken }),
      engine.place({ accountId: 2, intent: intentOf("after") }),
    ]);
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(String((results[1] as PromiseRejectedResult).reason)).toMatch(
      /I53: the intent of "broken" cannot be written: "price" of an intent/,
    );
    expect(engine.status().system).toBe("normal");
    expect((await engine.verify()).equal).toBe(true);
  });

  it("refuses the whole list of its leg", async () => {
    const { engine } = await createWorld();
    const list = listOf("oco", OCO);
    const [first, ...others] = list.legs;
    if (first === undefined) throw new Error("no leg");
    const legs = [{ ...first, intent: { ...first.intent, quantity: Number.NaN as never } }, ...others];
    await expect(engine.placeList({ accountId: 1, list: { ...list, legs } })).rejects.toThrow(
      /I53.*"quantity"/,
    );
    expect(await engine.openLists({ accountId: 1, limit: 10 })).toEqual([]);
  });
});

it("a record is encoded when it is decided, and its text goes to the store with it", async () => {
  const parts: ShardAppend[] = [];
  const world = await createWorld({
    store: (disk) => {
      const store = createMemoryStore({ disk });
      const append: typeof store.append = (batch) => {
        parts.push(...batch.shards);
        return store.append(batch);
      };
      return { ...store, append };
    },
  });
  await world.quote("101", "102");
  await world.place({ price: "100" });
  await world.cancel(await world.place({ price: "99" }));
  await world.placeList("oco", OCO);
  await world.quote("99", "100");
  expect(new Set(parts.flatMap(({ records }) => records.map(({ cause }) => cause.kind)))).toEqual(
    new Set(["PLACE", "CANCEL", "QUOTE", "VENUE"]),
  );
  for (const { records, texts } of parts) expect(texts).toEqual(records.map(encodeRecord));
});
