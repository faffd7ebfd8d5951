import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { WideMap } from "../../src/engine/core/wide-map.ts";
import { AccountOrders } from "../../src/engine/shards/account-orders.ts";
import { OpenIds } from "../../src/engine/shards/open-ids.ts";
import { managedIdOf } from "../../src/lifecycle/index.ts";
import { IdMap, TriggerBook } from "../../src/triggers/index.ts";
import { largestGrown } from "../support/largest-map.ts";
import { openOrder } from "../support/store-samples.ts";

const MANY = 40_000;
const LARGEST = 64 * 256;

const idsOf = (count: number, shards: number): readonly number[] =>
  Array.from({ length: count }, (_, n) =>
    managedIdOf({ count: 1 + Math.floor(n / shards), shard: n % shards }),
  );

describe("decision IA: no collection moves all orders in one step", () => {
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
        book.add({ orderId, acceptedAtMs: 0, watch });
        account.add(openOrder({ orderId, accountId: 1, clientOrderId: `client-${orderId}` }));
      }
    });
    expect([book.size, account.size]).toEqual([MANY, MANY]);
    expect(largest).toBeLessThanOrEqual(LARGEST);
  });
});

type Step = readonly ["set" | "delete", number];
const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.tuple(fc.constantFrom("set", "set", "delete"), fc.nat({ max: 2_000 })),
  { maxLength: 400 },
);

describe("collections of any size say what small ones would", () => {
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

  it("values by text, while it grows and shrinks", () => {
    const [wide, map] = [new WideMap<number>(), new Map<string, number>()];
    for (let n = 0; n < 60_000; n++) {
      const [key, old] = [`order ${n}`, `order ${Math.floor(n / 3)}`];
      wide.set(key, n);
      map.set(key, n);
      if (n % 2 === 0) expect(wide.delete(old)).toBe(map.delete(old));
    }
    expect(wide.size).toBe(map.size);
    for (let n = 0; n < 60_000; n++) {
      const key = `order ${n}`;
      if (wide.get(key) !== map.get(key)) expect([key, wide.get(key)]).toEqual([key, map.get(key)]);
    }
  });

  it("ids of one account, read in both directions from any cursor while some come and go", () => {
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
