import { describe, expect, it, vi } from "vitest";
import { createMemoryAccounts } from "../../src/adapters/memory/index.ts";
import { Price } from "../../src/decimal/index.ts";
import { DEFAULT_SETTINGS } from "../../src/engine/core/settings.ts";
import { TriggerBook } from "../../src/triggers/index.ts";
import { createFaultyWorld } from "../support/faulty-world.ts";
import { accountEntry, SYMBOL } from "../support/world.ts";

const MANY = 1_500;

/** Calls a function after a turn in which so many orders have been replaced by what the store has of them. */
function atLookUp(number: number, run: () => void): Readonly<{ mockRestore: () => void }> {
  let looked = 0;
  const { has } = TriggerBook.prototype;
  return vi.spyOn(TriggerBook.prototype, "has").mockImplementation(function (this: TriggerBook, orderId) {
    if (++looked === number) queueMicrotask(run);
    return has.call(this, orderId);
  });
}

describe("a shard that is read again", () => {
  it("restores its orders some hundred per turn; all of them act on a quote that arrives meanwhile, once", async () => {
    const { world, store } = await createFaultyWorld();
    const stop = { side: "SELL", type: "STOP_MARKET", stopPrice: "90" } as const;
    await Promise.all(Array.from({ length: MANY }, () => world.place(stop)));
    const together: number[] = [];
    let looked = 0;
    const { has } = TriggerBook.prototype;
    const spied = vi.spyOn(TriggerBook.prototype, "has").mockImplementation(function (
      this: TriggerBook,
      orderId,
    ) {
      if (looked++ === 0)
        queueMicrotask(() => {
          together.push(looked);
          looked = 0;
        });
      return has.call(this, orderId);
    });
    store().inject("fail", 1);
    await expect(world.place(stop)).rejects.toMatchObject({ code: -1001 });
    world.engine.market.quote({ symbol: SYMBOL, bid: "80", ask: "81" });
    await world.engine.idle();
    spied.mockRestore();
    expect(together.reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(MANY);
    expect(Math.max(...together)).toBeLessThanOrEqual(4 * 128);
    await world.quote("80", "81");
    expect(world.venue.submitted).toHaveLength(MANY);
    expect(new Set(world.venue.submitted.map(({ parentOrderId }) => parentOrderId)).size).toBe(MANY);
    expect((await world.engine.verify()).equal).toBe(true);
  });

  it("I25: it watches each order all the time: one quote meanwhile triggers all of them, and the next meets their limit", async () => {
    const stop = { side: "BUY", type: "STOP_LOSS_LIMIT", stopPrice: "103", price: "104" } as const;
    const { world, store } = await createFaultyWorld();
    const orders = await Promise.all(Array.from({ length: MANY }, () => world.place(stop)));
    await world.quote("99", "100");
    const showQuote = (): void => void world.engine.market.quote({ symbol: SYMBOL, bid: "104", ask: "105" });
    const spied = atLookUp(MANY / 2, showQuote);
    store().inject("fail", 1);
    await expect(world.place(stop)).rejects.toMatchObject({ code: -1001 });
    await world.engine.idle();
    spied.mockRestore();
    const all = await Promise.all(orders.map((order) => world.order(order)));
    const missed = all.filter(({ trigger }) => trigger === undefined).length;
    await world.quote("99", "100");
    const sent = new Set(world.venue.submitted.map(({ parentOrderId }) => parentOrderId)).size;
    expect([missed, sent]).toEqual([0, MANY]);
  });

  it("I25: also if it is read once more before all of its orders are restored", async () => {
    const stop = { side: "BUY", type: "STOP_LOSS_LIMIT", stopPrice: "103", price: "104" } as const;
    let failures = 0;
    const { world, store } = await createFaultyWorld({
      accounts: createMemoryAccounts([1, 2, 3].map(accountEntry)),
      report: (name) => {
        if (name === "append.failed" && ++failures === 2) queueMicrotask(() => cancelAll(3));
      },
    });
    const place = (count: number, accountId: number) =>
      Promise.all(Array.from({ length: count }, () => world.place(stop, accountId)));
    const orders = await place(MANY, 1);
    const lost = await world.place(stop);
    // More than an append holds: as long as so many records wait for the store, no order is restored.
    const others = [...(await place(600, 2)), ...(await place(600, 3))];
    const cancelAll = (accountId: number): void => {
      for (const one of others) if (one.accountId === accountId) world.cancel(one).catch(() => undefined);
    };
    await world.quote("99", "100");
    let looked = 0;
    let shown = false;
    const { has } = TriggerBook.prototype;
    const spied = vi.spyOn(TriggerBook.prototype, "has").mockImplementation(function (
      this: TriggerBook,
      orderId,
    ) {
      if (++looked === 10)
        queueMicrotask(() => {
          store().inject("fail", 1);
          world.cancel(lost).catch(() => undefined);
          cancelAll(2);
        });
      if (failures === 2 && !shown) {
        shown = true;
        queueMicrotask(() => void world.engine.market.quote({ symbol: SYMBOL, bid: "104", ask: "105" }));
      }
      return has.call(this, orderId);
    });
    store().inject("fail", 1);
    await expect(world.place(stop)).rejects.toMatchObject({ code: -1001 });
    await world.pass(DEFAULT_SETTINGS.retryMaxMs);
    spied.mockRestore();
    const all = await Promise.all(orders.map((order) => world.order(order)));
    const missed = all.filter(({ trigger }) => trigger === undefined).length;
    expect([failures, missed]).toEqual([2, 0]);
  });

  it("an order whose cancel was lost comes back at once, and waits from the next quote on", async () => {
    const { world, store } = await createFaultyWorld();
    const stop = { side: "SELL", type: "STOP_MARKET", stopPrice: "90" } as const;
    const order = await world.place({ ...stop, stopPrice: "95" });
    await Promise.all(Array.from({ length: MANY }, () => world.place(stop)));
    const showQuote = (): void => void world.engine.market.quote({ symbol: SYMBOL, bid: "95", ask: "96" });
    const spied = atLookUp(MANY / 2, showQuote);
    store().inject("fail", 1);
    await expect(world.cancel(order)).rejects.toMatchObject({ code: -1001 });
    await world.engine.idle();
    spied.mockRestore();
    expect((await world.order(order)).trigger).toMatchObject({ observed: Price.parse("95") });
  });

  it("I25: it moves the reference of a trailing order all the time: a high quote meanwhile counts", async () => {
    const { world, store } = await createFaultyWorld();
    await world.quote("99", "100");
    const trailing = { side: "SELL", type: "TRAILING_STOP_MARKET", trailingDelta: 500 } as const;
    const order = await world.place(trailing);
    await world.quote("99", "100");
    const stop = { side: "SELL", type: "STOP_MARKET", stopPrice: "90" } as const;
    await Promise.all(Array.from({ length: MANY }, () => world.place(stop)));
    const showQuote = (): void => void world.engine.market.quote({ symbol: SYMBOL, bid: "110", ask: "111" });
    const spied = atLookUp(MANY / 2, showQuote);
    store().inject("fail", 1);
    await expect(world.place(stop)).rejects.toMatchObject({ code: -1001 });
    await world.engine.idle();
    spied.mockRestore();
    await world.quote("104", "105");
    expect((await world.order(order)).trigger).toMatchObject({ observed: Price.parse("104") });
  });

  it("I25: it moves the reference also of an order that has become active before the shard runs again", async () => {
    const { world, store } = await createFaultyWorld({
      report: (name) => {
        if (name === "append.failed") store().inject("fail-reads", 1);
        if (name === "reload.failed") world.engine.market.quote({ symbol: SYMBOL, bid: "103", ask: "104" });
      },
    });
    await world.quote("99", "100");
    const gate = { stopPrice: "102", trailingDelta: 500 } as const;
    const order = await world.place({ side: "SELL", type: "TRAILING_STOP_MARKET", ...gate });
    const stop = { side: "SELL", type: "STOP_MARKET", stopPrice: "90" } as const;
    await Promise.all(Array.from({ length: MANY }, () => world.place(stop)));
    const showQuote = (): void => void world.engine.market.quote({ symbol: SYMBOL, bid: "110", ask: "111" });
    const spied = atLookUp(MANY / 2, showQuote);
    store().inject("fail", 1);
    await world.place(stop).catch(() => undefined);
    await world.pass(DEFAULT_SETTINGS.retryMaxMs);
    spied.mockRestore();
    await world.quote("104", "105");
    expect((await world.order(order)).trigger).toMatchObject({ observed: Price.parse("104") });
  });
});
