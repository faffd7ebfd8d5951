import type { SqliteDriverName } from "./database.ts";

/** Ends a use. */
export type EndUse = () => void;

type Use = { driver: SqliteDriverName; openings: number };

const uses = new Map<string, Use>();

/**
 * Notes that this thread opens a file with a driver, until the returned function is called. Throws an Error that names
 * the file if it is open with the other driver. The system keeps the locks of a file by process, and closing a file
 * releases all of them: two copies of SQLite in one process, as the drivers are, do not see each other's locks and remove
 * them.
 */
export function useDriver(path: string, driver: SqliteDriverName, name: string): EndUse {
  const use = uses.get(path) ?? { driver, openings: 0 };
  if (use.driver !== driver) {
    throw new Error(
      `${name} is open in this process with ${use.driver}: close it before it is opened with ${driver}`,
    );
  }
  use.openings++;
  uses.set(path, use);
  let isOver = false;
  return () => {
    if (isOver) return;
    isOver = true;
    if (--use.openings === 0) uses.delete(path);
  };
}
