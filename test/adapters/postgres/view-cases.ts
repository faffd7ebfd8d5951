import { describe, expect, it } from "vitest";
import { openPostgresStore, type PostgresStore } from "../../../src/adapters/postgres/index.ts";
import { rejectionOf } from "../../../src/conformance/rejections.ts";
import { parsePrice, parseQuantity } from "../../../src/decimal/index.ts";
import { endedLegs, endedList, endedOrder, keepEnded, keepLists } from "../../store/rules/samples.ts";
import type { Places } from "./places.ts";

/** Declares the tests of the views for operators. */
export function viewCases(places: Places): void {
  const filled = async (test: (store: PostgresStore, schema: string) => Promise<void>): Promise<void> => {
    const { options, schema, remove } = places.create();
    const store = await openPostgresStore(options);
    await store.acquire();
    await test(store, schema);
    await store.close();
    await remove();
  };

  describe("views for operators", () => {
    it("managed_order has the orders that have ended, with amounts as decimal numbers", () =>
      filled(async (store, schema) => {
        const order = endedOrder({ orderId: -256, endedAtMs: 10 });
        const { stopPrice: _stop, ...intent } = order.intent;
        const quantity = parseQuantity("123456789012.000001");
        const price = parsePrice("0.00000001");
        if (quantity === undefined || price === undefined) throw new Error("no amounts");
        await keepEnded(store, [
          { ...order, intent: { ...intent, quantity, price }, executedQuantity: quantity },
        ]);
        expect(
          await places.execute(
            `SELECT order_id, account_id, client_order_id, list_id, symbol, status, ended_at_ms, price, stop_price,
              quantity, executed_quantity FROM ${schema}.managed_order`,
          ),
        ).toEqual([
          [
            ...["-256", "1", "c256", null, "BTC/USD", "CANCELED", "10", "0.00000001", null],
            ...["123456789012.000001", "123456789012.000001"],
          ],
        ]);
      }));

    it("managed_list has the lists that have ended", () =>
      filled(async (store, schema) => {
        const list = endedList({ listId: -2_560, endedAtMs: 90 });
        await keepLists(store, [list], endedLegs(list));
        expect(await places.execute(`SELECT * FROM ${schema}.managed_list`)).toEqual([
          [
            ...[String(list.listId), String(list.accountId), list.listClientOrderId],
            ...[String(list.acceptedAtMs), "90", JSON.stringify(list.legs)],
          ],
        ]);
      }));

    it("api_order_reject has refused orders in the columns of the contract", () =>
      filled(async (store, schema) => {
        const rejection = rejectionOf({ accountId: 5 });
        store.rejections.retain(rejection);
        await store.rejections.flush();
        expect(
          await places.execute(
            `SELECT position, rejection_id, account_id, code, reject_reason, error_message, time_ms
              FROM ${schema}.api_order_reject`,
          ),
        ).toEqual([
          [
            ...["1", rejection.rejectionId, "5", String(rejection.code), rejection.rejectReason],
            ...[rejection.errorMessage, String(rejection.timeMs)],
          ],
        ]);
      }));
  });
}
