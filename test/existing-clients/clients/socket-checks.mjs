import assert from "node:assert/strict";
import { SYMBOL } from "../checks.mjs";

/** Events of a private stream as a client hands them out. */
export class Events {
  #events = [];
  #wake = () => undefined;

  take(event) {
    this.#events.push(event);
    this.#wake();
  }

  /** Resolves to the reports of an order once there are so many. Rejects after 10 s. */
  async reportsOf(clientOrderId, count) {
    const deadline = Date.now() + 10_000;
    for (;;) {
      const own = this.#events.filter(({ e, c }) => e === "executionReport" && c === clientOrderId);
      if (own.length >= count) return own;
      const leftMs = deadline - Date.now();
      if (leftMs <= 0) throw new Error(`${own.length} of ${count} reports of ${clientOrderId}`);
      await new Promise((resolve) => {
        const timer = setTimeout(resolve, leftMs);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }
}

/** Checks the reports of a market order that fills at once, and that its fill has the id that myTrades gives. */
export function isFilledOrder(reports, trades) {
  assert.deepEqual(
    reports.map(({ x, X, o, s }) => [x, X, o, s]),
    [
      ["NEW", "NEW", "MARKET", SYMBOL],
      ["TRADE", "FILLED", "MARKET", SYMBOL],
    ],
  );
  const [, { t, l, L, z, Z, i }] = reports;
  const trade = trades.find(({ id }) => String(id) === String(t));
  assert.equal(String(trade.orderId), String(i));
  assert.deepEqual([l, L, z, Z], [trade.qty, trade.price, trade.qty, trade.quoteQty]);
}
