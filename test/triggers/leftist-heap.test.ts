import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { IncrementalSort } from "../../src/triggers/side-book.ts";
import { drain, heap, type Node, node } from "./heap-node.ts";

const byKey = (a: number, b: number): number => a - b;

describe("leftist heap", () => {
  it("is empty at first, and empty again", () => {
    const empty = heap();
    expect([empty.head, empty.pop()]).toEqual([undefined, undefined]);
    empty.insert(node(1));
    expect(empty.pop()?.key).toBe(1);
    expect(empty.head).toBeUndefined();
  });

  it("pops in order, equal keys included", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 50 })), (keys) => {
        const filled = heap();
        for (const key of keys) filled.insert(node(key));
        expect(drain(filled)).toEqual([...keys].sort(byKey));
      }),
    );
  });

  it("removes any node, and accepts it again", () => {
    const step = fc.tuple(fc.constantFrom("insert", "remove", "pop", "again"), fc.nat({ max: 30 }));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const [under, inside] = [heap(), [] as Node[]];
        const enter = (entering: Node): void => {
          under.insert(entering);
          inside.push(entering);
        };
        const leave = (leaving: Node): number => inside.splice(inside.indexOf(leaving), 1).length;
        for (const [action, number] of steps) {
          const some = inside[number % Math.max(inside.length, 1)];
          if (action === "insert" || some === undefined) enter(node(number));
          else if (action === "pop") {
            const least = Math.min(...inside.map((each) => each.key));
            const popped = under.pop() ?? some;
            expect([popped.key, leave(popped)]).toEqual([least, 1]);
          } else {
            under.remove(some);
            leave(some);
            if (action === "again") enter(some);
          }
        }
        expect(drain(under)).toEqual(inside.map((each) => each.key).sort(byKey));
      }),
    );
  });

  it("absorbs another heap and leaves it empty", () => {
    const keys = fc.array(fc.integer({ min: 0, max: 50 }));
    fc.assert(
      fc.property(keys, keys, (mine, theirs) => {
        const [into, from] = [heap(), heap()];
        for (const key of mine) into.insert(node(key));
        for (const key of theirs) from.insert(node(key));
        into.absorb(from);
        expect(from.head).toBeUndefined();
        expect(drain(into)).toEqual([...mine, ...theirs].sort(byKey));
      }),
    );
  });

  it("leaves no links on a removed node, so that it holds no other node in memory", () => {
    const filled = heap();
    const nodes = Array.from({ length: 20 }, (_, key) => node(key));
    for (const each of nodes) filled.insert(each);
    filled.pop();
    for (const each of nodes.slice(5, 10)) filled.remove(each);
    for (const each of [...nodes.slice(0, 1), ...nodes.slice(5, 10)]) {
      expect([each.left, each.right, each.parent]).toEqual([undefined, undefined, undefined]);
    }
  });
});

/** Checks the links and depths below a node; returns its depth, which is that of its right edge. */
function depthOf(top: Node | undefined): number {
  if (top === undefined) return 0;
  const [left, right] = [depthOf(top.left), depthOf(top.right)];
  for (const child of [top.left, top.right]) if (child !== undefined) expect(child.parent).toBe(top);
  expect(left).toBeGreaterThanOrEqual(right);
  expect(top.depth).toBe(right + 1);
  return top.depth;
}

it("the right edge of every node is its shortest path, so that no step visits many nodes", () => {
  const step = fc.tuple(fc.constantFrom("insert", "insert", "remove", "pop"), fc.nat({ max: 30 }));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const [under, inside] = [heap(), new Set<Node>()];
      for (const [action, number] of steps) {
        const some = [...inside][number % Math.max(inside.size, 1)];
        if (action === "insert" || some === undefined) {
          const entering = node(number);
          under.insert(entering);
          inside.add(entering);
        } else if (action === "remove") {
          under.remove(some);
          inside.delete(some);
        } else inside.delete(under.pop() as Node);
        expect(under.head?.parent).toBeUndefined();
        depthOf(under.head);
      }
    }),
  );
});

type Thing = Readonly<{ key: number; id: number }>;
const before = (a: Thing, b: Thing): boolean => a.key < b.key || (a.key === b.key && a.id < b.id);

function merged(things: readonly Thing[]): Readonly<{ inOrder: readonly Thing[]; steps: number }> {
  const sort = new IncrementalSort<Thing>(before);
  for (const thing of things) sort.add(thing);
  let steps = 0;
  while (sort.step()) steps++;
  return { inOrder: sort.inOrder, steps };
}

describe("triggered orders are sorted in steps", () => {
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

  it("each pass halves the runs, so that a thousand of them take ten passes", () => {
    const things = Array.from({ length: 1_024 }, (_, id) => ({ key: -id, id }));
    // A step makes 16 moves; the end of a pair is a move, too.
    expect(merged(things).steps).toBeLessThan((12 * 1_024) / 16);
  });
});
