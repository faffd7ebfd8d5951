import { describe, expect, it } from "vitest";
import { createRandom, type Random } from "../../src/common/random.ts";
import { ClientIdFilter } from "../../src/engine/core/client-id-filter.ts";
import { seedOr } from "../support/seed.ts";

const SEED = seedOr(130_713);
const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";

type Name = readonly [accountId: number, clientOrderId: string];

/** Ids of any length, of few and of many accounts, and series of ids that differ in their last letters only. */
function anyName(random: Random, index: number): Name {
  const accountId = random.pick([1, random.below(300), random.below(2 ** 31), 2 ** 32 + random.below(9)]);
  if (random.chance(0.5)) return [accountId, `order-${index}`];
  const length = 1 + random.below(36);
  return [accountId, Array.from({ length }, () => random.pick([...LETTERS])).join("")];
}

describe("decision IG: the filter of client ids", () => {
  it(`I03: contains every id that was added, in any order, from block to block (SEED=${SEED})`, () => {
    const random = createRandom(SEED);
    const filter = new ClientIdFilter();
    filter.complete();
    const added: Name[] = [];
    // More ids than the first two blocks hold, 16,384 and 65,536.
    for (let index = 0; index < 100_000; index++) {
      const name = anyName(random, index);
      filter.add(...name);
      added.push(name);
      for (const probe of [name, random.pick(added)]) expect(filter.lacks(...probe), `${probe}`).toBe(false);
    }
    expect(added.filter((name) => filter.lacks(...name))).toEqual([]);
  });

  it(`excludes 99 of 100 ids that were not added, also the same id of another account (SEED=${SEED})`, () => {
    const filter = new ClientIdFilter();
    filter.complete();
    for (let index = 0; index < 200_000; index++) filter.add(index % 700, `order-${index}`);
    let [others, accounts] = [0, 0];
    for (let index = 0; index < 50_000; index++) {
      if (filter.lacks(index % 700, `other-${index}`)) others++;
      if (filter.lacks((index % 700) + 700, `order-${index}`)) accounts++;
    }
    expect(others).toBeGreaterThan(49_500);
    expect(accounts).toBeGreaterThan(49_500);
  });

  it("excludes nothing before it contains all ended ids", () => {
    const filter = new ClientIdFilter();
    expect(filter.lacks(1, "new")).toBe(false);
    filter.complete();
    expect(filter.lacks(1, "new")).toBe(true);
  });

  it("a repeated id takes no room", () => {
    const filter = new ClientIdFilter();
    filter.complete();
    for (let round = 0; round < 50; round++)
      for (let index = 0; index < 16_000; index++) filter.add(7, `order-${index}`);
    const found = Array.from({ length: 20_000 }, (_, index) => filter.lacks(7, `other-${index}`));
    expect(found.filter((isLacked) => !isLacked).length).toBeLessThan(200);
  });
});
