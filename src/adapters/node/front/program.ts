import { existsSync } from "node:fs";
import { pathToFileURL } from "node:url";

/** Possible folders of a front thread's program, relative to the file that this module was built into. */
const PLACES: readonly string[] = ["./", "./adapters/node/front/", "./front/"];
const NAMES: readonly string[] = ["thread.js", "thread.cjs", "front-thread.mjs"];

/**
 * Returns the URL of a front thread's program: beside the modules of the built package, or beside the one file into
 * which they were bundled. Throws an Error that explains what to do if there is no program.
 */
export function frontProgram(here: string = urlOfThis()): URL {
  for (const place of PLACES) {
    for (const name of NAMES) {
      const program = new URL(`${place}${name}`, here);
      if (existsSync(program)) return program;
    }
  }
  throw new Error("the program of the front threads was not found: set the option frontProgram to its URL");
}

/** The built package also contains this file as CommonJS, which has no `import.meta`. */
const urlOfThis = (): string =>
  typeof __filename === "string" ? pathToFileURL(__filename).href : import.meta.url;
