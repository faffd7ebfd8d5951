import type {
  CancelRestriction,
  ListIntent,
  OrderList,
  ParentIntent,
  ParentOrder,
} from "../../model/index.ts";
import type { AmendFields, OrderFields } from "../../requests/index.ts";

/** How long a placement may be decided. */
export interface PlacementTime {
  /**
   * Time after which nothing new is accepted, in epoch milliseconds of the wall clock: the placement then rejects with
   * DISCONNECTED. Omitted: any time. What was accepted before is still the answer to its copies.
   */
  readonly notAfterMs?: number | undefined;
}

/** A placement by the fields of an order. Without `newClientOrderId` the order gets a random client id. */
export interface PlaceFieldsRequest extends PlacementTime {
  readonly accountId: number;
  readonly order: OrderFields;
}

/** A placement by an intent, such as `orderIntent` returns. */
export interface PlaceIntentRequest extends PlacementTime {
  readonly accountId: number;
  readonly intent: ParentIntent;
}

/** A placement: the fields of an order, or an intent that was made from such fields. */
export type PlaceRequest = PlaceFieldsRequest | PlaceIntentRequest;

/** Answer to a placement: the durable order, and whether this call created it. */
export interface Placement {
  readonly order: ParentOrder;
  readonly created: boolean;
}

/** A list to place. {@link ListIntent} defines the order of its legs. */
export interface PlaceListRequest extends PlacementTime {
  readonly accountId: number;
  readonly list: ListIntent;
}

/** Answer to a list placement: the durable list, and whether this call created it. */
export interface ListPlacement {
  readonly list: OrderList;
  readonly created: boolean;
}

/** Names one list within an account. */
export type ListName = { readonly listId: number } | { readonly listClientOrderId: string };

/** Identifies one list. */
export type ListKey = { readonly accountId: number } & ListName;

/** The newest `limit` lists that were accepted in a period, both ends included. Times are epoch milliseconds. */
export interface ListPage {
  readonly startTimeMs?: number;
  readonly endTimeMs?: number;
  readonly limit: number;
}

/** Asks for lists of an account. */
export interface ListPageRequest extends ListPage {
  readonly accountId: number;
}

/** Names one parent within an account. */
export type ParentName = { readonly orderId: number } | { readonly clientOrderId: string };

/** Identifies one parent. */
export type ParentKey = { readonly accountId: number } & ParentName;

/**
 * The order to cancel, and the condition of the cancel. Without a condition, it does not matter how much is executed.
 */
export type CancelName = ParentName & { readonly restriction?: CancelRestriction };

/** Asks for the cancel of one parent. */
export type CancelRequest = { readonly accountId: number } & CancelName;

/** What an amend of an order changes. The same `amendId` is the same amend: a copy of it is answered, and changes nothing. */
export interface AmendTerms extends PlacementTime {
  /** The new values of fields. What is left out stays. */
  readonly changes: AmendFields;
  /** Your id of the amend: 1-36 letters, digits, `.`, `_` or `-`. Without one, every call is an amend of its own. */
  readonly amendId?: string | undefined;
}

/** The order to amend, and what changes. */
export type AmendName = ParentName & AmendTerms;

/** Asks for an amend of one parent. */
export type AmendRequest = { readonly accountId: number } & AmendName;

/**
 * What happens to the new order if the one that it replaces is unknown or has ended: STOP_ON_FAILURE places nothing,
 * ALLOW_FAILURE places it.
 */
export type ReplaceMode = "STOP_ON_FAILURE" | "ALLOW_FAILURE";

/** The order to cancel, and what happens to the new one if it cannot be. */
export interface ReplaceTerms extends PlacementTime {
  readonly cancel: CancelName;
  readonly mode: ReplaceMode;
}

/** Asks for a new order in place of another of its market. */
export type ReplaceRequest = PlaceRequest & ReplaceTerms;

/** Asks for a new order, by its intent, in place of another of its market. */
export interface ReplaceIntentRequest extends PlaceIntentRequest, ReplaceTerms {}

/** The outcome of a replacement. */
export interface Replacement {
  /** The order that was replaced: ended, or waiting for its child. Undefined if it was unknown or had ended. */
  readonly canceled: ParentOrder | undefined;
  /** The new order. Undefined if it was not placed, because a child of the other was not settled. */
  readonly order: ParentOrder | undefined;
  /** False for a copy of an earlier request. */
  readonly created: boolean;
}

/** Reply of a cancel-all: the open parents found, those ended at once, and those waiting for a child. */
export interface CancelAllResult {
  readonly matchedCount: number;
  readonly canceledCount: number;
  readonly cancelPendingCount: number;
}

/** Asks for a page of parents. Cursor 0 starts. */
export interface PageRequest {
  readonly accountId: number;
  readonly includeHistory: boolean;
  readonly newestFirst: boolean;
  readonly limit: number;
  readonly afterOrderId: number;
}

/** A page of parents. `nextOrderId` 0 means that it is the last. `total` counts all matches. */
export interface ParentPage {
  readonly total: number;
  readonly nextOrderId: number;
  readonly orders: readonly ParentOrder[];
}

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
  /** Places an order in place of another. Resolves when both, or neither, are durable. */
  replace(order: OrderFields, terms: ReplaceTerms): Promise<Replacement>;
  /** Amends an order. Resolves to the order with its new terms. */
  amend(amend: AmendName): Promise<ParentOrder>;
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
