import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openSqliteStore, type SqliteStore } from "../../../src/adapters/sqlite/index.ts";
import { rejectionOf } from "../../../src/conformance/rejections.ts";
import { parsePrice, parseQuantity, Quantity } from "../../../src/decimal/index.ts";
import type { ParentOrder } from "../../../src/model/index.ts";
import { endedLegs, endedList, endedOrder, keepEnded, keepLists } from "../../store/rules/samples.ts";
import { driver, type TemporaryPlace, temporaryPlace } from "./temporary-place.ts";

describe("views for operators", () => {
  let place: TemporaryPlace;
  let store: SqliteStore;
  beforeEach(async () => {
    place = temporaryPlace();
    store = openSqliteStore({ path: place.path });
    await store.acquire();
  });
  afterEach(async () => {
    await store.close();
    place.remove();
  });
  const rows = (sql: string): readonly unknown[] => {
    const database = driver.open(place.path, { readonly: true });
    const found = database.prepare(sql).all();
    database.close();
    return found;
  };
  const order = (n: number, more: Partial<ParentOrder> = {}): ParentOrder => ({
    ...endedOrder({ orderId: -256 * n, endedAtMs: 10 * n }),
    ...more,
  });

  describe("managed_order", () => {
    it("has the orders that have ended, with who placed them and how they ended", async () => {
      const { intent } = order(1);
      await keepEnded(store, [order(1), order(2)]);
      expect(
        rows(
          `SELECT order_id, account_id, client_order_id, list_id, symbol, side, type, status, reason, ended_at_ms
           FROM managed_order ORDER BY ended_at_ms`,
        ),
      ).toEqual(
        [1, 2].map((n) => ({
          ...{ order_id: -256 * n, account_id: 1, client_order_id: `c${256 * n}`, list_id: null },
          ...{ symbol: "BTC/USD", side: intent.side, type: intent.type },
          ...{ status: "CANCELED", reason: order(n).ended?.reason, ended_at_ms: 10 * n },
        })),
      );
    });

    it("has amounts as decimal numbers, also those beyond 2^53 steps; those that are missing are NULL", async () => {
      const { intent } = order(1);
      const quantity = parseQuantity("123456789012.000001");
      const price = parsePrice("0.00000001");
      if (quantity === undefined || price === undefined) throw new Error("no amounts");
      const { stopPrice: _stop, ...rest } = intent;
      const large = { ...rest, quantity, price };
      await keepEnded(store, [order(1, { intent: large, executedQuantity: quantity })]);
      await keepEnded(store, [order(2, { executedQuantity: Quantity.zero })]);
      const found = rows(
        "SELECT price, stop_price, quantity, executed_quantity FROM managed_order ORDER BY order_id DESC",
      );
      expect(found[0]).toEqual({
        ...{ price: "0.00000001", stop_price: null },
        ...{ quantity: "123456789012.000001", executed_quantity: "123456789012.000001" },
      });
      expect(found[1]).toMatchObject({ executed_quantity: "0.000000" });
    });

    it("adds up by account", async () => {
      await keepEnded(store, [order(1), order(2), order(3, { accountId: 7 })]);
      expect(
        rows("SELECT account_id AS account, count(*) AS orders FROM managed_order GROUP BY account_id"),
      ).toEqual([
        { account: 1, orders: 2 },
        { account: 7, orders: 1 },
      ]);
    });
  });

  describe("managed_list", () => {
    const list = endedList({ listId: -2_560, endedAtMs: 90 });
    beforeEach(() => keepLists(store, [list], endedLegs(list)));

    it("has the lists that have ended", () => {
      const { listId, accountId, listClientOrderId, acceptedAtMs } = list;
      expect(rows("SELECT * FROM managed_list")).toEqual([
        {
          ...{ list_id: listId, account_id: accountId, list_client_order_id: listClientOrderId },
          ...{ accepted_at_ms: acceptedAtMs, ended_at_ms: 90, legs: JSON.stringify(list.legs) },
        },
      ]);
    });

    it("joins to the legs", () => {
      const legs = rows(
        `SELECT o.order_id AS leg FROM managed_list AS l JOIN managed_order AS o ON o.list_id = l.list_id
         ORDER BY o.order_id DESC`,
      );
      expect(legs).toEqual([...list.legs].sort((a, b) => b - a).map((leg) => ({ leg })));
    });

    it("is searched by time", () => {
      expect(rows("SELECT list_id FROM managed_list WHERE ended_at_ms < 90")).toEqual([]);
    });
  });

  describe("api_order_reject", () => {
    it("has refused orders in the columns of the contract", async () => {
      const rejection = rejectionOf({ accountId: 5 });
      store.rejections.retain(rejection);
      await store.rejections.flush();
      expect(rows("SELECT * FROM api_order_reject")).toEqual([
        expect.objectContaining({
          ...{ position: 1, rejection_id: rejection.rejectionId, account_id: 5, symbol: rejection.symbol },
          ...{ client_order_id: rejection.clientOrderId, code: rejection.code, time_ms: rejection.timeMs },
          ...{ reject_reason: rejection.rejectReason, error_message: rejection.errorMessage },
        }),
      ]);
    });

    it("has amounts as decimal numbers, and NULL for what a request did not say", async () => {
      const price = parsePrice("100.5");
      if (price === undefined) throw new Error("no amount");
      const { stopPrice: _stop, timeInForce: _force, ...rest } = rejectionOf({ price });
      store.rejections.retain(rest);
      await store.rejections.flush();
      expect(rows("SELECT price, stop_price, time_in_force FROM api_order_reject")).toEqual([
        { price: "100.5", stop_price: null, time_in_force: null },
      ]);
    });

    it("counts by reason", async () => {
      for (let count = 0; count < 3; count++) store.rejections.retain(rejectionOf());
      await store.rejections.flush();
      expect(
        rows("SELECT reject_reason AS reason, count(*) AS n FROM api_order_reject GROUP BY reject_reason"),
      ).toEqual([{ reason: rejectionOf().rejectReason, n: 3 }]);
    });
  });
});
