import {
  checkedAccounts,
  checkedEntropy,
  checkedExposure,
  checkedInstruments,
  checkedVolumes,
} from "../../host-answers/index.ts";
import type { EngineOptions } from "./api.ts";
import type { Core } from "./core.ts";

/** Returns the host's options with every answer checked (decision CC). */
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
