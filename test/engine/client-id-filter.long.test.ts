import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { hashOf, KeyedTable } from "../../src/common/index.ts";
import { createRandom, type Random } from "../../src/common/random.ts";
import { ClientIdFilter } from "../../src/engine/core/client-id-filter.ts";
import { liveOrderOf } from "../../src/engine/core/live-order.ts";
import { AccountOrders, OpenIds } from "../../src/engine/shards/account-orders.ts";
import { managedIdOf } from "../../src/lifecycle/index.ts";
import { IdMap, TriggerBook } from "../../src/triggers/index.ts";
import { openOrder } from "../store/rules/samples.ts";
import { largestGrown } from "../support/largest-map.ts";
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

describe("the filter of client ids", () => {
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

const MANY = 40_000;
const LARGEST = 64 * 256;

const idsOf = (count: number, shards: number): readonly number[] =>
  Array.from({ length: count }, (_, n) =>
    managedIdOf({ count: 1 + Math.floor(n / shards), shard: n % shards }),
  );

describe("no collection moves all orders in one step", () => {
  it.each([1, 256])("orders by id, over %i shards", (shards) => {
    const orders = new IdMap<number>();
    const ids = idsOf(MANY, shards);
    expect(
      largestGrown(() => {
        for (const id of ids) orders.set(id, id);
      }),
    ).toBeLessThanOrEqual(LARGEST);
    expect([...orders.values()].sort((a, b) => b - a)).toEqual([...ids].sort((a, b) => b - a));
  });

  it("the trigger book of one market, and the open orders of one account", () => {
    const book = new TriggerBook("BTC/USD");
    const account = new AccountOrders();
    const watch = { kind: "every", side: "bid" } as const;
    const largest = largestGrown(() => {
      for (const orderId of idsOf(MANY, 1)) {
        book.add({ orderId, acceptedAtMs: 0, acceptance: 1, watch });
        const order = openOrder({ orderId, accountId: 1, clientOrderId: `client-${orderId}` });
        account.add(liveOrderOf(order, order));
      }
    });
    expect([book.size, account.size]).toEqual([MANY, MANY]);
    expect(largest).toBeLessThanOrEqual(LARGEST);
  });
});

type Sample = Readonly<{ key: string; n: number }>;

describe("values by a key of their own", () => {
  it("move some thousand entries at a time, however many there are", () => {
    const table = new KeyedTable<string, Sample>({ keyOf: ({ key }) => key, hashOf });
    const fill = vi.spyOn(Array.prototype, "fill");
    for (let n = 0; n < 4 * MANY; n++) table.set({ key: `order ${n}`, n });
    const largest = fill.mock.contexts.reduce<number>(
      (most, slots) => Math.max(most, (slots as []).length),
      0,
    );
    fill.mockRestore();
    expect(table.size).toBe(4 * MANY);
    // Slots of a part, at most three quarters of which are used.
    expect(largest).toBeLessThanOrEqual(4_096);
  });
});

type Step = readonly ["set" | "delete", number];
const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.tuple(fc.constantFrom("set", "set", "delete"), fc.nat({ max: 2_000 })),
  { maxLength: 400 },
);

describe("collections of any size behave like small ones", () => {
  it("orders by id", () => {
    fc.assert(
      fc.property(steps, (taken) => {
        const [wide, map] = [new IdMap<number>(), new Map<number, number>()];
        for (const [index, [kind, number]] of taken.entries()) {
          const id = -number * 999;
          if (kind === "set") {
            wide.set(id, index);
            map.set(id, index);
          } else expect(wide.delete(id)).toBe(map.delete(id));
          expect([wide.size, wide.get(id), wide.has(id)]).toEqual([map.size, map.get(id), map.has(id)]);
        }
        expect([...wide.values()].sort()).toEqual([...map.values()].sort());
      }),
    );
  });

  it.each([
    ["all kinds of", hashOf],
    ["few", (key: string) => (hashOf(key) % 200) * 0x10001],
  ])("values by a key of their own, during changes, with %s hashes", (kind, hash) => {
    const count = kind === "few" ? 3_000 : 60_000;
    const wide = new KeyedTable<string, Sample>({ keyOf: ({ key }) => key, hashOf: hash });
    const map = new Map<string, Sample>();
    for (let n = 0; n < count; n++) {
      const [key, old] = [`order ${n}`, `order ${Math.floor(n / 3)}`];
      const value = { key, n };
      wide.set(value);
      map.set(key, value);
      if (n % 2 === 0 && wide.delete(old) !== map.delete(old))
        expect.fail(`${old} was deleted in one of them`);
    }
    wide.set({ key: "order 1", n: -1 });
    map.set("order 1", { key: "order 1", n: -1 });
    expect(wide.size).toBe(map.size);
    for (let n = 0; n < count; n++) expect(wide.get(`order ${n}`)?.n).toBe(map.get(`order ${n}`)?.n);
  });

  it("ids of one account, read in both directions from any cursor during changes", () => {
    const some = fc.uniqueArray(fc.integer({ min: 1, max: 5_000 }), { minLength: 1, maxLength: 1_500 });
    fc.assert(
      fc.property(some, fc.nat({ max: 5_001 }), fc.boolean(), (numbers, from, newestFirst) => {
        const ids = new OpenIds();
        for (const number of numbers) ids.add(-number);
        const gone = numbers.filter((number) => number % 3 === 0).map((number) => -number);
        const cursor = -from;
        const inOrder = numbers.map((number) => -number).sort((a, b) => (newestFirst ? a - b : b - a));
        const beyond = (id: number): boolean => from === 0 || (newestFirst ? id > cursor : id < cursor);
        expect([...ids.after(cursor, newestFirst)]).toEqual(inOrder.filter(beyond));
        const read: number[] = [];
        for (const id of ids.after(cursor, newestFirst)) {
          if (read.length === 0) for (const one of gone) ids.remove(one);
          read.push(id);
        }
        const stays = (id: number, index: number): boolean => index === 0 || !gone.includes(id);
        expect(read).toEqual(inOrder.filter(beyond).filter(stays));
        expect(ids.size).toBe(read.length === 0 ? numbers.length : numbers.length - gone.length);
      }),
      { numRuns: 60 },
    );
  });
});
