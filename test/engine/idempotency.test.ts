import { describe, expect, it } from "vitest";
import { countOfId, shardOf } from "../../src/lifecycle/index.ts";
import { shardOfId } from "../../src/model/index.ts";
import { createFaultyWorld, turns } from "../support/faulty-world.ts";
import { reported, sentTo } from "../support/scripted-venue.ts";
import { createWorld, type World } from "../support/world.ts";

const FIELDS = { price: "100", quantity: "0.5", newClientOrderId: "mine-1" } as const;
const DUPLICATE = { code: -2010, msg: "Duplicate order sent." };

const totalOf = async (world: World): Promise<number> =>
  (
    await world.engine.page({
      accountId: 1,
      includeHistory: true,
      newestFirst: false,
      limit: 1_000,
      afterOrderId: 0,
    })
  ).total;

describe("I03, decision 1: the same id with the same intent is the same order", () => {
  it("in any spelling, while it is open", async () => {
    const world = await createWorld();
    const first = await world.place(FIELDS);
    const { order, created } = await world.engine.place({
      accountId: 1,
      order: {
        symbol: "BTC/USD",
        side: "BUY",
        type: "LIMIT",
        apiManaged: true,
        quantity: "0.500",
        price: "100.00",
        newClientOrderId: "mine-1",
      },
    });
    expect([order.orderId, created]).toEqual([first.orderId, false]);
    expect(await totalOf(world)).toBe(1);
  });

  it("while the first append is under way", async () => {
    const { world, store } = await createFaultyWorld();
    store().inject("slow");
    const first = world.place(FIELDS);
    await turns();
    const second = world.place(FIELDS);
    await turns();
    expect(store().waiting).toBe(1);
    store().inject("none");
    store().release();
    expect((await second).orderId).toBe((await first).orderId);
    expect(await totalOf(world)).toBe(1);
  });

  it("after its end, after a crash, and after both", async () => {
    const world = await createWorld();
    await world.quote("101", "102");
    const first = await world.place(FIELDS);
    await world.crash();
    expect((await world.place(FIELDS)).orderId).toBe(first.orderId);
    await world.quote("99", "100");
    expect(await world.status(first)).toBe("FILLED FILLED");
    const ended = await world.place(FIELDS);
    expect([ended.orderId, ended.ended?.status]).toEqual([first.orderId, "FILLED"]);
    await world.crash();
    expect((await world.place(FIELDS)).orderId).toBe(first.orderId);
    await world.quote("99", "100");
    expect(sentTo(world.venue)).toHaveLength(1);
    expect(await totalOf(world)).toBe(1);
  });

  it("while it is ending", async () => {
    const { world, store } = await createFaultyWorld();
    const first = await world.place(FIELDS);
    store().inject("slow");
    const canceling = world.cancel(first);
    await turns();
    const again = world.place(FIELDS);
    store().inject("none");
    store().release();
    expect([(await again).orderId, (await canceling).orderId]).toEqual([first.orderId, first.orderId]);
    expect(await totalOf(world)).toBe(1);
  });

  it("until retention deletes its record: then the id is free", async () => {
    const world = await createWorld({ settings: { retentionDays: 1 } });
    const first = await world.place(FIELDS);
    await world.cancel(first);
    await world.pass(23 * 3_600_000);
    expect((await world.place(FIELDS)).orderId).toBe(first.orderId);
    await world.pass(2 * 3_600_000);
    const second = await world.place(FIELDS);
    expect(second.orderId).toBeLessThan(first.orderId);
    expect((await world.engine.verify()).equal).toBe(true);
  });

  it("accounts have separate ids", async () => {
    const world = await createWorld();
    const mine = await world.place(FIELDS);
    const theirs = await world.place(FIELDS, 2);
    expect(theirs.orderId).not.toBe(mine.orderId);
    expect(await world.engine.find({ accountId: 2, orderId: mine.orderId })).toBeUndefined();
    expect(await world.engine.find({ accountId: 2, clientOrderId: "mine-1" })).toEqual(theirs);
  });
});

describe("I04: the same id with another intent is refused and changes nothing", () => {
  it.each([
    { quantity: "0.6" },
    { price: "101" },
    { side: "SELL" },
    { type: "STOP_LOSS_LIMIT", stopPrice: "100" },
    { symbol: "ETH/USD" },
    { childTimeInForce: "FOK" },
    { expireTime: 1_760_000_001_000 },
  ] as const)("%o", async (change) => {
    const world = await createWorld();
    const first = await world.place(FIELDS);
    await expect(world.place({ ...FIELDS, ...change })).rejects.toMatchObject(DUPLICATE);
    expect(await world.order(first)).toEqual(first);
    await world.cancel(first);
    await expect(world.place({ ...FIELDS, ...change })).rejects.toMatchObject(DUPLICATE);
    expect(await totalOf(world)).toBe(1);
  });
});

describe("I05, I06: ids", () => {
  it("decrease in order of creation, are negative, whole and of the account's shard, over a crash too", async () => {
    const world = await createWorld();
    const ids: number[] = [];
    for (let n = 0; n < 20; n++) {
      if (n === 10) await world.crash();
      ids.push((await world.place({ price: "100" })).orderId);
    }
    expect(ids).toEqual([...ids].sort((a, b) => b - a));
    expect(ids.map(countOfId)).toEqual(ids.map((_, index) => index + 1));
    for (const id of ids)
      expect([Number.isSafeInteger(id), id < 0, shardOfId(id)]).toEqual([true, true, shardOf(1)]);
  });

  it("are not reused after a snapshot, even if all orders have ended", async () => {
    const world = await createWorld({ settings: { snapshotEvery: 1, retentionDays: 1 } });
    const first = await world.place({ price: "100" });
    await world.cancel(first);
    await world.pass(3 * 86_400_000);
    await world.crash();
    expect((await world.place({ price: "100" })).orderId).toBeLessThan(first.orderId);
  });

  it("of children are a function of parent and attempt, and none is used twice", async () => {
    const world = await createWorld();
    world.venue.onSubmit = ({ childId }) => reported(childId, "rejected");
    for (let n = 0; n < 5; n++) await world.place({ price: "100" });
    for (let n = 0; n < 10; n++) {
      if (n % 3 === 2) await world.crash();
      await world.quote("99", "100");
      await world.pass(5_000);
    }
    const ids = world.venue.submitted.map(({ childId }) => childId);
    expect(ids.length).toBeGreaterThan(30);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^aqc-[0-9a-z-]{1,32}$/);
  });
});
