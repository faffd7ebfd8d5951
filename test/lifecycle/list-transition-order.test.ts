import { describe, expect, it } from "vitest";
import { listStatusOf, orderListOf, protectiveFirst } from "../../src/lifecycle/index.ts";
import type { ParentOrder } from "../../src/model/index.ts";
import { ListSubject } from "./list-transition-subject.ts";
import { Subject } from "./support.ts";

describe("the order in which parents meet one quote", () => {
  const pair = new ListSubject("OCO");
  const stop = pair.leg("protective").orderId;
  const limit = pair.leg("profit").orderId;
  const orders = new Map<number, ParentOrder>(pair.legs.map((leg) => [leg.orderId, leg]));
  const ordered = (...ids: readonly number[]): readonly number[] =>
    [
      ...protectiveFirst(
        ids.map((orderId) => ({ orderId })),
        (orderId) => orders.get(orderId),
      ),
    ].map(({ orderId }) => orderId);

  it("of a pair the protective leg is first, whatever its place; the others keep their places", () => {
    expect(ordered(stop, limit)).toEqual([stop, limit]);
    expect(ordered(limit, stop)).toEqual([stop, limit]);
    expect(ordered(-1, limit, -2, stop, -3)).toEqual([-1, stop, limit, -2, -3]);
    expect(ordered(-1, stop, -2, limit)).toEqual([-1, stop, -2, limit]);
  });

  it("a leg alone, and orders outside lists, keep their order", () => {
    expect(ordered(limit)).toEqual([limit]);
    expect(ordered(limit, -1)).toEqual([limit, -1]);
    expect(ordered(-2, -1, -3)).toEqual([-2, -1, -3]);
    expect(ordered()).toEqual([]);
  });
});

describe("I44: a list is done if and only if every leg has ended", () => {
  it("OCO: the loser ends when the winner wins, the list when the winner ends", () => {
    const list = new ListSubject("OCO");
    const executing = { listStatusType: "EXEC_STARTED", listOrderStatus: "EXECUTING" };
    expect(listStatusOf(list)).toEqual(executing);
    list.fire("profit", "110");
    expect(listStatusOf(list)).toEqual(executing);
    list.report("profit", "closed", [["a", "1"]]);
    expect(listStatusOf(list)).toEqual({ listStatusType: "ALL_DONE", listOrderStatus: "ALL_DONE" });
  });
});

describe("I53: a list is derived from its legs", () => {
  it("id, client id, contingency, account, symbol and time come from its legs", () => {
    const { legs } = new ListSubject("OTOCO");
    expect(orderListOf(legs)).toMatchObject({
      listId: -256,
      listClientOrderId: "l1",
      contingency: "OTOCO",
      accountId: 1,
      symbol: "BTC/USD",
      acceptedAtMs: legs[0]?.acceptedAtMs,
      legs,
    });
  });

  it("orders that are not exactly the legs of one list, in order, are not a list", () => {
    const { legs } = new ListSubject("OTOCO");
    const [first, second, third] = legs as [ParentOrder, ParentOrder, ParentOrder];
    const plain = new Subject().order;
    for (const broken of [[], [first], [first, second], [second, first, third], [plain], [...legs, first]])
      expect(() => orderListOf(broken)).toThrow(
        `I53: orders ${broken.map(({ orderId }) => orderId).join(", ")} do not form one list`,
      );
  });
});
