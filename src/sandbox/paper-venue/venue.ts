import { errorCode } from "../../common/index.ts";
import { formatPrice, formatQuantity, min, portion, type Quantity } from "../../decimal/index.ts";
import { ERRORS } from "../../errors/index.ts";
import { reducibleOf } from "../../lifecycle/index.ts";
import type { ChildRequest, Fill, Quote } from "../../model/index.ts";
import type {
  ChildReport,
  Clock,
  ExecutionVenue,
  Exposure,
  Instruments,
  NativeOrders,
  NotFound,
  PrintInput,
  Telemetry,
  VenueCapabilities,
  VenueEvent,
} from "../../ports/index.ts";
import { InputError } from "../input-error.ts";
import { type AppendLog, createMemoryLog, openAppendLog } from "./append-log.ts";
import { type ChildResolved, decodeEntry, type Entry, encodeEntry } from "./entry.ts";
import { FaultPlan, FRACTION_SCALE, type VenueFault } from "./fault.ts";
import { Forgetter } from "./forgetter.ts";
import { debitOf, parseAmount } from "./ledger.ts";
import { NativeOrderManager } from "./native-order-manager.ts";
import { OrderBook, type Take, total } from "./order-book.ts";
import { UNKNOWN_INSTRUMENT, VENUE_RESTARTED } from "./order-terms.ts";
import { parsePosition } from "./positions.ts";
import type { Forgetting } from "./settled-children.ts";
import { type ChildRow, VenueRecord, VenueRecordError } from "./venue-record.ts";

/** What a paper venue is made of; without a `path` its record is in memory. */
export type PaperVenueOptions = Readonly<{
  clock: Clock;
  instruments: Instruments;
  path?: string | undefined;
  /** Hears when the record cannot be written any more, and when it can again; each once. */
  telemetry?: Telemetry | undefined;
  /** When a settled child is forgotten. */
  forgetting?: Forgetting;
}>;

/** Two days, so that a recorded day can be read whole when it is over; nobody asks less often than this. */
const DEFAULT_FORGETTING: Forgetting = { afterMs: 172_800_000, quietMs: 600_000 };

/**
 * A simulated exchange: fills children against the quotes it sees, keeps balances, and writes everything to a record
 * of its own before it answers, so that after a crash it may know more or less than the engine.
 */
export type PaperVenue = ExecutionVenue &
  Exposure & {
    /** Ordinary orders at the venue; children are among them. */
    readonly native: NativeOrders;
    /** A counted quote: sizes that were used up are there again, and resting orders that it meets are filled. */
    quote(quote: Quote): void;
    /** Tells the fills of native orders since a time as prints again, for whoever may have missed them in a crash. */
    printAgain(sinceMs: number): void;
    /** Tells every fill as a print, until the returned function is called. */
    onPrint(listener: (print: PrintInput) => void): () => void;
    /** Puts a fault in force in place of the one before. */
    setFault(fault: VenueFault): void;
    /** Lets held children go, all or one; resolves to how many. Rejects with InputError when that one is not held. */
    release(childId?: string): Promise<number>;
    /** Says something to the engine; the venue's own record stays as it is. */
    say(event: VenueEvent): void;
    /** The venue's own record of all children, or of one parent's. */
    children(parentOrderId?: number): readonly ChildRow[];
    /** Whether balances of the account were ever set. */
    hasAccount(accountId: number): boolean;
    /** Sets all balances of an account. Rejects with InputError for an amount that is none. */
    setBalances(accountId: number, balances: Readonly<Record<string, string>>): Promise<void>;
    /** All balances of an account, as decimal text by asset. */
    balances(accountId: number): Readonly<Record<string, string>>;
    /** The balances that an execution changed, as they were right after it; `undefined` for one that was none. */
    balancesAfter(executionId: string): Readonly<Record<string, string>> | undefined;
    /**
     * Sets the signed positions of an account by symbol; one that is not named is the balance of the base asset.
     * Rejects with InputError for an instrument that is none and a quantity that is none.
     */
    setPositions(accountId: number, positions: Readonly<Record<string, string>>): Promise<void>;
    /** The positions of an account that were set and moved since, as decimal text by symbol. */
    positions(accountId: number): Readonly<Record<string, string>>;
    /** The position that an execution moved, as it was right after it; `undefined` where none was set. */
    positionAfter(executionId: string): string | undefined;
    /** Whether the venue does something now that needs neither time nor a release. */
    readonly busy: boolean;
    /** Resolves when the venue does nothing more without time, a release or a call. */
    idle(): Promise<void>;
    /** Writes what is pending and closes the record. */
    close(): Promise<void>;
  };

/**
 * Opens the venue on its record. A child that had arrived and was not decided when the process ended is closed
 * without a fill. Throws VenueRecordError with the number of a line that cannot be read.
 */
export async function openPaperVenue(options: PaperVenueOptions): Promise<PaperVenue> {
  const { log, lines } =
    options.path === undefined ? { log: createMemoryLog(), lines: [] } : await openAppendLog(options.path);
  try {
    const record = recordOf(options, lines);
    const venue = new RecordedVenue({ ...options, log, record });
    await venue.closeUndecided();
    return venue;
  } catch (error) {
    // What was wrong is told, not that the file cannot be closed either.
    await log.close().catch(() => undefined);
    throw error;
  }
}

function recordOf({ instruments }: PaperVenueOptions, lines: readonly string[]): VenueRecord {
  const record = new VenueRecord(instruments);
  lines.forEach((line, index) => {
    try {
      record.apply(decodeEntry(line));
    } catch (error) {
      throw new VenueRecordError(`the venue's record is not readable at line ${index + 1}`, { cause: error });
    }
  });
  return record;
}

type Parts = PaperVenueOptions & Readonly<{ log: AppendLog; record: VenueRecord }>;
type Decision = Pick<ChildResolved, "state" | "fills" | "held" | "final" | "detail">;

const refused = (detail: string, final = false): Decision => ({
  state: "rejected",
  fills: [],
  held: false,
  final,
  detail,
});

class RecordedVenue implements PaperVenue {
  readonly capabilities: VenueCapabilities = { honoursDeadline: true, canVoid: false };
  readonly native: NativeOrderManager;
  readonly #clock: Clock;
  readonly #instruments: Instruments;
  readonly #log: AppendLog;
  readonly #record: VenueRecord;
  readonly #book: OrderBook = new OrderBook();
  readonly #faults: FaultPlan = new FaultPlan();
  readonly #listeners: Set<(event: VenueEvent) => void> = new Set();
  readonly #printListeners: Set<(print: PrintInput) => void> = new Set();
  readonly #timers: Set<() => void> = new Set();
  readonly #working: Set<Promise<unknown>> = new Set();
  readonly #telemetry: Telemetry | undefined;
  readonly #forgetter: Forgetter;
  #isBroken = false;

  constructor(parts: Parts) {
    this.#clock = parts.clock;
    this.#instruments = parts.instruments;
    this.#log = parts.log;
    this.#record = parts.record;
    this.#telemetry = parts.telemetry;
    this.#record.orders.takeNews();
    this.#forgetter = new Forgetter({
      ...parts,
      telemetry: parts.telemetry,
      forgetting: parts.forgetting ?? DEFAULT_FORGETTING,
      work: (work) => this.#work(work),
      forgot: (childId) => this.#faults.forget(childId),
    });
    this.native = new NativeOrderManager({
      ...parts,
      book: this.#book,
      commit: (entry, kept) => this.#commit(entry, kept),
      writable: () => this.#writable(),
      durable: () => this.#log.durable(),
      work: (work) => this.#work(work),
      fillsOf: (takes) => takes.map((take, index) => this.#fill(take, index)),
      print: (symbol, fills) => this.#printFills(symbol, fills),
    });
  }

  async submit(child: ChildRequest, { deadlineMs }: Readonly<{ deadlineMs: number }>): Promise<ChildReport> {
    const fault = this.#faults.onSubmit(child);
    if (fault?.mode === "timeout-before") return noAnswer();
    const report = await this.#work(this.#take(child, deadlineMs, fault));
    if (fault?.mode === "timeout-after") return noAnswer();
    if (fault?.mode === "delay") await this.#waitUntil(this.#clock.monotonicMs() + fault.delayMs);
    return report;
  }

  async lookup(child: ChildRequest): Promise<ChildReport | NotFound> {
    const fault = this.#faults.onLookup(child);
    if (fault?.lookup === "fail") throw new Error("the venue could not look the child up");
    if (fault?.lookup === "not-found") return { notFoundAtMs: this.#clock.nowMs() };
    if (fault?.lookup === "delay") await this.#waitUntil(this.#clock.monotonicMs() + fault.delayMs);
    await this.#work(this.#log.durable());
    this.#remember(child.childId);
    this.#forgetter.asked(child.childId);
    // The prints of a child may have gone down with whoever asks: they come again, and each id counts once.
    this.#print(child.childId);
    return this.#record.report(child.childId) ?? { notFoundAtMs: this.#clock.nowMs() };
  }

  subscribe(listener: (event: VenueEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  position(accountId: number, symbol: string): Quantity {
    const asset = this.#instruments.find(symbol)?.baseAsset ?? "";
    const position = this.#record.positions.find(accountId, symbol);
    return position ?? (this.#record.ledger.balance(accountId, asset) as Quantity);
  }

  quote(quote: Quote): void {
    this.#book.replace(quote);
    if (this.#writable() === undefined) this.native.meet(quote.symbol);
  }

  printAgain(sinceMs: number): void {
    for (const { terms, fills } of this.#record.orders.all) {
      if (terms.isChild) continue;
      this.#printFills(
        terms.symbol,
        fills.filter(({ timeMs }) => timeMs >= sinceMs),
      );
    }
  }

  onPrint(listener: (print: PrintInput) => void): () => void {
    this.#printListeners.add(listener);
    return () => this.#printListeners.delete(listener);
  }

  setFault(fault: VenueFault): void {
    this.#faults.set(fault);
  }

  async release(childId?: string): Promise<number> {
    const held = this.#record.held();
    if (childId !== undefined && !held.includes(childId)) throw new InputError(`no held child ${childId}`);
    const children = childId === undefined ? held : [childId];
    const timeMs = this.#clock.nowMs();
    await this.#work(
      Promise.all(children.map((id) => this.#commit({ kind: "released", childId: id, timeMs }))),
    );
    for (const id of children) {
      const report = this.#record.report(id);
      if (report !== undefined) this.say({ report });
      this.#print(id);
      this.#forgetter.asked(id);
    }
    return children.length;
  }

  say(event: VenueEvent): void {
    for (const listener of [...this.#listeners]) listener(event);
  }

  children(parentOrderId?: number): readonly ChildRow[] {
    return this.#record.rows(parentOrderId);
  }

  hasAccount(accountId: number): boolean {
    return this.#record.ledger.has(accountId);
  }

  async setBalances(accountId: number, balances: Readonly<Record<string, string>>): Promise<void> {
    for (const [asset, text] of Object.entries(balances)) {
      if (parseAmount(asset, text) === undefined) throw new InputError(`balances.${asset}: not an amount`);
    }
    await this.#work(this.#commit({ kind: "balances", accountId, balances, timeMs: this.#clock.nowMs() }));
  }

  balances(accountId: number): Readonly<Record<string, string>> {
    return this.#record.ledger.show(accountId);
  }

  balancesAfter(executionId: string): Readonly<Record<string, string>> | undefined {
    return this.#record.ledger.showAfter(executionId);
  }

  async setPositions(accountId: number, positions: Readonly<Record<string, string>>): Promise<void> {
    for (const [symbol, text] of Object.entries(positions)) {
      if (this.#instruments.find(symbol) === undefined)
        throw new InputError(`positions.${symbol}: no instrument`);
      if (parsePosition(text) === undefined) throw new InputError(`positions.${symbol}: not a quantity`);
    }
    await this.#work(this.#commit({ kind: "positions", accountId, positions, timeMs: this.#clock.nowMs() }));
  }

  positions(accountId: number): Readonly<Record<string, string>> {
    return this.#record.positions.show(accountId);
  }

  positionAfter(executionId: string): string | undefined {
    return this.#record.positions.showAfter(executionId);
  }

  get busy(): boolean {
    return this.#working.size > 0;
  }

  async idle(): Promise<void> {
    while (this.busy) await Promise.allSettled(this.#working);
  }

  async close(): Promise<void> {
    for (const cancel of this.#timers) cancel();
    this.#timers.clear();
    this.#forgetter.stop();
    await this.idle();
    await this.#log.close();
  }

  /** Decides the children that a crash left undecided: whoever asks must not find them open for ever. */
  async closeUndecided(): Promise<void> {
    const decision: Decision = {
      state: "closed",
      fills: [],
      held: false,
      final: false,
      detail: VENUE_RESTARTED,
    };
    for (const childId of this.#record.unresolved()) {
      await this.#resolve(childId, decision);
      this.#forgetter.asked(childId);
    }
  }

  async #take(child: ChildRequest, deadlineMs: number, fault: VenueFault | undefined): Promise<ChildReport> {
    await this.#writable();
    const { childId } = child;
    this.#remember(childId, deadlineMs);
    const isNew = !this.#record.has(childId);
    await this.#commit({ kind: "arrived", child, deadlineMs, timeMs: this.#clock.nowMs() });
    if (isNew) {
      await this.#resolve(childId, this.#decide(child, deadlineMs, fault));
      this.#print(childId);
    }
    this.#forgetter.asked(childId);
    await this.#log.durable();
    return this.#record.report(childId) ?? { childId, state: "open", fills: [] };
  }

  /** Throws where the child may be one that is forgotten: "not found" or a refusal would be a guess, a second execution worse. */
  #remember(childId: string, deadlineMs?: number): void {
    if (!this.#record.mayBeForgotten(childId, deadlineMs)) return;
    throw new Error("the venue does not remember children of so long ago");
  }

  #decide(child: ChildRequest, deadlineMs: number, fault: VenueFault | undefined): Decision {
    if (this.#clock.nowMs() > deadlineMs) return refused("The deadline had passed on arrival.");
    const instrument = this.#instruments.find(child.symbol);
    if (instrument === undefined) return refused(UNKNOWN_INSTRUMENT, true);
    if (fault?.mode === "reject") return refused("The venue refused the order.");
    const wanted = this.#reducible(child);
    if (wanted <= 0) return refused(ERRORS.REDUCE_ONLY_REJECTED.text);
    const there = this.#book.match({ ...child, quantity: wanted });
    const { accountId, side } = child;
    const debit = debitOf({ accountId, side, baseAsset: instrument.baseAsset, fills: there });
    if (!this.#record.ledger.covers(debit)) return refused(ERRORS.INSUFFICIENT_BALANCE.text);
    const takes = this.#allowed(child, there, fault);
    this.#book.take(child, takes);
    const fills = takes.map((take, index) => this.#fill(take, index));
    return { state: "closed", fills, held: fault?.mode === "hold", final: false, detail: "" };
  }

  /** What of a child may execute: a reduce-only one never goes beyond a position that was set. */
  #reducible({ accountId, symbol, side, quantity, reduceOnly }: ChildRequest): Quantity {
    const position = reduceOnly ? this.#record.positions.find(accountId, symbol) : undefined;
    return position === undefined ? quantity : min(quantity, reducibleOf(side, position));
  }

  /** FOK is all or nothing; a partial fault leaves a fraction of what is there. */
  #allowed(child: ChildRequest, there: readonly Take[], fault: VenueFault | undefined): readonly Take[] {
    const all = total(there);
    const allowed = fault?.mode === "partial" ? fractionOf(all, fault) : all;
    if (child.timeInForce === "FOK" && allowed < child.quantity) return [];
    return allowed === all ? there : this.#book.match({ ...child, quantity: allowed });
  }

  #fill({ price, quantity }: Take, index: number): Fill {
    const executionId = `pv-${this.#record.executions + index + 1}`;
    return { executionId, quantity, price, timeMs: this.#clock.nowMs() };
  }

  #resolve(childId: string, decision: Decision): Promise<void> {
    return this.#commit({ kind: "resolved", childId, ...decision, timeMs: this.#clock.nowMs() });
  }

  /** Memory first, so that entries apply in the order in which they are kept; resolves when it is on disk. */
  #commit(entry: Entry, kept: () => void = () => undefined): Promise<void> {
    this.#record.apply(entry);
    const news = this.#record.orders.takeNews();
    const written = this.#log.append(encodeEntry(entry), () => {
      this.#recovered();
      this.native.tell(news);
      kept();
    });
    written.catch((error: unknown) => this.#failed(error));
    return written;
  }

  /**
   * Nothing when the record keeps what it is given. Else what could not be written is tried again: resolves when it was,
   * rejects when it was not, so that memory does not run ahead of a disk that is full.
   */
  #writable(): Promise<void> | undefined {
    if (!this.#log.isFailing) return undefined;
    const written = this.#log.durable();
    written.catch((error: unknown) => this.#failed(error));
    return written;
  }

  /** Whoever committed hears of it too, but nobody waits for what a quote has met. */
  #failed(error: unknown): void {
    if (this.#isBroken) return;
    this.#isBroken = true;
    const code = errorCode(error);
    this.#telemetry?.event("error", "venue-record.failed", { code });
  }

  #recovered(): void {
    if (!this.#isBroken) return;
    this.#isBroken = false;
    this.#telemetry?.event("info", "venue-record.recovered", {});
  }

  #print(childId: string): void {
    const symbol = this.#record.request(childId)?.symbol ?? "";
    this.#printFills(symbol, this.#record.report(childId)?.fills ?? []);
  }

  #printFills(symbol: string, fills: readonly Fill[]): void {
    for (const { executionId: id, ...fill } of fills) {
      const print = {
        symbol,
        price: formatPrice(fill.price),
        quantity: formatQuantity(fill.quantity),
        id,
        timeMs: fill.timeMs,
      };
      for (const listener of [...this.#printListeners]) listener(print);
    }
  }

  #work<T>(work: Promise<T>): Promise<T> {
    this.#working.add(work);
    const done = (): void => void this.#working.delete(work);
    work.then(done, done);
    return work;
  }

  #waitUntil(atMs: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#clock.schedule(atMs, () => {
        this.#timers.delete(cancel);
        resolve();
      });
      this.#timers.add(cancel);
    });
  }
}

/** The answer that never comes; nothing refers to it, so it goes when its caller has given up. */
const noAnswer = (): Promise<never> => new Promise(() => undefined);

const fractionOf = (quantity: Quantity, fault: VenueFault): Quantity =>
  portion(quantity, {
    numerator: fault.fraction,
    denominator: 10n ** BigInt(FRACTION_SCALE),
    rounding: "down",
  });
