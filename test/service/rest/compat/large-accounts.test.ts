import { describe, expect, it } from "vitest";
import { price, quantity } from "../../../../src/decimal/index.ts";
import type { NativeExecution, NativeOrder } from "../../../../src/model/index.ts";
import type { NativeKey } from "../../../../src/ports/index.ts";
import { reportedOrder } from "../../../support/native-world.ts";
import { call, type WorldOptions } from "../../../support/service-world.ts";
import { ask, type CompatWorld, openCompatWorld, type Requested } from "./world.ts";

const SYMBOL = "BTCUSD";

type Large = Readonly<{ world: CompatWorld; requested: () => number; canceled: () => number }>;

/**
 * Opens a world with native orders of one fill each. `requested` counts the questions to the catalogue, `canceled` the cancels
 * that have begun.
 */
async function openLarge(count: number, options: WorldOptions = {}): Promise<Large> {
  const orders = Array.from({ length: count }, (_, index) =>
    reportedOrder({ orderId: BigInt(index + 1), clientOrderId: `c${index}`, status: "PARTIALLY_FILLED" }),
  ).map((order) => ({ ...order, executedQuantity: quantity("0.001") }));
  const executions = orders.map(
    (order, index): NativeExecution => ({
      ...{ order, executionId: `${index}`, execType: "TRADE", timeMs: 1 },
      ...{ lastQuantity: quantity("0.001"), lastPrice: price(`${index + 1}`) },
    }),
  );
  let canceled = 0;
  const cancel = async (key: NativeKey): Promise<NativeOrder | undefined> => {
    canceled++;
    const order = orders.find(({ orderId }) => "orderId" in key && key.orderId === orderId);
    return order && { ...order, status: "CANCELED" };
  };
  const world = await openCompatWorld(options, () => ({
    ...{ open: () => orders, executions: () => executions, cancel },
  }));
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
  return { world, requested: () => questions, canceled: () => canceled };
}

describe("an account with many orders on the compat prefix", () => {
  it("each native order has the amount of its own executions, and the catalogue is not asked for each", async () => {
    const { world, requested } = await openLarge(500);
    const { body } = await ask(world, "GET openOrders", { symbol: SYMBOL });
    const amounts = body.map(({ orderId, cummulativeQuoteQty }) => [orderId, Number(cummulativeQuoteQty)]);
    expect(amounts).toEqual(Array.from({ length: 500 }, (_, index) => [index + 1, (index + 1) / 1_000]));
    expect(requested()).toBeLessThan(10);
  });

  it.each([
    [100, { symbol: SYMBOL }, 6],
    [101, { symbol: SYMBOL }, 12],
    [1_000, { symbol: SYMBOL }, 60],
    [1_000, {}, 80],
    [1_401, {}, 90],
  ])("an answer of %d open orders to %j weighs %d", async (count, requested, weight) => {
    const { world } = await openLarge(count);
    await ask(world, "GET openOrders", requested);
    const { headers } = await call(world, "GET", "/compat/api/v3/ping");
    expect(headers["X-MBX-USED-WEIGHT"]).toBe(String(weight + 1));
  });

  it("open orders beyond the limit of the address are refused", async () => {
    const { world } = await openLarge(1_000, { limits: { weightPerMinute: 60 } });
    expect((await ask(world, "GET openOrders", { symbol: SYMBOL })).status).toBe(200);
    const { world: other } = await openLarge(1_001, { limits: { weightPerMinute: 60 } });
    expect((await ask(other, "GET openOrders", { symbol: SYMBOL })).body.code).toBe(-1003);
  });

  it("allOrders has every one of the newest orders, however few fit into a page of the engine", async () => {
    const placed = async (count: number): Promise<Requested> => {
      const world = await openCompatWorld({ engine: { maxPageBytes: 2_048 } });
      const stop = { symbol: SYMBOL, side: "SELL", type: "STOP_LOSS", quantity: "0.001", stopPrice: "50000" };
      for (let index = 0; index < count; index++) await ask(world, "POST order", stop);
      return await ask(world, "GET allOrders", { symbol: SYMBOL });
    };
    expect((await placed(15)).body).toHaveLength(15);
    expect((await placed(17)).body.code).toBe(-1130);
  });

  it.each([
    // The answer is made in two passes over its rows.
    ["GET openOrders", 1_000, 2],
    // Eight turns begin the cancels of 512 orders, ten those of 600.
    ["DELETE openOrders", 600, 2 + 1],
  ])("one turn makes at most 512 rows of the answer to %s", async (route, many, more) => {
    const turnsFor = async (count: number): Promise<number> => {
      const { world } = await openLarge(count);
      const { soon } = world.clock;
      let turns = 0;
      Object.assign(world.clock, {
        soon: (run: () => void) => {
          turns++;
          soon(run);
        },
      });
      expect((await ask(world, route, { symbol: SYMBOL })).body).toHaveLength(count);
      return turns;
    };
    expect(await turnsFor(many)).toBe((await turnsFor(512)) + more);
  });

  it("64 native orders are canceled per turn", async () => {
    const { world, canceled } = await openLarge(150);
    const turns: (() => void)[] = [];
    Object.assign(world.clock, { soon: (run: () => void) => turns.push(run) });
    const answer = ask(world, "DELETE openOrders", { symbol: SYMBOL });
    const begun: number[] = [];
    for (let turn = 0; turn < 5; turn++) {
      for (let step = 0; step < 1_000; step++) await Promise.resolve();
      begun.push(canceled());
      for (const run of turns.splice(0)) run();
    }
    expect(begun).toEqual([64, 128, 150, 150, 150]);
    expect((await answer).body).toHaveLength(150);
  });
});
