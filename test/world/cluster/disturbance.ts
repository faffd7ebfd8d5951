import type { Random } from "../../../src/common/random.ts";
import { showQuote } from "../market-publisher.ts";
import type { WorldParts } from "../parts.ts";

/** Longest time between two quotes, in milliseconds. */
const PAUSE_MS = 120;

/**
 * What happens while shards move, in some of their moves: markets go up and down, the venue is slow to answer about
 * children of these shards and withholds more fills for a while, and the store is slow to append. So triggers, references
 * and children of a shard change until its last moment on a node.
 */
export class Disturbance {
  readonly #parts: WorldParts;
  readonly #random: Random;

  constructor(parts: WorldParts) {
    this.#parts = parts;
    this.#random = parts.random.of("disturbance of moves");
  }

  /** Disturbs the moves of some shards for a while. */
  async disturb(shards: readonly number[], ms: number): Promise<void> {
    const { time, venue, store } = this.#parts;
    const random = this.#random;
    if (random.chance(0.3)) return;
    const untilMs = time.trueMs + ms;
    if (random.chance(0.7)) venue.slowDown(shards, untilMs);
    if (random.chance(0.5)) store.slowDown(untilMs);
    // On its way in one direction, each price is a new extreme.
    const drift = random.pick([0, 0.004, -0.004]);
    while (time.trueMs < untilMs) {
      this.#quote(drift);
      if (random.chance(0.2)) venue.reportWithheld();
      await time.after(1 + random.below(PAUSE_MS));
    }
  }

  /** Twice, so that a price that is far from the last one is confirmed. */
  #quote(drift: number): void {
    const { markets, fleet } = this.#parts;
    const [market, level] = [this.#random.pick(markets), 1.07 ** (this.#random.below(9) - 4)];
    const reported = drift === 0 ? market.at(level) : market.moved(1 + drift);
    for (let times = 2; times > 0; times--)
      for (const instance of fleet.alive) showQuote(this.#parts, instance, reported);
  }
}
