import { Fifo } from "../core/fifo.ts";

/** Capacity of the token bucket, as the time in which the rate fills it. */
const BURST_MS = 50;

/** Longest delay of a timer, while children wait, that wastes no part of the rate. */
const LATE_MS = 250;

const SECOND_MS = 1_000;

/** Tolerance for rounding errors. Times are whole milliseconds; a smaller difference is a rounding error. */
const ROUNDING_MS = 1e-3;

type Sends = { readonly atMs: number; count: number };

/**
 * The rate that a venue declares, as a token bucket. It yields one child every `1000 / rate` ms and holds the yield
 * of 50 ms, at least one. In addition, no period of one second, wherever it begins, sees more children than the rate;
 * a fractional rate is rounded up. All times are of the monotonic clock (decisions 26, GS).
 */
export class VenuePace {
  #rate: number | undefined;
  /** The next token is due `#paces` intervals after this time. */
  #fromMs = Number.NEGATIVE_INFINITY;
  #paces = 0;
  /** Children sent in the last second, oldest first. */
  readonly #recent: Fifo<Sends> = new Fifo();
  #inSecond = 0;

  /** Sets the venue's rate per second. Undefined means no limit. */
  declare(rate: number | undefined): void {
    if (rate === this.#rate) return;
    this.#yieldFrom(this.#nextMs());
    this.#rate = rate;
  }

  /** Returns how long no child may go out; 0 when one may go now. */
  waitMs(nowMs: number): number {
    if (this.#rate === undefined) return 0;
    this.#evict(nowMs);
    const isFull = this.#inSecond >= Math.ceil(this.#rate);
    const freeMs = isFull ? (this.#recent.first?.atMs ?? nowMs) + SECOND_MS : nowMs;
    return Math.max(Math.ceil(Math.max(this.#nextMs(), freeMs) - nowMs - ROUNDING_MS), 0);
  }

  /** Counts a child that has gone out. `waited` says that it might have gone earlier, had a timer come in time. */
  sent(nowMs: number, waited: boolean): void {
    if (this.#rate === undefined) return;
    const heldMs = waited ? LATE_MS : this.#burstMs();
    if (this.#nextMs() < nowMs - heldMs) this.#yieldFrom(nowMs - heldMs);
    this.#paces++;
    this.#inSecond++;
    const { last } = this.#recent;
    if (last?.atMs === nowMs) last.count++;
    else this.#recent.push({ atMs: nowMs, count: 1 });
  }

  /** Returns an upper bound of the time until a child goes out behind `others` children. */
  behindMs(nowMs: number, others: number): number {
    if (this.#rate === undefined) return 0;
    return this.waitMs(nowMs) + Math.ceil((others * SECOND_MS) / this.#rate + this.#burstMs());
  }

  #nextMs(): number {
    return this.#rate === undefined ? this.#fromMs : this.#fromMs + (this.#paces * SECOND_MS) / this.#rate;
  }

  #yieldFrom(ms: number): void {
    this.#fromMs = ms;
    this.#paces = 0;
  }

  /** Returns the time in which the rate yields the tokens that a full bucket holds beyond the first. */
  #burstMs(): number {
    const rate = this.#rate ?? 1;
    return (Math.floor((BURST_MS * rate) / SECOND_MS) * SECOND_MS) / rate;
  }

  #evict(nowMs: number): void {
    for (let { first } = this.#recent; first !== undefined; first = this.#recent.first) {
      if (first.atMs > nowMs - SECOND_MS) return;
      this.#inSecond -= first.count;
      this.#recent.shift();
    }
  }
}
