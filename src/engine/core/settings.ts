import { DEFAULT_MINIMUM } from "../../lifecycle/index.ts";
import type { EngineSettings } from "./api.ts";

/** Defaults of every engine setting (decisions 12, 14, 16, 26; contract "Limits"). */
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
  escalateAfterMs: 60_000,
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
});

const WHOLE = [
  "quoteJumpFactor",
  "clockStepMs",
  "submitDeadlineMs",
  "retryMinMs",
  "retryMaxMs",
  "reconcileEveryMs",
  "hostTimeoutMs",
  "maxOpenParents",
  "maxOpenParentsPerAccount",
  "maxWeightBytes",
  "maxWeightBytesPerAccount",
  "maxPageBytes",
  "maxPendingCommands",
  "maxPendingPrints",
  "closeTimeoutMs",
  "snapshotEvery",
] as const;

/**
 * Returns the settings with defaults filled in. Throws a RangeError that names a setting out of range.
 *
 * @example
 * ```ts
 * import { resolveSettings } from "managed-orders/engine";
 * const settings = resolveSettings({ advancedOrders: true, submitDeadlineMs: 500 });
 * console.log(settings.submitDeadlineMs, settings.venueQuietMs); // 500 2000
 * ```
 */
export function resolveSettings(given: Partial<EngineSettings> = {}): EngineSettings {
  const settings = { ...DEFAULT_SETTINGS, ...given };
  for (const [name, value] of Object.entries(settings)) {
    if (typeof value === "number" && !(Number.isFinite(value) && value >= 0)) {
      throw new RangeError(`settings.${name} must be a finite number of at least 0, got ${value}`);
    }
  }
  for (const name of WHOLE) {
    if (!Number.isSafeInteger(settings[name]) || settings[name] < 1) {
      throw new RangeError(`settings.${name} must be a whole number of at least 1, got ${settings[name]}`);
    }
  }
  if (settings.retryMaxMs < settings.retryMinMs)
    throw new RangeError(
      `settings.retryMaxMs must be at least settings.retryMinMs, ${settings.retryMinMs}, got ${settings.retryMaxMs}`,
    );
  return Object.freeze(settings);
}
