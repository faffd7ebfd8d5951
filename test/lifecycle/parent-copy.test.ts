import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createMemoryStore } from "../../src/adapters/memory/index.ts";
import { evolve } from "../../src/lifecycle/index.ts";
import { copyOf } from "../../src/model/index.ts";
import { anyParent } from "../support/arbitraries.ts";
import { createWorld } from "../support/world.ts";

describe("decision IJ: a changed parent has every member, in one order", () => {
  it("whatever members it had before, and with the same values", () => {
    const property = fc.property(anyParent, (parent) => {
      const alerted = { kind: "ALERT", alert: "OVERFILL", detail: "" } as const;
      const context = { orderId: parent.orderId, sequence: 77, timeMs: 78 };
      const after = evolve(parent, alerted, context);
      expect(after).toEqual({ ...parent, lastSequence: 77, updatedAtMs: 78 });
      expect(Object.keys(after)).toEqual(Object.keys(copyOf(parent)));
      expect(Object.keys(after).length).toBe(MEMBERS);
    });
    fc.assert(property, { numRuns: 200 });
  });

  it("I53: verify compares a parent whose members a store returns in another order", async () => {
    const world = await createWorld({
      store: (disk) => {
        const store = createMemoryStore({ disk });
        return { ...store, readEnded: async (range) => (await store.readEnded(range)).map(turnedOver) };
      },
    });
    const order = await world.place({ price: "20" });
    await world.cancel(order);
    expect(await world.engine.verify()).toMatchObject({ equal: true });
  });
});

const MEMBERS = 35;

const turnedOver = <T extends object>(value: T): T =>
  Object.fromEntries(Object.entries(value).reverse()) as T;
