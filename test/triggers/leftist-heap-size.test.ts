import { describe, expect, it } from "vitest";
import { LeftistHeap } from "../../src/triggers/leftist-heap.ts";
import { drain, heap, type Node, node } from "./heap-node.ts";

describe("a leftist heap of many nodes", () => {
  it("needs no recursion: 200,000 nodes in rising, falling and equal order", () => {
    for (const keyOf of [(i: number) => i, (i: number) => -i, () => 0]) {
      const deep = heap();
      for (let i = 0; i < 200_000; i++) deep.insert(node(keyOf(i)));
      const keys = drain(deep);
      expect(keys).toHaveLength(200_000);
      expect(keys.every((key, i) => i === 0 || (keys[i - 1] ?? 0) <= key)).toBe(true);
    }
  });

  it("no insert, pop or remove visits more than some tens of nodes, among 100,000", () => {
    let looks = 0;
    const most = { insert: 0, pop: 0, remove: 0 };
    const counted = new LeftistHeap<Node>((a, b) => {
      looks++;
      return a.key < b.key;
    });
    const note = (kind: keyof typeof most, run: () => unknown): void => {
      looks = 0;
      run();
      most[kind] = Math.max(most[kind], looks);
    };
    const nodes = Array.from({ length: 100_000 }, (_, index) => node(index % 2 === 0 ? index : -index));
    for (const each of nodes) note("insert", () => counted.insert(each));
    for (const each of nodes.slice(0, 1_000)) note("remove", () => counted.remove(each));
    for (let pops = 0; pops < 1_000; pops++) note("pop", () => counted.pop());
    expect(Math.max(...Object.values(most))).toBeLessThanOrEqual(2 * 17);
  });
});
