import { functionOption, type OptionCheck, optionalOption, optionsOf } from "../../common/index.ts";
import {
  checkedAccounts,
  checkedEntropy,
  checkedExposure,
  checkedInstruments,
  checkedVolumes,
} from "../../host-answers/index.ts";
import {
  accountsOption,
  clockOption,
  entropyOption,
  exposureOption,
  instrumentsOption,
  marketDataOption,
  storeOption,
  telemetryOption,
  venueOption,
  volumeHistoryOption,
} from "../../ports/internal.ts";
import type { EngineOptions } from "./api.ts";
import type { Core } from "./core.ts";
import { settingsOption } from "./settings.ts";

/** Checks of the options of an engine, by name. */
export const ENGINE_CHECKS: Readonly<Record<keyof EngineOptions, OptionCheck>> = {
  store: storeOption,
  instruments: instrumentsOption,
  accounts: accountsOption,
  exposure: exposureOption,
  venue: venueOption,
  clock: clockOption,
  entropy: entropyOption,
  marketData: optionalOption(marketDataOption),
  volumeHistory: optionalOption(volumeHistoryOption),
  telemetry: optionalOption(telemetryOption),
  settings: optionalOption(settingsOption),
  probe: optionalOption(functionOption("is called at the named points of an engine")),
};

const engineOptions: OptionCheck = optionsOf<EngineOptions>(ENGINE_CHECKS, { open: true });

/** Throws a TypeError or RangeError that names the first option that is missing, unknown or wrong. */
export function requireOptions(options: EngineOptions): void {
  engineOptions(options, "openEngine");
}

/** Returns the host's options with every answer checked. */
export function checkedOptions({ questions }: Core, options: EngineOptions): EngineOptions {
  const { volumeHistory } = options;
  return {
    ...options,
    instruments: checkedInstruments(options.instruments, questions),
    accounts: checkedAccounts(options.accounts, questions),
    exposure: checkedExposure(options.exposure, questions),
    entropy: checkedEntropy(options.entropy, questions),
    ...(volumeHistory && { volumeHistory: checkedVolumes(volumeHistory, questions) }),
  };
}
