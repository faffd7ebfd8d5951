import { describe, expect, it } from "vitest";
import { createMemoryStore } from "../../src/adapters/memory/index.ts";
import { formatPrice, quantity } from "../../src/decimal/index.ts";
import type { ParentOrder } from "../../src/model/index.ts";
import { filled } from "../support/scripted-venue.ts";
import { createWorld, SYMBOL, type World } from "../support/world.ts";

/** More than one turn and one append can hold. */
const MANY = 400;

/** A world that records the number of records in each append. */
async function burstWorld() {
  const appends: number[] = [];
  const world = await createWorld({
    store: (disk) => {
      const store = createMemoryStore({ disk });
      return {
        ...store,
        append(batch) {
          appends.push(batch.shards.reduce((sum, { records }) => sum + records.length, 0));
          return store.append(batch);
        },
      };
    },
  });
  return { world, appends };
}

type Fields = Parameters<World["place"]>[0];

/** Places orders of two accounts in turn. */
async function placeMany(world: World, count: number, fields: (index: number) => Fields) {
  const placing = Array.from({ length: count }, (_, index) => world.place(fields(index), 1 + (index % 2)));
  return await Promise.all(placing);
}

const report = (world: World, bid: string, ask: string): unknown =>
  world.engine.market.quote({ symbol: SYMBOL, bid, ask });

const triggersOf = async (world: World, orders: readonly ParentOrder[]) =>
  await Promise.all(orders.map(async (order) => (await world.order(order)).trigger));

const stop = (index: number): Fields => ({
  side: "SELL",
  type: "STOP_MARKET",
  stopPrice: String(90 - (index % 7)),
});

describe("a burst goes in turns", () => {
  it("the triggers of a quote are fixed when it counts; later quotes undo nothing", async () => {
    const { world, appends } = await burstWorld();
    const orders = await placeMany(world, MANY, stop);
    report(world, "80", "81");
    report(world, "100", "101");
    expect(world.updates.some(({ record }) => record.cause.kind === "QUOTE")).toBe(false);
    await world.engine.idle();
    const triggers = await triggersOf(world, orders);
    expect(triggers.map((trigger) => trigger && formatPrice(trigger.observed))).toEqual(
      orders.map(() => "80"),
    );
    expect(world.venue.submitted).toHaveLength(MANY);
    expect(new Set(world.venue.submitted.map(({ childId }) => childId)).size).toBe(MANY);
    expect(Math.max(...appends)).toBeLessThanOrEqual(256);
  });

  it("they act most crossed first, then older first, across all appends", async () => {
    const { world } = await burstWorld();
    const orders = await placeMany(world, MANY, stop);
    await world.quote("80", "81");
    const level = ({ intent }: ParentOrder): number => Number(formatPrice(intent.stopPrice ?? (0 as never)));
    const inOrder = [...orders].sort(
      (a, b) => level(b) - level(a) || (a.acceptance ?? 0) - (b.acceptance ?? 0),
    );
    expect(world.venue.submitted.map(({ parentOrderId }) => parentOrderId)).toEqual(
      inOrder.map(({ orderId }) => orderId),
    );
  });

  it("orders that reduce a position go first", async () => {
    const { world } = await burstWorld();
    world.exposure.set({ accountId: 1, symbol: SYMBOL, quantity: quantity("100000") });
    const orders = await placeMany(world, MANY, (index) => ({
      ...stop(index),
      ...(index % 100 === 98 && { reduceOnly: true }),
    }));
    await world.quote("80", "81");
    const reducing = orders.filter(({ intent }) => intent.reduceOnly).map(({ orderId }) => orderId);
    const first = world.venue.submitted.slice(0, reducing.length);
    expect(reducing.length).toBeGreaterThan(3);
    expect(new Set(first.map(({ parentOrderId }) => parentOrderId))).toEqual(new Set(reducing));
  });

  it("a placement and a cancel do not wait for the end of a burst", async () => {
    const { world } = await burstWorld();
    const orders = await placeMany(world, 3 * MANY, stop);
    report(world, "80", "81");
    const last = orders.at(-1) as ParentOrder;
    const [placed, canceled] = await Promise.all([world.place({ price: "20" }), world.cancel(last)]);
    expect(world.venue.submitted.length).toBeLessThan(2 * MANY);
    await world.engine.idle();
    expect(await world.status(placed)).toBe("NEW WAITING");
    expect(canceled.ended?.reason).toBe("USER_CANCELED");
    expect(world.venue.submitted).toHaveLength(3 * MANY - 1);
  });

  it("an order placed while a quote acts meets it behind the burst, as the quote that stands", async () => {
    const { world } = await burstWorld();
    const trailing = { side: "SELL", type: "TRAILING_STOP_MARKET", trailingAmount: "5" } as const;
    await world.quote("99", "100");
    await placeMany(world, MANY * 3, () => trailing);
    report(world, "80", "81");
    const late = await world.place(stop(0));
    await world.engine.idle();
    expect((await world.order(late)).trigger).toBeDefined();
  });

  it("the decisions of a durable append are executed some records per turn, in their order", async () => {
    const { world, appends } = await burstWorld();
    const orders = await placeMany(world, MANY, stop);
    const together: number[] = [];
    let reported = 0;
    world.engine.events.on("order", () => {
      if (reported++ > 0) return;
      queueMicrotask(() => {
        together.push(reported);
        reported = 0;
      });
    });
    await world.quote("80", "81");
    expect(Math.max(...appends)).toBeGreaterThan(100);
    expect(together.reduce((sum, records) => sum + records, 0)).toBeGreaterThanOrEqual(2 * MANY);
    expect(Math.max(...together)).toBeLessThanOrEqual(64);
    expect(new Set(world.venue.submitted.map(({ parentOrderId }) => parentOrderId)).size).toBe(orders.length);
  });

  it("cancel-all counts every order once, in appends of bounded size", async () => {
    const { world, appends } = await burstWorld();
    await placeMany(world, 2 * MANY, stop);
    appends.length = 0;
    expect(await world.engine.cancelAll(1)).toEqual({
      matchedCount: MANY,
      canceledCount: MANY,
      cancelPendingCount: 0,
    });
    expect(Math.max(...appends)).toBeLessThanOrEqual(256);
  });

  it("orders that expire at one time all end, and none of them triggers on a later quote", async () => {
    const { world } = await burstWorld();
    const expireTime = world.clock.nowMs() + 1_000;
    const orders = await placeMany(world, MANY, (index) => ({
      ...stop(index),
      timeInForce: "GTD",
      expireTime,
    }));
    await world.clock.advanceBy(1_000, () => Promise.resolve());
    report(world, "80", "81");
    await world.engine.idle();
    const states = await Promise.all(orders.map((order) => world.status(order)));
    expect(new Set(states)).toEqual(new Set(["EXPIRED EXPIRED"]));
    expect(world.venue.submitted).toEqual([]);
  });

  it("I53: a crash in the middle loses nothing that was reported: open orders wait again, no child goes out twice", async () => {
    const { world } = await burstWorld();
    world.venue.onSubmit = (child) => filled(child);
    const orders = await placeMany(world, MANY, stop);
    report(world, "80", "81");
    for (let turn = 0; turn < 200; turn++) await Promise.resolve();
    await world.crash();
    await world.pass(10_000);
    await world.quote("79", "80");
    await world.pass(10_000);
    const parents = world.venue.submitted.map(({ parentOrderId }) => parentOrderId);
    expect(new Set(parents).size).toBe(parents.length);
    const triggers = await triggersOf(world, orders);
    expect(triggers.every((trigger) => trigger !== undefined)).toBe(true);
    expect((await world.engine.verify()).equal).toBe(true);
  });

  it("a close completes the decisions of a quote", async () => {
    const { world } = await burstWorld();
    const orders = await placeMany(world, MANY, stop);
    report(world, "80", "81");
    await world.engine.close();
    await world.crash();
    const triggers = await triggersOf(world, orders);
    expect(triggers.every((trigger) => trigger !== undefined)).toBe(true);
  });
});
