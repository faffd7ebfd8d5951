import { describe, expect, it } from "vitest";
import { createManualClock, createMemoryRateLimiter } from "../../../src/adapters/memory/index.ts";
import { createOldestDropper } from "../../../src/adapters/shared/rate-limiter.ts";

/** A map that counts how often an iteration begins at its first key. */
class CountedMap extends Map<number, number> {
  begun = 0;

  override keys(): MapIterator<number> {
    this.begun++;
    return super.keys();
  }
}

describe("dropping the oldest", () => {
  it("drops the oldest entry, whatever was deleted, cleared or inserted again meanwhile", () => {
    const map = new Map<number, number>();
    const drop = createOldestDropper(map);
    for (let key = 0; key < 10; key++) map.set(key, key);
    drop(7);
    expect([...map.keys()]).toEqual([3, 4, 5, 6, 7, 8, 9]);
    map.delete(3);
    map.delete(4);
    map.set(3, 3);
    drop(4);
    expect([...map.keys()]).toEqual([7, 8, 9, 3]);
    map.clear();
    for (let key = 20; key < 25; key++) map.set(key, key);
    drop(1);
    expect([...map.keys()]).toEqual([24]);
    drop(0);
    drop(0);
    map.set(30, 0);
    drop(0);
    expect(map.size).toBe(0);
  });

  it("hostile: 200,000 unknown addresses make it begin at the first key once, not once each", () => {
    const map = new CountedMap();
    const drop = createOldestDropper(map);
    for (let key = 0; key < 200_000; key++) {
      map.set(key, key);
      drop(1_000);
    }
    expect([map.size, map.begun]).toEqual([1_000, 1]);
  });
});

describe("an unauthenticated client with any number of addresses", () => {
  it("is counted for the newest of them only, and cannot lift the ban of one that is still known", async () => {
    const clock = createManualClock({ startMs: 1_767_355_200_000 });
    const limiter = createMemoryRateLimiter({ clock, weightPerMinute: 1, maxTracked: 100 });
    const banned = { address: "banned", weight: 1 };
    for (let count = 0; count < 11; count++) await limiter.weigh(banned);
    for (let count = 0; count < 100_000; count++) await limiter.weigh({ address: `s-${count}`, weight: 1 });
    expect((await limiter.weigh(banned)).refused?.kind).toBe("ban");
    for (let count = 99_900; count < 100_000; count++)
      expect((await limiter.weigh({ address: `s-${count}`, weight: 0 })).used).toBe(1);
    expect((await limiter.weigh({ address: "s-99899", weight: 0 })).used).toBe(0);
  });
});
