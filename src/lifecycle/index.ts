export { type Admission, type AdmissionContext, admissionPriceOf, admit, reducibleOf } from "./admission.ts";
export {
  executable,
  executableLevels,
  restOf,
  type Sizing,
  type SizingContext,
  sizeChild,
  type WaitReason,
} from "./child-size.ts";
export { isActive, limitOf, needsTrigger, watchOf } from "./conditions.ts";
export { evolve, type FactContext } from "./evolve.ts";
export {
  CHILD_PREFIX,
  childIdOf,
  countOfId,
  managedIdOf,
  readChildId,
  SHARD_COUNT,
  shardOf,
  shardOfId,
} from "./identity.ts";
export type { Effect, ParentEvent, Rules, TransitionContext } from "./parent-event.ts";
export { type ApiState, type OrderStatus, type StatusView, statusOf } from "./status.ts";
export { type Transition, transition } from "./transition.ts";
