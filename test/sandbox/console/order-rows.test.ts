import { expect, it } from "vitest";
import type { ManagedOrderReply, OrderState, OrderUpdateMembers } from "../../../src/client/index.ts";
import { OrderRows } from "../../../src/sandbox/console/orders.ts";

it("an event of a trigger is shown at once, and an event without one keeps the level that was read", () => {
  const rows = new OrderRows();
  const read = { orderId: "-1", status: "NEW", executedQty: "0", triggerLevel: "95" } as ManagedOrderReply;
  rows.read([read], new Map());
  const state = { orderId: "-1", status: "NEW", executedQty: "0" } as OrderState;
  const shown = (members: Partial<OrderUpdateMembers>): unknown => {
    const [row] = rows.apply(state, { ap: "0", ...members } as OrderUpdateMembers) ?? [];
    return [row?.triggerLevel, row?.triggerTime];
  };
  expect(shown({})).toEqual(["95", undefined]);
  expect(shown({ triggerLevel: "96", triggerTime: 7 })).toEqual(["96", 7]);
});
