/** Runs a function after all events that have already happened are handled. */
type Turns = Readonly<{ soon: (run: () => void) => void }>;

/** The turns of the event loop itself. They use a message instead of a timer, so that they add no delay. */
const EVENT_LOOP: Turns = {
  soon(run) {
    const { port1, port2 } = new MessageChannel();
    const onmessage = (): void => {
      port1.close();
      run();
    };
    // Node's types lack this member, which Node and browsers share. Assigning it also starts the port.
    Object.assign(port2, { onmessage });
    port1.postMessage(undefined);
  },
};

/**
 * Resolves in the next turn: of a clock, or of the event loop, after every promise that can settle without external input.
 */
export function nextTurn(clock: Turns = EVENT_LOOP): Promise<void> {
  return new Promise((resolve) => clock.soon(resolve));
}

/**
 * Cuts long work into slices, with a turn of the event loop in between, so that other work continues. Work is counted, not
 * timed: the same work is cut in the same places on every machine. The works that share a slicer take turns: one slice each.
 */
export class Slicer {
  readonly #clock: Turns;
  readonly #share: number;
  #left: number;
  /** Works that wait for their next slice. */
  readonly #waiting: (() => void)[] = [];

  /** `share` is the cost of one slice. */
  constructor(clock: Turns, share: number = Number.POSITIVE_INFINITY) {
    this.#clock = clock;
    this.#share = share;
    this.#left = share;
  }

  /** Whether work waits for its next slice. */
  get isBusy(): boolean {
    return this.#waiting.length > 0;
  }

  /** Counts done work. Returns undefined while its slice lasts, after that a promise of the next one. */
  spend(cost: number): Promise<void> | undefined {
    this.#left -= cost;
    return this.#left > 0 ? undefined : this.turn();
  }

  /** Resolves when the caller may begin its next slice: one does in each turn. */
  turn(): Promise<void> {
    if (!this.isBusy) this.#clock.soon(() => this.#renew());
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Resolves in the next turn, whoever waits. */
  next(): Promise<void> {
    return nextTurn(this.#clock);
  }

  #renew(): void {
    this.#left = this.#share;
    const next = this.#waiting.shift();
    if (this.isBusy) this.#clock.soon(() => this.#renew());
    next?.();
  }
}
