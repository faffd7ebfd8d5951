import { describe, expect, it, vi } from "vitest";
import { TriggerBook } from "../../src/triggers/index.ts";
import { createFaultyWorld } from "../support/faulty-world.ts";
import { SYMBOL } from "../support/world.ts";

const MANY = 1_500;

describe("decision IA: a shard that is read again", () => {
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
    let looked = 0;
    const { has } = TriggerBook.prototype;
    const spied = vi.spyOn(TriggerBook.prototype, "has").mockImplementation(function (
      this: TriggerBook,
      orderId,
    ) {
      // Between two turns, when a part of the orders was replaced by what the store has of them.
      if (++looked === MANY / 2) queueMicrotask(showQuote);
      return has.call(this, orderId);
    });
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
});
