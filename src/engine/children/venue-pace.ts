import { Fifo } from "../core/fifo.ts";

/** A full bucket holds what the rate yields in this time. */
const BURST_MS = 50;

/** A timer may come so late, while children wait, that nothing of the rate is lost. */
const LATE_MS = 250;

const SECOND_MS = 1_000;

/** Times are whole milliseconds; less than this is how numbers are rounded. */
const ROUNDING_MS = 1e-3;

type Sends = { readonly atMs: number; count: number };

/**
 * The rate that a venue declares, as a token bucket: it yields one child every `1000 / rate` ms and holds what it yields
 * in 50 ms, one at least. And no second, wherever it begins, sees more children than the rate; of a rate that is not
 * whole, the next whole number. All times are of the monotonic clock. Source: decisions 26, GS.
 */
export class VenuePace {
  #rate: number | undefined;
  /** The next is yielded at this time and so many paces. */
  #fromMs = Number.NEGATIVE_INFINITY;
  #paces = 0;
  /** What went out in the last second, oldest first. */
  readonly #recent: Fifo<Sends> = new Fifo();
  #inSecond = 0;

  /** The venue takes so many a second from now on; without a rate any number. */
  declare(rate: number | undefined): void {
    if (rate === this.#rate) return;
    this.#yieldFrom(this.#nextMs());
    this.#rate = rate;
  }

  /** How long none may go out; 0 when one may now. */
  waitMs(nowMs: number): number {
    if (this.#rate === undefined) return 0;
    this.#forget(nowMs);
    const isFull = this.#inSecond >= Math.ceil(this.#rate);
    const freeMs = isFull ? (this.#recent.first?.atMs ?? nowMs) + SECOND_MS : nowMs;
    return Math.max(Math.ceil(Math.max(this.#nextMs(), freeMs) - nowMs - ROUNDING_MS), 0);
  }

  /** One has gone out; `waited` when it might have gone before, had a timer come in time. */
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

  /** At most how long it takes, from now on, until one goes out behind so many others. */
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

  /** The time in which the rate yields what a full bucket holds beside the first. */
  #burstMs(): number {
    const rate = this.#rate ?? 1;
    return (Math.floor((BURST_MS * rate) / SECOND_MS) * SECOND_MS) / rate;
  }

  #forget(nowMs: number): void {
    for (let { first } = this.#recent; first !== undefined; first = this.#recent.first) {
      if (first.atMs > nowMs - SECOND_MS) return;
      this.#inSecond -= first.count;
      this.#recent.shift();
    }
  }
}
