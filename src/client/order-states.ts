import type { OrderStatus } from "../lifecycle/index.ts";
import type { Side } from "../model/index.ts";
import type { OrderUpdateMembers, WholeText } from "../replies/index.ts";
import { compareDecimals, type OrderReply } from "./replies.ts";

/** The state of an order in a stream. */
export interface OrderState {
  readonly symbol: string;
  /** Negative for managed orders. */
  readonly orderId: WholeText;
  readonly clientOrderId: string;
  readonly side: Side;
  readonly origQty: string;
  readonly executedQty: string;
  readonly status: OrderStatus;
}

/** How far an order has come. The ends are equal: the first one stays. */
const RANK: Readonly<Record<string, number>> = {
  PENDING_NEW: 0,
  NEW: 1,
  PARTIALLY_FILLED: 2,
  FILLED: 3,
  CANCELED: 3,
  EXPIRED: 3,
  REJECTED: 3,
};
const ENDED = 3;

const rankOf = ({ status }: OrderState): number => RANK[status] ?? 1;

/** Returns whether an order has ended. A fill that arrives late may still raise its executed quantity. */
export const isEnded = (order: OrderState): boolean => rankOf(order) === ENDED;

/** Returns the state in an event. */
export function stateInEvent(members: OrderUpdateMembers): OrderState {
  const { s, i, c, S, q, z, X } = members;
  return { symbol: s, orderId: i, clientOrderId: c, side: S, origQty: q, executedQty: z, status: X };
}

/** Returns the state in the answer to a query; undefined for a retained rejection, which has no id. */
export function stateInReply(reply: OrderReply): OrderState | undefined {
  const { symbol, orderId, clientOrderId, side = "BUY", origQty = "0", executedQty, status } = reply;
  if (orderId === undefined) return undefined;
  return { symbol, orderId, clientOrderId, side, origQty, executedQty, status };
}

/**
 * The orders of an account by id. None moves backwards: a state from before another one, such as an event that a query
 * has overtaken, changes nothing. The orders that ended last are kept, the others are forgotten.
 */
export class OrderStates {
  readonly orders: Map<string, OrderState> = new Map();
  readonly #ended: Map<string, number> = new Map();
  readonly #keepEnded: number;

  constructor(keepEnded: number) {
    this.#keepEnded = keepEnded;
  }

  /** Takes a state in. Returns the state of the order now, and whether it has changed. */
  take(update: OrderState, nowMs: number): Readonly<{ order: OrderState; changed: boolean }> {
    const before = this.orders.get(update.orderId);
    const order = before === undefined ? update : later(before, update);
    if (order === before) return { order, changed: false };
    this.orders.set(order.orderId, order);
    if (isEnded(order)) this.#end(order.orderId, nowMs);
    return { order, changed: true };
  }

  /** Forgets an order. Returns its last state, if it was known. */
  drop(orderId: string): OrderState | undefined {
    const order = this.orders.get(orderId);
    this.orders.delete(orderId);
    this.#ended.delete(orderId);
    return order;
  }

  /** Returns the orders that are open, or ended after a time. */
  unsettled(sinceMs: number): readonly OrderState[] {
    return [...this.orders.values()].filter(
      ({ orderId }) => (this.#ended.get(orderId) ?? Number.POSITIVE_INFINITY) > sinceMs,
    );
  }

  #end(orderId: string, nowMs: number): void {
    this.#ended.delete(orderId);
    this.#ended.set(orderId, nowMs);
    if (this.#ended.size <= this.#keepEnded) return;
    const [oldest = orderId] = this.#ended.keys();
    this.drop(oldest);
  }
}

/**
 * Returns the later of two states of an order. Executed quantity and status never fall. The quantity is that of the update: an
 * amend may lower it, and the event of an amend that a query has overtaken comes after those before it.
 */
function later(before: OrderState, update: OrderState): OrderState {
  const executed = compareDecimals(update.executedQty, before.executedQty);
  const advances = rankOf(update) > rankOf(before);
  const { origQty } = update;
  if (executed <= 0 && !advances && origQty === before.origQty) return before;
  return {
    ...before,
    origQty,
    status: advances ? update.status : before.status,
    executedQty: executed > 0 ? update.executedQty : before.executedQty,
  };
}
