export {
  type ProfileTerms,
  participationTarget,
  profileWindow,
  type VolumeProfile,
  volumeProfile,
} from "./participation.ts";
export {
  closesAtMs,
  endsAtMs,
  joinSmallSlices,
  largestSlice,
  opensAtMs,
  type PlannedSlot,
  type PlanTerms,
  schedulePlan,
  share,
  sliceOf,
  slotAt,
  slotsOf,
  smallestSlice,
  weightsOf,
} from "./plan.ts";
