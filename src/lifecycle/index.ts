export {
  type Admission,
  type AdmissionContext,
  admit,
  admitList,
  type BestPrices,
  DEFAULT_MINIMUM,
  type ListAdmissionContext,
  reducibleOf,
} from "./admission.ts";
export { type AmendableOrder, type AmendPreview, amendableFields, previewAmend } from "./amend-preview.ts";
export { admitAmend, amendNamed, amendNotNow, amendObstacle, amendRejected } from "./amending.ts";
export {
  executable,
  executableLevels,
  isActive,
  isScheduleOver,
  isSlotOver,
  limitConditionOf,
  limitOf,
  needsTrigger,
  nextSlotChangeMs,
  openSlotOf,
  restOf,
  type Sizing,
  type SizingContext,
  scheduleEndMs,
  sizeChild,
  type WaitReason,
  watchOf,
} from "./child-size.ts";
export { evolve, evolveAll, type FactContext } from "./evolve.ts";
export { levelOf, withJoinedShares } from "./list-form.ts";
export {
  executes,
  type LegEvent,
  type ListStatusView,
  listStatusOf,
  listTermsOf,
  orderListOf,
  protectiveFirst,
  transitionList,
} from "./order-list.ts";
export type {
  ChildFills,
  Effect,
  ExecutionAttempt,
  ParentEvent,
  Rules,
  TransitionContext,
} from "./parent-event.ts";
export { type ApiState, type OrderStatus, type StatusView, statusOf } from "./parent-event.ts";
export {
  type OrderPreview,
  type PreviewContext,
  type PreviewSlot,
  previewOrder,
  type QuoteText,
} from "./preview.ts";
export { expiresAtMs, isExpired, isInside, isMet, isStallAlertDue } from "./report.ts";
export {
  CHILD_PREFIX,
  childIdOf,
  countOfId,
  managedIdOf,
  readChildId,
  shardOf,
  type Transition,
  transition,
} from "./transition.ts";
