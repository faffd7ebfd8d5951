import { createRequire } from "node:module";
import type Sqlite from "better-sqlite3";

/** The constructor that better-sqlite3 exports. */
export type Driver = typeof Sqlite;

/** An open database of better-sqlite3. */
export type Database = Sqlite.Database;

/**
 * Loads better-sqlite3, an optional peer dependency, with its native part. Throws an Error that names the install
 * command if it is missing, was built for another Node.js, or cannot be used for another reason.
 */
export function loadDriver(load: (name: string) => unknown = requireHere()): Driver {
  try {
    const driver = load("better-sqlite3") as Driver;
    // Only the first database loads the native part; there its error would look like an error of the file.
    new driver(":memory:").close();
    return driver;
  } catch (cause) {
    throw new Error(
      "The SQLite store needs the package better-sqlite3, which cannot be loaded. Install it: npm install better-sqlite3@12",
      { cause },
    );
  }
}

/** The built package also contains this file as CommonJS, which has no `import.meta`. */
function requireHere(): (name: string) => unknown {
  return createRequire(typeof __filename === "string" ? __filename : import.meta.url);
}
