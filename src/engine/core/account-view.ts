import type { ListIntent, OrderList, ParentOrder } from "../../model/index.ts";
import type { OrderFields } from "../../requests/index.ts";
import type {
  CancelAllResult,
  CancelName,
  ListName,
  ListPage,
  ListPlacement,
  ParentName,
  ParentPage,
  Placement,
} from "./calls.ts";

/** At most `limit` orders after the order `afterOrderId`; by default from the first, oldest first. */
export interface OrderPage {
  readonly limit: number;
  readonly afterOrderId?: number;
  readonly newestFirst?: boolean;
}

/** The calls of an engine for one account. Each does the same as the engine's method of that name. */
export interface AccountView {
  readonly accountId: number;
  /** Places an order. Resolves when it is durable. A repeated order answers with the existing one. */
  place(order: OrderFields): Promise<Placement>;
  /** Places a list, such as `bracket` returns. Resolves when it is durable, as a whole or not at all. */
  placeList(list: ListIntent): Promise<ListPlacement>;
  /** Cancels an order, and the whole list of a leg. Resolves to the order: ended, or waiting for its child. */
  cancel(name: CancelName): Promise<ParentOrder>;
  /** Cancels every leg of a list that has not ended. Resolves to the list. */
  cancelList(name: ListName): Promise<OrderList>;
  /** Cancels every open order and list of the account. Resolves to their numbers. */
  cancelAll(): Promise<CancelAllResult>;
  /** Resolves to an order, open or ended; to undefined if the account has none of that name. */
  find(name: ParentName): Promise<ParentOrder | undefined>;
  /** Resolves to a list, open or ended; to undefined if the account has none of that name. */
  findList(name: ListName): Promise<OrderList | undefined>;
  /** Resolves to a page of the orders that have not ended. */
  openOrders(page: OrderPage): Promise<ParentPage>;
  /** Resolves to a page of the open and ended orders. */
  allOrders(page: OrderPage): Promise<ParentPage>;
  /** Resolves to lists with a leg that has not ended, oldest first. */
  openLists(page: ListPage): Promise<readonly OrderList[]>;
  /** Resolves to open and ended lists, oldest first. */
  allLists(page: ListPage): Promise<readonly OrderList[]>;
  /** Tells the engine that balances have changed, so that orders refused for want of funds are tried again soon. */
  fundsChanged(): void;
}
