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
import type { QuietChange, StatusChange, StatusUpdate } from "./condition.ts";

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
