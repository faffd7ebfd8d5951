export { participationTarget } from "./participation.ts";
export { closesAtMs, endsAtMs, opensAtMs, type PlanTerms, schedulePlan, slotAt, weightsOf } from "./plan.ts";
export { share } from "./share.ts";
export {
  joinSmallSlices,
  largestSlice,
  type PlannedSlot,
  sliceOf,
  slotsOf,
  smallestSlice,
} from "./slices.ts";
export { type ProfileTerms, profileWindow, type VolumeProfile, volumeProfile } from "./volume-profile.ts";
