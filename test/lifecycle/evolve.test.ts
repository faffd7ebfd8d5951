import fc from "fast-check";
import { expect, it } from "vitest";
import { evolve } from "../../src/lifecycle/index.ts";
import type { Fact } from "../../src/model/index.ts";
import { anyParent } from "../support/arbitraries.ts";

it("I53, decision BP: a fact of an unknown kind is an error and never the end of its parent", () => {
  const [parent] = fc.sample(anyParent, 1);
  const fact = { kind: "TRIGGER_MOVED" } as unknown as Fact;
  expect(() => evolve(parent, fact, { orderId: -259, sequence: 8, timeMs: 1 })).toThrow(
    "I53: record 8 of shard 3 holds a fact of the kind TRIGGER_MOVED for parent -259",
  );
});
