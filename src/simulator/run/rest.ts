import type { Engine } from "../../engine/index.ts";
import type { PaperVenue } from "../paper-venue/index.ts";
import type { Activity } from "../strategy/index.ts";

/** Parts that must be at rest before time moves on. */
export type RestParts = Readonly<{ engine: Engine; venue: PaperVenue; activity: Activity }>;

/** Rounds after which a strategy counts as endless: it reacts to its own orders without waiting for time. */
const MOST_ROUNDS = 10_000;

/** Waits until engine, venue and strategy can do nothing more without time. */
export class Rest {
  readonly #parts: RestParts;
  #seen = 0;

  constructor(parts: RestParts) {
    this.#parts = parts;
  }

  /** Resolves at rest. Rejects for a strategy that never comes to rest. */
  readonly settle = async (): Promise<void> => {
    const { engine, venue, activity } = this.#parts;
    for (let round = 0; round < MOST_ROUNDS; round++) {
      await engine.idle();
      if (venue.busy) {
        await venue.idle();
        continue;
      }
      if (activity.open === 0 && activity.events === this.#seen) return;
      this.#seen = activity.events;
      // The strategy may continue after an answer, in a later microtask.
      await nextTurn();
      await engine.idle();
      if (activity.events === this.#seen && !venue.busy) return;
    }
    throw new Error(
      "the strategy does not come to rest: it reacts to its own orders again and again without waiting for time or a quote",
    );
  };
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
