import { type Core, Fifo, ListedInstruments, type MarketHub, QuoteGate } from "../engine/internal.ts";
import { childIdIn, readPrintInput, readQuoteInput, readReport, reportIn } from "../host-answers/index.ts";
import { readChildId } from "../lifecycle/index.ts";
import type { JournalRecord, ParentOrder } from "../model/index.ts";
import type {
  ExecutionVenue,
  Instruments,
  MarketSink,
  PrintInput,
  QuoteInput,
  QuoteVerdict,
  VenueEvent,
} from "../ports/index.ts";

/** Most events that are kept, and most bytes that they may take, as far as they are counted. */
const MOST = 100_000;
const MOST_BYTES = 64 * 1024 * 1024;

/** Bytes that an event takes without its executions, and those of one execution, about. */
const EVENT_BYTES = 500;
const EXECUTION_BYTES = 400;

/** Number of events with uncounted executions that are looked at again when another event comes. */
const LOOKS = 2;

/** Most events whose orders are looked up at once. */
const LOOK_UPS = 16;

/** An event as far as it could be read. One that could not be read is kept as such, with its readable executions. */
type Retained = Readonly<{
  event: VenueEvent;
  key: string;
  childId: string;
  executionIds: readonly string[];
  isReadable: boolean;
  bytes: number;
  atMs: number;
}>;
/** What the journal says of a child with kept events. */
type Child = { events: number; closed: boolean; readonly counted: Set<string> };

/**
 * Returns an order by its id, open or ended; undefined for one that is not kept any more, "unread" for one whose records were
 * not read yet.
 */
type OrderSource = (orderId: number) => Promise<ParentOrder | "unread" | undefined>;

/** Who hears the events of children, and whether it hears those of a child. */
type Passing = Readonly<{ listener: (event: VenueEvent) => void; accepts: (childId: string) => boolean }>;

/** Bounds of a {@link VenueBuffer}. */
type Bounds = Readonly<{ events: number; bytes: number }>;

/**
 * The venue's events of the last two ttl, and earlier ones with executions that the journal does not contain: no look-up
 * finds those of closed children. Until this node owns the shards, their owner counts them; what it did not count is
 * handed to the engine that takes over. Events whose executions the journal contains by then are left out. An event that
 * is there already, with the same state and executions, is not kept twice.
 */
export class VenueBuffer {
  readonly #core: Core;
  readonly #retentionMs: number;
  readonly #most: Bounds;
  readonly #retained: Fifo<Retained> = new Fifo();
  /** Events of more than two ttl ago. */
  readonly #uncounted: Fifo<Retained> = new Fifo();
  /** Child, state and executions of every event in one of the two. */
  readonly #keys: Set<string> = new Set();
  readonly #children: Map<string, Child> = new Map();
  #bytes = 0;
  #lost = 0;
  #passing: Passing | undefined;
  #unsubscribe: () => void = () => undefined;

  constructor(core: Core, ttlMs: number, most: Bounds = { events: MOST, bytes: MOST_BYTES }) {
    this.#core = core;
    this.#retentionMs = 2 * ttlMs;
    this.#most = most;
  }

  /** Number of events with uncounted executions that were dropped because there were too many. */
  get lost(): number {
    return this.#lost;
  }

  /** Begins to listen. */
  begin(venue: ExecutionVenue): void {
    this.#unsubscribe = venue.subscribe((event) => this.#receive(event));
  }

  /** Notes what the owner of the shards has counted. */
  observe({ changes }: JournalRecord): void {
    if (this.#children.size === 0) return;
    for (const { facts } of changes) {
      for (const fact of facts) {
        if (fact.kind === "FILLED") this.#children.get(fact.childId)?.counted.add(fact.fill.executionId);
        if (fact.kind !== "CHILD_CLOSED") continue;
        const child = this.#children.get(fact.childId);
        if (child !== undefined) child.closed = true;
      }
    }
  }

  /**
   * Passes the events that the journal does not contain, and all later ones, to a listener; with `accepts`, only those of
   * children for which it returns true. The others are kept until {@link release}.
   */
  passOn(listener: Passing["listener"], accepts: Passing["accepts"] = () => true): () => void {
    this.#passing = { listener, accepts };
    this.release();
    return () => this.stop();
  }

  /**
   * Looks up the orders of some events that are kept for longer than two ttl, and drops those whose executions are counted,
   * and those of orders that are in the store no more. Each is looked up once in two ttl. The records that were read do not
   * tell of executions that were counted before the event came, or by this node when it ran the shard.
   */
  async settle(orderOf: OrderSource): Promise<void> {
    const nowMs = this.#core.monotonicMs();
    this.#drop(nowMs - this.#retentionMs);
    let hasLooked = false;
    for (let left = Math.min(this.#uncounted.size, LOOK_UPS); left > 0; left--) {
      const one = this.#uncounted.shift();
      if (one === undefined) break;
      const isDue = one.atMs <= nowMs - this.#retentionMs;
      // Before the look-up, which may fail.
      this.#uncounted.push(isDue ? { ...one, atMs: nowMs } : one);
      if (isDue) await this.#lookUp(one, orderOf);
      hasLooked ||= isDue;
    }
    if (!hasLooked) return;
    for (let left = this.#uncounted.size; left > 0; left--) this.#retainUncounted(this.#uncounted.shift());
  }

  /** Notes which executions of an event its order has; all of them for an order that is not kept any more. */
  async #lookUp({ childId, executionIds }: Retained, orderOf: OrderSource): Promise<void> {
    const orderId = readChildId(childId)?.orderId;
    const order = orderId === undefined ? undefined : await orderOf(orderId);
    if (order === "unread") return;
    const counted = this.#children.get(childId)?.counted;
    for (const id of executionIds) if (order?.executions.has(childId, id) !== false) counted?.add(id);
  }

  /** Passes on kept events of children that the listener hears now: their shards have come to this node. */
  release(): void {
    const { listener, accepts } = this.#passing ?? {};
    if (listener === undefined || accepts === undefined) return;
    this.#drop(this.#core.monotonicMs() - this.#retentionMs);
    const missing: Retained[] = [];
    for (const queue of [this.#uncounted, this.#retained]) {
      for (let left = queue.size; left > 0; left--) {
        const one = queue.shift();
        if (one === undefined) break;
        if (!accepts(one.childId)) {
          queue.push(one);
          continue;
        }
        if (!this.#isClosedAndCounted(one)) missing.push(one);
        this.#evict(one);
      }
    }
    for (const { event } of missing) listener(event);
  }

  stop(): void {
    this.#passing = undefined;
    this.#clear();
    this.#unsubscribe();
  }

  #receive(event: VenueEvent): void {
    const childId = childIdIn(event);
    if (this.#passing?.accepts(childId ?? "") === true) return this.#passing.listener(event);
    if (childId === undefined) return;
    const atMs = this.#core.monotonicMs();
    this.#drop(atMs - this.#retentionMs);
    const one = retainedOf(event, childId, atMs);
    if (this.#keys.has(one.key)) return;
    this.#keys.add(one.key);
    this.#retained.push(one);
    this.#bytes += one.bytes;
    const child = this.#children.get(childId) ?? { events: 0, closed: false, counted: new Set() };
    child.events++;
    this.#children.set(childId, child);
    this.#shrink();
  }

  /** Drops the events from before a time whose executions are counted. */
  #drop(beforeMs: number): void {
    // In turn, so that one which is never counted does not keep the others.
    for (let looks = 0; looks < LOOKS; looks++) this.#retainUncounted(this.#uncounted.shift());
    for (let one = this.#retained.first; one !== undefined && one.atMs < beforeMs; one = this.#retained.first)
      this.#retainUncounted(this.#retained.shift());
  }

  /** Drops the oldest of too many events, and tells of those whose executions are not counted. */
  #shrink(): void {
    const before = this.#lost;
    while (this.#retained.size + this.#uncounted.size > this.#most.events || this.#bytes > this.#most.bytes) {
      const one = this.#uncounted.shift() ?? this.#retained.shift();
      if (one === undefined) break;
      if (readChildId(one.childId) !== undefined && !this.#isCounted(one)) this.#lost++;
      this.#evict(one);
    }
    if (before === 0 && this.#lost > 0)
      this.#core.telemetry.event("error", "standby.events-dropped", { most: this.#most.events });
  }

  #retainUncounted(one: Retained | undefined): void {
    if (one === undefined) return;
    if (readChildId(one.childId) === undefined || this.#isCounted(one)) this.#evict(one);
    else this.#uncounted.push(one);
  }

  #evict({ childId, key, bytes }: Retained): void {
    this.#keys.delete(key);
    this.#bytes -= bytes;
    const child = this.#children.get(childId);
    if (child !== undefined && --child.events === 0) this.#children.delete(childId);
  }

  #clear(): void {
    for (const queue of [this.#uncounted, this.#retained]) while (queue.size > 0) queue.shift();
    this.#keys.clear();
    this.#children.clear();
    this.#bytes = 0;
  }

  /** Returns whether the journal contains all executions of an event; true for an event without any. */
  #isCounted({ childId, executionIds }: Retained): boolean {
    const counted = this.#children.get(childId)?.counted;
    return executionIds.every((executionId) => counted?.has(executionId) === true);
  }

  /** Returns whether an event tells the engine nothing new. */
  #isClosedAndCounted(one: Retained): boolean {
    return one.isReadable && this.#children.get(one.childId)?.closed === true && this.#isCounted(one);
  }
}

/** Reads an event into a form of limited size, whatever else the venue's object holds. */
function retainedOf(event: VenueEvent, childId: string, atMs: number): Retained {
  const read = readReport(reportIn(event), childId);
  const isReadable = read.kind === "report";
  const { fills } = isReadable ? read.report : read;
  const report = isReadable ? read.report : ({ childId, fills } as VenueEvent["report"]);
  const executionIds = fills.map(({ executionId }) => executionId);
  return {
    event: { report },
    key: [childId, report.state ?? "unreadable", ...executionIds].join(" "),
    ...{ childId, executionIds, isReadable, atMs },
    bytes: EVENT_BYTES + executionIds.length * EXECUTION_BYTES,
  };
}

/** A print, and when it was heard by the monotonic clock and by the wall clock. */
type ReceivedPrint = Readonly<{ print: PrintInput; atMs: number; wallMs: number }>;

/**
 * The market as a node hears it before its engine runs. It counts quotes in gates that the engine goes on with, so that no wild
 * first quote is believed: the first one of each market must be confirmed by a second near it. It keeps the prints of the last
 * two ttl, which the engine then counts.
 */
export class WaitingMarket implements MarketSink {
  readonly gates: Map<string, QuoteGate> = new Map();
  readonly #listed: ListedInstruments;
  readonly #core: Core;
  readonly #retentionMs: number;
  readonly #prints: Fifo<ReceivedPrint> = new Fifo();
  #successor: MarketSink | undefined;

  constructor(core: Core, instruments: Pick<Instruments, "find">, ttlMs: number) {
    this.#core = core;
    this.#listed = new ListedInstruments(core, instruments);
    this.#retentionMs = 2 * ttlMs;
  }

  /** Returns the gate of a market; undefined if the host has no such instrument. */
  #gateOf(symbol: string): QuoteGate | undefined {
    const known = this.gates.get(symbol);
    if (known !== undefined || !this.#listed.has(symbol)) return known;
    const gate = new QuoteGate(this.#core.settings);
    gate.restore({});
    this.gates.set(symbol, gate);
    return gate;
  }

  quote(given: QuoteInput): QuoteVerdict {
    if (this.#successor !== undefined) return this.#successor.quote(given);
    const input = readQuoteInput(given);
    if (input === undefined) return "malformed";
    const gate = this.#gateOf(input.symbol);
    if (gate === undefined) return "unknown-symbol";
    const taken = gate.take(input, this.#core.time.moment());
    return typeof taken === "string" ? taken : "counted";
  }

  heartbeat(symbol: string): void {
    if (this.#successor !== undefined) return this.#successor.heartbeat(symbol);
    this.gates.get(symbol)?.heartbeat(this.#core.time.moment());
  }

  print(given: PrintInput): void {
    if (this.#successor !== undefined) return this.#successor.print(given);
    if (readPrintInput(given) === undefined) return;
    const atMs = this.#core.monotonicMs();
    this.#drop(atMs - this.#retentionMs);
    this.#prints.push({ print: given, atMs, wallMs: this.#core.time.moment().wallMs });
  }

  /** Passes everything on to the engine, the prints of the last two ttl first. A print is as old as it was when it was heard. */
  passOn(market: Pick<MarketHub, keyof MarketSink | "receivePrint">): void {
    this.#drop(this.#core.monotonicMs() - this.#retentionMs);
    this.#successor = market;
    for (let one = this.#prints.first; one !== undefined; one = this.#prints.first) {
      this.#prints.shift();
      market.receivePrint(one.print, one.wallMs);
    }
  }

  #drop(beforeMs: number): void {
    const { maxPendingPrints } = this.#core.settings;
    for (let one = this.#prints.first; one !== undefined; one = this.#prints.first) {
      if (one.atMs >= beforeMs && this.#prints.size < maxPendingPrints) return;
      this.#prints.shift();
    }
  }
}
