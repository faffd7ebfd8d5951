import { networkOf } from "../../common/index.ts";

/** Open connections by network, so that a ban can end them. Source: convention 4.1. */
export class Bans {
  readonly #open: Map<string, Set<() => void>> = new Map();

  /** Calls `end` once the network of an address is banned, unless the returned function is called first. */
  watch(address: string, end: () => void): () => void {
    const network = networkOf(address);
    const connections = this.#open.get(network) ?? new Set();
    this.#open.set(network, connections.add(end));
    return () => {
      connections.delete(end);
      if (connections.size === 0 && this.#open.get(network) === connections) this.#open.delete(network);
    };
  }

  /** Ends every connection of a banned address's network. */
  notify(address: string): void {
    for (const end of [...(this.#open.get(networkOf(address)) ?? [])]) end();
  }
}
