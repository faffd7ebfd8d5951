import { describe, expect, it } from "vitest";
import { price, quantity } from "../../../../src/decimal/index.ts";
import type { NativeExecution } from "../../../../src/model/index.ts";
import { reportedOrder } from "../../../support/native-world.ts";
import { ask, type CompatWorld, openCompatWorld } from "./world.ts";

const SYMBOL = "BTCUSD";
const STOP = { symbol: SYMBOL, side: "SELL", type: "STOP_LOSS", quantity: "0.001", stopPrice: "50000" };

/** Opens a world with native orders of one fill each. `asked` counts the questions to the catalogue. */
async function openLarge(count: number): Promise<Readonly<{ world: CompatWorld; asked: () => number }>> {
  const orders = Array.from({ length: count }, (_, index) =>
    reportedOrder({ orderId: BigInt(index + 1), clientOrderId: `c${index}`, status: "PARTIALLY_FILLED" }),
  ).map((order) => ({ ...order, executedQuantity: quantity("0.001") }));
  const executions = orders.map(
    (order, index): NativeExecution => ({
      ...{ order, executionId: `${index}`, execType: "TRADE", timeMs: 1 },
      ...{ lastQuantity: quantity("0.001"), lastPrice: price(`${index + 1}`) },
    }),
  );
  const world = await openCompatWorld({}, () => ({ open: () => orders, executions: () => executions }));
  const { find, resolve } = world.instruments;
  let questions = 0;
  Object.assign(world.instruments, {
    find: (symbol: string) => {
      questions++;
      return find(symbol);
    },
    resolve: (name: string) => {
      questions++;
      return resolve(name);
    },
  });
  return { world, asked: () => questions };
}

describe("an account with many orders on the compat prefix", () => {
  it("decision NB: each native order has the amount of its own executions, and the catalogue is not asked for each", async () => {
    const { world, asked } = await openLarge(500);
    const { body } = await ask(world, "GET openOrders", { symbol: SYMBOL });
    const amounts = body.map(({ orderId, cummulativeQuoteQty }) => [orderId, Number(cummulativeQuoteQty)]);
    expect(amounts).toEqual(Array.from({ length: 500 }, (_, index) => [index + 1, (index + 1) / 1_000]));
    expect(asked()).toBeLessThan(10);
  });

  it("decision IA: 64 orders of a market are canceled per turn", async () => {
    const world = await openCompatWorld();
    for (let placed = 0; placed < 130; placed++) await ask(world, "POST order", STOP);
    const turns: (() => void)[] = [];
    const { soon } = world.clock;
    Object.assign(world.clock, { soon: (run: () => void) => turns.push(run) });
    const canceled = ask(world, "DELETE openOrders", { symbol: SYMBOL });
    const open: number[] = [];
    const openNow = async (): Promise<number> => {
      const page = { accountId: 1, includeHistory: false, newestFirst: false, limit: 1, afterOrderId: 0 };
      return (await world.engine.page(page)).total;
    };
    const settle = async (): Promise<void> => {
      for (let step = 0; step < 1_000; step++) await Promise.resolve();
    };
    for (let turn = 0; turn < 20; turn++) {
      await settle();
      const left = await openNow();
      if (open.at(-1) !== left) open.push(left);
      for (const run of turns.splice(0)) run();
    }
    Object.assign(world.clock, { soon });
    expect((await canceled).body).toHaveLength(130);
    expect(open).toEqual([130, 66, 2, 0]);
  });
});
