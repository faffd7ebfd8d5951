import assert from "node:assert/strict";
import { hasOrder, isOrder, ORDERS } from "./checks.mjs";

/** An order at the market. */
export const AT_MARKET = { side: "BUY", type: "MARKET", quantity: "0.001" };

/** A stop at another level than that of ORDERS, in place of an order. */
export const NEXT = { ...ORDERS.STOP_LOSS, stopPrice: "51000", cancelReplaceMode: "STOP_ON_FAILURE" };

/** Checks the answer to a replacement of an order by {@link NEXT}. */
export function isReplaced({ cancelResult, newOrderResult, cancelResponse, newOrderResponse }, { orderId }) {
  assert.deepEqual([cancelResult, newOrderResult], ["SUCCESS", "SUCCESS"]);
  assert.equal(String(cancelResponse.orderId), String(orderId));
  isOrder(cancelResponse, { type: "STOP_LOSS", status: "CANCELED" });
  isOrder(newOrderResponse, { type: "STOP_LOSS" });
}

/** Checks the answer to an amend of the quantity of an order. */
export function isAmended({ amendedOrder }, { orderId }, quantity) {
  assert.equal(String(amendedOrder.orderId), String(orderId));
  assert.equal(amendedOrder.qty, quantity);
}

/**
 * The cases of single orders, for a client whose methods have these names. Each of the others takes the client: `place`
 * also an order and resolves to the placed one, which `find` and `cancel` take. `list`, `listAll` and `cancelAll`
 * concern the market of the tests.
 */
export function orderCases(names, { place, find, cancel, list, listAll, cancelAll }) {
  const placed = (client) => place(client, ORDERS.STOP_LOSS);
  return {
    ...Object.fromEntries(
      Object.entries(ORDERS).map(([type, order]) => [
        `${names.place} (${type})`,
        async (client) => isOrder(await place(client, order), { type }),
      ]),
    ),
    [`${names.place} (MARKET)`]: async (client) =>
      isOrder(await place(client, AT_MARKET), { type: "MARKET", status: "FILLED" }),
    [names.find]: async (client) => isOrder(await find(client, await placed(client)), { type: "STOP_LOSS" }),
    [names.cancel]: async (client) =>
      isOrder(await cancel(client, await placed(client)), { type: "STOP_LOSS", status: "CANCELED" }),
    [names.list]: async (client) => {
      const { clientOrderId } = await placed(client);
      hasOrder(await list(client), clientOrderId);
    },
    [names.listAll]: async (client) => {
      const { clientOrderId } = await placed(client);
      hasOrder(await listAll(client), clientOrderId);
    },
    [names.cancelAll]: async (client) => {
      await placed(client);
      assert.ok((await cancelAll(client)).length > 0);
      assert.deepEqual(await list(client), []);
    },
  };
}
