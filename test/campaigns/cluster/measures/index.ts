import type { MeasureOptions } from "./measure-options.ts";
import { measurePauses } from "./pauses.ts";
import { measureProcessor } from "./processor.ts";
import { measureQuiet } from "./quiet.ts";

export type { MeasureOptions } from "./measure-options.ts";

/** What can be measured of a cluster of processes, by name. */
export const MEASURES: Readonly<Record<string, (options: MeasureOptions) => Promise<void>>> = {
  quiet: measureQuiet,
  processor: measureProcessor,
  pauses: measurePauses,
};
