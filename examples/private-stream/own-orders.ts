import type { Connection, Members } from "./connection.ts";

/** The state of an order that a client needs. */
export type OrderNow = Readonly<{ symbol: string; status: string; executedQty: string }>;

const ENDED: readonly string[] = ["FILLED", "CANCELED", "EXPIRED", "REJECTED"];
const PAGE = 1_000;

/** The orders of an account by client id. Events update them; queries do so after missed events. */
export class OwnOrders {
  readonly #orders: Map<string, OrderNow> = new Map();
  /** Events that arrive before the queries are complete. */
  #held: Members[] | undefined;
  #streamId: unknown;
  #sequence = 0;

  get(clientOrderId: string): OrderNow | undefined {
    return this.#orders.get(clientOrderId);
  }

  /**
   * Takes an event of the connection. Returns false if an event before it is missing: connect and follow again then.
   */
  take(event: Members): boolean {
    const { e, o, sequence } = event;
    if (this.#held !== undefined) return this.#held.push(event) > 0;
    if (typeof sequence !== "number") return true; // the stream or the service ends, and the connection with it
    if (sequence !== this.#sequence + 1) return false;
    this.#sequence = sequence;
    if (e !== "ORDER_TRADE_UPDATE") return true;
    const { c, s, X, z } = o as Record<"c" | "s" | "X" | "z", string>;
    this.#orders.set(c, { symbol: s, status: X, executedQty: z });
    return true;
  }

  /**
   * Subscribes on a connection, the first one or a new one. Resolves to the number of events missed since the last one,
   * or to undefined if the number is unknown, because the service has started a new numbering.
   */
  async follow(connection: Connection): Promise<number | undefined> {
    this.#held = [];
    const { sequence, streamId } = await connection.request("userDataStream.subscribe.signature");
    const missed = streamId === this.#streamId ? Number(sequence) - this.#sequence : undefined;
    if (missed !== 0) await this.#reconcile(connection);
    this.#streamId = streamId;
    this.#sequence = Number(sequence);
    const held = this.#held;
    this.#held = undefined;
    // An event contains the order's state after it, so it may follow an answer with the same or a newer state.
    for (const event of held) this.take(event);
    return missed;
  }

  /** Reads the open orders. For orders that were open here and no longer are, reads their end. */
  async #reconcile(connection: Connection): Promise<void> {
    const open = new Set<string>();
    for (let afterOrderId = 0, more = true; more; more = afterOrderId !== 0) {
      const page = await connection.request("openOrders.status", {
        apiManaged: true,
        limit: PAGE,
        afterOrderId,
      });
      for (const order of page.orders as readonly Members[]) open.add(this.#read(order));
      afterOrderId = Number(page.nextOrderId);
    }
    for (const [origClientOrderId, { symbol, status }] of this.#orders) {
      if (ENDED.includes(status) || open.has(origClientOrderId)) continue;
      this.#read(await connection.request("order.status", { symbol, origClientOrderId }));
    }
  }

  #read(order: Members): string {
    const { clientOrderId, symbol, status, executedQty } = order as OrderNow &
      Readonly<{ clientOrderId: string }>;
    this.#orders.set(clientOrderId, { symbol, status, executedQty });
    return clientOrderId;
  }
}
