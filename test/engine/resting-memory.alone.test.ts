import { describe, expect, it } from "vitest";
import { ShardMemory } from "../../src/engine/shards/shard-memory.ts";
import { evolve, managedIdOf } from "../../src/lifecycle/index.ts";
import { orderIntent } from "../../src/requests/index.ts";
import { liveBytes } from "../support/live-heap.ts";

const COUNT = 60_000;
const ROUNDS = 3;

function accept(memory: ShardMemory, count: number): void {
  const intent = orderIntent({
    ...{ symbol: "BTC/USD", side: "SELL", type: "STOP_MARKET", quantity: "0.125" },
    stopPrice: `${5_000 + (count % 1_000)}.25`,
    newClientOrderId: `order-number-${count}-of-many`,
  });
  const fact = { kind: "ACCEPTED", accountId: 1, intent, acceptance: count } as const;
  const context = { sequence: count, timeMs: 1_795_000_000_000 + count };
  memory.take(evolve(undefined, fact, { orderId: managedIdOf({ count, shard: 7 }), ...context }));
}

/** Returns the bytes of live heap that a resting stop takes. */
function bytesOfOne(): number {
  const memory = new ShardMemory();
  for (let count = 1; count <= 1_000; count++) accept(memory, count);
  const before = liveBytes();
  for (let count = 1_001; count <= 1_000 + COUNT; count++) accept(memory, count);
  const bytes = liveBytes() - before;
  expect(memory.openParents).toBe(1_000 + COUNT);
  return bytes / COUNT;
}

describe("resting orders take little memory", () => {
  it("a resting stop: order, intent, client id, and its places in the memory of its shard", () => {
    // What else the process has may grow meanwhile, but hardly in every round.
    const bytes = Array.from({ length: ROUNDS }, bytesOfOne);
    expect(Math.min(...bytes)).toBeLessThan(495);
  });
});
