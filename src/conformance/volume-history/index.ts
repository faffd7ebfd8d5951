export type {
  ExecutedTrade,
  VolumeHistoryPlace,
  VolumeHistorySubject,
  VolumeHistorySupport,
} from "./place.ts";
export { testVolumeHistory } from "./volume-history.ts";
