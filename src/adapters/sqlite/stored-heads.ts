import type { ShardHead } from "../../ports/index.ts";
import { Journal, Owned, Rows } from "../../store/internal.ts";
import { checked } from "../checksums/index.ts";
import type { Database } from "./database.ts";
import { sqliteStorage } from "./storage.ts";

/** Reads the heads of all shards, in the order of their numbers. Rejects with an InvariantError I53 for a damaged one. */
export async function headsOf(database: Database): Promise<readonly ShardHead[]> {
  const rows = new Rows(checked(sqliteStorage(database), "file"));
  return await new Journal(rows, new Owned()).heads();
}
