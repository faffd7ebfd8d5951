import { nextTurn } from "../../adapters/shared/index.ts";
import type { Engine } from "../../engine/index.ts";
import type { PaperVenue } from "../../paper-exchange/index.ts";
import type { Activity } from "../strategy/index.ts";
import type { StoreCalls } from "./store-calls.ts";

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
