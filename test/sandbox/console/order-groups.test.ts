import { expect, it } from "vitest";
import type { ManagedOrderReply } from "../../../src/client/index.ts";
import { groupsOf, isGroupOpen, listWords } from "../../../src/sandbox/console/orders.ts";

const order = (
  orderId: number,
  orderListId: number,
  members: Partial<ManagedOrderReply> = {},
): ManagedOrderReply =>
  ({
    ...{
      orderId: String(orderId),
      orderListId: String(orderListId),
      side: "SELL",
      status: "NEW",
      held: false,
    },
    ...members,
  }) as ManagedOrderReply;

it("the legs of a list are one group, in the order in which the list names them", () => {
  const groups = groupsOf([order(-12, -1), order(-11, -5), order(-10, -1), order(-9, -5), order(-8, -5)]);
  expect(groups.map(({ listId, orders }) => [listId, orders.map(({ orderId }) => orderId)])).toEqual([
    [undefined, ["-12"]],
    ["-5", ["-8", "-9", "-11"]],
    [undefined, ["-10"]],
  ]);
});

it("a group is open while one of its orders is, and says what they are to each other", () => {
  const legs = [
    order(-1, -5, { side: "BUY", status: "FILLED" }),
    order(-2, -5, { held: true }),
    order(-3, -5),
  ];
  const reported = [legs, legs.slice(0, 2), legs.slice(2).concat(order(-4, -5)), legs.slice(0, 1)].map(
    (orders) => groupsOf(orders).map((group) => [isGroupOpen(group), listWords(group)])[0],
  );
  expect(reported).toEqual([
    [true, "Bracket: an entry, then a take-profit or a stop"],
    [true, "Entry, then its exit"],
    [true, "Take-profit or stop"],
    [false, "One order of a list"],
  ]);
});
