export type {
  ExecutedTrade,
  VolumeHistoryPlace,
  VolumeHistorySubject,
  VolumeHistorySupport,
} from "./place.ts";
export { testVolumeHistory, volumeHistoryRules } from "./volume-history.ts";
