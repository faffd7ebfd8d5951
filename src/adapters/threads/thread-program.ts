import { existsSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { type OptionCheck, wrongOption } from "../../common/index.ts";

/**
 * Where the program of a thread may be, relative to the file that this module was built into, and its possible names: as
 * one of the files of the built package, or as a bundle beside the one file into which they were bundled.
 */
export type ThreadProgram = Readonly<{ places: readonly string[]; names: readonly string[] }>;

/** Returns the URL of a thread's program, undefined if there is none. */
export function programUrl({ places, names }: ThreadProgram): URL | undefined {
  const here = urlOfThis();
  return places
    .flatMap((place) => names.map((name) => new URL(`${place}${name}`, here)))
    .find((program) => existsSync(program));
}

/** The built package also contains this file as CommonJS, which has no `import.meta`. */
const urlOfThis = (): string =>
  typeof __filename === "string" ? pathToFileURL(__filename).href : import.meta.url;

/** Checks the URL of a thread's program. */
export const programOption: OptionCheck = (value, name) => {
  if (!(value instanceof URL))
    throw wrongOption(value, name, 'a URL, such as new URL("./thread.js", import.meta.url)');
};
