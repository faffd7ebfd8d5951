import type { Situation, Situations } from "../situations.ts";

/** An append that is under way, and the shards of its records. */
type Held = Readonly<{ shards: readonly number[]; arrive: () => Promise<boolean> }>;

/** Appends that have left their node and have not reached the store yet. */
export class HeldAppends {
  readonly #situations: Situations;
  #waiting: readonly Held[] = [];

  constructor(situations: Situations) {
    this.#situations = situations;
  }

  /** Keeps an append until it arrives. `append` resolves to whether it was kept; it does not reject. */
  hold(shards: readonly number[], append: () => Promise<boolean>): Promise<void> {
    return new Promise((resolve) => {
      const arrive = async (): Promise<boolean> => {
        const isRetained = await append();
        resolve();
        return isRetained;
      };
      this.#waiting = [...this.#waiting, { shards, arrive }];
    });
  }

  /**
   * Lets every append arrive, or those of some shards. Notes the situation if one of them does as it says.
   */
  async arrive(isOf: (shard: number) => boolean = () => true, situation?: Situation): Promise<void> {
    const due = this.#waiting.filter(({ shards }) => shards.length === 0 || shards.some(isOf));
    this.#waiting = this.#waiting.filter((held) => !due.includes(held));
    for (const held of due) {
      const isRetained = await held.arrive();
      if (situation !== undefined && isRetained === situation.includes("kept"))
        this.#situations.observe(situation);
    }
  }
}
