/** When a venue may forget a child. */
export type Forgetting = Readonly<{
  /** So long after it was settled, by the venue's clock. */
  afterMs: number;
  /** And so long after somebody has asked for it, or the venue was opened, by the monotonic clock. */
  quietMs: number;
}>;

type ClockTimes = Readonly<{ nowMs: number; monotonicMs: number }>;
type SettlementTimes = Readonly<{ settledAtMs: number; askedAtMs: number }>;

/**
 * Children whose outcome was told, in the order in which they may be forgotten. Whoever does not know an outcome asks
 * for it, so a child that was asked for goes to the end.
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

  /** A child is settled; `askedAtMs` by the monotonic clock. */
  add(childId: string, settled: SettlementTimes): void {
    this.#children.delete(childId);
    this.#children.set(childId, settled);
  }

  /** Takes out children that may be forgotten now; looks at `limit` at most. */
  takeDue(now: ClockTimes, limit: number): readonly string[] {
    const due: string[] = [];
    let left = limit;
    for (const [childId, settled] of this.#children) {
      const isAhead = settled.settledAtMs > now.nowMs;
      if (left-- === 0 || !(isAhead || this.#isDue(settled, now))) break;
      this.#children.delete(childId);
      // A late deadline, or a clock that was set back, must not keep those behind it.
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
