import type { ListUpdate } from "../../engine/index.ts";
import { listStatusOf } from "../../lifecycle/index.ts";
import type { Fact } from "../../model/index.ts";
import type { CompleteOf, LIST_STATUS } from "../../replies/index.ts";
import type { EventStamp } from "./order-trade-update.ts";

/** Stamp of an event, with the name of its market. */
export type MarketStamp = EventStamp & Readonly<{ symbol: string }>;

const starts = ({ kind }: Fact): boolean => kind === "ACCEPTED" || kind === "RELEASED";

/**
 * Returns whether a record of a list emits a listStatus event: when the list is placed, when legs of it are released,
 * and when its last leg has ended. Source: convention 4.8 and 4.11.
 */
export function changesListStatus({ record, list }: ListUpdate): boolean {
  if (record.changes.some(({ facts }) => facts.some(starts))) return true;
  return listStatusOf(list).listOrderStatus === "ALL_DONE";
}

/**
 * Builds a listStatus event. `sequence` and `accountId` are additions to the convention. Source: convention 4.8;
 * decision 6.
 */
export function listStatus(
  { record, list }: ListUpdate,
  { sequence, nowMs, symbol }: MarketStamp,
): CompleteOf<typeof LIST_STATUS> {
  const { listStatusType, listOrderStatus } = listStatusOf(list);
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
