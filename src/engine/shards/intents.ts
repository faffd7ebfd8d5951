import type { Counters } from "../core/core.ts";
import type { ParentStep } from "../core/live-order.ts";

/** Counts the children of one shard that are decided while their record is not durable yet. */
export class Intents {
  readonly #counters: Counters;
  #count = 0;

  constructor(counters: Counters) {
    this.#counters = counters;
  }

  /** Adds the children of a record that was decided and is under way to the store. */
  decided(steps: readonly ParentStep[]): void {
    this.#add(intentsIn(steps));
  }

  /** Subtracts the children of a record that became durable. They are due now. */
  durable(steps: readonly ParentStep[]): void {
    this.#add(-intentsIn(steps));
  }

  /** Resets the count: records under way are decided anew or were lost. */
  clear(): void {
    this.#add(-this.#count);
  }

  #add(more: number): void {
    this.#count += more;
    this.#counters.deciding += more;
  }
}

function intentsIn(steps: readonly ParentStep[]): number {
  let count = 0;
  for (const { facts } of steps) for (const { kind } of facts) if (kind === "CHILD_INTENDED") count++;
  return count;
}
