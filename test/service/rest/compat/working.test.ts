import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/wire/index.ts";
import { reportedOrder } from "../../../support/native-world.ts";
import { START_MS } from "../../../support/service-world.ts";
import { ask, type CompatWorld, openCompatWorld } from "./world.ts";

const SYMBOL = "BTCUSD";
const STOP_LIMIT = {
  ...{ symbol: SYMBOL, side: "SELL", type: "STOP_LOSS_LIMIT", timeInForce: "GTC", quantity: "0.001" },
  ...{ stopPrice: "55000", price: "55000" },
};
const PAIR = {
  ...{ symbol: SYMBOL, side: "SELL", quantity: "0.001", aboveType: "LIMIT_MAKER", abovePrice: "70000" },
  ...{ belowType: "STOP_LOSS", belowStopPrice: "50000" },
};
const ENTRY = {
  ...{ symbol: SYMBOL, workingType: "LIMIT", workingSide: "BUY", workingPrice: "50000" },
  ...{ workingQuantity: "0.001", pendingType: "LIMIT_MAKER", pendingSide: "SELL" },
  ...{ pendingQuantity: "0.001", pendingPrice: "70000", workingTimeInForce: "GTC" },
};

const working = ({ isWorking, workingTime }: JsonObject): readonly unknown[] => [isWorking, workingTime];
const WAITS = [false, -1];

const status = async (world: CompatWorld): Promise<readonly unknown[]> =>
  working((await ask(world, "GET order", { symbol: SYMBOL, origClientOrderId: "a" })).body);

describe("convention 3.2: isWorking and workingTime on the compat prefix", () => {
  it("a stop-limit works from its trigger on, also while it waits at its limit and after its end", async () => {
    const world = await openCompatWorld();
    const placed = await ask(world, "POST order", { ...STOP_LIMIT, newClientOrderId: "a" });
    expect([working(placed.body), await status(world)]).toEqual([WAITS, WAITS]);
    await world.clock.advanceBy(1_000);
    world.engine.market.quote({ symbol: "BTC/USD", bid: "54000", ask: "54001" });
    await world.engine.idle();
    const triggered = [true, START_MS + 1_000];
    expect(await status(world)).toEqual(triggered);
    const { body } = await ask(world, "GET openOrders", { symbol: SYMBOL });
    expect(body.map(({ executedQty, ...order }) => [executedQty, ...working(order)])).toEqual([
      ["0", ...triggered],
    ]);
    await world.clock.advanceBy(1_000);
    await ask(world, "DELETE order", { symbol: SYMBOL, origClientOrderId: "a" });
    expect(await status(world)).toEqual(triggered);
  });

  it("a stop that is canceled before its trigger has never worked", async () => {
    const world = await openCompatWorld();
    await ask(world, "POST order", { ...STOP_LIMIT, newClientOrderId: "a" });
    const canceled = await ask(world, "DELETE order", { symbol: SYMBOL, origClientOrderId: "a" });
    expect([working(canceled.body), await status(world)]).toEqual([WAITS, WAITS]);
  });

  it("a native order that the host says has not worked has not, also in the reply to its cancel", async () => {
    const waiting = reportedOrder({ status: "NEW", isWorking: false });
    const world = await openCompatWorld({}, () => ({
      find: () => waiting,
      cancel: async () => ({ ...waiting, status: "CANCELED" }),
      open: () => [waiting],
    }));
    const key = { symbol: SYMBOL, origClientOrderId: waiting.clientOrderId };
    const replies = [
      (await ask(world, "GET order", key)).body,
      (await ask(world, "GET openOrders", { symbol: SYMBOL })).body[0] as JsonObject,
      (await ask(world, "DELETE order", key)).body,
    ];
    expect(replies.map(({ isWorking }) => isWorking)).toEqual([false, false, false]);
  });

  it("of a list, the legs that wait for no trigger and no other leg work", async () => {
    const world = await openCompatWorld();
    const legs = async (form: string, fields: typeof PAIR | typeof ENTRY): Promise<readonly unknown[]> => {
      const { body } = await ask(world, `POST orderList/${form}`, fields);
      return (body.orderReports as readonly JsonObject[]).map(working);
    };
    const works = [true, START_MS];
    expect(await legs("oco", PAIR)).toEqual([WAITS, works]);
    expect(await legs("oto", ENTRY)).toEqual([works, WAITS]);
  });
});
