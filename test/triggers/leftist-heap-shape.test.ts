import fc from "fast-check";
import { expect, it } from "vitest";
import { heap, type Node, node } from "./heap-node.ts";

/** Checks the links and depths below a node; returns its depth, which is that of its right edge. */
function depthOf(top: Node | undefined): number {
  if (top === undefined) return 0;
  const [left, right] = [depthOf(top.left), depthOf(top.right)];
  for (const child of [top.left, top.right]) if (child !== undefined) expect(child.parent).toBe(top);
  expect(left).toBeGreaterThanOrEqual(right);
  expect(top.depth).toBe(right + 1);
  return top.depth;
}

it("decision IA: the right edge of every node is its shortest path, so that no step visits many nodes", () => {
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
