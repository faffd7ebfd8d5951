import { nextTurn } from "../../common/index.ts";
import type { Engine } from "../../engine/index.ts";
import type { PaperVenue } from "../../paper-exchange/index.ts";
import type { OrderStore } from "../../ports/index.ts";
import type { Activity } from "../strategy/activity.ts";

/** Calls that a store has not answered yet. The store in memory answers in turns of the event loop, which take no time. */
export class StoreCalls {
  #open = 0;
  #waiting: (() => void)[] = [];

  get busy(): boolean {
    return this.#open > 0;
  }

  /** Resolves when every call is answered. */
  idle(): Promise<void> {
    return this.busy ? new Promise((resolve) => this.#waiting.push(resolve)) : Promise.resolve();
  }

  /** Returns the store, whose calls are counted. */
  of(store: OrderStore): OrderStore {
    const counted = Object.entries(store).map(([name, member]: [string, unknown]) => [
      name,
      typeof member === "function" ? (...args: unknown[]) => this.#counted(member(...args)) : member,
    ]);
    return Object.fromEntries(counted) as OrderStore;
  }

  #counted(answer: unknown): unknown {
    if (!(answer instanceof Promise)) return answer;
    this.#open += 1;
    const answered = (): void => {
      this.#open -= 1;
      if (!this.busy) for (const resolve of this.#waiting.splice(0)) resolve();
    };
    answer.then(answered, answered);
    return answer;
  }
}

/** Parts that must be at rest before time moves on. */
export type SimulationRestParts = Readonly<{
  engine: Engine;
  venue: PaperVenue;
  activity: Activity;
  calls: StoreCalls;
}>;

/** Steps of promises after which a listener for quotes that returned nothing counts as done. */
const CALM_STEPS = 64;

/** Returns whether engine, venue and strategy are at rest already, so that nothing need be waited for. */
export function isSettled({ engine, venue, activity, calls }: SimulationRestParts): boolean {
  return activity.isAtRest && engine.isIdle && !venue.busy && !calls.busy;
}

/** Resolves when engine, venue and strategy can do nothing more without time. */
export async function settled({ engine, venue, activity, calls }: SimulationRestParts): Promise<void> {
  for (;;) {
    await engine.idle();
    if (venue.busy) {
      await venue.idle();
      continue;
    }
    // Housekeeping is no work that the engine waits for, but a call must not reach its deadline while the store works.
    if (calls.busy) {
      await calls.idle();
      for (let step = 0; step < CALM_STEPS; step++) await undefined;
      continue;
    }
    if (activity.isFresh) {
      activity.isFresh = false;
      for (let step = 0; step < CALM_STEPS; step++) await undefined;
      continue;
    }
    if (activity.isAtRest) return;
    const before = activity.events;
    activity.needsTurn = false;
    // The strategy may continue after an answer, in a later microtask.
    await nextTurn();
    await engine.idle();
    if (venue.busy || activity.isFresh || activity.needsTurn || activity.events !== before) continue;
    activity.restedAt = before;
    return;
  }
}
