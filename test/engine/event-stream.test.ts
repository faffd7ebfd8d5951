import { describe, expect, it } from "vitest";
import { createMemoryStore } from "../../src/adapters/memory/index.ts";
import { createFaultyWorld, turns } from "../support/faulty-world.ts";
import { fillOf, reported } from "../support/scripted-venue.ts";
import { createWorld, type World } from "../support/world.ts";

/** Per shard, whether the numbers start at one and rise by one. */
function isGapless(world: World): boolean {
  const last = new Map<number, number>();
  return world.updates.every(({ shard, sequence, record }) => {
    const follows =
      sequence === (last.get(shard) ?? 0) + 1 && record.sequence === sequence && record.shard === shard;
    last.set(shard, sequence);
    return follows;
  });
}

describe("I54: the event stream", () => {
  it("is gapless per shard over placements, children, cancels and crashes", async () => {
    const world = await createWorld();
    for (let n = 0; n < 30; n++) {
      const order = await world.place({ price: "100", quantity: "1" }, 1 + (n % 2));
      world.venue.onSubmit = ({ childId }) => reported(childId, "closed", [fillOf({ quantity: "0.25" })]);
      if (n % 5 === 0) await world.quote("99", "100");
      if (n % 4 === 0) await world.cancel(order).catch(() => undefined);
      if (n % 7 === 6) await world.crash();
    }
    expect(isGapless(world)).toBe(true);
    expect(world.updates).toHaveLength(world.engine.metrics().journalSequence);
  });

  it("carries the order as of its record, and every reported step is durable", async () => {
    const world = await createWorld();
    const store = createMemoryStore({ disk: world.disk });
    const stored: ReturnType<typeof store.readRecords>[] = [];
    world.engine.events.on("order", ({ shard, sequence, order }) => {
      stored.push(store.readRecords({ shard, after: sequence - 1, limit: 1 }));
      expect(order.lastSequence).toBe(sequence);
    });
    const order = await world.place({ price: "100" });
    await world.quote("99", "100");
    expect((await Promise.all(stored)).flat()).toEqual(world.updates.map(({ record }) => record));
    expect(world.updates.at(-1)?.order).toEqual(await world.order(order));
  });

  it("is silent while the append is in flight", async () => {
    const { world, store } = await createFaultyWorld();
    store().inject("slow");
    const placing = world.place({ price: "100" });
    await turns();
    expect(world.updates).toEqual([]);
    store().inject("none");
    store().release();
    await placing;
    expect(world.updates).toHaveLength(1);
  });
});

describe("listeners", () => {
  it("receive nothing after they left", async () => {
    const world = await createWorld();
    const received: number[] = [];
    const listener = ({ sequence }: Readonly<{ sequence: number }>): void => void received.push(sequence);
    const leave = world.engine.events.on("order", listener);
    await world.place({ price: "100" });
    leave();
    await world.place({ price: "100" });
    expect(received).toEqual([1]);
  });

  it("may act on the engine during an event", async () => {
    const world = await createWorld();
    const canceled: number[] = [];
    world.engine.events.on("order", ({ order }) => {
      if (order.ended === undefined) {
        void world.engine
          .cancel({ accountId: order.accountId, orderId: order.orderId })
          .then((after) => canceled.push(after.orderId));
      }
    });
    const order = await world.place({ price: "100" });
    await world.engine.idle();
    expect(canceled).toEqual([order.orderId]);
    expect(isGapless(world)).toBe(true);
  });
});
