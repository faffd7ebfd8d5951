import { createManualClock, type ManualClock } from "../../adapters/memory/index.ts";

/** Waits until everything has happened that needs no time. */
export type Turn = () => Promise<void>;

/** The time of a world. What is true goes on evenly; the wall clock of the machine that engines run on may be set. */
export class WorldTime {
  readonly clock: ManualClock;
  readonly #turn: Turn;

  constructor(options: Readonly<{ startMs: number; turn: Turn }>) {
    this.clock = createManualClock({ startMs: options.startMs });
    this.#turn = options.turn;
  }

  /** The time of everybody who keeps good time, such as the venue; epoch milliseconds. */
  get trueMs(): number {
    return this.clock.monotonicMs();
  }

  /** What the machine's wall clock shows, epoch milliseconds. */
  get wallMs(): number {
    return this.clock.nowMs();
  }

  /** Somebody sets the wall clock. */
  step(ms: number): void {
    this.clock.stepWall(ms);
  }

  /** Lets time pass. */
  async pass(ms: number): Promise<void> {
    await this.clock.advanceBy(ms, this.#turn);
    await this.#turn();
  }

  /** Lets everything happen that needs no time. */
  settle(): Promise<void> {
    return this.#turn();
  }

  /** Resolves after so long. */
  after(ms: number): Promise<void> {
    return new Promise((resolve) => this.clock.schedule(this.trueMs + ms, resolve));
  }
}

/** Lets that many steps of promises pass. */
export async function turns(count: number): Promise<void> {
  for (let left = count; left > 0; left--) await Promise.resolve();
}
