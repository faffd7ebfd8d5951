import { describe, expect, it } from "vitest";
import type { AmendName } from "../../src/engine/core/calls.ts";
import type { ParentOrder } from "../../src/model/index.ts";
import type { OrderFields } from "../../src/requests/index.ts";
import type { FaultyStore } from "../support/faulty-store.ts";
import { createFaultyWorld, turns } from "../support/faulty-world.ts";
import { type End, holdAppend } from "../support/replacing-world.ts";
import { fillOf, reported, sentTo } from "../support/scripted-venue.ts";
import { START_MS, type World } from "../support/world.ts";

type Changes = AmendName["changes"];
type Order = Partial<OrderFields>;

const SELL = { side: "SELL", quantity: "2" } as const;
const STOP = { ...SELL, type: "STOP_MARKET", stopPrice: "90" } as Order;
const TRAIL = { ...SELL, type: "TRAILING_STOP_MARKET", trailingAmount: "5" } as Order;
const SOON = START_MS + 10_000;

const see = (world: World, bid: string, ask = "200"): unknown =>
  world.engine.market.quote({ symbol: "BTC/USD", bid, ask });

const amend = (world: World, { accountId, orderId }: ParentOrder, changes: Changes, amendId?: string) =>
  world.engine.amend({ accountId, orderId, changes, amendId });

/** Orders that a quote meets before any other, and that take more than a turn. */
const MANY = 200;

/** An order at a market of 110, with an amend whose append waits. */
type Held = Readonly<{
  world: World;
  store: FaultyStore;
  order: ParentOrder;
  amending: Promise<unknown>;
  end: (end?: End) => Promise<void>;
}>;

async function held(placed: Order, changes: Changes, others = 0): Promise<Held> {
  const { world, store } = await createFaultyWorld();
  await world.quote("100", "200");
  const order = await world.place(placed);
  for (let other = 0; other < others; other++) await world.place({ ...STOP, stopPrice: "106" } as Order, 2);
  await world.engine.idle();
  await world.quote("110", "200");
  const disk = store();
  const append = holdAppend(store);
  const amending = amend(world, order, changes).catch((error: unknown) => error);
  await turns();
  expect(append.begun()).toBe(true);
  return {
    ...{ world, store: disk, order, amending },
    async end(end = "kept") {
      append.finish(end);
      await amending;
      await world.engine.idle();
    },
  };
}

const level = async (world: World, order: ParentOrder) => (await world.order(order)).trigger?.level;

describe("while the append of an amend is under way", () => {
  const WIDER: [Order, Changes, string][] = [
    [STOP, { stopPrice: "80" }, "90"],
    [TRAIL, { trailingAmount: "30" }, "105"],
  ];
  const CLOSER: [Order, Changes, string][] = [
    [STOP, { stopPrice: "95" }, "90"],
    [TRAIL, { trailingAmount: "2" }, "105"],
  ];

  it("a fire by the old level counts, at the old level, after the amend: nobody was told the new one yet", async () => {
    for (const end of ["kept", "unknown"] as const)
      for (const [placed, changes, bid] of [...WIDER, ...CLOSER]) {
        const { world, order, end: finish } = await held(placed, changes);
        see(world, bid);
        await turns();
        see(world, "108");
        expect(sentTo(world.venue)).toEqual([]);
        await finish(end);
        const facts = await world.facts(order);
        expect(facts.indexOf("AMENDED")).toBeLessThan(facts.indexOf("TRIGGERED"));
        expect(await level(world, order)).toBe("stopPrice" in changes ? 9_000_000_000 : 10_500_000_000);
        expect(await world.status(order)).toBe("FILLED FILLED");
        expect((await world.engine.verify()).equal).toBe(true);
      }
  });

  it("a fire by the old level counts if the store does not keep the amend, though the price has gone back", async () => {
    for (const [placed, changes, bid] of [...WIDER, ...CLOSER]) {
      const { world, order, amending, end } = await held(placed, changes);
      see(world, bid);
      await turns();
      see(world, "108");
      await end("lost");
      expect(await amending).toMatchObject({ code: -1001 });
      expect(await world.facts(order)).toEqual(expect.arrayContaining(["TRIGGERED"]));
      expect(await world.facts(order)).not.toContain("AMENDED");
      expect(await world.status(order)).toBe("FILLED FILLED");
      expect((await world.engine.verify()).equal).toBe(true);
    }
  });

  it("the new level alone triggers nothing, and triggers once it is durable and the price is there", async () => {
    for (const [placed, changes] of [
      [STOP, { stopPrice: "95" }],
      [TRAIL, { trailingAmount: "2" }],
    ] as const) {
      for (const [now, status] of [
        ["94", "FILLED FILLED"],
        ["109", "NEW WAITING"],
      ] as const) {
        const { world, order, end } = await held(placed as Order, changes);
        see(world, "stopPrice" in changes ? "94" : "107");
        await turns();
        expect((await world.order(order)).trigger).toBeUndefined();
        see(world, now === "94" && !("stopPrice" in changes) ? "107" : now);
        await end();
        expect(await world.status(order)).toBe(status);
      }
    }
  });

  it("I31: a trailing reference follows every quote", async () => {
    const { world, order, end } = await held(TRAIL, { trailingAmount: "30" });
    see(world, "150");
    await turns();
    see(world, "146");
    await end();
    await world.quote("121", "200");
    expect(await world.status(order)).toBe("NEW WAITING");
    await world.crash();
    await world.quote("120", "200");
    expect((await world.order(order)).trigger).toMatchObject({
      reference: 15_000_000_000,
      level: 12_000_000_000,
    });
    expect((await world.engine.verify()).equal).toBe(true);
  });

  it("a fire that waits for its turn when the amend comes wins: the amend is refused", async () => {
    for (const [placed, changes, bid] of WIDER) {
      const { world } = await createFaultyWorld();
      await world.quote("110", "200");
      const order = await world.place(placed);
      for (let other = 0; other < MANY; other++) await world.place({ ...STOP, stopPrice: "106" } as Order, 2);
      await world.engine.idle();
      await world.quote("110", "200");
      see(world, bid);
      const refused = amend(world, order, changes).catch((error: unknown) => error);
      see(world, "109");
      expect(await refused).toMatchObject({ reason: "AMEND_NOT_NOW" });
      await world.engine.idle();
      expect(await world.status(order)).toBe("FILLED FILLED");
    }
  });

  it("I31: a trail that begins meanwhile keeps its activation, and trails by the new distance", async () => {
    const gated = { ...TRAIL, stopPrice: "120" } as Order;
    const { world, order, end } = await held(gated, { trailingAmount: "30" });
    see(world, "120");
    await turns();
    see(world, "116");
    await end();
    expect(await world.facts(order)).toEqual(["ACCEPTED", "AMENDED", "ACTIVATED"]);
    await world.quote("91", "200");
    expect(await world.status(order)).toBe("NEW WAITING");
    await world.quote("90", "200");
    expect((await world.order(order)).trigger).toMatchObject({
      reference: 12_000_000_000,
      level: 9_000_000_000,
    });
  });

  it("a limit is not sent at the old price, nor at the new one before it is durable", async () => {
    const { world, order, end } = await held({ price: "50" }, { price: "40" });
    see(world, "49", "50");
    await turns();
    await end();
    expect(sentTo(world.venue)).toEqual([]);
    await world.quote("39", "40");
    expect(sentTo(world.venue)).toEqual(["BUY 1 @ 40"]);
    expect(await world.status(order)).toBe("FILLED FILLED");
    const up = await held({ price: "50" }, { price: "60" });
    see(up.world, "59", "60");
    await turns();
    expect(sentTo(up.world.venue)).toEqual([]);
    await up.end("lost");
    expect(sentTo(up.world.venue)).toEqual([]);
    expect(await up.world.status(up.order)).toBe("NEW WAITING");
  });

  it("an expiry that is moved on does not end the order at its old time; one that is lost does", async () => {
    const dated = { price: "50", expireTime: SOON } as Order;
    for (const end of ["kept", "unknown", "lost"] as const) {
      const { world, order, end: finish } = await held(dated, { expireTime: SOON + 60_000 });
      await world.clock.advanceBy(10_000, () => turns());
      await finish(end);
      await world.pass(1);
      expect(await world.status(order)).toBe(end === "lost" ? "EXPIRED EXPIRED" : "NEW WAITING");
      if (end === "lost") continue;
      await world.pass(59_998);
      expect(await world.status(order)).toBe("NEW WAITING");
      await world.pass(2);
      expect(await world.status(order)).toBe("EXPIRED EXPIRED");
    }
  });

  it("an expiry that is moved back ends the order at its new time", async () => {
    const { world, order, end } = await held({ price: "50", expireTime: SOON } as Order, {
      expireTime: SOON - 5_000,
    });
    await end();
    await world.pass(5_000);
    expect(await world.status(order)).toBe("EXPIRED EXPIRED");
    expect(await world.facts(order)).toEqual(["ACCEPTED", "AMENDED", "ENDED"]);
  });

  it("a cancel ends the order after it; an amend after a cancel is refused", async () => {
    for (const end of ["kept", "unknown", "lost"] as const) {
      const { world, order, end: finish } = await held(STOP, { stopPrice: "80" });
      const canceling = world.cancel(order).catch((error: unknown) => error);
      await turns();
      await finish(end);
      await canceling;
      // The record of the cancel was not part of the append that failed.
      if (end !== "kept") await world.cancel(order);
      expect(await world.status(order)).toBe("CANCELED CANCELED");
      expect((await world.facts(order)).includes("AMENDED")).toBe(end !== "lost");
    }
    const { world } = await createFaultyWorld();
    const order = await world.place(STOP);
    const both = [world.cancel(order), amend(world, order, { stopPrice: "80" })] as const;
    const [canceled, amended] = await Promise.allSettled(both);
    expect([canceled.status, amended.status]).toEqual(["fulfilled", "rejected"]);
    expect(await world.facts(order)).toEqual(["ACCEPTED", "ENDED"]);
  });

  it("a copy of it waits for it, and any other amend is refused until it is answered", async () => {
    const { world, order, amending, end } = await held(STOP, { stopPrice: "80" });
    const others = await Promise.all(
      Array.from({ length: 1_000 }, (_, at) =>
        amend(world, order, { stopPrice: `${50 + (at % 30)}` }).catch((e) => e),
      ),
    );
    for (const other of others) expect(other).toMatchObject({ reason: "AMEND_NOT_NOW" });
    await end();
    expect(await amending).toMatchObject({ amends: { count: 1 } });
    expect(await world.facts(order)).toEqual(["ACCEPTED", "AMENDED"]);
  });

  it("it is refused while something else of the order is being stored", async () => {
    const { world, store } = await createFaultyWorld();
    const order = await world.place({ ...TRAIL, stopPrice: "120" } as Order);
    store().inject("slow", 1);
    see(world, "120");
    await turns();
    expect(store().waiting).toBe(1);
    await expect(amend(world, order, { trailingAmount: "6" })).rejects.toMatchObject({
      reason: "AMEND_NOT_NOW",
    });
    store().release();
    await world.engine.idle();
    expect((await amend(world, order, { trailingAmount: "6" })).activation).toBeDefined();
  });

  it("I55: an order whose time is over is not brought back, though its end is not decided yet", async () => {
    const { world, store } = await createFaultyWorld();
    const order = await world.place({ price: "50", expireTime: SOON } as Order);
    store().inject("slow", 1);
    await world.clock.advanceBy(10_000, () => turns());
    await expect(amend(world, order, { expireTime: SOON + 60_000 })).rejects.toMatchObject({ code: -2038 });
    store().release();
    await world.engine.idle();
    expect(await world.status(order)).toBe("EXPIRED EXPIRED");
  });

  it("a crash leaves the order of the journal: amended if the append was kept, else as before", async () => {
    for (const end of ["kept", "unknown", "lost"] as const) {
      const { world, order, end: finish } = await held(STOP, { stopPrice: "80" });
      const ended = finish(end).catch(() => undefined);
      await turns(2);
      await world.crash();
      await ended;
      await world.quote("85", "200");
      expect(await world.status(order)).toBe(end === "lost" ? "FILLED FILLED" : "NEW WAITING");
    }
  });
});

describe("after an amend", () => {
  it("a fire of the old level that still waits for its turn does not count, and the order is watched on", async () => {
    const { world } = await createFaultyWorld();
    await world.quote("110", "200");
    const order = await world.place(TRAIL);
    await world.quote("110", "200");
    await amend(world, order, { trailingAmount: "20" });
    await amend(world, order, { trailingAmount: "30" });
    await world.quote("85", "200");
    expect(await world.status(order)).toBe("NEW WAITING");
    await world.quote("140", "200");
    await world.quote("110", "200");
    expect((await world.order(order)).trigger).toMatchObject({ level: 11_000_000_000 });
  });

  it("a late execution of a child inside its own limit is not beyond the limit", async () => {
    const { world } = await createFaultyWorld();
    const order = await world.place({ price: "100", quantity: "2" });
    world.venue.onSubmit = ({ childId }) => reported(childId, "rejected");
    await world.quote("99", "100");
    const childId = world.venue.submitted[0]?.childId ?? "";
    await world.quote("101", "102");
    await amend(world, order, { price: "90" });
    world.venue.say(reported(childId, "closed", [fillOf({ quantity: "1", price: "100" })]));
    await world.engine.idle();
    expect(world.alerts.map(({ alert }) => alert)).toEqual(["LATE_FILL"]);
    expect(await world.status(order)).toBe("PARTIALLY_FILLED WAITING");
    world.venue.say(reported(childId, "closed", [fillOf({ quantity: "0.5", price: "101" })]));
    await world.engine.idle();
    expect(world.alerts.map(({ alert }) => alert)).toContain("CHILD_BEYOND_LIMIT");
  });

  it("executes no more than its new quantity, and of it no more than its new display", async () => {
    const { world } = await createFaultyWorld();
    const order = await world.place({ price: "100", quantity: "5", icebergQty: "1" } as Order);
    await amend(world, order, { quantity: "3", icebergQty: "2" });
    await world.quote("99", "100");
    await world.pass(60_000);
    await world.quote("99", "99.5");
    expect(sentTo(world.venue)).toEqual(["BUY 2 @ 100", "BUY 1 @ 100"]);
    expect(await world.executed(order)).toBe("3");
  });
});

it("an amend is refused while its shard is read again, and not carried out later", async () => {
  const { world, store } = await createFaultyWorld();
  await world.quote("49", "60");
  const order = await world.place({ price: "50", quantity: "2" });
  await world.engine.idle();
  const disk = store();
  const fence = disk.fence.bind(disk);
  let isDown = true;
  const refuse = async (request: Parameters<typeof fence>[0]) => {
    if (isDown) throw new Error("the store is down");
    return await fence(request);
  };
  Object.assign(disk, { fence: refuse });
  disk.inject("fail", 1);
  void world.place({ price: "1", quantity: "100" }).catch(() => undefined);
  await turns(200);
  await expect(amend(world, order, { price: "55" }, "a-1")).rejects.toMatchObject({ reason: "DISCONNECTED" });
  isDown = false;
  await world.clock.advanceBy(60_000, () => turns());
  await world.engine.idle();
  expect((await world.order(order)).amends).toBeUndefined();
});

it("an order whose child was closed with a part of it can be amended once the venue was asked about the rest", async () => {
  const { world } = await createFaultyWorld();
  const order = await world.place({ price: "100", quantity: "2" });
  world.venue.onSubmit = ({ childId }) =>
    reported(childId, "closed", [fillOf({ quantity: "1", price: "100" })]);
  await world.quote("99", "100");
  await world.quote("109", "110");
  await world.pass(60_000);
  expect((await amend(world, order, { price: "105" })).intent.price).toBe(10_500_000_000);
});
