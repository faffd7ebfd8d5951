import { describe, expect, it } from "vitest";
import { OrderedMap } from "../../src/adapters/memory/storage.ts";
import { createRandom, type Random } from "../../src/common/random.ts";
import type { Entry, KeyRange } from "../../src/ports/index.ts";
import { seedOr } from "../support/seed.ts";

const SEED = seedOr(20_261_201);

/** A sorted list of entries: slow, and plain enough to be right. */
class PlainMap {
  #entries: Entry[] = [];

  set(key: string, value: string): void {
    this.delete(key);
    const place = this.#entries.findIndex(([other]) => other > key);
    this.#entries.splice(place < 0 ? this.#entries.length : place, 0, [key, value]);
  }

  delete(key: string): boolean {
    const place = this.#entries.findIndex(([other]) => other === key);
    if (place >= 0) this.#entries.splice(place, 1);
    return place >= 0;
  }

  get(key: string): string | undefined {
    return this.#entries.find(([other]) => other === key)?.[1];
  }

  range({ from, before, limit, reverse = false }: KeyRange): readonly Entry[] {
    const inside = this.#entries.filter(([key]) => key >= from && key < before);
    return (reverse ? inside.toReversed() : inside).slice(0, limit);
  }

  get size(): number {
    return this.#entries.length;
  }
}

type Pair = Readonly<{ map: OrderedMap; plain: PlainMap; random: Random }>;
const keyOf = (number: number): string => `log ${String(number).padStart(5, "0")}`;

/** Compares both maps: by ranges at random, in both directions, and over all keys. */
function compare({ map, plain, random }: Pair, keys: number): void {
  expect(map.size).toBe(plain.size);
  const all = { from: " ", before: "~", limit: 1e9 };
  expect(map.range(all)).toEqual(plain.range(all));
  expect(map.range({ ...all, reverse: true })).toEqual(plain.range({ ...all, reverse: true }));
  for (let count = 0; count < 20; count++) {
    const [from, before] = [keyOf(random.below(keys)), keyOf(random.below(keys))];
    const range = { from, before, limit: 1 + random.below(2_000), reverse: random.below(2) === 1 };
    expect(map.range(range), JSON.stringify(range)).toEqual(plain.range(range));
  }
}

/** Sets keys at random and, in `deleted` of 100 steps, deletes them. */
function change({ map, plain, random }: Pair, keys: number, deleted: number): void {
  for (let count = 0; count < 1_000; count++) {
    const key = keyOf(random.below(keys));
    if (random.below(100) < deleted) expect(map.delete(key), key).toBe(plain.delete(key));
    else {
      map.set(key, `value ${count}`);
      plain.set(key, `value ${count}`);
    }
    const requested = keyOf(random.below(keys));
    expect(map.get(requested), requested).toBe(plain.get(requested));
  }
}

const pair = (seed: number): Pair => ({
  map: new OrderedMap(),
  plain: new PlainMap(),
  random: createRandom(seed),
});

describe(`an ordered map equals a sorted list (SEED=${SEED})`, () => {
  it("after keys at random: it grows, shrinks to few keys, and grows again", () => {
    const both = pair(SEED);
    for (const deleted of [0, 5, 20, 20, 50, 95, 100, 100, 100, 100, 95, 100, 5, 10, 100, 100, 100, 100]) {
      change(both, 3_000, deleted);
      compare(both, 3_000);
    }
  });

  it("after rising keys of several journals in turn, of which the oldest are deleted", () => {
    const both = pair(SEED + 1);
    for (let sequence = 0; sequence < 900; sequence++) {
      for (const journal of [0, 3_000, 6_000]) {
        both.map.set(keyOf(journal + sequence), `${sequence}`);
        both.plain.set(keyOf(journal + sequence), `${sequence}`);
        const old = keyOf(journal + sequence - 700);
        if (sequence >= 700) expect(both.map.delete(old)).toBe(both.plain.delete(old));
      }
      if (sequence % 100 === 99) compare(both, 9_000);
    }
  });

  it("when every key is deleted, in rising and in falling order", () => {
    for (const isFalling of [false, true]) {
      const both = pair(SEED + 2);
      for (let number = 0; number < 1_500; number++) both.map.set(keyOf(number), "x");
      for (let number = 0; number < 1_500; number++)
        expect(both.map.delete(keyOf(isFalling ? 1_499 - number : number))).toBe(true);
      compare(both, 1_500);
      both.map.set("b", "2");
      both.map.set("a", "1");
      expect(both.map.range({ from: "a", before: "c", limit: 9 })).toEqual([
        ["a", "1"],
        ["b", "2"],
      ]);
    }
  });
});
