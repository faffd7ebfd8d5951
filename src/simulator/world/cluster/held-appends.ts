import type { Situation, Situations } from "../situations.ts";

/** Appends that have left their node and have not reached the store yet. */
export class HeldAppends {
  readonly #situations: Situations;
  #waiting: (() => Promise<boolean>)[] = [];

  constructor(situations: Situations) {
    this.#situations = situations;
  }

  /** Keeps an append until it arrives. `append` resolves to whether it was kept; it does not reject. */
  hold(append: () => Promise<boolean>): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(async () => {
        const isKept = await append();
        resolve();
        return isKept;
      });
    });
  }

  /** Lets every append arrive. Notes the situation if one of them does as it says. */
  async arrive(situation?: Situation): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const append of waiting) {
      const isKept = await append();
      if (situation !== undefined && isKept === situation.includes("kept")) this.#situations.saw(situation);
    }
  }
}
