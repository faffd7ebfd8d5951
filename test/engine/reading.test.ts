import { describe, expect, it } from "vitest";
import { reported } from "../support/scripted-venue.ts";
import { loseRows } from "../support/stored-rows.ts";
import { createWorld, type World } from "../support/world.ts";

/** Ids of every page from the start, and the sizes of the pages. */
async function walk(
  world: World,
  page: Readonly<{ includeHistory: boolean; newestFirst: boolean; limit: number }>,
): Promise<Readonly<{ ids: readonly number[]; totals: readonly number[] }>> {
  const ids: number[] = [];
  const totals: number[] = [];
  let afterOrderId = 0;
  do {
    const { orders, nextOrderId, total } = await world.engine.page({ accountId: 1, afterOrderId, ...page });
    expect(orders.length).toBeLessThanOrEqual(page.limit);
    ids.push(...orders.map(({ orderId }) => orderId));
    totals.push(total);
    afterOrderId = nextOrderId;
  } while (afterOrderId !== 0);
  return { ids, totals };
}

/** 60 orders of account 1, a third of them ended; ids of the open and of all, in order of creation. */
async function populated(): Promise<
  Readonly<{ world: World; open: readonly number[]; all: readonly number[] }>
> {
  const world = await createWorld();
  const open: number[] = [];
  const all: number[] = [];
  for (let n = 0; n < 60; n++) {
    const order = await world.place({ price: "50" });
    await world.place({ price: "50" }, 2);
    all.push(order.orderId);
    if (n % 3 === 1) await world.cancel(order);
    else open.push(order.orderId);
  }
  return { world, open, all };
}

describe("I70: pages", () => {
  it.each([1, 2, 7, 19, 20, 40, 59, 60, 61, 1_000])(
    "of %i return every order once, in both directions",
    async (limit) => {
      const { world, open, all } = await populated();
      for (const [includeHistory, ids] of [
        [false, open],
        [true, all],
      ] as const) {
        const falling = await walk(world, { includeHistory, newestFirst: false, limit });
        expect(falling.ids).toEqual(ids);
        expect(new Set(falling.totals)).toEqual(new Set([ids.length]));
        const rising = await walk(world, { includeHistory, newestFirst: true, limit });
        expect(rising.ids).toEqual([...ids].reverse());
      }
    },
  );

  it("continue from a cursor whose order has ended or does not exist", async () => {
    const { world, open, all } = await populated();
    const page = { accountId: 1, limit: 5, includeHistory: false };
    const ended = all[4] ?? 0;
    const after = await world.engine.page({ ...page, newestFirst: false, afterOrderId: ended });
    expect(after.orders.map(({ orderId }) => orderId)).toEqual(open.filter((id) => id < ended).slice(0, 5));
    const before = await world.engine.page({ ...page, newestFirst: true, afterOrderId: ended + 1 });
    expect(before.orders.map(({ orderId }) => orderId)).toEqual(
      open
        .filter((id) => id > ended)
        .reverse()
        .slice(0, 5),
    );
    const beyond = await world.engine.page({
      ...page,
      newestFirst: false,
      afterOrderId: (all.at(-1) ?? 0) - 1,
    });
    expect(beyond).toMatchObject({ nextOrderId: 0, orders: [] });
  });

  it("return every order that exists all the time, whatever ends between two pages", async () => {
    const { world, all } = await populated();
    const seen = new Set<number>();
    let afterOrderId = 0;
    for (let n = 0; ; n++) {
      const page = await world.engine.page({
        accountId: 1,
        includeHistory: true,
        newestFirst: false,
        limit: 7,
        afterOrderId,
      });
      for (const { orderId } of page.orders) seen.add(orderId);
      const victim = await world.engine.page({
        accountId: 1,
        includeHistory: false,
        newestFirst: n % 2 === 0,
        limit: 1,
        afterOrderId: 0,
      });
      for (const order of victim.orders) await world.cancel(order);
      if (page.nextOrderId === 0) break;
      afterOrderId = page.nextOrderId;
    }
    expect([...seen]).toEqual(all);
  });

  it("are the same after a crash, and after many ended and new orders", async () => {
    const { world, all } = await populated();
    for (const orderId of all.slice(0, 50))
      await world.engine.cancel({ accountId: 1, orderId }).catch(() => undefined);
    const more = [await world.place({ price: "50" }), await world.place({ price: "50" })].map(
      ({ orderId }) => orderId,
    );
    const before = await walk(world, { includeHistory: true, newestFirst: false, limit: 9 });
    expect(before.ids).toEqual([...all, ...more]);
    await world.crash();
    expect(await walk(world, { includeHistory: true, newestFirst: false, limit: 9 })).toEqual(before);
  });
});

describe("story", () => {
  it("returns an order's records, oldest first, each with its cause", async () => {
    const world = await createWorld();
    const order = await world.place({ type: "STOP_LOSS_LIMIT", stopPrice: "100", price: "101" });
    await world.place({ price: "50" });
    await world.quote("101", "102");
    world.venue.onSubmit = ({ childId }) => reported(childId, "open");
    await world.quote("98", "99");
    await world.cancel(order);
    world.venue.say(reported(world.venue.submitted[0]?.childId ?? "", "closed"));
    await world.engine.idle();
    const story = await world.engine.story(order.orderId);
    expect(story?.waitingFor).toBeUndefined();
    expect(story?.records.map(({ cause }) => cause.kind)).toEqual([
      "PLACE",
      "QUOTE",
      "QUOTE",
      "VENUE",
      "CANCEL",
      "VENUE",
    ]);
    expect(story?.records.map(({ changes }) => changes[0]?.facts.map(({ kind }) => kind))).toEqual([
      ["ACCEPTED"],
      ["TRIGGERED"],
      ["CHILD_INTENDED"],
      ["CHILD_OPEN"],
      ["END_REQUESTED"],
      ["CHILD_CLOSED", "ENDED"],
    ]);
  });

  it("says what an open order waits for", async () => {
    const world = await createWorld();
    const waitsFor = async (orderId: number): Promise<string> =>
      (await world.engine.story(orderId))?.waitingFor ?? "";
    const stop = await world.place({ type: "STOP_MARKET", stopPrice: "110" });
    const trail = await world.place({
      side: "SELL",
      type: "TRAILING_STOP_MARKET",
      trailingDelta: 900,
      stopPrice: "105",
    });
    const limit = await world.place({ price: "100" });
    expect(await waitsFor(stop.orderId)).toMatch(/the first quote/);
    await world.quote("101", "102");
    expect(await waitsFor(stop.orderId)).toMatch(/stop price/);
    expect(await waitsFor(trail.orderId)).toMatch(/activates/);
    await world.quote("105", "106");
    expect(await waitsFor(trail.orderId)).toMatch(/distance/);
    expect(await waitsFor(limit.orderId)).toMatch(/limit price/);
    world.venue.onSubmit = () => "silence";
    await world.quote("99", "100");
    expect(await waitsFor(limit.orderId)).toMatch(/answer to its child aqc-/);
    await world.pass(2_000, { heartbeat: false });
    expect(await waitsFor(limit.orderId)).toMatch(/outcome of its child aqc-/);
    await world.pass(5_000, { heartbeat: false });
    expect(await waitsFor(stop.orderId)).toMatch(/too old/);
  });

  it("says that an order waits for the pause after an unsuccessful child", async () => {
    const world = await createWorld();
    const order = await world.place({ price: "100" });
    world.venue.onSubmit = ({ childId }) => reported(childId, "closed");
    await world.quote("99", "100");
    expect((await world.engine.story(order.orderId))?.waitingFor).toMatch(/pause/);
    await world.pass(100, { heartbeat: false });
    expect((await world.engine.story(order.orderId))?.waitingFor).toMatch(/next quote/);
  });

  it("does not exist for an unknown id", async () => {
    const world = await createWorld();
    await world.place({ price: "100" });
    for (const id of [0, 1, 5, 256, -1, -255, -9_999_999, Number.NaN, 2 ** 60, -(2 ** 60), 1.5]) {
      expect(await world.engine.story(id)).toBeUndefined();
      expect(await world.engine.findAny(id)).toBeUndefined();
    }
  });
});

describe("verify", () => {
  it("I53: is equal in every situation, also from snapshot and tail", async () => {
    const world = await createWorld({ settings: { snapshotEvery: 3 } });
    for (let n = 0; n < 10; n++) {
      const order = await world.place({ price: "100", quantity: "1" });
      await world.place({
        side: "SELL",
        type: "TRAILING_STOP_MARKET",
        trailingDelta: 100 + n,
        stopPrice: "90",
      });
      if (n % 3 === 0) await world.cancel(order);
      if (n % 4 === 0) await world.quote(`${95 + n}`, "100");
      if (n % 5 === 4) await world.crash();
    }
    const verified = await world.engine.verify();
    expect(verified).toMatchObject({ equal: true, live: verified.replayed });
    expect(verified.records).toBeGreaterThan(30);
  });

  it("I53: is not equal if an ended order differs from its records", async () => {
    const world = await createWorld();
    const order = await world.place({ price: "100" });
    await world.cancel(order);
    expect((await world.engine.verify()).equal).toBe(true);
    loseRows(world.disk, "ended");
    expect((await world.engine.verify()).equal).toBe(false);
  });
});
