import type { Side } from "../../model/index.ts";
import type { KeptOrder, OrderTerms } from "./kept-order.ts";

type Queues = Readonly<Record<Side, KeptOrder[]>>;

/** The resting orders of one symbol and side, best price first, then oldest first. */
export class RestingOrders {
  /** Symbols with a resting order. */
  readonly #queues: Map<string, Queues> = new Map();

  /** Adds an order behind those with the same or a better price. */
  add(order: KeptOrder): void {
    const { symbol, side } = order.terms;
    const queues = this.#queues.get(symbol) ?? { BUY: [], SELL: [] };
    this.#queues.set(symbol, queues);
    const queue = queues[side];
    const worse = queue.findIndex((other) => isBetter(order, other));
    queue.splice(worse < 0 ? queue.length : worse, 0, order);
  }

  /** Removes an order. Does nothing if it does not rest. */
  remove(order: KeptOrder): void {
    const { symbol, side } = order.terms;
    const queues = this.#queues.get(symbol);
    const index = queues?.[side].indexOf(order) ?? -1;
    if (queues === undefined || index < 0) return;
    queues[side].splice(index, 1);
    if (queues.BUY.length + queues.SELL.length === 0) this.#queues.delete(symbol);
  }

  /** Returns the order that a quote meets first. */
  first({ symbol, side }: Pick<OrderTerms, "symbol" | "side">): KeptOrder | undefined {
    return this.#queues.get(symbol)?.[side][0];
  }

  /** Returns whether any order of a symbol rests. */
  has(symbol: string): boolean {
    return this.#queues.has(symbol);
  }
}

function isBetter({ terms: a }: KeptOrder, { terms: b }: KeptOrder): boolean {
  if (a.price === undefined || b.price === undefined) return false;
  return a.side === "BUY" ? a.price > b.price : a.price < b.price;
}
