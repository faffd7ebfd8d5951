import { describe, expect, it } from "vitest";
import { createManualClock } from "../../src/adapters/memory/index.ts";
import { quantity } from "../../src/decimal/index.ts";
import { checkedNativeOrders, Questions } from "../../src/host-answers/index.ts";
import type { NativeOrder } from "../../src/model/index.ts";
import type { NativeOrders, NativePage } from "../../src/ports/index.ts";

const MARKET = { accountId: 1, symbol: "BTC/USD" };

const orderOf = (orderId: bigint, rest: Partial<NativeOrder> = {}): NativeOrder => ({
  ...MARKET,
  ...{ orderId, clientOrderId: `c-${orderId}`, status: "NEW", type: "LIMIT", side: "BUY" },
  ...{ timeInForce: "GTC", quantity: quantity("1"), executedQuantity: 0 as never },
  ...{ updatedAtMs: 1_000, isWorking: true },
  ...rest,
});

/** Asks an order flow that has only these orders for a page, and for the open orders. */
function answersOf(orders: readonly NativeOrder[], query: Partial<NativePage> = {}): unknown {
  const reported: unknown[] = [];
  const questions = new Questions({
    clock: createManualClock({ startMs: 0 }),
    telemetry: { event: (_level, _name, { problem }) => void reported.push(problem) },
    timeoutMs: 5_000,
  });
  const native = { page: () => orders, open: () => orders } as Partial<NativeOrders> as NativeOrders;
  const checked = checkedNativeOrders(native, questions);
  const calls = {
    page: () => checked.page({ ...MARKET, limit: 10, ...query }),
    open: () => checked.open?.({ ...MARKET, limit: 10 }),
  };
  return Object.entries(calls).map(([name, ask]) => {
    try {
      return `${name}: ${(ask() as readonly NativeOrder[]).map(({ orderId }) => orderId).join()}`;
    } catch (error) {
      return `${name}: ${(error as { code?: number }).code} ${reported.pop()}`;
    }
  });
}

describe("contract, GET /api/v2/allOrders: a page of a host has its orders by rising id", () => {
  it("is read as it is", () => {
    expect(answersOf([orderOf(1n), orderOf(9n), orderOf(2n ** 62n)])).toEqual([
      `page: 1,9,${2n ** 62n}`,
      `open: 1,9,${2n ** 62n}`,
    ]);
    expect(answersOf([])).toEqual(["page: ", "open: "]);
  });

  it.each([
    ["newest first", [orderOf(2n), orderOf(1n)]],
    ["with one order twice", [orderOf(1n), orderOf(1n, { status: "FILLED" })]],
  ])("is unreadable %s: a client that goes on after its last id would miss orders", (_how, orders) => {
    const problem = "-1001 the orders are not by rising id";
    expect(answersOf(orders)).toEqual([`page: ${problem}`, `open: ${problem}`]);
  });

  it("is unreadable from before the id that was asked for: a scan would begin anew for ever", () => {
    expect(answersOf([orderOf(4n), orderOf(5n)], { fromOrderId: 5n })).toEqual([
      "page: -1001 an order has a lower id than requested",
      "open: 4,5",
    ]);
  });
});
