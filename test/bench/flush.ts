import Database from "better-sqlite3";
import { benchFolder } from "./bench-folder.ts";

/** Measures the cost of one durable commit of a small row on this disk, in milliseconds. */
export function flushTimes(count: number): readonly number[] {
  const folder = benchFolder();
  const database = new Database(folder.path("flush.db"));
  database.pragma("journal_mode = WAL");
  database.pragma("synchronous = FULL");
  database.exec("CREATE TABLE raw (id INTEGER PRIMARY KEY, record TEXT NOT NULL)");
  const insert = database.prepare("INSERT INTO raw (record) VALUES (?)");
  const row = "x".repeat(600);
  const times = Array.from({ length: count }, () => {
    const start = performance.now();
    insert.run(row);
    return performance.now() - start;
  });
  database.close();
  folder.remove();
  return times;
}
