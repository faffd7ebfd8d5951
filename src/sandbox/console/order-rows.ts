import type { ManagedOrderReply, OrderState, OrderUpdateMembers } from "../../client/index.ts";
import { isOpen } from "./order-words.ts";

/** How far a status has come. What the stream tells never moves back, a page that was read before it might. */
const RANK: Readonly<Record<string, number>> = { PENDING_NEW: 0, NEW: 1, PARTIALLY_FILLED: 2 };
const ENDED = 3;
const rankOf = ({ status }: Readonly<{ status: string }>): number => RANK[status] ?? ENDED;

/** The orders that the page shows, newest first: pages that were read, brought up to date by the stream. */
export class OrderRows {
  #orders: readonly ManagedOrderReply[] = [];

  /** Whether an order may still change. */
  get hasOpen(): boolean {
    return this.#orders.some(isOpen);
  }

  /** Takes a page in. A state of the stream that is further on takes precedence. */
  read(
    page: readonly ManagedOrderReply[],
    states: ReadonlyMap<string, OrderState>,
  ): readonly ManagedOrderReply[] {
    this.#orders = page.map((order) => {
      const state = states.get(order.orderId);
      return state === undefined || rankOf(state) <= rankOf(order) ? order : updated(order, state, undefined);
    });
    return this.#orders;
  }

  /** Applies an event. Returns the orders, or undefined for an order that only a new page can show. */
  apply(
    state: OrderState,
    members: OrderUpdateMembers | undefined,
  ): readonly ManagedOrderReply[] | undefined {
    const index = this.#orders.findIndex(({ orderId }) => orderId === state.orderId);
    const known = this.#orders[index];
    if (known === undefined) return undefined;
    this.#orders = this.#orders.with(index, updated(known, state, members));
    return this.#orders;
  }
}

function updated(
  order: ManagedOrderReply,
  { status, executedQty }: OrderState,
  members: OrderUpdateMembers | undefined,
): ManagedOrderReply {
  const { apiState = order.apiState, held = order.held, cancelPending = order.cancelPending } = members ?? {};
  const avgPrice = members === undefined || members.ap === "0" ? order.avgPrice : members.ap;
  const stalled = members === undefined ? order.stalled : members.stalled;
  const { triggerLevel = order.triggerLevel, triggerTime = order.triggerTime } = members ?? {};
  return {
    ...{ ...order, status, executedQty, apiState, held, cancelPending, stalled, avgPrice },
    ...{ triggerLevel, triggerTime },
  };
}
