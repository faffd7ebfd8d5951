import { LeftistHeap } from "../../src/triggers/leftist-heap.ts";

/** A node of a heap of numbers. */
export type Node = {
  readonly key: number;
  left: Node | undefined;
  right: Node | undefined;
  parent: Node | undefined;
  depth: number;
};

export const node = (key: number): Node => ({
  key,
  left: undefined,
  right: undefined,
  parent: undefined,
  depth: 1,
});

/** Returns an empty heap, lowest key first. */
export const heap = (): LeftistHeap<Node> => new LeftistHeap<Node>((a, b) => a.key < b.key);

/** Pops all nodes and returns their keys. */
export function drain(from: LeftistHeap<Node>): number[] {
  const keys: number[] = [];
  for (let head = from.pop(); head !== undefined; head = from.pop()) keys.push(head.key);
  return keys;
}
