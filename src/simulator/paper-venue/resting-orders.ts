import type { KeptOrder, OrderTerms } from "./kept-order.ts";

/** The resting orders of one symbol and side, best price first, then oldest first. */
export class RestingOrders {
  readonly #queues: Map<string, KeptOrder[]> = new Map();

  /** Adds an order behind those with the same or a better price. */
  add(order: KeptOrder): void {
    const queue = this.#queues.get(keyOf(order.terms)) ?? [];
    const worse = queue.findIndex((other) => isBetter(order, other));
    queue.splice(worse < 0 ? queue.length : worse, 0, order);
    this.#queues.set(keyOf(order.terms), queue);
  }

  /** Removes an order. Does nothing if it does not rest. */
  remove(order: KeptOrder): void {
    const queue = this.#queues.get(keyOf(order.terms)) ?? [];
    const index = queue.indexOf(order);
    if (index >= 0) queue.splice(index, 1);
  }

  /** Returns the order that a quote meets first. */
  first(market: Pick<OrderTerms, "symbol" | "side">): KeptOrder | undefined {
    return this.#queues.get(keyOf(market))?.[0];
  }
}

const keyOf = ({ symbol, side }: Pick<OrderTerms, "symbol" | "side">): string => `${side} ${symbol}`;

function isBetter({ terms: a }: KeptOrder, { terms: b }: KeptOrder): boolean {
  if (a.price === undefined || b.price === undefined) return false;
  return a.side === "BUY" ? a.price > b.price : a.price < b.price;
}
