import type { Database } from "./database.ts";
import { wholeText } from "./whole-text.ts";

/** Small values of a host in the same file. Each `set` is its own transaction. */
export type KeyValueTable = Readonly<{
  get(key: string): string | undefined;
  set(key: string, value: string): void;
}>;

/** Prepares the statements for small values. */
export function keyValueTable(database: Database): KeyValueTable {
  const get = database
    .prepare<[key: string], Uint8Array>("SELECT CAST(value AS BLOB) FROM key_values WHERE key = ?")
    .pluck();
  const set = database.prepare<[key: string, value: string]>(
    "INSERT OR REPLACE INTO key_values (key, value) VALUES (?, ?)",
  );
  return {
    get(key) {
      const value = get.get(key);
      return value === undefined ? undefined : wholeText(value);
    },
    set(key, value) {
      set.run(key, value);
    },
  };
}
