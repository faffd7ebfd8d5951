import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { IdMap } from "../../src/triggers/index.ts";

/** Ids of four shards, with many and with no neighbours. */
const anyId = fc
  .tuple(fc.constantFrom(0, 1, 2, 31, 32, 33, 64, 8_192, 4_000_000_000), fc.constantFrom(0, 1, 7, 255))
  .map(([count, shard]) => -((count + 1) * 256 + shard));
const anyStep = fc.oneof(
  fc.record({ kind: fc.constant("set" as const), id: anyId, value: fc.nat(3) }),
  fc.record({ kind: fc.constant("delete" as const), id: anyId, value: fc.constant(0) }),
  fc.record({ kind: fc.constant("set to undefined" as const), id: anyId, value: fc.constant(0) }),
);

describe("a map from order ids", () => {
  it("answers as a Map does, after any steps", () => {
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 60 }), (steps) => {
        const [map, model] = [new IdMap<number | undefined>(), new Map<number, number>()];
        for (const { kind, id, value } of steps) {
          if (kind === "set") {
            map.set(id, value);
            model.set(id, value);
          } else if (kind === "delete") expect(map.delete(id)).toBe(model.delete(id));
          else {
            map.set(id, undefined);
            model.delete(id);
          }
          expect([map.size, map.get(id), map.has(id)]).toEqual([model.size, model.get(id), model.has(id)]);
        }
        for (const { id } of steps) expect(map.get(id)).toBe(model.get(id));
        expect([...map.values()].sort()).toEqual([...model.values()].sort());
      }),
    );
  });

  it("yields values page by page, within a page by id, and without those deleted meanwhile", () => {
    const map = new IdMap<string>();
    const entries = [
      [-256 * 40, "second page"],
      [-256 * 3, "c"],
      [-256, "a"],
      [-512, "b"],
      [-257, "other shard"],
    ] as const;
    for (const [id, value] of entries) map.set(id, value);
    expect([...map.values()]).toEqual(["second page", "a", "b", "c", "other shard"]);
    const seen: string[] = [];
    for (const value of map.values()) {
      seen.push(value);
      if (value === "a") map.delete(-512);
      if (value === "second page") map.set(-256 * 100, "on a new page");
    }
    expect(seen).toEqual(["second page", "a", "c", "other shard"]);
  });
});
