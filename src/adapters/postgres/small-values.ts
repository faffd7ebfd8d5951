import type { KeyValueStore } from "../../ports/index.ts";
import type { Database } from "./database.ts";
import { asGiven, storable } from "./reading.ts";
import { VALUES } from "./statements.ts";

/** Begins a text that is not stored as it was given. */
const MARK = "\u0001";

/** Returns a key or value of a host as it is stored: unchanged, unless the database would refuse it. */
export function storedText(text: string): string {
  const escaped = storable(text);
  const isUnchanged = escaped === text.replaceAll("\\", "\\\\") && !text.startsWith(MARK);
  return isUnchanged ? text : `${MARK}${escaped}`;
}

/** Returns the key or value that is stored as `stored`. */
export const givenText = (stored: string): string =>
  stored.startsWith(MARK) ? asGiven(stored.slice(MARK.length)) : stored;

/** Creates the small values of a host. */
export function smallValues(database: Database): KeyValueStore {
  return {
    async get(key) {
      const [row] = await database.read(VALUES.get, [storedText(key)]);
      const value = row?.[0] ?? undefined;
      return value === undefined ? undefined : givenText(value);
    },
    async set(key, value) {
      await database.write(VALUES.set, [storedText(key), storedText(value)]);
    },
  };
}
