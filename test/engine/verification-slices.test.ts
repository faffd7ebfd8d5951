import { describe, expect, it, vi } from "vitest";
import { createWorld } from "../support/world.ts";

const MANY = 1_500;

describe("I53, decision HK: verify goes in slices", () => {
  it("hashes some hundred orders a turn, and compares them as they were when it began", async () => {
    const world = await createWorld();
    const placing = Array.from({ length: MANY }, (_, n) => world.place({ price: "20" }, 1 + (n % 2)));
    const orders = await Promise.all(placing);
    const together: number[] = [];
    let encoded = 0;
    const encode = JSON.stringify;
    const spied = vi.spyOn(JSON, "stringify").mockImplementation(((value: unknown, ...more: never[]) => {
      if (encoded++ === 0)
        queueMicrotask(() => {
          together.push(encoded);
          encoded = 0;
        });
      return encode(value, ...more);
    }) as typeof JSON.stringify);
    const verifying = world.engine.verify();
    const canceling = Promise.all(orders.slice(0, 20).map((order) => world.cancel(order)));
    const { equal, live } = await verifying;
    await canceling;
    spied.mockRestore();
    expect(equal).toBe(true);
    expect(live.split(":")[0]).toBe(String(MANY));
    expect(together.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(2 * MANY);
    expect(Math.max(...together)).toBeLessThanOrEqual(501);
    expect((await world.engine.verify()).equal).toBe(true);
  });
});
