/** Conditions under which a venue may forget a child. */
export interface Forgetting {
  /** Time since it was settled, on the venue's clock. */
  readonly afterMs: number;
  /** Time since it was last looked up or the venue was opened, on the monotonic clock. Both conditions must hold. */
  readonly quietMs: number;
}

type ClockTimes = Readonly<{ nowMs: number; monotonicMs: number }>;
type SettlementTimes = Readonly<{ settledAtMs: number; askedAtMs: number }>;

/**
 * Children whose outcome was reported, in the order in which they may be forgotten. An engine that does not know an
 * outcome looks the child up, so a look-up moves the child to the end.
 */
export class SettledChildren {
  readonly #children: Map<string, SettlementTimes> = new Map();
  readonly #forgetting: Forgetting;

  constructor(forgetting: Forgetting) {
    this.#forgetting = forgetting;
  }

  get size(): number {
    return this.#children.size;
  }

  /** Adds a settled child; `askedAtMs` is a monotonic time. */
  add(childId: string, settled: SettlementTimes): void {
    this.#children.delete(childId);
    this.#children.set(childId, settled);
  }

  /** Removes and returns the children that may be forgotten now. Checks at most `limit`. */
  takeDue(now: ClockTimes, limit: number): readonly string[] {
    const due: string[] = [];
    let left = limit;
    for (const [childId, settled] of this.#children) {
      const isAhead = settled.settledAtMs > now.nowMs;
      if (left-- === 0 || !(isAhead || this.#isDue(settled, now))) break;
      this.#children.delete(childId);
      // A child with a late deadline, or from before the clock was set back, must not block those behind it.
      if (isAhead) this.#children.set(childId, settled);
      else due.push(childId);
    }
    return due;
  }

  #isDue({ settledAtMs, askedAtMs }: SettlementTimes, { nowMs, monotonicMs }: ClockTimes): boolean {
    const { afterMs, quietMs } = this.#forgetting;
    return settledAtMs + afterMs <= nowMs && askedAtMs + quietMs <= monotonicMs;
  }
}
