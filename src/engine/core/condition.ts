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

/**
 * A condition that began, or with `STORE_RECOVERED`, `VOLUME_COUNTED`, `CHILDREN_IN_TIME`, `LEASE_RENEWED`, `CLOCK_NEAR`,
 * `NODES_CURRENT`, `SHARDS_OWNED`, `QUOTES_RESUMED` and `HAND_OVER_WITHDRAWN` one that ended. Of single orders the alerts tell, not the status.
 */
export type StatusChange =
  | Exclude<StatusKind, "ORDERS_STALLED" | "CHILD_UNKNOWN">
  | "QUOTES_RESUMED"
  | "STORE_RECOVERED"
  | "CHILDREN_IN_TIME"
  | "LEASE_RENEWED"
  | "CLOCK_NEAR"
  | "NODES_CURRENT"
  | "SHARDS_OWNED"
  | "HAND_OVER_WITHDRAWN"
  | "VOLUME_COUNTED";

/** A change of an engine's status, and the status after it. `timeMs` is engine time. */
export interface StatusUpdate {
  readonly change: StatusChange;
  readonly detail: string;
  readonly timeMs: number;
  readonly status: EngineStatus;
}
