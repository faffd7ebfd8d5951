import { describe, expect, it } from "vitest";
import { FairQueue } from "../../src/common/index.ts";

/** A queue with these items; the key of an item is its first letter. */
function queued(...items: readonly string[]) {
  const queue = new FairQueue<string, string>();
  const place = (item: string, isLast = false) => queue.place(item.charAt(0), item, isLast);
  for (const item of items) queue.add(place(item));
  const rest = (): string => {
    const taken: string[] = [];
    for (let { first } = queue; first !== undefined; { first } = queue) {
      expect(queue.shift()?.item).toBe(first);
      taken.push(first);
    }
    expect([queue.size, queue.shift()]).toEqual([0, undefined]);
    return taken.join(" ");
  };
  return { queue, place, rest };
}

describe("a fair queue", () => {
  it("lets keys take turns, and keeps the order of arrival of each key and of each round", () => {
    expect(queued("a1", "a2", "a3", "b1", "c1", "b2").rest()).toBe("a1 b1 c1 a2 b2 a3");
  });

  it("gives a key that comes later its turn in the next round", () => {
    const { queue, place, rest } = queued("a1", "a2", "a3");
    queue.shift();
    queue.add(place("b1"));
    expect(rest()).toBe("a2 b1 a3");
    queue.add(place("c1"));
    expect(rest()).toBe("c1");
  });

  it("takes items back at the places that they had, also when their round has passed", () => {
    const { queue, rest } = queued("a1", "a2", "b1", "b2", "c1", "c2");
    const away = queue.remove((item) => item.startsWith("a"));
    expect([away.map(({ item }) => item), queue.size, queue.first]).toEqual([["a1", "a2"], 4, "b1"]);
    for (let count = 0; count < 3; count++) queue.shift();
    for (const one of away) queue.add(one);
    expect(rest()).toBe("a1 a2 c2");
  });

  it("takes items back that have gone, before what is left of their round", () => {
    const { queue, rest } = queued("a1", "b1", "c1", "d1");
    const gone = [queue.shift(), queue.shift()].flatMap((one) => one ?? []);
    for (const one of gone.reverse()) queue.add(one);
    expect(rest()).toBe("a1 b1 c1 d1");
  });

  it("removes only what has not gone", () => {
    const { queue, rest } = queued("a1", "b1", "c1", "d1");
    queue.shift();
    expect(queue.remove((item) => item !== "c1").map(({ item }) => item)).toEqual(["b1", "d1"]);
    expect(rest()).toBe("c1");
  });

  it("finds the next round behind a gap", () => {
    const { queue, place, rest } = queued("a1", "a2", "a3", "b1");
    queue.remove((item) => item === "a1" || item === "a2" || item === "b1");
    queue.evict("b");
    queue.add(place("b2", true));
    expect(rest()).toBe("a3 b2");
  });
});
