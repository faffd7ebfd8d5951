import type { Slicer } from "../../common/index.ts";
import { orderListOf } from "../../lifecycle/index.ts";
import { type ListMembership, type OrderList, type ParentOrder, weightBytesOf } from "../../model/index.ts";
import { IdMap, type ReadonlyIdMap } from "../../triggers/index.ts";
import type { ClientIdFilter } from "../core/client-id-filter.ts";
import {
  awaitsLookUp,
  decide,
  type LiveOrder,
  liveOrderOf,
  type ParentStep,
  type PendingRecord,
  settle,
} from "../core/live-order.ts";
import { COSTS } from "../core/turns.ts";
import { AccountOrders } from "./account-orders.ts";
import { ParentCapture } from "./replay.ts";

/** The memory of a shard: its open parents as decided and as durable, by id and by account. */
export class ShardMemory {
  readonly liveOrders: IdMap<LiveOrder> = new IdMap();
  readonly accounts: Map<number, AccountOrders> = new Map();
  /** Bytes of memory that the weights of the open parents take. */
  weightBytes = 0;
  /** Ended legs of lists that have not ended. They stay in memory until their list ends. */
  readonly #endedLegs: Set<number> = new Set();
  /** Captures that are being gathered, for a snapshot or a verification. */
  readonly #captures: Set<ParentCapture> = new Set();

  /** Number of parents that have not ended. */
  get openParents(): number {
    return this.liveOrders.size - this.#endedLegs.size;
  }

  account(accountId: number): AccountOrders {
    let orders = this.accounts.get(accountId);
    if (orders === undefined) {
      orders = new AccountOrders();
      this.accounts.set(accountId, orders);
    }
    return orders;
  }

  /**
   * Loads parents from the store in slices, and adds every client id among them to the filter. The memory must be
   * empty and unused.
   */
  async remember(
    read: ReadonlyIdMap<ParentOrder>,
    { turns, clientIds }: Readonly<{ turns: Slicer; clientIds: Pick<ClientIdFilter, "add"> }>,
  ): Promise<void> {
    const endedLegs: ParentOrder[] = [];
    for (const order of read.values()) {
      clientIds.add(order.accountId, order.intent.clientOrderId);
      if (order.ended === undefined) this.#confirm(order);
      else if (order.list !== undefined) endedLegs.push(order);
      const turn = turns.spend(COSTS.filter + COSTS.remember);
      if (turn !== undefined) await turn;
    }
    for (const order of endedLegs) {
      if (this.accounts.get(order.accountId)?.lists.has(order.list?.listId ?? 0) !== true) continue;
      this.liveOrders.set(order.orderId, liveOrderOf(order, order));
      this.#endedLegs.add(order.orderId);
      const turn = turns.spend(COSTS.remember);
      if (turn !== undefined) await turn;
    }
  }

  /**
   * Starts a capture of the durable state right after record `sequence`: all open parents, and ended legs of open
   * lists.
   */
  capture(sequence: number): ParentCapture {
    const isRetained = (order: ParentOrder): boolean =>
      order.ended === undefined || this.#endedLegs.has(order.orderId);
    const ended = (over: ParentCapture): void => void this.#captures.delete(over);
    const capture = new ParentCapture({ liveOrders: this.liveOrders, sequence, isRetained, ended });
    this.#captures.add(capture);
    return capture;
  }

  /** Takes an ended parent back into memory so that a late fact can be added to it. */
  adopt(order: ParentOrder): LiveOrder {
    const known = this.liveOrders.get(order.orderId);
    if (known !== undefined) return known;
    const live = liveOrderOf(order, order);
    this.liveOrders.set(order.orderId, live);
    return live;
  }

  /** Releases an adopted parent that was not changed. */
  release({ working, durable }: LiveOrder): void {
    const { orderId } = working;
    if (working === durable && !this.#endedLegs.has(orderId)) this.liveOrders.delete(orderId);
  }

  /**
   * Returns the legs of a parent's list as decided. For a finished list, or without a list, returns the parent alone.
   */
  legsOf(order: ParentOrder): readonly ParentOrder[] {
    const legs = order.list?.legs.map((legId) => this.liveOrders.get(legId)?.working);
    return legs?.every((leg) => leg !== undefined) ? legs : [order];
  }

  /** Whether nothing more is to be known of the child of a parent that closed early. */
  readonly isLookedUp = (orderId: number): boolean => {
    const live = this.liveOrders.get(orderId);
    return live === undefined || !awaitsLookUp(live);
  };

  /** Makes a decided state the current one, with the record that is under way for it. */
  take(order: ParentOrder, pending?: PendingRecord): void {
    const known = this.liveOrders.get(order.orderId);
    const live = known ?? liveOrderOf(order, undefined);
    const account = this.account(order.accountId);
    if (known === undefined) {
      this.liveOrders.set(order.orderId, live);
      account.add(live);
      this.weightBytes += weightBytesOf(order);
    }
    account.sums.move(live.working, order);
    decide(live, order, pending);
    this.#index(order);
  }

  /** Returns the list that steps touch, in its state after them; undefined for a late fact of a finished list. */
  listAfter(steps: readonly ParentStep[]): OrderList | undefined {
    const ids = steps[0]?.order.list?.legs;
    if (ids === undefined) return undefined;
    const after = new Map(steps.map(({ order }) => [order.orderId, order]));
    const legs = ids.map((legId) => after.get(legId) ?? this.liveOrders.get(legId)?.working);
    return legs.every((leg) => leg !== undefined) ? orderListOf(legs) : undefined;
  }

  /** Updates the account's lists and freeze for a parent. */
  #index(order: ParentOrder): void {
    if (order.ended !== undefined) return;
    if (order.list !== undefined) this.account(order.accountId).addList(order.list);
    if (order.frozen !== undefined) this.account(order.accountId).frozen = true;
  }

  /** Removes an ended parent from memory. A leg of a list is removed only with the last leg. */
  retire({ working, durable }: LiveOrder): void {
    if (durable?.ended === undefined) return;
    const { orderId, accountId, list } = durable;
    // Even while a late fact is under way: a snapshot without this leg would lose it from its list.
    if (list !== undefined) this.#endedLegs.add(orderId);
    const account = this.account(accountId);
    this.weightBytes -= account.weightBytes;
    account.remove(durable);
    this.weightBytes += account.weightBytes;
    if (working !== durable) return;
    if (list === undefined) this.liveOrders.delete(orderId);
    else if (list.legs.every((legId) => this.#isOver(legId))) this.#dropList(list, account);
    // A late execution of an ended parent may be under way.
    if (account.size === 0 && !account.frozen && account.sums.isDurable) this.accounts.delete(accountId);
  }

  #isOver(legId: number): boolean {
    const live = this.liveOrders.get(legId);
    return live === undefined || (live.durable?.ended !== undefined && live.working === live.durable);
  }

  #dropList(list: ListMembership, account: AccountOrders): void {
    account.removeList(list);
    for (const legId of list.legs) {
      const live = this.liveOrders.get(legId);
      if (live !== undefined) this.#retain(live);
      this.liveOrders.delete(legId);
      this.#endedLegs.delete(legId);
    }
  }

  /** Makes the state of a parent after a durable record visible to reads. */
  show(order: ParentOrder, settled?: PendingRecord): LiveOrder {
    const live = this.liveOrders.get(order.orderId) ?? liveOrderOf(order, order);
    const account = this.account(order.accountId);
    if (live.durable === undefined) account.confirmed++;
    if (order.held) account.held.add(order.orderId);
    else account.held.delete(order.orderId);
    this.#retain(live);
    if (live.durable !== undefined) account.sums.countDurable(live.durable, order);
    settle(live, order, settled);
    return live;
  }

  #retain(live: LiveOrder): void {
    for (const capture of this.#captures) capture.retain(live);
  }

  /** Takes an open parent that was read from the store. */
  #confirm(order: ParentOrder): void {
    const live = liveOrderOf(order, order);
    this.liveOrders.set(order.orderId, live);
    const account = this.account(order.accountId);
    account.add(live);
    this.weightBytes += weightBytesOf(order);
    account.sums.hold(order);
    account.confirmed++;
    if (order.held) account.held.add(order.orderId);
    this.#index(order);
  }
}
