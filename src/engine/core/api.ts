/// <reference lib="esnext.disposable" preserve="true" />
import type { Price } from "../../decimal/index.ts";
import type {
  BarLengthMs,
  Fill,
  JournalRecord,
  OrderList,
  ParentOrder,
  PriceBar,
  Quote,
  StallCause,
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
import type {
  AccountView,
  AmendRequest,
  CancelAllResult,
  CancelRequest,
  ListKey,
  ListPageRequest,
  ListPlacement,
  PageRequest,
  ParentKey,
  ParentPage,
  PlaceListRequest,
  Placement,
  PlaceRequest,
  Replacement,
  ReplaceRequest,
} from "./calls.ts";
import type { ConditionCounts, EngineEventSource, EngineStatus, PrintUpdate } from "./events.ts";

/** Settings of an engine. Every duration is in milliseconds. */
export interface EngineSettings {
  /** LIQUIDITY_API_ADVANCED_ORDERS_ENABLED; false by default. */
  readonly advancedOrders: boolean;
  /** Whether this deployment runs in liquidity mode; true by default. */
  readonly liquidityMode: boolean;
  /** Opening minimum in USD; "15" by default. */
  readonly minimumNotional: string;
  readonly quoteMaxAgeMs: number;
  readonly quoteMaxAheadMs: number;
  /** A quote that changes by more than this factor is held back until the next quote confirms it. */
  readonly quoteJumpFactor: number;
  /** A step of the wall clock by at least this much raises the alert CLOCK_STEPPED. */
  readonly clockStepMs: number;
  readonly submitDeadlineMs: number;
  readonly venueQuietMs: number;
  readonly retryMinMs: number;
  readonly retryMaxMs: number;
  /** Interval at which a child in flight is looked up even if nothing seems wrong. */
  readonly reconcileEveryMs: number;
  /** How long the host may take to answer a call, by the monotonic clock. */
  readonly hostTimeoutMs: number;
  /**
   * The time between the two measurements after which a reduce-only order without anything to reduce ends, and how late a
   * position may be whose port does not say so; 5,000 by default. A port that declares more prolongs it.
   */
  readonly exposureLagMs: number;
  /** An unknown child older than this raises an alert. */
  readonly escalateAfterMs: number;
  /**
   * An order that should act and of which nothing executes for this time raises the alert ORDER_STALLED, and a market that
   * open orders watch and of which no quote counts for as long QUOTES_STOPPED.
   */
  readonly stalledAfterMs: number;
  readonly maxOpenParents: number;
  readonly maxOpenParentsPerAccount: number;
  /** Bytes of memory that the weights of open parents may take. A VWAP that needs more is refused with -1008. */
  readonly maxWeightBytes: number;
  /** Bytes of memory that the weights of one account's open parents may take, with the same refusal. */
  readonly maxWeightBytesPerAccount: number;
  /** Size in bytes at which a page of parents ends, whatever its limit. A page has at least one parent. */
  readonly maxPageBytes: number;
  /** Number of commands that may wait for the store. Further commands are refused with -1008. */
  readonly maxPendingCommands: number;
  /**
   * Number of executed trades that may wait for the store. Further trades are not counted, and the status says so.
   */
  readonly maxPendingPrints: number;
  /** How long `close` waits for the store, and `idle` for anything. */
  readonly closeTimeoutMs: number;
  /** Journal records of a shard between two snapshots. */
  readonly snapshotEvery: number;
  readonly retentionDays: number;
  /** Most parts of an iceberg. 0, the default, means no limit. */
  readonly maxIcebergParts: number;
  /** Whether the market must lie between the legs of an OCO; false by default. */
  readonly ocoMustStraddle: boolean;
  /**
   * Whether an entry that ends because its rest is below the minimum releases its exits, each for at most what the entry
   * executed. The entry stays EXPIRED. False by default: the exits are canceled.
   */
  readonly residualCountsAsFilled: boolean;
}

/** Options of an engine. */
export interface EngineOptions {
  readonly store: OrderStore;
  readonly instruments: Instruments;
  readonly accounts: Accounts;
  readonly exposure: Exposure;
  readonly venue: ExecutionVenue;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly marketData?: MarketData;
  /** Volumes for VWAP profiles. By default the bars made of the prints that the engine receives. */
  readonly volumeHistory?: VolumeHistory;
  readonly telemetry?: Telemetry;
  readonly settings?: Partial<EngineSettings>;
  /**
   * Called at the named points of opening, submit path and snapshots. A crash test kills the process at one of them.
   */
  readonly probe?: (point: ProbePoint) => void;
}

/**
 * Points at which the probe is called. For a child: around its two durable steps. For an opening: after the store was
 * taken over and before anything is read, and after everything was read and before the engine subscribes to the venue.
 * For a snapshot: before it begins, before it is complete, and after it is complete.
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
 * An operator's statement about a child with an unknown outcome. `closed`: it executed `fills` and will execute nothing
 * more. `rejected`: the venue refused it. `never`: it never arrived, and cannot arrive any more. The engine refuses `never`
 * until the deadline and the quiet time have passed. At a venue that does not honour deadlines, say it only when the id has
 * been voided there, or every process that owned the order's shard since the child was decided has ended: one that stands
 * still may yet send the child, and its quantity would be executed twice. `by` (1-64 printable ASCII characters) and `why`
 * (1-200) go to the journal.
 */
export interface ChildSettlement {
  readonly childId: string;
  readonly state: "closed" | "rejected" | "never";
  /** Executions with `closed`. Those already counted count once. */
  readonly fills?: readonly Fill[];
  readonly by: string;
  readonly why: string;
}

/**
 * An operator's statement about an order that was open in a backup from which the store was restored. `children` has all
 * executions of its children that the venue has; those already counted count once. None means that nothing was executed
 * after the backup. `by` (1-64 printable ASCII characters) and `why` (1-200) go to the journal.
 */
export interface Resumption {
  readonly orderId: number;
  readonly children?: readonly Readonly<{ childId: string; fills: readonly Fill[] }>[];
  readonly by: string;
  readonly why: string;
}

/** Why an order is in its state: its records, oldest first, and what an open order waits for now. */
export interface Story {
  readonly records: readonly JournalRecord[];
  readonly waitingFor?: string;
}

/** Hash of the current state and of the state rebuilt from the journal alone. */
export interface Verification {
  readonly live: string;
  readonly replayed: string;
  readonly records: number;
  readonly equal: boolean;
}

/** Number of children whose outcome is awaited, and of those that are unknown. */
export interface InFlight {
  readonly inFlight: number;
  readonly unknown: number;
}

/**
 * State of an engine at rest, and what it still waits for. `waitingFor` is empty unless something does not answer.
 */
export interface AtRest extends InFlight {
  readonly waitingFor: readonly string[];
}

/** The last counted quote of a symbol, and whether it is fresh now. */
export interface QuoteNow {
  readonly quote: Quote;
  readonly fresh: boolean;
}

/**
 * The bars of a market of one length that begin at or after `fromMs` and before `toMs`, in epoch milliseconds; with a
 * `limit`, the newest of them.
 */
export interface PriceBarRange {
  readonly symbol: string;
  readonly lengthMs: BarLengthMs;
  readonly fromMs: number;
  readonly toMs: number;
  readonly limit?: number;
}

/** What the market side of an engine has counted. */
export interface MarketCounts {
  readonly quotesCounted: number;
  readonly quotesDropped: Readonly<Record<QuoteDrop, number>>;
  readonly printsCounted: number;
  readonly printsDropped: number;
  /** Counted prints with decimals below 10^-6 units or 10^-8 USD, which were cut off. */
  readonly printsRounded: number;
}

/** What the parts of an engine have counted together. */
export interface CoreCounts {
  readonly triggers: number;
  readonly children: number;
  readonly appends: number;
  readonly records: number;
  readonly alerts: number;
}

/** Counters and queue lengths. */
export interface Metrics extends MarketCounts, CoreCounts, InFlight {
  readonly openParents: number;
  /** Durable records of all shards since the journal began. */
  readonly journalSequence: number;
  readonly pendingCommands: number;
  readonly venueQueue: number;
  /** Open parents for which the alert ORDER_STALLED stands, by its cause. */
  readonly stalled: Readonly<Record<StallCause, number>>;
  /** Each condition of the status: whether it stands, and how often it has begun since the engine was opened. */
  readonly conditions: ConditionCounts;
}

/**
 * A running engine. It holds parents, watches quotes, submits children and survives crashes. A method that can refuse
 * rejects with an OrderError.
 */
export interface Engine extends AsyncDisposable {
  readonly settings: EngineSettings;
  readonly events: EngineEventSource;
  /** Sink for quotes and prints. */
  readonly market: MarketSink;
  /**
   * Returns the calls of one account, for a program that acts for one, such as a strategy. A program in which each
   * request brings its account, such as a service, uses the methods below.
   */
  account(accountId: number): AccountView;
  /**
   * Resolves when the parent is durable. A repeated intent answers with the existing order. Rejects with an
   * InvariantError I53 for an intent that was built by hand and that the journal cannot hold.
   */
  place(request: PlaceRequest): Promise<Placement>;
  /** Decides on a parent as `place` does, and places nothing. Rejects with the refusal that `place` would have. */
  check(request: PlaceRequest): Promise<void>;
  /**
   * Resolves when the list is durable, as a whole or not at all. A repeated intent answers with the existing list.
   */
  placeList(request: PlaceListRequest): Promise<ListPlacement>;
  /** Resolves to the list after the cancel of every leg that had not ended. */
  cancelList(key: ListKey): Promise<OrderList>;
  /**
   * Resolves to a list, open or ended; to undefined if the account has none of that name. Rejects with DISCONNECTED while it
   * is not known whether the list was stored.
   */
  findList(key: ListKey): Promise<OrderList | undefined>;
  /** Resolves to lists with a leg that has not ended, oldest first. */
  openLists(request: ListPageRequest): Promise<readonly OrderList[]>;
  /** Resolves to open and ended lists, oldest first. */
  allLists(request: ListPageRequest): Promise<readonly OrderList[]>;
  /** Resolves to the journal records of a list of any account, oldest first. For operators. */
  listStory(listId: number): Promise<readonly JournalRecord[] | undefined>;
  /**
   * Resolves to the order after the cancel: ended, or with a pending end while a child is in flight. Cancels the whole
   * list of a leg. Rejects with CANCEL_RESTRICTED if the order does not meet `restriction`: ONLY_NEW requires that
   * nothing is executed and no child is in flight, ONLY_PARTIALLY_FILLED that something is executed.
   */
  cancel(request: CancelRequest): Promise<ParentOrder>;
  /**
   * Changes terms of an order, and with the quantity of a leg that of the legs which share it, and resolves to the order when that
   * is durable. Id, client id, executions, activation and trailing reference stay. Rejects with NO_SUCH_ORDER, with AMEND_REJECTED for what cannot be
   * changed, with AMEND_NOT_NOW while a child of the order is not settled or something else of it is being stored, and as a
   * placement of the changed order would.
   */
  amend(request: AmendRequest): Promise<ParentOrder>;
  /**
   * Places an order in place of another of its market that is not a leg of a list, and resolves when that is durable: one
   * record ends the one and accepts the other. The new order is checked first; if it is refused, rejects as `place` does, and
   * the other stays as it is. While a child of the other is in flight, the other is canceled as `cancel` does, and the new one
   * is not placed. If the other is unknown or has ended, ALLOW_FAILURE places the new one, and STOP_ON_FAILURE rejects with
   * CANCEL_REJECTED. Rejects with CANCEL_RESTRICTED as `cancel` does, and with CANCEL_REPLACE_FAILED for an order that cannot
   * be replaced, or not while its last child is looked up. A repeated request, with the client id of the new order, answers as the first one did.
   */
  replace(request: ReplaceRequest): Promise<Replacement>;
  /**
   * Cancels every open parent of an account, and resolves to their numbers when the cancels are durable. Parents with a
   * child in flight end when its outcome is known.
   */
  cancelAll(accountId: number): Promise<CancelAllResult>;
  /**
   * Settles a child with an unknown outcome as an operator states. Resolves to its parent when that is durable. Rejects
   * with a SettlementError that gives the reason, for example when the child is not unknown.
   */
  settleChild(settlement: ChildSettlement): Promise<ParentOrder>;
  /**
   * Resumes an order of a store that was restored from a backup, with the executions that the venue has of it. Until
   * then, the order sends no child. Resolves to the order when that is durable. Rejects with a SettlementError that gives
   * the reason, for example when the order was not restored or is resumed already.
   */
  resumeOrder(resumption: Resumption): Promise<ParentOrder>;
  /**
   * Returns whether this engine runs a shard, 0 to 255, and so the accounts of it. An engine of `openNode` runs some, and
   * the event `shards` tells when one comes or goes; any other engine runs all until it is closed or loses them.
   */
  owns(shard: number): boolean;
  /**
   * Tells the engine that balances of an account have changed. Parents whose children were refused for lack of funds soon
   * try again. The service calls this method when the host reports changes of accounts or native orders.
   */
  fundsChanged(accountId: number): void;
  /**
   * Resolves to a parent, open or ended; to undefined if the account has none of that name. Rejects with DISCONNECTED while
   * it is not known whether the parent was stored.
   */
  find(key: ParentKey): Promise<ParentOrder | undefined>;
  /** Resolves to a page of the parents of an account, with `includeHistory` also of ended ones. */
  page(request: PageRequest): Promise<ParentPage>;
  /** Returns the running limit of a dynamic trailing parent before it triggers, from durable marks, at 8 decimals. */
  runningLimit(order: ParentOrder): Price | undefined;
  /** Returns the level at which a trailing parent triggers now, from durable marks, at 8 decimals. */
  runningLevel(order: ParentOrder): Price | undefined;
  /** Returns the last counted quote of a symbol, and whether it is fresh now. */
  quote(symbol: string): QuoteNow | undefined;
  /** Returns the price of the last print of a symbol. */
  lastPrice(symbol: string): Price | undefined;
  /** Executed volume by minute: the host's history, or by default the bars made of the prints of the last day. */
  readonly volumes: VolumeHistory;
  /**
   * Returns the price bars in a range, oldest first, of the newest 1,440 of that length. Periods without prints have
   * none. Returns undefined if the store keeps no price bars.
   */
  priceBars(range: PriceBarRange): readonly PriceBar[] | undefined;
  /**
   * Returns the newest prints of a symbol that were counted since the engine was opened, at most 1,000, in the order in
   * which they were counted.
   */
  recentPrints(symbol: string): readonly PrintUpdate[];
  /** Resolves to an order of any account by its managed id alone. For operators. */
  findAny(orderId: number): Promise<ParentOrder | undefined>;
  /** Resolves to the history of an order of any account; to undefined for an unknown id. For operators. */
  story(orderId: number): Promise<Story | undefined>;
  /**
   * Rebuilds the state from the journal alone and compares it with the current one. It reads the whole journal, in turns
   * between other work. Rejects if the store cannot be read.
   */
  verify(): Promise<Verification>;
  /** Returns the counters since the engine was opened, and the present lengths of its queues. */
  metrics(): Metrics;
  /** Returns whether the engine is normal, and any reasons why not. */
  status(): EngineStatus;
  /**
   * Resolves when nothing more can happen without time or input. Also resolves when a part does not answer: while
   * time stands still, or after `closeTimeoutMs`.
   */
  idle(): Promise<AtRest>;
  /**
   * Whether `idle` has found the engine at rest, waiting for nothing, and nothing has happened since. A simulation asks
   * before it moves its clock, because most quotes meet no order.
   */
  readonly isIdle: boolean;
  /**
   * Reports warnings and errors to a telemetry, if the engine was opened without one, until the returned function is
   * called. Alerts are among them unless `events` has a listener for them. Of several telemetries the first is told. The
   * service calls it for a server.
   */
  reportTo(telemetry: Telemetry): () => void;
  /** Refuses new parents (-1016) from now on. Cancels and reads continue to work. */
  drain(): void;
  readonly draining: boolean;
  /**
   * Hands the shards over to another node without a gap, and closes this engine: waits until a standby is ready, lets the
   * venue answer what was handed to it, withdraws by a record what was not, and releases the shards. Resolves as `close`
   * does. Rejects with a HandOverError, and goes on as before, if no standby is ready within two ttl, at once if there is
   * no other live node, and for an engine that `openNode` did not open.
   */
  handOver(): Promise<AtRest>;
  /**
   * Stops sending, makes pending records durable, answers every call and releases the store, within `closeTimeoutMs`.
   * Resolves to what is left: children whose outcome the next engine looks up, and parts that did not answer. Rejects
   * when the store fails to close. Later calls reject with ENGINE_CLOSED; a second close returns the result of the
   * first. `await using engine = await openEngine(...)` closes the engine at the end of its block.
   */
  close(): Promise<AtRest>;
}
