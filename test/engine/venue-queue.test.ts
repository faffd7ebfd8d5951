import { expect, it } from "vitest";
import { type DueChild, VenueQueue, type VenueQueueParts } from "../../src/engine/children/venue-queue.ts";
import type { Core } from "../../src/engine/core/core.ts";
import { shardOfId } from "../../src/model/index.ts";

const [SLOW, OTHER] = [-1, -2];

const due = (parentOrderId: number, childId: string, reduceOnly = false): DueChild =>
  ({ child: { accountId: -parentOrderId, parentOrderId, childId, reduceOnly }, notAfterMs: 0 }) as DueChild;

/** Queues the children, and returns the queue and what removes all of them in their order. */
function queued(...children: readonly DueChild[]) {
  const queue = new VenueQueue({} as unknown as Core, {} as unknown as VenueQueueParts);
  for (const child of children) queue.add(child);
  const rest = (): string => {
    const ids: string[] = [];
    for (let { first } = queue; first !== undefined; { first } = queue) {
      ids.push(first.child.childId);
      queue.shift();
    }
    return ids.join();
  };
  return { queue, rest };
}

it("decision 26: children that were aside go before those that came later, and not before those that came earlier", () => {
  const { queue, rest } = queued(due(SLOW, "a"), due(OTHER, "b"), due(SLOW, "c"), due(OTHER, "d"));
  queue.setAside(shardOfId(SLOW));
  queue.add(due(SLOW, "e"));
  queue.add(due(OTHER, "f"));
  queue.setAside(shardOfId(SLOW));
  queue.withdraw(shardOfId(SLOW));
  expect(rest()).toBe("a,b,c,d,e,f");
});

it("decision 26: those that reduce a position go first also after they were aside", () => {
  const { queue, rest } = queued(
    due(OTHER, "a"),
    due(SLOW, "b"),
    due(OTHER, "c", true),
    due(SLOW, "d", true),
  );
  queue.setAside(shardOfId(SLOW));
  queue.add(due(OTHER, "e", true));
  queue.withdraw(shardOfId(SLOW));
  expect(rest()).toBe("c,d,e,a,b");
});

it("decision 26: children that were put last go behind those that were aside", () => {
  const { queue, rest } = queued(due(SLOW, "a"), due(OTHER, "b"), due(SLOW, "c"));
  queue.setAside(shardOfId(SLOW));
  queue.putLast(shardOfId(OTHER));
  queue.withdraw(shardOfId(SLOW));
  expect(rest()).toBe("a,c,b");
  expect(queue.size).toBe(0);
});

it("children that were removed while they were aside do not come back: they would be sent twice", () => {
  const { queue, rest } = queued(due(SLOW, "a"), due(OTHER, "b"));
  queue.setAside(shardOfId(SLOW));
  expect(queue.removeOf(new Set([shardOfId(SLOW)]))).toMatchObject([{ child: { childId: "a" } }]);
  queue.withdraw(shardOfId(SLOW));
  expect([queue.size, rest()]).toEqual([1, "b"]);
});

it("decision 26: accounts take turns, and the children of one keep their order", () => {
  const { queue, rest } = queued(due(SLOW, "a"), due(SLOW, "b"), due(SLOW, "c"), due(SLOW, "d"));
  queue.shift();
  queue.add(due(OTHER, "e"));
  queue.add(due(OTHER, "f"));
  queue.add(due(SLOW, "g"));
  expect(rest()).toBe("b,e,c,f,d,g");
});

it("decision 26: the children of an account that were removed do not keep its later ones back", () => {
  const { queue, rest } = queued(due(SLOW, "a"), due(SLOW, "b"), due(OTHER, "c"), due(OTHER, "d"));
  expect(queue.removeOf(new Set([shardOfId(SLOW)]))).toMatchObject([
    { child: { childId: "a" } },
    { child: { childId: "b" } },
  ]);
  queue.add(due(SLOW, "e"));
  expect(rest()).toBe("c,e,d");
});

it("decision 26: those that were put last take turns with each other", () => {
  const { queue, rest } = queued(due(SLOW, "a"), due(SLOW, "b"), due(OTHER, "c"), due(OTHER, "d"));
  queue.putLast(shardOfId(SLOW));
  queue.putLast(shardOfId(OTHER));
  expect(rest()).toBe("a,b,c,d");
});
