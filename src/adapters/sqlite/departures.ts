import type { ParentOrder } from "../../model/index.ts";
import type { Departure } from "../shared/index.ts";
import type { EndedListTable } from "./ended-list-table.ts";
import type { EndedTable } from "./ended-table.ts";
import type { Cursor, LeavingPage } from "./leaving-page.ts";

/** Rows that may leave the store together. `listId` names the list whose row leaves too. */
export type Leaving = Departure & Readonly<{ cursor: Cursor; listId?: number }>;

/** Reads rows that may leave: first those of parents outside lists, then lists. */
export type Departures = readonly ((page: LeavingPage) => readonly Leaving[])[];

/** Creates the readers. Call them inside a transaction. */
export function departuresOf({
  ended,
  endedLists,
}: Readonly<{ ended: EndedTable; endedLists: EndedListTable }>): Departures {
  const singles = (page: LeavingPage): readonly Leaving[] =>
    ended.leaving(page).map(({ shard, order }) => {
      const cursor = { endedAtMs: endOf(order), id: order.orderId };
      return { cursor, shard, orders: [order], members: new Set([order.orderId]) };
    });
  const lists = (page: LeavingPage): readonly Leaving[] =>
    endedLists.leaving(page).map(({ listId, endedAtMs, legs }) => {
      const rows = ended.legs(listId);
      const orders = rows.map(({ order }) => order);
      const members = new Set([...legs, ...orders.map(({ orderId }) => orderId)]);
      return { cursor: { endedAtMs, id: listId }, shard: rows[0]?.shard ?? 0, orders, members, listId };
    });
  return [singles, lists];
}

const endOf = ({ ended }: ParentOrder): number => ended?.atMs ?? 0;
