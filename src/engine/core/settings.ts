import {
  flagOption,
  numberOption,
  type OptionCheck,
  optionalOption,
  optionsOf,
  wholeOption,
} from "../../common/index.ts";
import { amountOption } from "../../decimal/index.ts";
import { DEFAULT_MINIMUM } from "../../lifecycle/index.ts";
import type { EngineSettings } from "./api.ts";

/** Defaults of every engine setting (contract "Limits"). */
export const DEFAULT_SETTINGS: EngineSettings = Object.freeze({
  advancedOrders: false,
  liquidityMode: true,
  minimumNotional: DEFAULT_MINIMUM,
  quoteMaxAgeMs: 5_000,
  quoteMaxAheadMs: 1_000,
  quoteJumpFactor: 10,
  clockStepMs: 1_000,
  submitDeadlineMs: 2_000,
  venueQuietMs: 2_000,
  retryMinMs: 100,
  retryMaxMs: 5_000,
  reconcileEveryMs: 5_000,
  hostTimeoutMs: 5_000,
  exposureLagMs: 5_000,
  escalateAfterMs: 60_000,
  stalledAfterMs: 10_000,
  maxOpenParents: 1_000_000,
  maxOpenParentsPerAccount: 250_000,
  maxWeightBytes: 64 * 2 ** 20,
  maxWeightBytesPerAccount: 4 * 2 ** 20,
  maxPageBytes: 2 * 2 ** 20,
  maxPendingCommands: 100_000,
  maxPendingPrints: 100_000,
  closeTimeoutMs: 10_000,
  snapshotEvery: 20_000,
  retentionDays: 30,
  maxIcebergParts: 0,
  ocoMustStraddle: false,
  residualCountsAsFilled: false,
});

const flag = optionalOption(flagOption);
const durationMs = optionalOption(numberOption({ from: 0 }, " of milliseconds"));
const positive = optionalOption(wholeOption({ from: 1 }));
const positiveMs = optionalOption(wholeOption({ from: 1 }, " of milliseconds"));

/** Checks the settings of an engine. */
export const settingsOption: OptionCheck = optionsOf<EngineSettings>({
  advancedOrders: flag,
  liquidityMode: flag,
  minimumNotional: optionalOption(amountOption),
  quoteMaxAgeMs: durationMs,
  quoteMaxAheadMs: durationMs,
  quoteJumpFactor: positive,
  clockStepMs: positiveMs,
  submitDeadlineMs: positiveMs,
  venueQuietMs: durationMs,
  retryMinMs: positiveMs,
  retryMaxMs: positiveMs,
  reconcileEveryMs: positiveMs,
  hostTimeoutMs: positiveMs,
  exposureLagMs: positiveMs,
  escalateAfterMs: durationMs,
  stalledAfterMs: positiveMs,
  maxOpenParents: positive,
  maxOpenParentsPerAccount: positive,
  maxWeightBytes: positive,
  maxWeightBytesPerAccount: positive,
  maxPageBytes: positive,
  maxPendingCommands: positive,
  maxPendingPrints: positive,
  closeTimeoutMs: positiveMs,
  snapshotEvery: positive,
  retentionDays: optionalOption(numberOption({ from: 0 })),
  maxIcebergParts: optionalOption(wholeOption({ from: 0 })),
  ocoMustStraddle: flag,
  residualCountsAsFilled: flag,
});

/**
 * Returns the settings with defaults filled in. Throws a TypeError or RangeError that names a setting that is unknown,
 * of the wrong type or out of range.
 *
 * @example
 * ```ts
 * import { resolveSettings } from "managed-orders/engine";
 * const settings = resolveSettings({ advancedOrders: true, submitDeadlineMs: 500 });
 * console.log(settings.submitDeadlineMs, settings.venueQuietMs); // 500 2000
 * ```
 */
export function resolveSettings(given: Partial<EngineSettings> = {}): EngineSettings {
  settingsOption(given, "openEngine.settings");
  const settings = { ...DEFAULT_SETTINGS, ...defined(given) };
  if (settings.retryMaxMs < settings.retryMinMs)
    throw new RangeError(
      `openEngine.settings.retryMaxMs must be at least retryMinMs, ${settings.retryMinMs}, got ${settings.retryMaxMs}`,
    );
  return Object.freeze(settings);
}

/** Leaves out the settings that are undefined, so that they do not replace a default. */
function defined(given: Partial<EngineSettings>): Partial<EngineSettings> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}
