import { createRequire } from "node:module";
import { betterSqlite3 } from "./better-sqlite3.ts";
import type { Driver, SqliteDriverName } from "./database.ts";
import { nodeSqlite } from "./node-sqlite.ts";

const INSTALL = "npm install better-sqlite3@12";

const LOADERS: Readonly<Record<SqliteDriverName, (load: (name: string) => unknown) => Driver>> = {
  "better-sqlite3": betterSqlite3,
  "node:sqlite": nodeSqlite,
};

/** All drivers; the first that can be loaded is the default. */
export const DRIVER_NAMES: readonly SqliteDriverName[] = ["better-sqlite3", "node:sqlite"];

const MISSING: Readonly<Record<SqliteDriverName | "any", string>> = {
  "better-sqlite3": `The SQLite store needs the package better-sqlite3, which cannot be loaded. Install it: ${INSTALL}`,
  "node:sqlite": `The SQLite store cannot load node:sqlite: use Node.js 22.13 or later, or the driver better-sqlite3 (${INSTALL})`,
  any: `The SQLite store needs the package better-sqlite3, which cannot be loaded, or node:sqlite, which this Node.js lacks: run ${INSTALL}, or use Node.js 22.13 or later`,
};

/**
 * Loads a driver; without a name, better-sqlite3 if it can be loaded, else node:sqlite. Throws an Error that names what
 * to install if the driver is missing, was built for another Node.js, or cannot be used for another reason.
 */
export function loadDriver(name?: SqliteDriverName, load: (name: string) => unknown = requireHere()): Driver {
  const failures: unknown[] = [];
  for (const each of name === undefined ? DRIVER_NAMES : [name]) {
    try {
      return LOADERS[each](load);
    } catch (error) {
      failures.push(error);
    }
  }
  throw new Error(MISSING[name ?? "any"], { cause: failures[0] });
}

/** The built package also contains this file as CommonJS, which has no `import.meta`. */
function requireHere(): (name: string) => unknown {
  return createRequire(typeof __filename === "string" ? __filename : import.meta.url);
}
