import { add, type Quantity, ZERO_QUANTITY } from "../../decimal/index.ts";

/** Steps in which the window moves. */
const STEPS = 60;

type Step = { readonly number: number; quantity: Quantity };

/** The quantity traded in a window of time that moves in sixtieths of its length. Its memory does not grow with trades. */
export class RollingVolume {
  readonly #stepMs: number;
  /** Oldest first. */
  readonly #steps: Step[] = [];

  constructor(windowMs: number) {
    this.#stepMs = windowMs / STEPS;
  }

  /** Adds a trade at a time that is not before that of the last one. */
  add(quantity: Quantity, nowMs: number): void {
    const number = Math.floor(nowMs / this.#stepMs);
    const last = this.#steps.at(-1);
    if (last?.number === number) last.quantity = add(last.quantity, quantity);
    else this.#steps.push({ number, quantity });
    this.#forget(number);
  }

  /** Returns the quantity of the window that ends now: that of the present sixtieth and of the 59 before. */
  at(nowMs: number): Quantity {
    this.#forget(Math.floor(nowMs / this.#stepMs));
    return this.#steps.reduce((sum, { quantity }) => add(sum, quantity), ZERO_QUANTITY);
  }

  #forget(present: number): void {
    while (this.#steps[0] !== undefined && this.#steps[0].number <= present - STEPS) this.#steps.shift();
  }
}
