import { describe, expect, it } from "vitest";
import type { AmendName } from "../../src/engine/core/calls.ts";
import type { ParentOrder } from "../../src/model/index.ts";
import type { OrderFields } from "../../src/requests/index.ts";
import { createFaultyWorld, turns } from "../support/faulty-world.ts";
import type { World } from "../support/world.ts";

type Order = Partial<OrderFields>;
type Busy = Readonly<{
  world: World;
  order: ParentOrder;
  see: (bid: string) => Promise<void>;
  end: () => Promise<void>;
}>;

const SELL = { side: "SELL", quantity: "2" } as const;
const STOP = { ...SELL, type: "STOP_MARKET" } as const;
const TRAIL = { ...SELL, type: "TRAILING_STOP_MARKET" } as const;

/** An order with an amend under way, while the book takes turns over a quote that meets 300 stops: their store is behind. */
async function busy(
  placed: Order,
  changes: AmendName["changes"],
  { others, first }: Readonly<{ others: readonly string[]; first: string }>,
): Promise<Busy> {
  const { world, store } = await createFaultyWorld();
  await world.quote("110", "200");
  const order = await world.place(placed);
  for (const stopPrice of others) await world.place({ ...STOP, stopPrice } as Order, 2);
  await world.quote("110", "200");
  store().inject("slow", 1);
  const { accountId, orderId } = order;
  const amending = world.engine.amend({ accountId, orderId, changes });
  await turns();
  expect(store().waiting).toBe(1);
  const see = async (bid: string): Promise<void> => {
    world.engine.market.quote({ symbol: "BTC/USD", bid, ask: "200" });
    await turns();
  };
  await see(first);
  await turns(20);
  return {
    ...{ world, order, see },
    async end() {
      store().release();
      await amending;
      await world.engine.idle();
    },
  };
}

const many = (stopPrice: string): readonly string[] => Array.from({ length: 300 }, () => stopPrice);

describe("an amend that becomes durable while the book is busy with a quote", () => {
  it.each([{ quantity: "3" }, { stopPrice: "91" }])(
    "a quote that waited meets the level: %o",
    async (changes) => {
      const placed = { ...STOP, stopPrice: "90" } as Order;
      const { world, order, see, end } = await busy(placed, changes, { others: many("95"), first: "94" });
      await see("89");
      await see("96");
      await end();
      expect(await world.facts(order)).toContain("TRIGGERED");
    },
  );

  it.each([{ trailingAmount: "30" }, { quantity: "3" }])(
    "I31: the trailing reference follows a quote that waited: %o",
    async (changes) => {
      const placed = { ...TRAIL, trailingAmount: "quantity" in changes ? "30" : "5" } as Order;
      const others = [...many("109"), "107"];
      const { world, order, see, end } = await busy(placed, changes, { others, first: "108.9" });
      await see("106");
      await see("150");
      await end();
      await world.quote("121", "200");
      expect(await world.facts(order)).not.toContain("TRIGGERED");
      await world.quote("119", "200");
      expect((await world.order(order)).trigger).toMatchObject({ reference: 15_000_000_000 });
    },
  );

  it.each<[Order, AmendName["changes"], string, readonly string[], number]>([
    [{ ...STOP, stopPrice: "90" }, { stopPrice: "80" }, "94", ["89", "79", "96"], 9_000_000_000],
    [
      { ...TRAIL, trailingAmount: "5" },
      { trailingAmount: "30" },
      "108.9",
      ["104", "150", "125"],
      10_500_000_000,
    ],
  ])(
    "a quote that waited meets the old level, which counts: %o %o",
    async (placed, changes, first, quotes, level) => {
      const others = many("stopPrice" in changes ? "95" : "109");
      const { world, order, see, end } = await busy(placed, changes, { others, first });
      for (const bid of quotes) await see(bid);
      await end();
      expect((await world.order(order)).trigger).toMatchObject({ level });
    },
  );

  it("a fire that has its turn after the amend counts, whatever waited", async () => {
    const { world, store } = await createFaultyWorld();
    await world.quote("110", "200");
    const order = await world.place({ ...STOP, stopPrice: "90" } as Order);
    for (const stopPrice of many("95")) await world.place({ ...STOP, stopPrice } as Order, 2);
    await world.quote("110", "200");
    store().inject("slow", 1);
    const { accountId, orderId } = order;
    const amending = world.engine.amend({ accountId, orderId, changes: { stopPrice: "80" } });
    await turns();
    for (const bid of ["89", "79", "96"]) world.engine.market.quote({ symbol: "BTC/USD", bid, ask: "200" });
    await turns();
    store().release();
    await amending;
    await world.engine.idle();
    expect((await world.order(order)).trigger).toMatchObject({ level: 9_000_000_000 });
  });

  it("the limit of a trail that fires by its old distance is that far from the old level", async () => {
    const placed = { ...TRAIL, type: "TRAILING_STOP_LIMIT", trailingAmount: "30", limitOffset: "1" } as Order;
    const others = [...many("109"), "107", "107"];
    const { world, order, see, end } = await busy(
      placed,
      { trailingAmount: "5" },
      { others, first: "108.9" },
    );
    for (const bid of ["106", "150", "104"]) await see(bid);
    await end();
    const trigger = { reference: 15_000_000_000, level: 12_000_000_000, limit: 11_900_000_000 };
    expect((await world.order(order)).trigger).toMatchObject(trigger);
  });

  it.each(["107", "50"])(
    "a closer trail acts on the quote that stands, also with a stop at %s",
    async (last) => {
      const placed = { ...TRAIL, trailingAmount: "5" } as Order;
      const others = [...many("109"), last];
      const { world, order, see, end } = await busy(
        placed,
        { trailingAmount: "2" },
        { others, first: "108.9" },
      );
      await see("107");
      await end();
      await world.quote("109", "200");
      expect(await world.facts(order)).toContain("TRIGGERED");
    },
  );

  it("a closer trail acts on the quote that stands by the reference that a quote before it has made", async () => {
    const placed = { ...TRAIL, trailingAmount: "30" } as Order;
    const others = [...many("109"), "107", "107"];
    const { world, order, see, end } = await busy(
      placed,
      { trailingAmount: "5" },
      { others, first: "108.9" },
    );
    await see("106");
    await see("150");
    await see("140");
    await end();
    await world.quote("149", "200");
    expect((await world.order(order)).trigger).toMatchObject({ reference: 15_000_000_000 });
  });
});
