import { nextTurn } from "../../adapters/shared/index.ts";
import type { Engine } from "../../engine/index.ts";
import type { PaperVenue } from "../paper-venue/index.ts";
import type { Activity } from "../strategy/index.ts";

/** Parts that must be at rest before time moves on. */
export type RestParts = Readonly<{ engine: Engine; venue: PaperVenue; activity: Activity }>;

/** Resolves when engine, venue and strategy can do nothing more without time. */
export async function settled({ engine, venue, activity }: RestParts): Promise<void> {
  for (;;) {
    await engine.idle();
    if (venue.busy) {
      await venue.idle();
      continue;
    }
    if (activity.open === 0 && activity.events === activity.restedAt) return;
    const before = activity.events;
    // The strategy may continue after an answer, in a later microtask.
    await nextTurn();
    await engine.idle();
    if (venue.busy || activity.events !== before) continue;
    activity.restedAt = before;
    return;
  }
}
