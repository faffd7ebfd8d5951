import {
  EXECUTION_REASONS,
  EXECUTION_TYPES,
  NATIVE_STATUSES,
  REJECT_REASONS,
  SIDES,
  words,
} from "../../host-answers/index.ts";
import type { ApiState, ListStatusView, OrderStatus } from "../../lifecycle/index.ts";
import {
  type AlertKind,
  type ChildTimeInForce,
  type Contingency,
  type EndReason,
  type ExecutionReason,
  type NativeExecution,
  type NativeStatus,
  ORDER_TYPES,
  type ParentType,
  type RejectReason,
  type Side,
  type StallCause,
  type TimeInForce,
} from "../../model/index.ts";

/** Members that are one of a few words, named after a member that has them. */
interface Words {
  readonly alert: AlertKind;
  readonly apiState: ApiState;
  readonly childTimeInForce: ChildTimeInForce;
  readonly contingencyType: Contingency;
  readonly endReason: EndReason;
  readonly execType: NativeExecution["execType"];
  readonly listOrderStatus: ListStatusView["listOrderStatus"];
  readonly listStatusType: ListStatusView["listStatusType"];
  readonly nativeStatus: NativeStatus;
  readonly reason: ExecutionReason;
  readonly rejectReason: RejectReason;
  readonly side: Side;
  readonly stalled: StallCause;
  readonly status: OrderStatus;
  readonly system: "normal" | "degraded" | "draining";
  readonly timeInForce: TimeInForce;
  readonly type: ParentType;
  readonly updateType: NativeExecution["execType"] | "TRIGGERED" | "ALERT";
}

/** The words of each kind of member that is one of a few. */
export const WORDS: { readonly [K in keyof Words]: readonly Words[K][] } = {
  alert: words<AlertKind>({
    LATE_FILL: true,
    OVERFILL: true,
    UNKNOWN_ESCALATED: true,
    INVARIANT_BROKEN: true,
    POSITION_UNPROTECTED: true,
    VENUE_REPORT_INVALID: true,
    CHILD_BEYOND_LIMIT: true,
    ORDER_STALLED: true,
    ORDER_RESUMED: true,
  }),
  apiState: words<Words["apiState"]>({
    WAITING: true,
    WORKING: true,
    UNKNOWN: true,
    FILLED: true,
    CANCELED: true,
    EXPIRED: true,
    REJECTED: true,
  }),
  childTimeInForce: words<Words["childTimeInForce"]>({ IOC: true, FOK: true }),
  contingencyType: words<Words["contingencyType"]>({ OCO: true, OTO: true, OTOCO: true }),
  endReason: words<EndReason>({
    FILLED: true,
    USER_CANCELED: true,
    EXPIRED_GTD: true,
    RESIDUAL_BELOW_MIN_NOTIONAL: true,
    REJECTED_BY_VENUE: true,
    OVERFILL: true,
    BEYOND_LIMIT: true,
    SCHEDULE_ENDED: true,
    WOULD_MATCH_IMMEDIATELY: true,
    OCO_TRIGGER: true,
    WORKING_LEG_ENDED: true,
    NOTHING_TO_REDUCE: true,
  }),
  reason: EXECUTION_REASONS,
  execType: EXECUTION_TYPES,
  listOrderStatus: words<Words["listOrderStatus"]>({ EXECUTING: true, ALL_DONE: true }),
  listStatusType: words<Words["listStatusType"]>({ EXEC_STARTED: true, ALL_DONE: true }),
  nativeStatus: NATIVE_STATUSES,
  status: words<Words["status"]>({
    NEW: true,
    PARTIALLY_FILLED: true,
    PENDING_NEW: true,
    FILLED: true,
    CANCELED: true,
    EXPIRED: true,
    REJECTED: true,
  }),
  type: ORDER_TYPES,
  rejectReason: REJECT_REASONS,
  side: SIDES,
  stalled: words<StallCause>({
    REFUSED: true,
    BELOW_MINIMUM: true,
    NO_FUNDS: true,
    STORE_SLOW: true,
    RATE: true,
    WAITING_FOR_EXPOSURE: true,
    LIMIT: true,
    HALTED: true,
  }),
  system: words<Words["system"]>({ normal: true, degraded: true, draining: true }),
  timeInForce: words<Words["timeInForce"]>({ GTC: true, GTD: true }),
  updateType: [...EXECUTION_TYPES, "TRIGGERED", "ALERT"],
};
