import { describe, expect, it, vi } from "vitest";
import { createMemoryStore } from "../../src/adapters/memory/index.ts";
import { TriggerBook } from "../../src/triggers/index.ts";
import { createWorld, SYMBOL } from "../support/world.ts";

const MANY = 1_500;

describe("decision IA: a shard that is read again", () => {
  it("restores its orders some hundred per turn; all of them act on a quote that arrives meanwhile, once", async () => {
    let fails = false;
    const world = await createWorld({
      store: (disk) => {
        const store = createMemoryStore({ disk });
        const append: typeof store.append = async (batch) => {
          if (!fails) return await store.append(batch);
          fails = false;
          throw new Error("no");
        };
        return { ...store, append };
      },
    });
    const stop = { side: "SELL", type: "STOP_MARKET", stopPrice: "90" } as const;
    await Promise.all(Array.from({ length: MANY }, () => world.place(stop)));
    const together: number[] = [];
    let added = 0;
    const { add } = TriggerBook.prototype;
    const spied = vi.spyOn(TriggerBook.prototype, "add").mockImplementation(function (
      this: TriggerBook,
      one,
    ) {
      if (added++ === 0)
        queueMicrotask(() => {
          together.push(added);
          added = 0;
        });
      add.call(this, one);
    });
    fails = true;
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
});
