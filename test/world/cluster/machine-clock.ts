import type { Clock } from "../../../src/ports/index.ts";

/**
 * Which clocks stand still while a process is paused: none for a process that is stopped, the monotonic one for a
 * machine that sleeps, both for a virtual machine that is paused.
 */
export type Standstill = "none" | "monotonic" | "both";

/** A moment by the clocks of a machine, in epoch milliseconds. */
type Reading = Readonly<{ wallMs: number; monotonicMs: number }>;

/** The clocks of one machine, as offsets from those of the world. */
export class MachineClock {
  /** How far its wall clock is ahead of that of the world. */
  #aheadMs = 0;
  /** How long its monotonic clock has stood still. */
  #lostMs = 0;
  #still: Readonly<{ what: Standstill; at: Reading }> | undefined;
  readonly #listeners: Set<(ms: number) => void> = new Set();
  /** Sets the timers anew that fell due by the world's clock while this one stood still. */
  readonly #late: Set<() => void> = new Set();

  get aheadMs(): number {
    return this.#aheadMs;
  }

  /** Returns what its clocks show when those of the world show this. */
  read({ wallMs, monotonicMs }: Reading): Reading {
    if (this.#still !== undefined) {
      const { what, at } = this.#still;
      const still = this.#shown(at);
      const shown = this.#shown({ wallMs, monotonicMs });
      if (what === "both") return still;
      if (what === "monotonic") return { ...shown, monotonicMs: still.monotonicMs };
    }
    return this.#shown({ wallMs, monotonicMs });
  }

  #shown({ wallMs, monotonicMs }: Reading): Reading {
    return { wallMs: wallMs + this.#aheadMs, monotonicMs: monotonicMs - this.#lostMs };
  }

  /** Sets the wall clock to be that far ahead of the world's. */
  setAhead(aheadMs: number): void {
    const stepMs = aheadMs - this.#aheadMs;
    this.#aheadMs = aheadMs;
    if (stepMs !== 0) for (const receive of [...this.#listeners]) receive(stepMs);
  }

  /** Whether its monotonic clock stands still. That of a process that is only stopped goes on. */
  get #isStill(): boolean {
    return this.#still !== undefined && this.#still.what !== "none";
  }

  /** Lets clocks stand still until `resume`. */
  stop(what: Standstill, at: Reading): void {
    this.#still = { what, at };
  }

  resume(at: Reading): void {
    if (this.#still === undefined) return;
    const { what, at: from } = this.#still;
    this.#still = undefined;
    if (what === "none") return;
    this.#lostMs += at.monotonicMs - from.monotonicMs;
    if (what === "both") this.#aheadMs -= at.wallMs - from.wallMs;
    const late = [...this.#late];
    this.#late.clear();
    for (const arm of late) arm();
  }

  /** Returns the world's clock as the machine shows it. Its timers wait for its own monotonic clock. */
  of(clock: Clock): Clock {
    const now = (): Reading => this.read({ wallMs: clock.nowMs(), monotonicMs: clock.monotonicMs() });
    return {
      ...clock,
      nowMs: () => now().wallMs,
      monotonicMs: () => now().monotonicMs,
      onStep: (listener) => {
        const off = clock.onStep?.(listener);
        this.#listeners.add(listener);
        return () => {
          off?.();
          this.#listeners.delete(listener);
        };
      },
      schedule: (atMs, run) => {
        let cancel: () => void = () => undefined;
        const arm = (): void => {
          cancel = clock.schedule(atMs + this.#lostMs, () => {
            if (now().monotonicMs >= atMs) return run();
            // The clock stands still, or did after the timer was set.
            if (!this.#isStill) return arm();
            this.#late.add(arm);
            cancel = () => this.#late.delete(arm);
          });
        };
        arm();
        return () => cancel();
      },
    };
  }
}
