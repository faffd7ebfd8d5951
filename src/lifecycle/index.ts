export {
  type Admission,
  type AdmissionContext,
  admit,
  type BestPrices,
  DEFAULT_MINIMUM,
  reducibleOf,
} from "./admission.ts";
export {
  executable,
  executableLevels,
  restOf,
  type Sizing,
  type SizingContext,
  sizeChild,
  type WaitReason,
} from "./child-size.ts";
export { isActive, limitConditionOf, limitOf, needsTrigger, watchOf } from "./conditions.ts";
export { expiresAtMs, isExpired } from "./draft.ts";
export { evolve, evolveAll, type FactContext } from "./evolve.ts";
export {
  CHILD_PREFIX,
  childIdOf,
  countOfId,
  managedIdOf,
  readChildId,
  shardOf,
} from "./identity.ts";
export { admitList, type ListAdmissionContext, levelOf } from "./list-admission.ts";
export { type LegEvent, transitionList } from "./list-transition.ts";
export { type ListStatusView, listStatusOf, orderListOf, protectiveFirst } from "./order-list.ts";
export type {
  ChildFills,
  Effect,
  ExecutionAttempt,
  ParentEvent,
  Rules,
  TransitionContext,
} from "./parent-event.ts";
export {
  type OrderPreview,
  type PreviewContext,
  type PreviewSlot,
  previewOrder,
  type QuoteText,
} from "./preview.ts";
export { isScheduleOver, isSlotOver, nextSlotChangeMs, openSlotOf, scheduleEndMs } from "./slots.ts";
export { isInside, isMet, isStallAlertDue } from "./stall.ts";
export { type ApiState, type OrderStatus, type StatusView, statusOf } from "./status.ts";
export { type Transition, transition } from "./transition.ts";
