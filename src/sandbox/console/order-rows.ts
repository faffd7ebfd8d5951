import type { ManagedOrderReply, OrderState, OrderUpdateMembers } from "../../client/index.ts";
import { isOpen } from "./order-words.ts";

/** How far a status has come. What the stream tells never moves back, a page that was read before it might. */
const RANK: Readonly<Record<string, number>> = { PENDING_NEW: 0, NEW: 1, PARTIALLY_FILLED: 2 };
const ENDED = 3;
const rankOf = ({ status }: Readonly<{ status: string }>): number => RANK[status] ?? ENDED;

/** An order as the page shows it. Only an event or the journal tells why it has ended. */
export type ShownOrder = ManagedOrderReply & Readonly<{ reason?: string | undefined }>;

/** The orders that the page shows, newest first: pages that were read, brought up to date by the stream. */
export class OrderRows {
  #orders: readonly ShownOrder[] = [];
  /** Why orders have ended, by order id, as far as it is known. */
  readonly #reasons: Map<string, string> = new Map();

  /** Whether an order may still change. */
  get hasOpen(): boolean {
    return this.#orders.some(isOpen);
  }

  /** Takes a page in. A state of the stream that is further on takes precedence. */
  read(page: readonly ManagedOrderReply[], states: ReadonlyMap<string, OrderState>): readonly ShownOrder[] {
    this.#orders = page.map((read) => {
      const order = { ...read, reason: this.#reasons.get(read.orderId) };
      const state = states.get(order.orderId);
      return state === undefined || rankOf(state) <= rankOf(order) ? order : updated(order, state, undefined);
    });
    return this.#orders;
  }

  /** Applies an event. Returns the orders, or undefined for an order that only a new page can show. */
  apply(state: OrderState, members: OrderUpdateMembers | undefined): readonly ShownOrder[] | undefined {
    if (members?.reason !== undefined) this.#reasons.set(state.orderId, members.reason);
    const index = this.#orders.findIndex(({ orderId }) => orderId === state.orderId);
    const known = this.#orders[index];
    if (known === undefined) return undefined;
    this.#orders = this.#orders.with(index, updated(known, state, members));
    return this.#orders;
  }

  /** Takes in why an order has ended. Returns the orders. */
  explain(orderId: string, reason: string): readonly ShownOrder[] {
    this.#reasons.set(orderId, reason);
    this.#orders = this.#orders.map((order) => (order.orderId === orderId ? { ...order, reason } : order));
    return this.#orders;
  }
}

function updated(
  order: ShownOrder,
  { status, executedQty }: OrderState,
  members: OrderUpdateMembers | undefined,
): ShownOrder {
  const { apiState = order.apiState, held = order.held, cancelPending = order.cancelPending } = members ?? {};
  const avgPrice = members === undefined || members.ap === "0" ? order.avgPrice : members.ap;
  const stalled = members === undefined ? order.stalled : members.stalled;
  const { triggerLevel = order.triggerLevel, triggerTime = order.triggerTime } = members ?? {};
  return {
    ...{ ...order, status, executedQty, apiState, held, cancelPending, stalled, avgPrice },
    ...{ triggerLevel, triggerTime, reason: members?.reason ?? order.reason },
  };
}
