import { describe, expect, it } from "vitest";
import { price } from "../../../src/decimal/index.ts";
import type { LegRole, OrderList, ParentOrder } from "../../../src/model/index.ts";
import { managedOrderView, orderListView } from "../../../src/service/index.ts";
import { endedOrder, openOrder } from "../../store/rules/samples.ts";

const LEGS = [-513, -769];

const inList = (order: ParentOrder, role: LegRole): ParentOrder => ({
  ...order,
  list: { listId: -257, listClientOrderId: "pair", contingency: "OCO", role, legs: LEGS },
});

const protective = inList(openOrder({ orderId: -513 }), "protective");
const profit = inList(openOrder({ orderId: -769 }), "profit");

const listOf = (legs: readonly ParentOrder[]): OrderList => ({
  listId: -257,
  accountId: 1,
  listClientOrderId: "pair",
  contingency: "OCO",
  symbol: "BTC/USD",
  acceptedAtMs: 500,
  legs,
});

describe("the public view of an order list", () => {
  it("contract, Linked order list reply: members in a fixed order, legs in their stored order", () => {
    expect(JSON.stringify(orderListView(listOf([protective, profit])))).toBe(
      JSON.stringify({
        orderListId: -257,
        contingencyType: "OCO",
        listStatusType: "EXEC_STARTED",
        listOrderStatus: "EXECUTING",
        listClientOrderId: "pair",
        transactionTime: 500,
        symbol: "BTC/USD",
        orders: [
          { symbol: "BTC/USD", orderId: -513, clientOrderId: "c513" },
          { symbol: "BTC/USD", orderId: -769, clientOrderId: "c769" },
        ],
        orderReports: [managedOrderView(protective), managedOrderView(profit)],
      }),
    );
  });

  it("I44: all done if and only if every leg has ended", () => {
    const ended = LEGS.map((orderId) => inList(endedOrder({ orderId }), "profit"));
    expect(orderListView(listOf(ended))).toMatchObject({
      listStatusType: "ALL_DONE",
      listOrderStatus: "ALL_DONE",
    });
    for (const legs of [
      [protective, ...ended.slice(1)],
      [...ended.slice(0, 1), profit],
    ]) {
      expect(orderListView(listOf(legs))).toMatchObject({
        listStatusType: "EXEC_STARTED",
        listOrderStatus: "EXECUTING",
      });
    }
  });

  it("each report has the members of its own order", () => {
    const trailing = {
      ...profit,
      intent: { ...profit.intent, type: "TRAILING_STOP_LIMIT" as const, limitOffset: price("1") },
    };
    const view = orderListView(listOf([protective, trailing]), ({ orderId }) => ({
      instrumentId: 7,
      runningLimit: orderId === trailing.orderId ? price("99") : undefined,
    }));
    expect(view.orderReports).toMatchObject([{ instrumentId: 7 }, { instrumentId: 7, dynamicLimit: "99" }]);
    expect(view.orderReports[0]?.dynamicLimit).toBeUndefined();
  });
});
