import type { Database } from "./database.ts";

/** Returns the id of a store, which its file got when it was created or restored. It says whose an archive is. */
export function storeIdOf(database: Database): number {
  const id = database.prepare<[], number>("SELECT value FROM state WHERE name = 'id'").pluck().get();
  if (id === undefined) throw new Error("the store has no id");
  return id;
}

/** Gives a store another id and no archive, because it is a copy whose journal goes on in another way. */
export function renewStoreId(database: Database): void {
  // As in the schema: a number that JavaScript can represent.
  database.exec("UPDATE state SET value = abs(random() % 9007199254740992) WHERE name = 'id'");
  database.exec("DELETE FROM state WHERE name = 'archive'");
}

/** Returns whether a store has an archive. */
export function hasArchive(database: Database): boolean {
  return database.prepare("SELECT 1 FROM state WHERE name = 'archive'").get() !== undefined;
}

/** Notes in a store that it has an archive. Call it when the archive names the store. */
export function noteArchive(database: Database): void {
  database.exec("INSERT OR IGNORE INTO state (name, value) VALUES ('archive', 1)");
}
