export { type AccountSetup, readAccountSetup } from "./account-setup.ts";
export { createCatalogue, demoBalances, SANDBOX_INSTRUMENTS } from "./catalogue.ts";
export {
  type AccountView,
  DEMO_ACCOUNT_ID,
  type Directory,
  type KeyPair,
  openDirectory,
} from "./directory.ts";
export { decimalText, epochMs, InputError, positiveId, readInput } from "./input-error.ts";
export { type ManualClock, openManualClock } from "./manual-clock.ts";
export type { MarketSetting, RateLimits, StoreSetting } from "./setting-readers.ts";
export type { SettingSources } from "./setting-table.ts";
export {
  asksForHelp,
  readSettings,
  type SandboxSettings,
  settingsHelp,
  venueRecordPath,
} from "./settings.ts";
export { SettingsError } from "./settings-error.ts";
