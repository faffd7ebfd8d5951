import { nameOption, numberOption, type OptionCheck, optional, optionsOf } from "../../common/index.ts";
import { clockOption, instrumentsOption, telemetryOption } from "../../ports/internal.ts";
import { termsOption } from "./execution-terms.ts";
import type { PaperVenueOptions } from "./paper-venue.ts";
import type { Forgetting } from "./settled-children.ts";

const durationMs: OptionCheck = numberOption({ from: 0 }, " of milliseconds");

/** Checks the options of a paper venue. */
export const venueOption: OptionCheck = optionsOf<PaperVenueOptions>({
  clock: clockOption,
  instruments: instrumentsOption,
  path: optional(nameOption),
  terms: optional(termsOption),
  telemetry: optional(telemetryOption),
  forgetting: optional(optionsOf<Forgetting>({ afterMs: durationMs, quietMs: durationMs })),
});
