import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { IncrementalSort } from "../../src/triggers/side-book.ts";

type Thing = Readonly<{ key: number; id: number }>;
const before = (a: Thing, b: Thing): boolean => a.key < b.key || (a.key === b.key && a.id < b.id);

function merged(things: readonly Thing[]): Readonly<{ inOrder: readonly Thing[]; steps: number }> {
  const sort = new IncrementalSort<Thing>(before);
  for (const thing of things) sort.add(thing);
  let steps = 0;
  while (sort.step()) steps++;
  return { inOrder: sort.inOrder, steps };
}

describe("decision IA: triggered orders are sorted in steps", () => {
  it("with the result of a complete sort", () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 20 })), (keys) => {
        const things = keys.map((key, id) => ({ key, id }));
        const sorted = [...things].sort((a, b) => a.key - b.key || a.id - b.id);
        expect(merged(things).inOrder).toEqual(sorted);
      }),
    );
  });

  it("sorted input takes no merge pass, two runs take one", () => {
    const things = Array.from({ length: 10_000 }, (_, id) => ({ key: id % 5_000, id }));
    expect(merged(things.slice(0, 5_000)).steps).toBe(0);
    const { steps } = merged(things);
    expect(steps).toBeGreaterThan(10_000 / 20);
    expect(steps).toBeLessThan(10_000 / 10);
  });
});
