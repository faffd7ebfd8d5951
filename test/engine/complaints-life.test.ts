import { expect, it } from "vitest";
import { createMemoryStore } from "../../src/adapters/memory/index.ts";
import type { ParentOrder } from "../../src/model/index.ts";
import type { OrderFields } from "../../src/requests/index.ts";
import { encodeParent } from "../../src/wire/index.ts";
import { createFaultyStore, type FaultyStore } from "../support/faulty-store.ts";
import { fillOf, reported } from "../support/scripted-venue.ts";
import { createWorld, START_MS, type World } from "../support/world.ts";

const EXPIRY = { timeInForce: "GTD", expireTime: START_MS + 60_000 } as const;

it("complaint 12: a cancel that the store refuses does not change the expiry", async () => {
  let store: FaultyStore | undefined;
  const world = await createWorld({
    store: (disk) => {
      store = createFaultyStore(createMemoryStore({ disk }));
      return store;
    },
  });
  const order = await world.place({ price: "100", ...EXPIRY });
  store?.inject("fail", 1);
  await expect(world.cancel(order)).rejects.toMatchObject({ code: -1001 });
  await world.pass(59_999);
  expect(await world.status(order)).toBe("NEW WAITING");
  await world.pass(1);
  expect(await world.status(order)).toBe("EXPIRED EXPIRED");
});

const KINDS: readonly Partial<OrderFields>[] = [
  { price: "90" },
  { price: "80", ...EXPIRY },
  { type: "STOP_MARKET", stopPrice: "110" },
  { side: "SELL", type: "STOP_LOSS_LIMIT", stopPrice: "90", price: "89" },
  { side: "SELL", type: "TAKE_PROFIT_MARKET", stopPrice: "120" },
  { type: "TAKE_PROFIT_LIMIT", stopPrice: "95", price: "96" },
  { side: "SELL", type: "TRAILING_STOP_MARKET", trailingDelta: 500 },
  { type: "TRAILING_STOP_MARKET", price2: "2.5", stopPrice: "98" },
  { side: "SELL", type: "TRAILING_STOP_LIMIT", trailingAmount: "3", limitOffset: "0.5" },
  { type: "TRAILING_STOP_LIMIT", trailingAmount: "40", price: "150", childTimeInForce: "FOK" },
];

/** Every open parent of both accounts, as text, in the order of pages. */
async function projection(world: World): Promise<readonly string[]> {
  const orders: ParentOrder[] = [];
  for (const accountId of [1, 2]) {
    let afterOrderId = 0;
    do {
      const page = await world.engine.page({
        accountId,
        includeHistory: true,
        newestFirst: false,
        limit: 300,
        afterOrderId,
      });
      orders.push(...page.orders);
      afterOrderId = page.nextOrderId;
    } while (afterOrderId !== 0);
  }
  return orders.map(encodeParent);
}

it("complaint 16: 1,000 mixed parents are byte for byte the same after a restart", async () => {
  const world = await createWorld();
  world.venue.onSubmit = ({ childId }) => reported(childId, "closed", [fillOf({ quantity: "0.3" })]);
  await world.quote("100", "101");
  for (let n = 0; n < 1_000; n++)
    await world.place({ quantity: "2", ...KINDS[n % KINDS.length] }, 1 + (n % 2));
  for (const [bid, ask] of [
    ["100", "101"],
    ["97", "98"],
    ["103", "104"],
    ["89.5", "89.6"],
  ] as const)
    await world.quote(bid, ask);
  await world.pass(60_000);
  const before = await projection(world);
  expect(before).toHaveLength(1_000);
  await world.crash();
  expect(await projection(world)).toEqual(before);
  const verified = await world.engine.verify();
  expect(verified.equal).toBe(true);
  expect(new Set(before.map((text) => /"status":"([A-Z]+)"/.exec(text)?.[1])).size).toBeGreaterThan(1);
});
