import { describe, expect, it } from "vitest";
import { OCO } from "../support/list-samples.ts";
import { createWorld, listOf, SYMBOL } from "../support/world.ts";

const LIMIT = { symbol: SYMBOL, side: "BUY", type: "SYNTHETIC_LIMIT", quantity: "1", price: "90" } as const;

describe("decision KF: the view on one account", () => {
  it("places, finds and cancels orders of its account, and sees none of another", async () => {
    const { engine } = await createWorld();
    const [first, second] = [engine.account(1), engine.account(2)];
    const { order, created } = await first.place({ ...LIMIT, newClientOrderId: "mine" });
    const { orderId } = order;
    expect([first.accountId, order.accountId, created]).toEqual([1, 1, true]);
    expect(await first.find({ clientOrderId: "mine" })).toEqual(order);
    expect(await second.find({ orderId })).toBeUndefined();
    await expect(second.cancel({ orderId })).rejects.toMatchObject({ code: -2011 });
    expect(await first.cancel({ orderId })).toMatchObject({ orderId, ended: { status: "CANCELED" } });
  });

  it("pages open orders and all orders, oldest first unless asked otherwise", async () => {
    const { engine } = await createWorld();
    const account = engine.account(1);
    await engine.account(2).place(LIMIT);
    const ids: number[] = [];
    for (let n = 0; n < 3; n++) ids.push((await account.place(LIMIT)).order.orderId);
    const [oldest = 0, middle = 0, newest = 0] = ids;
    await account.cancel({ orderId: middle });
    const idsOf = ({ orders }: Readonly<{ orders: readonly Readonly<{ orderId: number }>[] }>) =>
      orders.map(({ orderId }) => orderId);
    expect(idsOf(await account.openOrders({ limit: 10 }))).toEqual([oldest, newest]);
    expect(idsOf(await account.openOrders({ limit: 10, newestFirst: true }))).toEqual([newest, oldest]);
    expect(idsOf(await account.allOrders({ limit: 2 }))).toEqual([oldest, middle]);
    expect(idsOf(await account.allOrders({ limit: 2, afterOrderId: middle }))).toEqual([newest]);
  });

  it("places, finds, pages and cancels lists of its account", async () => {
    const { engine } = await createWorld();
    const account = engine.account(1);
    const { list } = await account.placeList(listOf("oco", OCO));
    const { listId } = list;
    expect(await account.findList({ listId })).toEqual(list);
    expect(await engine.account(2).findList({ listId })).toBeUndefined();
    expect(await account.openLists({ limit: 10 })).toEqual([list]);
    const canceled = await account.cancelList({ listId });
    expect(canceled.legs.map(({ ended }) => ended?.status)).toEqual(["CANCELED", "CANCELED"]);
    expect(await account.openLists({ limit: 10 })).toEqual([]);
    expect(await account.allLists({ limit: 10 })).toEqual([canceled]);
  });

  it("cancels all orders of its account only", async () => {
    const { engine } = await createWorld();
    for (const accountId of [1, 1, 2]) await engine.account(accountId).place(LIMIT);
    expect(await engine.account(1).cancelAll()).toMatchObject({ matchedCount: 2, canceledCount: 2 });
    expect((await engine.account(2).openOrders({ limit: 10 })).total).toBe(1);
  });

  it("binds its account even if a request names another", async () => {
    const { engine } = await createWorld();
    const { order } = await engine.account(1).place(LIMIT);
    const named = { orderId: order.orderId, accountId: 1 };
    expect(await engine.account(2).find(named)).toBeUndefined();
  });

  it("refuses as the engine does: an unknown account at its first order", async () => {
    const { engine } = await createWorld();
    const refused = await engine.place({ accountId: 9, order: LIMIT }).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(Error);
    await expect(engine.account(9).place(LIMIT)).rejects.toEqual(refused);
  });
});
