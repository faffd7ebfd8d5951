import { createRequire } from "node:module";
import { betterSqlite3 } from "./better-sqlite3.ts";
import type { Driver, SqliteDriverName } from "./database.ts";
import { nodeSqlite } from "./node-sqlite.ts";

type Load = (name: string) => unknown;

const INSTALL = "npm install better-sqlite3 (better-sqlite3@12 on Node.js 20)";

const LOADERS: Readonly<Record<SqliteDriverName, (load: Load) => Driver>> = {
  "better-sqlite3": betterSqlite3,
  "node:sqlite": nodeSqlite,
};

/** All drivers. */
export const DRIVER_NAMES: readonly SqliteDriverName[] = ["better-sqlite3", "node:sqlite"];

const MISSING: Readonly<Record<SqliteDriverName | "any", string>> = {
  "better-sqlite3": `The SQLite store needs the package better-sqlite3, which cannot be loaded. Install it: ${INSTALL}`,
  "node:sqlite": `The SQLite store cannot load node:sqlite: use Node.js 22.13 or later, or the driver better-sqlite3: ${INSTALL}`,
  any: `The SQLite store needs the package better-sqlite3, which cannot be loaded, or node:sqlite, which this Node.js lacks: use Node.js 22.13 or later, or ${INSTALL}`,
};

/** The first version of better-sqlite3 that cannot abort the process in Node.js 24, and that version of Node.js. */
const SAFE_MAJOR = 13;
const ABORTS_FROM_NODE = 24;

/**
 * Loads a driver; without a name, better-sqlite3 if it can be loaded, else node:sqlite. In Node.js 24 and later, a
 * better-sqlite3 before version 13 comes last: compiled with the headers of Node.js 24.19 or later, it aborts the process
 * when a statement is collected (nodejs/node#65446). Throws an Error that names what to install if the driver is missing,
 * was built for another Node.js, or cannot be used for another reason.
 */
export function loadDriver(name?: SqliteDriverName, load: Load = requireHere()): Driver {
  const failures: unknown[] = [];
  for (const each of name === undefined ? inOrder(load) : [name]) {
    try {
      return LOADERS[each](load);
    } catch (error) {
      failures.push(error);
    }
  }
  throw Object.assign(new Error(MISSING[name ?? "any"], { cause: failures[0] }), { code: "DRIVER_MISSING" });
}

function inOrder(load: Load): readonly SqliteDriverName[] {
  return mayAbort(load) ? DRIVER_NAMES.toReversed() : DRIVER_NAMES;
}

function mayAbort(load: Load): boolean {
  const { versions } = load("node:process") as Readonly<{ versions: Readonly<{ node: string }> }>;
  if (Number.parseInt(versions.node, 10) < ABORTS_FROM_NODE) return false;
  try {
    const { version } = load("better-sqlite3/package.json") as Readonly<{ version: string }>;
    return Number.parseInt(version, 10) < SAFE_MAJOR;
  } catch {
    return false; // not installed
  }
}

/** The built package also contains this file as CommonJS, which has no `import.meta`. */
function requireHere(): (name: string) => unknown {
  return createRequire(typeof __filename === "string" ? __filename : import.meta.url);
}
