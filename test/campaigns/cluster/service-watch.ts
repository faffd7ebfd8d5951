import { setTimeout as sleep } from "node:timers/promises";

/** The longest time between two answers of placements of one account. */
export class ServiceWatch {
  /** Placements that were answered. */
  count = 0;
  longestMs = 0;
  #lastMs: number | undefined;

  note(): void {
    const now = performance.now();
    if (this.#lastMs !== undefined) this.longestMs = Math.max(this.longestMs, now - this.#lastMs);
    this.#lastMs = now;
    this.count++;
  }
}

/** Resolves when each account has been answered so many more times. Rejects if that takes longer than a minute. */
export async function answered(watches: ReadonlyMap<number, ServiceWatch>, times: number): Promise<void> {
  const from = new Map([...watches].map(([accountId, { count }]) => [accountId, count]));
  const end = performance.now() + 60_000;
  for (const [accountId, watch] of watches) {
    while (watch.count < (from.get(accountId) ?? 0) + times) {
      if (performance.now() > end)
        throw new Error(`no placement of account ${accountId} was answered for a minute`);
      await sleep(10);
    }
  }
}
