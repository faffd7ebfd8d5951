import { isAbsolute } from "node:path";
import { pathToFileURL } from "node:url";
import {
  flagOption,
  functionOption,
  listOption,
  nameOption,
  type OptionCheck,
  optionalOption,
  optionsOf,
  recordOption,
  wholeOption,
  wrongOption,
} from "../../common/index.ts";
import { valueOption } from "./grid.ts";
import type { SweepOptions } from "./sweep-row.ts";

/** The longest time that a timer of Node.js can wait. */
const LONGEST_MS = 2 ** 31 - 1;
const MOST_WORKERS = 256;

const moduleOption: OptionCheck = (value, name) => {
  if (value instanceof URL || (typeof value === "string" && addressOf(value) !== undefined)) return;
  const wanted = 'a URL, such as new URL("./strategy.js", import.meta.url), or an absolute path';
  throw wrongOption(value, name, wanted, typeof value === "string");
};

const signalOption: OptionCheck = (value, name) => {
  if (!(value instanceof AbortSignal)) throw wrongOption(value, name, "an AbortSignal");
};

const setOption: OptionCheck = recordOption("an object with values by parameter", valueOption);

const sweepOption: OptionCheck = optionsOf<SweepOptions>({
  module: moduleOption,
  parameters: listOption("a list of sets of parameters, such as parameterGrid({ ... })", setOption),
  workers: optionalOption(wholeOption({ from: 1, to: MOST_WORKERS })),
  seed: optionalOption(wholeOption({ from: 0 })),
  timeoutMs: optionalOption(wholeOption({ from: 1, to: LONGEST_MS }, " of milliseconds")),
  signal: optionalOption(signalOption),
  progress: optionalOption(flagOption),
  onProgress: optionalOption(functionOption("receives the progress after each set")),
  execArgv: optionalOption(listOption("a list of arguments of Node.js", nameOption)),
});

/** Throws a TypeError or RangeError that names an option that is missing, unknown or wrong. */
export function checkSweep(options: unknown): void {
  sweepOption(options, "sweep");
}

/** Returns the URL that a module option means; undefined for a text that is neither a URL nor an absolute path. */
export function addressOf(module: SweepOptions["module"]): string | undefined {
  if (typeof module !== "string") return module.href;
  if (isAbsolute(module)) return pathToFileURL(module).href;
  return URL.canParse(module) ? module : undefined;
}
