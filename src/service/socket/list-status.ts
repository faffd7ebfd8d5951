import type { ListUpdate } from "../../engine/index.ts";
import { listStatusOf } from "../../lifecycle/index.ts";
import type { Fact } from "../../model/index.ts";
import type { JsonInput } from "../../wire/index.ts";
import type { EventStamp } from "./order-trade-update.ts";

const starts = ({ kind }: Fact): boolean => kind === "ACCEPTED" || kind === "RELEASED";

/**
 * Whether a record of a list is told by a listStatus of its own: when the list was placed, when legs of it were released,
 * and when the last leg has ended. Source: convention 4.8 and 4.11.
 */
export function tellsListStatus({ record, list }: ListUpdate): boolean {
  if (record.changes.some(({ facts }) => facts.some(starts))) return true;
  return listStatusOf(list).listOrderStatus === "ALL_DONE";
}

/** A listStatus; `sequence` and accountId are ours. Source: convention 4.8; decision 6. */
export function listStatus({ record, list }: ListUpdate, { sequence, nowMs }: EventStamp): JsonInput {
  const { listStatusType, listOrderStatus } = listStatusOf(list);
  const { symbol } = list;
  return {
    e: "listStatus",
    E: nowMs,
    s: symbol,
    g: list.listId,
    c: list.contingency,
    l: listStatusType,
    L: listOrderStatus,
    r: "NONE",
    C: list.listClientOrderId,
    T: record.timeMs,
    sequence,
    accountId: list.accountId,
    O: list.legs.map(({ orderId, intent }) => ({ s: symbol, i: orderId, c: intent.clientOrderId })),
  };
}
