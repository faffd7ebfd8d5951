import type {
  AlertKind,
  ChildOutcome,
  ChildState,
  EndReason,
  Fill,
  JournalRecord,
  OrderList,
  ParentOrder,
  PricedPrint,
  Quote,
  TerminalStatus,
} from "../../model/index.ts";

/** A condition of an engine that is not normal. */
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

/** The end of each condition; undefined for one that lasts until the engine is closed. */
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

/** Condition of an engine: `draining` takes no new orders, `degraded` has a reason. */
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

/** A durable change of one parent: its record, and the order after it. */
export interface OrderUpdate {
  readonly shard: number;
  readonly sequence: number;
  readonly record: JournalRecord;
  readonly order: ParentOrder;
}

/**
 * A durable record that touched a list (its creation, a release, a winner, or the end of a leg), and the list after
 * it.
 */
export interface ListUpdate {
  readonly shard: number;
  readonly sequence: number;
  readonly record: JournalRecord;
  readonly list: OrderList;
}

/** Kinds of alerts about the engine itself. `CLOCK_STEPPED` means that the wall clock was set. */
export type EngineAlertKind = "CLOCK_STEPPED" | Exclude<StatusChange, QuietChange>;

/** A condition that a person must look at. `orderId` is absent when it concerns the engine and not an order. */
export interface Alert {
  readonly alert: AlertKind | EngineAlertKind;
  readonly orderId?: number;
  readonly detail: string;
  readonly timeMs: number;
}

/**
 * A counted print with its price, and its number: numbers rise by one per market in the order in which the engine counts.
 * An engine begins above those of earlier ones, as long as their clock was behind and less than 1,000 prints came a
 * millisecond.
 */
export interface PrintUpdate extends PricedPrint {
  readonly number: number;
}

/** An order after a durable record that touched it. `timeMs` is when the record was written, in engine time. */
export interface OrderNow {
  readonly accountId: number;
  readonly orderId: number;
  readonly clientOrderId: string;
  readonly order: ParentOrder;
  readonly timeMs: number;
}

/** A durable execution of a child. */
export interface FillUpdate extends OrderNow {
  readonly childId: string;
  readonly fill: Fill;
}

/**
 * A durable change of a child. SENT: the child is decided and goes to the venue next. OPEN and UNKNOWN: the venue has
 * it, or its outcome is not known. Any other state is how it was resolved.
 */
export interface ChildUpdate extends OrderNow {
  readonly childId: string;
  readonly state: ChildState | ChildOutcome;
  /** Why it is in that state, if a reason is known. */
  readonly detail?: string;
}

/** The durable end of an order. */
export interface EndedUpdate extends OrderNow {
  readonly status: TerminalStatus;
  readonly reason: EndReason;
}

/** Shards that an engine has begun to run, and shards that it has stopped deciding for, because another node runs them next. */
export interface ShardsUpdate {
  readonly gained: readonly number[];
  readonly lost: readonly number[];
}

/**
 * Payloads of the events of an engine, by the name of the event. Events of orders are emitted once, when their record
 * is durable, in journal order per shard. Each order of a record has the event `order`, followed by `fill`, `child`,
 * `ended` and `alert` in the order of its facts. After all orders of the record comes `list`. Market events are emitted
 * when a quote or print counts, in order of arrival. An engine that opens a store emits nothing for what the store
 * contains.
 */
export interface EngineEvents {
  readonly order: OrderUpdate;
  readonly fill: FillUpdate;
  readonly child: ChildUpdate;
  readonly ended: EndedUpdate;
  readonly list: ListUpdate;
  readonly alert: Alert;
  readonly quote: Quote;
  readonly print: PrintUpdate;
  /** Emitted as soon as the engine's condition changes, independent of pending records. */
  readonly status: StatusUpdate;
  /** Emitted by an engine of `openNode` when shards come or go. */
  readonly shards: ShardsUpdate;
}

/**
 * Source of engine events. A listener that throws is logged and affects neither the engine nor the other listeners.
 */
export interface EngineEventSource {
  /** Calls a listener for every event of a name until the returned function is called. */
  on<Name extends keyof EngineEvents>(
    event: Name,
    listener: (payload: EngineEvents[Name]) => void,
  ): () => void;
  /** Calls a listener for the next event of a name, unless the returned function is called before. */
  once<Name extends keyof EngineEvents>(
    event: Name,
    listener: (payload: EngineEvents[Name]) => void,
  ): () => void;
}
