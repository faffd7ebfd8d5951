import { describe, expect, it, vi } from "vitest";
import { createWorld } from "../support/world.ts";

/** Called for every parent that is encoded. */
const counting = vi.hoisted(() => ({ encoded: (): void => undefined }));

vi.mock("../../src/wire/index.ts", async (original) => {
  const wire = await original<typeof import("../../src/wire/index.ts")>();
  const encodeParent: typeof wire.encodeParent = (order) => {
    counting.encoded();
    return wire.encodeParent(order);
  };
  return { ...wire, encodeParent };
});

const MANY = 1_500;

describe("I53: verify goes in slices", () => {
  it("hashes some hundred orders per turn, and compares them as of its start", async () => {
    const world = await createWorld();
    const placing = Array.from({ length: MANY }, (_, n) => world.place({ price: "20" }, 1 + (n % 2)));
    const orders = await Promise.all(placing);
    const together: number[] = [];
    let encoded = 0;
    counting.encoded = () => {
      if (encoded++ === 0)
        queueMicrotask(() => {
          together.push(encoded);
          encoded = 0;
        });
    };
    const verifying = world.engine.verify();
    const canceling = Promise.all(orders.slice(0, 20).map((order) => world.cancel(order)));
    const { equal, live } = await verifying;
    await canceling;
    counting.encoded = () => undefined;
    expect(equal).toBe(true);
    expect(live.split(":")[0]).toBe(String(MANY));
    expect(together.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(2 * MANY);
    expect(Math.max(...together)).toBeLessThanOrEqual(501);
    expect((await world.engine.verify()).equal).toBe(true);
  });
});
