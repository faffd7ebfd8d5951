import type { Price } from "../../decimal/index.ts";
import type {
  AlertKind,
  CountedPrint,
  Fill,
  JournalRecord,
  ListIntent,
  OrderList,
  ParentIntent,
  ParentOrder,
  Quote,
} from "../../model/index.ts";
import type {
  Accounts,
  Clock,
  Entropy,
  ExecutionVenue,
  Exposure,
  Instruments,
  MarketData,
  MarketSink,
  OrderStore,
  QuoteDrop,
  Telemetry,
  VolumeHistory,
} from "../../ports/index.ts";
import type { OrderFields } from "../../requests/index.ts";

/** Settings of an engine; every duration in milliseconds. Source: decisions 12, 14, 16, 26. */
export type EngineSettings = Readonly<{
  /** LIQUIDITY_API_ADVANCED_ORDERS_ENABLED; false by default. */
  advancedOrders: boolean;
  /** Whether this deployment runs in liquidity mode; true by default. */
  liquidityMode: boolean;
  /** Opening minimum in USD; "15" by default. */
  minimumNotional: string;
  quoteMaxAgeMs: number;
  quoteMaxAheadMs: number;
  /** A change by more than this factor is held back until the next quote confirms it. */
  quoteJumpFactor: number;
  /** A wall clock that is set by at least this much raises the alert CLOCK_STEPPED. */
  clockStepMs: number;
  submitDeadlineMs: number;
  venueQuietMs: number;
  retryMinMs: number;
  retryMaxMs: number;
  /** How often a child in flight is looked up although nothing seems wrong. */
  reconcileEveryMs: number;
  /** How long a host may take to answer a question, by the monotonic clock. */
  hostTimeoutMs: number;
  /** An unknown child older than this raises an alert. */
  escalateAfterMs: number;
  maxOpenParents: number;
  maxOpenParentsPerAccount: number;
  /** Bytes of memory that the weights of open parents may take; a VWAP that needs more is refused with -1008. */
  maxWeightBytes: number;
  /** The same for the open parents of one account. */
  maxWeightBytesPerAccount: number;
  /** Bytes after which a page of parents ends, whatever its limit is; it has one parent at least. */
  maxPageBytes: number;
  /** Commands that may wait for the store; more are refused with -1008. */
  maxPendingCommands: number;
  /** Executed trades that may wait for the store; more do not count, and the status says so. */
  maxPendingPrints: number;
  /** How long a close waits for the store, and `idle` for anything. */
  closeTimeoutMs: number;
  /** Journal records of a shard between two snapshots. */
  snapshotEvery: number;
  retentionDays: number;
  /** Most parts an iceberg may have; 0, the default, means any number (decision 31). */
  maxIcebergParts: number;
  /** Whether the market must lie between the legs of an OCO; false by default (decision 33). */
  ocoMustStraddle: boolean;
}>;

/** What an engine is made of. */
export type EngineOptions = Readonly<{
  store: OrderStore;
  instruments: Instruments;
  accounts: Accounts;
  exposure: Exposure;
  venue: ExecutionVenue;
  clock: Clock;
  entropy: Entropy;
  marketData?: MarketData;
  /** Volumes for VWAP profiles; by default the bars made of the prints that the engine is given. */
  volumeHistory?: VolumeHistory;
  telemetry?: Telemetry;
  settings?: Partial<EngineSettings>;
  /** Called at the named points of opening, submit path and snapshots; a crash test kills the process there. */
  probe?: (point: ProbePoint) => void;
}>;

/**
 * Points around the two durable steps of a child; of an opening (the store is taken over and nothing read; everything is
 * read and the venue not heard yet); of a snapshot (not begun; begun and not complete; complete).
 */
export type ProbePoint =
  | "after-take-over"
  | "after-load"
  | "before-snapshot"
  | "during-snapshot"
  | "after-snapshot"
  | "before-append"
  | "after-append"
  | "before-submit"
  | "after-submit"
  | "before-outcome-append";

/**
 * A placement: the fields of an order as a person writes them, or an intent that was made of them already.
 * Fields without newClientOrderId get a random one.
 */
export type PlaceRequest = Readonly<
  { accountId: number } & ({ order: OrderFields } | { intent: ParentIntent })
>;

/** Answer to a placement: the order as durable, and whether this call created it. */
export type Placement = Readonly<{ order: ParentOrder; created: boolean }>;

/** A list to place; {@link ListIntent} says in which order its legs stand. */
export type PlaceListRequest = Readonly<{ accountId: number; list: ListIntent }>;

/** Answer to a list placement: the list as durable, and whether this call created it. */
export type ListPlacement = Readonly<{ list: OrderList; created: boolean }>;

/** Names one list of an account. */
export type ListKey = Readonly<{ accountId: number } & ({ listId: number } | { listClientOrderId: string })>;

/** Asks for the newest `limit` lists that were accepted in a time, both ends included. */
export type ListPageRequest = Readonly<{
  accountId: number;
  startTimeMs?: number;
  endTimeMs?: number;
  limit: number;
}>;

/** Names one parent of an account. */
export type ParentKey = Readonly<{ accountId: number } & ({ orderId: number } | { clientOrderId: string })>;

/**
 * An operator's word on a child whose outcome is not known. `closed`: it executed `fills` and nothing more will come;
 * `rejected`: the venue refused it; `never`: it never arrived. `by` (1-64 printable ASCII characters) and `why` (1-200)
 * go to the journal. Source: decision CB.
 */
export type ChildSettlement = Readonly<{
  childId: string;
  state: "closed" | "rejected" | "never";
  /** Executions with `closed`; those that were counted already count once. */
  fills?: readonly Fill[];
  by: string;
  why: string;
}>;

/** Reply of a cancel-all: parents that were not terminal, of them ended at once, of them waiting for a child. */
export type CancelAllResult = Readonly<{
  matchedCount: number;
  canceledCount: number;
  cancelPendingCount: number;
}>;

/** Asks for a page of parents; cursor 0 starts. */
export type PageRequest = Readonly<{
  accountId: number;
  includeHistory: boolean;
  newestFirst: boolean;
  limit: number;
  afterOrderId: number;
}>;

/** A page of parents; `nextOrderId` 0 means that it is the last, `total` counts all that match. */
export type ParentPage = Readonly<{ total: number; nextOrderId: number; orders: readonly ParentOrder[] }>;

/** Why an order is where it is: its records, oldest first, and what an open one waits for now. */
export type Story = Readonly<{ records: readonly JournalRecord[]; waitingFor?: string }>;

/** Hash of the state now and of the state made again from the journal alone. */
export type Verification = Readonly<{ live: string; replayed: string; records: number; equal: boolean }>;

/** Children whose outcome is awaited, and how many of them are unknown. */
export type InFlight = Readonly<{ inFlight: number; unknown: number }>;

/** Where an engine has come to rest, and what it still waits for: nothing, unless something does not answer. */
export type AtRest = InFlight & Readonly<{ waitingFor: readonly string[] }>;

/** A condition of an engine that is not normal. Source: decisions 48 and EC. */
export type StatusKind =
  | "DRAINING"
  | "CLOSED"
  | "STORE_FAILING"
  | "DISK_FULL"
  | "SHARD_FENCED"
  | "VOLUME_NOT_COUNTED"
  | "QUOTES_STOPPED"
  | "CHILD_UNKNOWN";

/** One reason why an engine is not normal, in words for an operator. */
export type StatusReason = Readonly<{ kind: StatusKind; detail: string }>;

/** How an engine is: `draining` takes no new orders, `degraded` has a reason. Source: decision 48. */
export type EngineStatus = Readonly<{
  system: "normal" | "degraded" | "draining";
  reasons: readonly StatusReason[];
}>;

/** A condition that began, or `STORE_RECOVERED`, `VOLUME_COUNTED`: one that ended. */
export type StatusChange =
  | Exclude<StatusKind, "QUOTES_STOPPED" | "CHILD_UNKNOWN">
  | "STORE_RECOVERED"
  | "VOLUME_COUNTED";

/** What changed about an engine, and how it is since; `timeMs` is engine time. */
export type StatusUpdate = Readonly<{
  change: StatusChange;
  detail: string;
  timeMs: number;
  status: EngineStatus;
}>;

/** Counters and queue lengths. */
export type Metrics = Readonly<{
  quotesCounted: number;
  quotesDropped: Readonly<Record<QuoteDrop, number>>;
  printsCounted: number;
  printsDropped: number;
  triggers: number;
  children: number;
  appends: number;
  records: number;
  openParents: number;
  /** Durable records of all shards since the journal began. */
  journalSequence: number;
  pendingCommands: number;
  venueQueue: number;
  inFlight: number;
  unknown: number;
  alerts: number;
}>;

/** A durable change of one parent: the record that says so and the order after it. */
export type OrderUpdate = Readonly<{
  shard: number;
  sequence: number;
  record: JournalRecord;
  order: ParentOrder;
}>;

/** A durable record that touched a list: after its creation, a release, a winner, or the end of a leg. */
export type ListUpdate = Readonly<{
  shard: number;
  sequence: number;
  record: JournalRecord;
  list: OrderList;
}>;

/** What a person must be told of the engine itself: somebody has set the wall clock. */
export type EngineAlertKind = "CLOCK_STEPPED" | Exclude<StatusChange, "DRAINING" | "CLOSED">;

/** Something a person must look at; `orderId` is absent where it concerns the engine and no order. */
export type Alert = Readonly<{
  alert: AlertKind | EngineAlertKind;
  orderId?: number;
  detail: string;
  timeMs: number;
}>;

/** A print as it was counted, with its price. */
export type PrintUpdate = CountedPrint & Readonly<{ price: Price }>;

/**
 * Events of an engine. Those of orders are emitted after their record is durable, in journal order per shard; those of
 * the market when a quote or print counts, in the order in which they came.
 */
export type EngineEvents = {
  order: (update: OrderUpdate) => void;
  list: (update: ListUpdate) => void;
  alert: (alert: Alert) => void;
  quote: (quote: Quote) => void;
  print: (print: PrintUpdate) => void;
  /** Its condition changed; emitted when it does, whatever records are on their way. */
  status: (update: StatusUpdate) => void;
};

/** Where a host listens. A listener that throws is logged; neither the engine nor the other listeners notice. */
export type EngineEventSource = {
  on(event: "order", listener: EngineEvents["order"]): unknown;
  on(event: "list", listener: EngineEvents["list"]): unknown;
  on(event: "alert", listener: EngineEvents["alert"]): unknown;
  on(event: "quote", listener: EngineEvents["quote"]): unknown;
  on(event: "print", listener: EngineEvents["print"]): unknown;
  on(event: "status", listener: EngineEvents["status"]): unknown;
  off(event: "order", listener: EngineEvents["order"]): unknown;
  off(event: "list", listener: EngineEvents["list"]): unknown;
  off(event: "alert", listener: EngineEvents["alert"]): unknown;
  off(event: "quote", listener: EngineEvents["quote"]): unknown;
  off(event: "print", listener: EngineEvents["print"]): unknown;
  off(event: "status", listener: EngineEvents["status"]): unknown;
};

/**
 * A running engine: holds parents, watches quotes, submits children, survives crashes.
 * Methods that can refuse reject with an OrderError.
 */
export type Engine = {
  readonly settings: EngineSettings;
  readonly events: EngineEventSource;
  /** Where quotes and prints go. */
  readonly market: MarketSink;
  /**
   * Resolves when the parent is durable. A repeated intent answers with the existing order. Rejects with an
   * InvariantError I53 for an intent that was built by hand and that the journal could not hold.
   */
  place(request: PlaceRequest): Promise<Placement>;
  /** Resolves when the list is durable, all of it or none. A repeated intent answers with the existing list. */
  placeList(request: PlaceListRequest): Promise<ListPlacement>;
  /** Resolves to the list after the cancel of every leg that had not ended. */
  cancelList(key: ListKey): Promise<OrderList>;
  findList(key: ListKey): Promise<OrderList | undefined>;
  /** Lists with a leg that has not ended, oldest first. */
  openLists(request: ListPageRequest): Promise<readonly OrderList[]>;
  /** Open and ended lists, oldest first. */
  allLists(request: ListPageRequest): Promise<readonly OrderList[]>;
  /** The journal records of a list, oldest first, whoever owns it; for operators. */
  listStory(listId: number): Promise<readonly JournalRecord[] | undefined>;
  /** Resolves to the order after the cancel: ended, or with a pending end while a child is in flight. Cancels the whole list of a leg. */
  cancel(key: ParentKey): Promise<ParentOrder>;
  cancelAll(accountId: number): Promise<CancelAllResult>;
  /**
   * An operator's word on a child whose outcome is not known; resolves to its parent when that is durable. Rejects with a
   * SettlementError that says why, for a child that is not unknown among others.
   */
  settleChild(settlement: ChildSettlement): Promise<ParentOrder>;
  /**
   * Balances of an account have changed: parents that were refused for want of funds are tried again soon. The service
   * says it for what its host tells of accounts and native orders. Source: decision HP.
   */
  fundsChanged(accountId: number): void;
  find(key: ParentKey): Promise<ParentOrder | undefined>;
  page(request: PageRequest): Promise<ParentPage>;
  /** The running limit of a dynamic trailing parent before it triggered, from durable marks; at 8 decimals. */
  runningLimit(order: ParentOrder): Price | undefined;
  /** The last counted quote of a symbol, and whether it is fresh now. */
  quote(symbol: string): Readonly<{ quote: Quote; fresh: boolean }> | undefined;
  /** Price text of the last print of a symbol. */
  lastPrice(symbol: string): Price | undefined;
  /** Executed volume by minute: the host's history, without one the bars made of the prints of the last day. */
  readonly volumes: VolumeHistory;
  /** An order by its managed id alone, whoever owns it; for operators. */
  findAny(orderId: number): Promise<ParentOrder | undefined>;
  story(orderId: number): Promise<Story | undefined>;
  verify(): Promise<Verification>;
  metrics(): Metrics;
  /** Whether something stands against the engine being normal, and what. */
  status(): EngineStatus;
  /**
   * Resolves when nothing more can happen without time or input, or when what it waits for does not answer: while time
   * stands still, or for `closeTimeoutMs`.
   */
  idle(): Promise<AtRest>;
  /** Refuses new parents (-1016) from now on; cancels and reads go on. */
  drain(): void;
  readonly draining: boolean;
  /**
   * Stops sending, makes what is pending durable, answers every call, releases the store; within `closeTimeoutMs`.
   * Resolves to what is left: children whose outcome the next engine looks up, and what did not answer. Rejects when the
   * store fails to close. Later calls reject with ENGINE_CLOSED, or with a second close answer as the first.
   */
  close(): Promise<AtRest>;
};
