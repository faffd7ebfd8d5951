import type { KeyValueStore } from "../../ports/index.ts";
import { SettingsError } from "../settings-error.ts";
import { EPOCH_MS, parseWhole } from "../whole-number.ts";

/** How far a recorded replay has come: every row up to a time of its own was fed, durable before it is. */
export type ReplayPosition = Readonly<{
  /** The time of the newest rows that were fed; `undefined` when none were. */
  fedToMs: number | undefined;
  /** Resolves when the rows of that time will not be fed again, whatever happens. */
  keep: (timeMs: number) => Promise<void>;
}>;

/** Where the position is kept, beside the manual clock. */
const FED_KEY = "replay.fedTo";

/** The position that is kept in `store`. Throws when what is kept there is none. */
export async function openReplayPosition(store: KeyValueStore): Promise<ReplayPosition> {
  const kept = await store.get(FED_KEY);
  const fedToMs = kept === undefined ? undefined : parseWhole(kept, EPOCH_MS);
  if (kept !== undefined && fedToMs === undefined)
    throw new SettingsError(`the kept position ${FED_KEY} is not readable`);
  return { fedToMs, keep: (timeMs) => store.set(FED_KEY, String(timeMs)) };
}
