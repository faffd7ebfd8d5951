import type { Database } from "./database.ts";

/** Small values of a host in the same file. Each `set` is its own transaction. */
export type KeyValueTable = Readonly<{
  get(key: string): string | undefined;
  set(key: string, value: string): void;
}>;

/** Prepares the statements for small values. */
export function keyValueTable(database: Database): KeyValueTable {
  const get = database.prepare<[key: string], string>("SELECT value FROM key_values WHERE key = ?").pluck();
  const set = database.prepare<[key: string, value: string]>(
    "INSERT OR REPLACE INTO key_values (key, value) VALUES (?, ?)",
  );
  return {
    get: (key) => get.get(key),
    set(key, value) {
      set.run(key, value);
    },
  };
}
