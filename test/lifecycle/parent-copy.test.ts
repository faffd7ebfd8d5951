import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { evolve } from "../../src/lifecycle/index.ts";
import { copyOf } from "../../src/model/index.ts";
import { anyParent } from "../support/arbitraries.ts";

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
});

const MEMBERS = 35;
