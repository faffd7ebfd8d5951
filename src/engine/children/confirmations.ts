import { errorMessage } from "../../common/index.ts";
import type { Core } from "../core/core.ts";
import type { Moment } from "../core/engine-time.ts";
import type { Shards } from "../shards/shards.ts";
import type { Timers } from "../time/timers.ts";
import type { VenueQueue } from "./venue-queue.ts";

/**
 * What the store has confirmed of shards as this engine's. An engine that takes a shard over looks up the children that it
 * finds. It settles them when the deadline of a child handed over at that time and the quiet time have passed. A child that
 * waited here for longer than the quiet time therefore goes out only after the store has confirmed its shard again (I26).
 */
export class Confirmations {
  readonly #core: Core;
  readonly #venueQueue: VenueQueue;
  readonly #timers: Timers;
  readonly #shards: Shards;
  /** By shard number: when the store was asked for what last confirmed that the shard is this engine's. */
  readonly #requestedAt: Map<number, Moment> = new Map();
  /** When all children have waited last for a confirmation that did not come in a short time, by the monotonic clock. */
  #silentAtMs: number = Number.NEGATIVE_INFINITY;

  constructor(core: Core, venueQueue: VenueQueue, timers: Timers, shards: Shards) {
    this.#core = core;
    this.#venueQueue = venueQueue;
    this.#timers = timers;
    this.#shards = shards;
  }

  /**
   * Returns whether the store has confirmed the shard as this engine's within the quiet time by both clocks: a machine that has
   * slept has stopped the monotonic one.
   */
  holds(shard: number): boolean {
    const at = this.#requestedAt.get(shard);
    if (at === undefined) return false;
    const { wallMs, monotonicMs } = this.#core.time.moment();
    return Math.max(wallMs - at.wallMs, monotonicMs - at.monotonicMs) <= this.#core.settings.venueQuietMs;
  }

  /** Notes that the store, asked at that moment, has taken this engine for the owner of a shard. */
  note(shard: number, requestedAt: Moment): void {
    const before = this.#requestedAt.get(shard);
    if (before === undefined || before.monotonicMs <= requestedAt.monotonicMs)
      this.#requestedAt.set(shard, requestedAt);
    if (this.holds(shard)) this.#venueQueue.withdraw(shard);
  }

  /**
   * Asks the store for the owner of a shard while all children wait. The store may fail or be silent for this shard alone, and
   * must not keep the children of the others: after a short time they go on, while those of this shard wait for the answer.
   * Calls `goOn` with true when all children need not wait any more, and with false when those of this shard may go on too.
   */
  async ask(number: number, goOn: (isWaiting: boolean) => void): Promise<void> {
    const [venueQueue, timers] = [this.#venueQueue, this.#timers];
    const { retryMinMs } = this.#core.settings;
    const requestedAt = this.#core.time.moment();
    let isAside = false;
    const patienceMs = this.#patienceMs();
    const cancel = timers.after(patienceMs, () => {
      isAside = true;
      if (patienceMs > 0) this.#silentAtMs = this.#core.monotonicMs();
      // An append that became durable meanwhile has confirmed it.
      if (!this.holds(number)) venueQueue.setAside(number);
      goOn(true);
    });
    const putLast = (): void => {
      if (!this.holds(number)) venueQueue.putLast(number);
    };
    const refused = (): void => {
      putLast();
      goOn(false);
    };
    try {
      await this.#shards.at(number).confirm();
      this.#core.counters.activity++;
      this.note(number, requestedAt);
      venueQueue.withdraw(number);
    } catch (error) {
      this.#core.telemetry.event("warn", "confirm.failed", { message: errorMessage(error) });
      // They stay aside for a pause. Otherwise a store that fails at once would be asked again at once.
      if (isAside) return void timers.after(retryMinMs, refused);
      putLast();
    }
    cancel();
    if (isAside || this.holds(number)) goOn(!isAside);
    else timers.after(retryMinMs, () => goOn(true));
  }

  /**
   * Returns how long the children of other shards wait for a confirmation: not again soon after one in vain, so that this does
   * not grow with the number of silent shards. After `venueQuietMs` they wait again: an answer that came too late for its
   * child in the meantime is not good any more, and at a slow venue no other one would come in time.
   */
  #patienceMs(): number {
    const { venueQuietMs, retryMinMs } = this.#core.settings;
    return this.#core.monotonicMs() - this.#silentAtMs <= venueQuietMs ? 0 : retryMinMs;
  }
}
