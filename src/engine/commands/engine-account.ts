import type { ListIntent, OrderList, ParentOrder } from "../../model/index.ts";
import type { OrderFields } from "../../requests/index.ts";
import type { Engine } from "../core/api.ts";
import type {
  AccountView,
  AmendName,
  CancelAllResult,
  CancelName,
  ListName,
  ListPage,
  ListPlacement,
  OrderPage,
  ParentName,
  ParentPage,
  Placement,
  Replacement,
  ReplaceTerms,
} from "../core/calls.ts";

/** Adds the account to each call and passes it to the engine, which decides everything. */
export class EngineAccount implements AccountView {
  readonly accountId: number;
  readonly #engine: Engine;

  constructor(engine: Engine, accountId: number) {
    this.#engine = engine;
    this.accountId = accountId;
  }

  place(order: OrderFields): Promise<Placement> {
    return this.#engine.place({ accountId: this.accountId, order });
  }

  placeList(list: ListIntent): Promise<ListPlacement> {
    return this.#engine.placeList({ accountId: this.accountId, list });
  }

  cancel(name: CancelName): Promise<ParentOrder> {
    return this.#engine.cancel(this.#of(name));
  }

  replace(order: OrderFields, terms: ReplaceTerms): Promise<Replacement> {
    return this.#engine.replace({ ...terms, accountId: this.accountId, order });
  }

  amend(amend: AmendName): Promise<ParentOrder> {
    return this.#engine.amend(this.#of(amend));
  }

  cancelList(name: ListName): Promise<OrderList> {
    return this.#engine.cancelList(this.#of(name));
  }

  cancelAll(): Promise<CancelAllResult> {
    return this.#engine.cancelAll(this.accountId);
  }

  find(name: ParentName): Promise<ParentOrder | undefined> {
    return this.#engine.find(this.#of(name));
  }

  findList(name: ListName): Promise<OrderList | undefined> {
    return this.#engine.findList(this.#of(name));
  }

  openOrders(page: OrderPage): Promise<ParentPage> {
    return this.#page(page, false);
  }

  allOrders(page: OrderPage): Promise<ParentPage> {
    return this.#page(page, true);
  }

  openLists(page: ListPage): Promise<readonly OrderList[]> {
    return this.#engine.openLists(this.#of(page));
  }

  allLists(page: ListPage): Promise<readonly OrderList[]> {
    return this.#engine.allLists(this.#of(page));
  }

  fundsChanged(): void {
    this.#engine.fundsChanged(this.accountId);
  }

  #page(
    { limit, afterOrderId = 0, newestFirst = false }: OrderPage,
    includeHistory: boolean,
  ): Promise<ParentPage> {
    return this.#engine.page(this.#of({ limit, afterOrderId, newestFirst, includeHistory }));
  }

  #of<Named extends object>(named: Named): Named & Readonly<{ accountId: number }> {
    return { ...named, accountId: this.accountId };
  }
}
