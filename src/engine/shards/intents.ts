import type { Counters } from "../core/core.ts";
import type { ParentStep } from "../core/live-order.ts";

/** Counts the children of one shard that are decided while their record is not durable yet. */
export class Intents {
  readonly #counters: Counters;
  #count = 0;

  constructor(counters: Counters) {
    this.#counters = counters;
  }

  /** A record was decided; it is on its way to the store. */
  decided(steps: readonly ParentStep[]): void {
    this.#add(intentsIn(steps));
  }

  /** The record is durable, and its children are due. */
  durable(steps: readonly ParentStep[]): void {
    this.#add(-intentsIn(steps));
  }

  /** What is on its way is decided anew, or was lost. */
  forget(): void {
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
