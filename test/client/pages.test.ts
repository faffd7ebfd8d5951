import { describe, expect, it } from "vitest";
import {
  type ExecutionReply,
  eachExecution,
  eachNativeOrder,
  eachOpenOrder,
  eachOrderList,
  type ManagedOrderReply,
} from "../../src/client/index.ts";
import { quoteOf } from "../sandbox/venue-world.ts";
import { answers, openClientWorld } from "./client-world.ts";
import { PAIR, STOP } from "./placements.ts";

async function all<T>(rows: AsyncIterable<T>, idOf: (row: T) => string): Promise<readonly string[]> {
  const ids: string[] = [];
  for await (const row of rows) ids.push(idOf(row));
  return ids;
}

async function anExecution(): Promise<ExecutionReply> {
  const { client } = await openClientWorld();
  const order = { symbol: "BTC/USD", side: "BUY", type: "LIMIT", quantity: "0.01", price: "6000" } as const;
  await client.placeNativeOrder(order);
  const [execution] = (await client.executions()).orders;
  if (execution === undefined) throw new Error("no execution");
  return execution;
}

describe("pages", () => {
  it.each([false, true])(
    "each managed order comes once while orders are placed and canceled between pages (newest first: %s)",
    async (newestFirst) => {
      const { client } = await openClientWorld();
      const stored: string[] = [];
      const doomed: string[] = [];
      for (let count = 0; count < 12; count++) {
        const { orderId } = await client.placeOrder(STOP);
        (count % 3 === 0 ? doomed : stored).push(orderId);
      }
      const found: ManagedOrderReply[] = [];
      for await (const order of eachOpenOrder(client, { limit: 2, newestFirst })) {
        found.push(order);
        const gone = doomed.pop();
        if (gone !== undefined) await client.cancelOrder({ symbol: "BTC/USD", orderId: gone });
        if (found.length < 4) await client.placeOrder(STOP);
      }
      const ids = found.map(({ orderId }) => orderId);
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids).toEqual(expect.arrayContaining(stored));
    },
  );

  it("a cursor that does not advance is an error, not an endless loop", async () => {
    const { client, wire } = await openClientWorld();
    const page = { apiManaged: true, includesHistory: false, total: 9, nextOrderId: -256, orders: [] };
    wire.strike("/api/v3/openOrders", answers(JSON.stringify(page)), 5);
    await expect(all(eachOpenOrder(client), ({ orderId }) => orderId)).rejects.toMatchObject({
      problem: "cursor",
    });
  });

  it("each native order comes once, by rising id, with those that are placed meanwhile", async () => {
    const { client } = await openClientWorld();
    const order = { symbol: "BTC/USD", side: "BUY", type: "LIMIT", quantity: "0.01", price: "6000" } as const;
    for (let count = 0; count < 5; count++) await client.placeNativeOrder(order);
    let placed = 5;
    const ids: bigint[] = [];
    for await (const { orderId } of eachNativeOrder(client, { symbol: "BTC/USD", limit: 2 })) {
      ids.push(BigInt(orderId ?? 0));
      if (placed++ < 8) await client.placeNativeOrder(order);
    }
    expect(ids.length).toBe(8);
    expect([...ids].sort((a, b) => (a < b ? -1 : 1))).toEqual(ids);
  });

  it("each list comes once, the newest first, also when many have one time", async () => {
    const { client, clock } = await openClientWorld();
    const placed: string[] = [];
    for (const stepMs of [0, 0, 0, 10, 0, 10]) {
      await clock.advanceBy(stepMs);
      placed.push((await client.placeOco(PAIR)).orderListId);
    }
    await client.cancelOrderList({ orderListId: placed[1] ?? "" });
    const idOf = (list: Readonly<{ orderListId: string }>): string => list.orderListId;
    expect(await all(eachOrderList(client, { limit: 2 }), idOf)).toEqual([...placed].reverse());
    expect(await all(eachOrderList(client, { limit: 2, openOnly: true }), idOf)).toEqual(
      placed.filter((id) => id !== placed[1]).reverse(),
    );
  });

  it("each execution comes once, the newest first", async () => {
    const { client, paper } = await openClientWorld();
    paper.quote(quoteOf({ bids: ["6999x10"], asks: ["7001x10"] }));
    for (let count = 0; count < 4; count++)
      await client.placeNativeOrder({ symbol: "BTC/USD", side: "BUY", type: "MARKET", quantity: "0.01" });
    const whole = (await client.executions()).orders.map(({ executionId }) => executionId);
    const paged = await all(eachExecution(client, { limit: 3 }), ({ executionId }) => executionId);
    expect(paged).toEqual([...whole].reverse());
    expect(whole.length).toBeGreaterThan(4);
  });

  it("executions of two markets with the same ids both come", async () => {
    const execution = await anExecution();
    const both = ["BTC/USD", "ETH/USD"].map((symbol) => ({ ...execution, symbol }));
    const rows = eachExecution({ executions: async () => ({ orders: both }) });
    expect(await all(rows, ({ symbol }) => symbol)).toEqual(["ETH/USD", "BTC/USD"]);
  });

  it("pages whose times go forwards are an error, not an endless loop", async () => {
    const execution = await anExecution();
    let time = 0;
    const executions = async () => ({ orders: time < 50 ? [{ ...execution, time: time++ }] : [] });
    const rows = all(eachExecution({ executions }, { limit: 1 }), ({ executionId }) => executionId);
    await expect(rows).rejects.toMatchObject({ problem: "cursor" });
  });
});
