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
  place(order: OrderFields): Promise<Placement>;
  placeList(list: ListIntent): Promise<ListPlacement>;
  cancel(name: CancelName): Promise<ParentOrder>;
  cancelList(name: ListName): Promise<OrderList>;
  cancelAll(): Promise<CancelAllResult>;
  find(name: ParentName): Promise<ParentOrder | undefined>;
  findList(name: ListName): Promise<OrderList | undefined>;
  /** Resolves to a page of the orders that have not ended. */
  openOrders(page: OrderPage): Promise<ParentPage>;
  /** Resolves to a page of the open and ended orders. */
  allOrders(page: OrderPage): Promise<ParentPage>;
  openLists(page: ListPage): Promise<readonly OrderList[]>;
  allLists(page: ListPage): Promise<readonly OrderList[]>;
  fundsChanged(): void;
}
