import { describe, expect, it } from "vitest";
import type { NativeExecution } from "../../../../src/model/index.ts";
import type { JsonObject } from "../../../../src/wire/index.ts";
import { reportedOrder } from "../../../support/native-world.ts";
import { START_MS } from "../../../support/service-world.ts";
import { ask, openCompatWorld } from "./world.ts";

const SYMBOL = "BTCUSD";

describe("DELETE openOrders on the compat prefix", () => {
  it("cancels a list whose leg ends while the host is asked for native orders", async () => {
    let requested = async (): Promise<void> => undefined;
    const world = await openCompatWorld({}, () => ({
      open: async () => {
        await requested();
        return [];
      },
    }));
    const { body: placed } = await ask(world, "POST orderList/oco", {
      ...{ symbol: SYMBOL, side: "SELL", quantity: "0.001", aboveType: "LIMIT_MAKER", abovePrice: "70000" },
      ...{ belowType: "STOP_LOSS", belowStopPrice: "50000" },
      ...{ belowTimeInForce: "GTD", expireTime: START_MS + 1_000 },
    });
    requested = async () => {
      await world.clock.advanceBy(1_000);
      await world.engine.idle();
    };
    const { body } = await ask(world, "DELETE openOrders", { symbol: SYMBOL });
    const reports = body.map(({ orderListId, orderReports }) => [
      orderListId,
      ...(orderReports as readonly JsonObject[]).map(({ status }) => status),
    ]);
    expect(reports).toEqual([[placed.orderListId, "EXPIRED", "CANCELED"]]);
    expect((await ask(world, "GET openOrders", { symbol: SYMBOL })).body).toEqual([]);
  });

  it("asks the host once for the executions of all native orders that it has canceled", async () => {
    const orders = [1n, 2n, 3n].map((orderId) =>
      reportedOrder({ orderId, clientOrderId: `c${orderId}`, status: "NEW" }),
    );
    const accepted = orders.map((order): NativeExecution => {
      return { order, executionId: `e${order.orderId}`, execType: "NEW", timeMs: Number(order.orderId) };
    });
    let questions = 0;
    const world = await openCompatWorld({}, () => ({
      open: () => orders,
      cancel: async (key) => orders.find(({ orderId }) => "orderId" in key && key.orderId === orderId),
      executions: ({ orderId }) => {
        questions++;
        return accepted.filter(({ order }) => orderId === undefined || order.orderId === orderId);
      },
    }));
    const { body } = await ask(world, "DELETE openOrders", { symbol: SYMBOL });
    expect(body.map(({ orderId, time }) => [orderId, time])).toEqual([
      [1, 1],
      [2, 2],
      [3, 3],
    ]);
    expect(questions).toBe(1);
  });
});
