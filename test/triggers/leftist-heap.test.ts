import fc from "fast-check";
import { describe, expect, it } from "vitest";
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
