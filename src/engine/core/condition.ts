/** A condition of an engine that is not normal (decisions 48 and EC). */
export type StatusKind =
  | "DRAINING"
  | "CLOSED"
  | "STORE_FAILING"
  | "DISK_FULL"
  | "SHARD_FENCED"
  | "LEASE_LAPSED"
  | "LEASE_LOST"
  | "CLOCK_APART"
  | "NODE_OUTDATED"
  | "SHARDS_UNOWNED"
  | "HAND_OVER_WANTED"
  | "EVENTS_DROPPED"
  | "VOLUME_NOT_COUNTED"
  | "CHILDREN_LATE"
  | "QUOTES_STOPPED"
  | "ORDERS_STALLED"
  | "CHILD_UNKNOWN";

/** The end of a condition. */
export type StatusEnd =
  | "STORE_RECOVERED"
  | "LEASE_RENEWED"
  | "CLOCK_NEAR"
  | "NODES_CURRENT"
  | "SHARDS_OWNED"
  | "HAND_OVER_WITHDRAWN"
  | "VOLUME_COUNTED"
  | "CHILDREN_IN_TIME"
  | "QUOTES_RESUMED"
  | "ORDERS_RESUMED"
  | "CHILDREN_KNOWN";

/** The end of each condition; undefined for one that lasts until the engine is closed (decisions 48 and EC). */
export const STATUS_ENDS = {
  DRAINING: undefined,
  CLOSED: undefined,
  STORE_FAILING: "STORE_RECOVERED",
  DISK_FULL: "STORE_RECOVERED",
  SHARD_FENCED: undefined,
  LEASE_LAPSED: "LEASE_RENEWED",
  LEASE_LOST: undefined,
  CLOCK_APART: "CLOCK_NEAR",
  NODE_OUTDATED: "NODES_CURRENT",
  SHARDS_UNOWNED: "SHARDS_OWNED",
  HAND_OVER_WANTED: "HAND_OVER_WITHDRAWN",
  EVENTS_DROPPED: undefined,
  VOLUME_NOT_COUNTED: "VOLUME_COUNTED",
  CHILDREN_LATE: "CHILDREN_IN_TIME",
  QUOTES_STOPPED: "QUOTES_RESUMED",
  ORDERS_STALLED: "ORDERS_RESUMED",
  CHILD_UNKNOWN: "CHILDREN_KNOWN",
} as const;

/** One reason why an engine is not normal, in words for an operator. */
export interface StatusReason {
  readonly kind: StatusKind;
  readonly detail: string;
}

/** Condition of an engine: `draining` takes no new orders, `degraded` has a reason (decision 48). */
export interface EngineStatus {
  readonly system: "normal" | "degraded" | "draining";
  readonly reasons: readonly StatusReason[];
}

/** A condition that began, or the end of one. */
export type StatusChange = StatusKind | StatusEnd;

/** A change of which no alert tells: it was asked for, or it is one of orders, of which their own alerts tell. */
export type QuietChange =
  | "DRAINING"
  | "CLOSED"
  | "ORDERS_STALLED"
  | "ORDERS_RESUMED"
  | "CHILD_UNKNOWN"
  | "CHILDREN_KNOWN";

const QUIET: Readonly<Record<QuietChange, true>> = {
  DRAINING: true,
  CLOSED: true,
  ORDERS_STALLED: true,
  ORDERS_RESUMED: true,
  CHILD_UNKNOWN: true,
  CHILDREN_KNOWN: true,
};

/** Returns whether no alert tells of a change. */
export const isQuiet = (change: StatusChange): change is QuietChange => Object.hasOwn(QUIET, change);

/** For each condition whether it stands, and how often it has begun since the engine was opened. */
export type ConditionCounts = Readonly<Record<StatusKind, Readonly<{ stands: boolean; begun: number }>>>;

/** A change of an engine's status, and the status after it. `timeMs` is engine time. */
export interface StatusUpdate {
  readonly change: StatusChange;
  readonly detail: string;
  readonly timeMs: number;
  readonly status: EngineStatus;
}
