import { formatPrice, formatQuantity } from "../../decimal/index.ts";
import type { Fill } from "../../model/index.ts";
import type { PrintInput } from "../../ports/index.ts";

/** Reports the fills of the venue as prints. */
export class PrintPublisher {
  readonly #listeners: Set<(print: PrintInput) => void> = new Set();

  subscribe(listener: (print: PrintInput) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  publish(symbol: string, fills: readonly Fill[]): void {
    for (const { executionId: id, price, quantity, timeMs } of fills) {
      const print = { symbol, price: formatPrice(price), quantity: formatQuantity(quantity), id, timeMs };
      for (const listener of [...this.#listeners]) listener(print);
    }
  }
}
