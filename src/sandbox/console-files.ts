import { existsSync, readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

/** The files of the console page, by their names: one file of texts, so that page and script are always of one build. */
export type ConsoleFiles = Readonly<Record<"index.html" | "console.js" | "console.css", string>>;

/**
 * Possible places of the built page, relative to the file that this module was built into: in the package, in the cache
 * of `npm start`, and seen from the sources.
 */
const PLACES: readonly string[] = [
  "./console.json",
  "./sandbox/console.json",
  "../../node_modules/.cache/console.json",
];

/** Reads the page. Returns undefined if it was not built, as for a sandbox that a test runs from its sources. */
export function readConsoleFiles(here: string = urlOfThis()): ConsoleFiles | undefined {
  const place = PLACES.map((path) => new URL(path, here)).find((url) => existsSync(url));
  return place === undefined ? undefined : (JSON.parse(readFileSync(place, "utf8")) as ConsoleFiles);
}

/** The built package also contains this file as CommonJS, which has no `import.meta`. */
const urlOfThis = (): string =>
  typeof __filename === "string" ? pathToFileURL(__filename).href : import.meta.url;
