import { describe, expect, it } from "vitest";
import { createMemoryStore, type MemoryDisk } from "../../src/adapters/memory/index.ts";
import { formatQuantity } from "../../src/decimal/index.ts";
import type { Engine } from "../../src/engine/index.ts";
import type { ParentOrder } from "../../src/model/index.ts";
import type { MarketSink, OrderStore } from "../../src/ports/index.ts";
import {
  boundTo,
  createOpeningWorld,
  type OpeningWorld,
  placeOn,
  quoteTo,
  withOutbox,
} from "../support/opening-world.ts";
import { filled, fillOf, reported, sentTo } from "../support/scripted-venue.ts";
import { createWorld, lineOf, SYMBOL } from "../support/world.ts";

/** An order whose child the venue has accepted and not answered, as a crashed engine left it. */
async function withOpenChild(world: OpeningWorld, accountId = 1): Promise<string> {
  world.venue.onSubmit = () => "silence";
  const engine = await world.open();
  await placeOn(engine, { price: "100" }, accountId);
  await quoteTo(engine, "99", "100");
  return world.venue.submitted.at(-1)?.childId ?? "";
}

/** An order that was canceled after its child had been closed without a fill. */
async function withEnded(
  world: OpeningWorld,
  accountId = 1,
): Promise<Readonly<{ order: ParentOrder; childId: string }>> {
  world.venue.onSubmit = ({ childId }) => reported(childId, "closed");
  const engine = await world.open();
  const order = await placeOn(engine, { price: "100" }, accountId);
  await quoteTo(engine, "99", "100");
  await engine.cancel({ accountId, orderId: order.orderId });
  return { order, childId: world.venue.submitted.at(-1)?.childId ?? "" };
}

async function executedOf(engine: Engine, { orderId }: ParentOrder): Promise<string> {
  const order = await engine.findAny(orderId);
  return order === undefined ? "not there" : formatQuantity(order.executedQuantity);
}

async function openOf(engine: Engine, accountId = 1): Promise<readonly ParentOrder[]> {
  const page = { accountId, includeHistory: true, newestFirst: false, limit: 10, afterOrderId: 0 };
  return (await engine.page(page)).orders;
}

const heartbeatFor = async (world: OpeningWorld, engine: Engine, ms: number): Promise<void> => {
  for (let past = 0; past < ms; past += 1_000) {
    await world.clock.advanceBy(1_000, () => engine.idle());
    engine.market.heartbeat(SYMBOL);
  }
};

describe("I65: an engine that opens", () => {
  it("a late fill of an ended order while shards are read writes to none: its account is served afterwards", async () => {
    const world = createOpeningWorld();
    const { order, childId } = await withEnded(world);
    const { opening, reads } = await world.openSlowly();
    const late = reported(childId, "closed", [fillOf({ quantity: "0.25" })]);
    world.venue.say(late);
    expect(reads.held).toBe(1);
    reads.open();
    const engine = await opening;
    await engine.idle();
    expect(world.reported).not.toContain("shard.fenced");
    expect(lineOf(await placeOn(engine, { price: "90" }))).toBe("NEW WAITING");
    world.venue.say(late);
    await engine.idle();
    expect(await executedOf(engine, order)).toBe("0.25");
    expect((await engine.verify()).equal).toBe(true);
  });

  it("I10: a report of an ended order inside subscribe() is added to it, once", async () => {
    const world = createOpeningWorld();
    const { order, childId } = await withEnded(world);
    const late = reported(childId, "closed", [fillOf({ quantity: "0.25" })]);
    const engine = await world.open({ venue: withOutbox(world.venue, [late, late]) });
    await engine.idle();
    world.venue.say(late);
    await engine.idle();
    expect(await executedOf(engine, order)).toBe("0.25");
    expect((await engine.verify()).equal).toBe(true);
  });

  it("I15, I21: a fill of an open order reported inside subscribe() counts, and no child is sent for it again", async () => {
    const world = createOpeningWorld();
    const childId = await withOpenChild(world);
    const whole = reported(childId, "closed", [fillOf({ quantity: "1" })]);
    const { opening, reads } = await world.openSlowly({ venue: withOutbox(world.venue, [whole]) });
    reads.open();
    const engine = await opening;
    await heartbeatFor(world, engine, 10_000);
    await quoteTo(engine, "99", "100");
    expect((await openOf(engine)).map(lineOf)).toEqual(["FILLED FILLED"]);
    expect(sentTo(world.venue)).toEqual(["BUY 1 @ 100"]);
  });

  it("I21: a fill of an open order before the subscription is found by the look-up after it", async () => {
    const world = createOpeningWorld();
    const childId = await withOpenChild(world);
    const { opening, reads } = await world.openSlowly();
    const whole = reported(childId, "closed", [fillOf({ quantity: "1" })]);
    world.venue.say(whole);
    world.venue.onLookup = () => whole;
    reads.open();
    const engine = await opening;
    await engine.idle();
    expect((await openOf(engine)).map(lineOf)).toEqual(["FILLED FILLED"]);
    await quoteTo(engine, "99", "100");
    expect(sentTo(world.venue)).toEqual(["BUY 1 @ 100"]);
  });

  it("every open child is looked up after the subscription, including earlier unknown ones, and not sooner", async () => {
    const world = createOpeningWorld();
    await withOpenChild(world);
    const before = await world.open();
    await before.idle();
    await placeOn(before, { price: "100" }, 2);
    await quoteTo(before, "99", "100");
    const calls: string[] = [];
    const venue = {
      ...boundTo(world.venue),
      subscribe: (listener: Parameters<typeof world.venue.subscribe>[0]) => {
        calls.push("subscribe");
        return world.venue.subscribe(listener);
      },
      lookup: (child: Parameters<typeof world.venue.lookup>[0]) => {
        calls.push(`look-up of account ${child.accountId}`);
        return world.venue.lookup(child);
      },
    };
    const engine = await world.open({ venue });
    await engine.idle();
    expect(calls).toEqual(["subscribe", "look-up of account 1", "look-up of account 2"]);
  });

  it("several shards: a report inside subscribe() reaches each, whichever was read last", async () => {
    const world = createOpeningWorld();
    const children = [await withOpenChild(world, 1), await withOpenChild(world, 2)];
    const ended = await withEnded(world, 2);
    const outbox = [...children, ended.childId].map((childId) =>
      reported(childId, "closed", [fillOf({ quantity: "0.5" })]),
    );
    const { opening, reads } = await world.openSlowly({ venue: withOutbox(world.venue, outbox) });
    reads.open();
    const engine = await opening;
    await engine.idle();
    expect((await openOf(engine, 1)).map(lineOf)).toEqual(["PARTIALLY_FILLED WAITING"]);
    expect(await executedOf(engine, ended.order)).toBe("0.5");
    expect((await engine.verify()).equal).toBe(true);
    expect(world.reported).not.toContain("shard.fenced");
  });

  it("quotes that a market delivers inside subscribe() meet armed orders", async () => {
    const world = createOpeningWorld();
    const before = await world.open();
    await placeOn(before, { price: "100" });
    world.venue.onSubmit = (child) => filled(child);
    const marketData = {
      subscribe(sink: MarketSink) {
        const quote = { symbol: SYMBOL, bid: "99", ask: "100" };
        expect([sink.quote(quote), sink.quote(quote)]).toEqual(["unconfirmed", "counted"]);
        return () => undefined;
      },
    };
    const { opening, reads } = await world.openSlowly({ marketData });
    reads.open();
    const engine = await opening;
    await engine.idle();
    expect((await openOf(engine)).map(lineOf)).toEqual(["FILLED FILLED"]);
  });
});

describe("opening with many orders", () => {
  it("goes in slices: turns pass while it reads, arms and looks up, and work that becomes due runs once it is open", async () => {
    const world = createOpeningWorld();
    const first = await world.open();
    const dying = await placeOn(first, { price: "90", expireTime: world.clock.nowMs() + 60_000 });
    const schedule = { type: "TWAP", quantity: "2", interval: 10_000, intervalCount: 2 } as const;
    first.market.quote({ symbol: SYMBOL, bid: "99", ask: "100" });
    const over = await placeOn(first, schedule);
    for (let n = 0; n < 3_000; n++) await placeOn(first, { price: "90" });
    await first.close();
    await world.clock.advanceBy(59_999);
    let turns = 0;
    const clock = {
      ...world.clock,
      soon(run: () => void) {
        // Time passes while it opens.
        if (turns++ === 0) void world.clock.advanceBy(1, async () => undefined);
        world.clock.soon(run);
      },
    };
    const received: string[] = [];
    const engine = await world.open({
      clock,
      venue: {
        ...world.venue,
        subscribe(listener) {
          received.push(`subscribe after ${turns > 2 ? "some" : turns} turns`);
          return world.venue.subscribe(listener);
        },
      },
    });
    engine.events.on("order", ({ order }) => void received.push(`${order.orderId} ${lineOf(order)}`));
    await engine.idle();
    expect(received).toEqual(["subscribe after some turns"]);
    await world.clock.advanceBy(10_000);
    await engine.idle();
    expect(received).toEqual([
      "subscribe after some turns",
      `${over.orderId} EXPIRED EXPIRED`,
      `${dying.orderId} EXPIRED EXPIRED`,
    ]);
    expect(lineOf((await engine.findAny(dying.orderId)) ?? dying)).toBe("EXPIRED EXPIRED");
    expect(engine.metrics().openParents).toBe(3_000);
    expect((await engine.verify()).equal).toBe(true);
  });
});

describe("I60: a store", () => {
  it("that lists one shard twice, and another not at all, is not opened", async () => {
    const store = (disk: MemoryDisk): OrderStore => {
      const sound = createMemoryStore({ disk });
      const acquire = async () =>
        (await sound.acquire()).map((head) => ({ ...head, shard: head.shard || 1 }));
      return { ...sound, acquire };
    };
    await expect(createWorld({ store })).rejects.toThrow(
      "I60: the store must list the shards 0 to 255 once each; shard 1 is out of place",
    );
  });
});
