import type { KeyValueStore } from "../../ports/index.ts";
import { SettingsError } from "../settings-error.ts";
import { EPOCH_MS, parseWhole } from "../whole-number.ts";

/**
 * Position of a recorded replay: every row up to `fedToMs` was fed. The position is durable before the rows are fed.
 */
export type ReplayPosition = Readonly<{
  /** Time of the newest rows that were fed; `undefined` if none were. */
  fedToMs: number | undefined;
  /** Resolves when the rows up to that time will never be fed again, whatever happens. */
  store: (timeMs: number) => Promise<void>;
}>;

/** Key of the stored position, beside that of the manual clock. */
const FED_KEY = "replay.fedTo";

/** Opens the position stored in `store`. Throws if the stored text is not a time. */
export async function openReplayPosition(store: KeyValueStore): Promise<ReplayPosition> {
  const stored = await store.get(FED_KEY);
  const fedToMs = stored === undefined ? undefined : parseWhole(stored, EPOCH_MS);
  if (stored !== undefined && fedToMs === undefined)
    throw new SettingsError(`the stored position ${FED_KEY} cannot be read`);
  return { fedToMs, store: (timeMs) => store.set(FED_KEY, String(timeMs)) };
}
