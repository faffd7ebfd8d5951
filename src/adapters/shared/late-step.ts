/** Runs a function after some milliseconds of real time; the returned function cancels it. */
export type Later = (delayMs: number, run: () => void) => () => void;

/** Takes a step some time after it was wanted, with one timer however often it is wanted. */
export class LateStep {
  readonly #later: Later;
  readonly #delayMs: number;
  readonly #step: () => void;
  #cancel: (() => void) | undefined;
  #isWantedAgain = false;

  constructor({ later, delayMs, step }: Readonly<{ later: Later; delayMs: number; step: () => void }>) {
    this.#later = later;
    this.#delayMs = delayMs;
    this.#step = step;
  }

  /** Plans the step. If it is planned already, another one follows it, because the planned one comes too early. */
  want(): void {
    if (this.#cancel !== undefined) {
      this.#isWantedAgain = true;
      return;
    }
    this.#cancel = this.#later(this.#delayMs, () => {
      this.#cancel = undefined;
      this.#step();
      if (!this.#isWantedAgain) return;
      this.#isWantedAgain = false;
      this.want();
    });
  }

  /** Cancels what is planned. */
  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#isWantedAgain = false;
  }
}
