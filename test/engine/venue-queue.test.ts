import { expect, it } from "vitest";
import { type DueChild, VenueQueue, type VenueQueueParts } from "../../src/engine/children/venue-queue.ts";
import type { Core } from "../../src/engine/core/core.ts";
import { shardOfId } from "../../src/model/index.ts";

const [SLOW, OTHER] = [-1, -2];

const due = (parentOrderId: number, childId: string, reduceOnly = false): DueChild =>
  ({ child: { parentOrderId, childId, reduceOnly }, notAfterMs: 0 }) as DueChild;

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
  queue.takeBack(shardOfId(SLOW));
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
  queue.takeBack(shardOfId(SLOW));
  expect(rest()).toBe("c,d,e,a,b");
});

it("decision 26: children that were put last go behind those that were aside", () => {
  const { queue, rest } = queued(due(SLOW, "a"), due(OTHER, "b"), due(SLOW, "c"));
  queue.setAside(shardOfId(SLOW));
  queue.putLast(shardOfId(OTHER));
  queue.takeBack(shardOfId(SLOW));
  expect(rest()).toBe("a,c,b");
  expect(queue.size).toBe(0);
});
