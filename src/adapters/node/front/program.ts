import { existsSync } from "node:fs";
import { pathToFileURL } from "node:url";

/** Where the program of a front thread lies, seen from the file that this one was built into. */
const PLACES: readonly string[] = ["./", "./adapters/node/front/", "./front/"];
const NAMES: readonly string[] = ["thread.js", "thread.cjs", "front-thread.mjs"];

/**
 * The program of a front thread: beside the built package's modules, or beside the one file into which they were bundled.
 * Throws an Error that says what to do where there is none.
 */
export function frontProgram(here: string = urlOfThis()): URL {
  for (const place of PLACES) {
    for (const name of NAMES) {
      const program = new URL(`${place}${name}`, here);
      if (existsSync(program)) return program;
    }
  }
  throw new Error("the program of front threads is not there: name it with the option frontProgram");
}

/** The built package has this file as CommonJS too, where there is no `import.meta`. */
const urlOfThis = (): string =>
  typeof __filename === "string" ? pathToFileURL(__filename).href : import.meta.url;
