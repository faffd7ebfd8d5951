import { errorMessage } from "../common/index.ts";
import { min, type Quantity } from "../decimal/index.ts";
import { ERRORS } from "../errors/index.ts";
import { reducibleOf } from "../lifecycle/index.ts";
import type { ChildRequest, CountedPrint, Quote } from "../model/index.ts";
import type {
  AssetBalance,
  ChildReport,
  Clock,
  Instruments,
  NotFound,
  PrintInput,
  QuoteInput,
  SubmitOptions,
  VenueCapabilities,
  VenueEvent,
} from "../ports/index.ts";
import type { AppendLog } from "./append-log.ts";
import { DurableVenueRecord, openRecord } from "./durable-record.ts";
import type { EntryOf } from "./entry.ts";
import { charged, type Liquidity, Terms, type VenueFill } from "./execution-terms.ts";
import { type ActiveFault, FaultPlan, fractionOf, type VenueFault } from "./fault.ts";
import { debitOf, parseAmount, parsePosition } from "./ledger.ts";
import { NativeOrderManager, type NativeOrderManagerParts } from "./native-order-manager.ts";
import { firstOf, OrderBook, PrintPublisher, type Take, total } from "./order-book.ts";
import { type PaperVenue, type PaperVenueOptions, paperVenueOption, VenueInputError } from "./paper-venue.ts";
import { Pruner, type Pruning } from "./pruner.ts";
import { type ChildRow, UNKNOWN_INSTRUMENT, VENUE_RESTARTED, type VenueRecord } from "./venue-record.ts";

/**
 * Two days, so that a recorded day can be read completely after it is over. Engines look a child up more often than the
 * quiet time.
 */
const DEFAULT_FORGETTING: Pruning = { afterMs: 172_800_000, quietMs: 600_000 };

/**
 * Opens the venue on its record. A child that had arrived but was undecided when the process ended is closed without a
 * fill. Throws VenueRecordError with the number of a line that cannot be read, and a TypeError or RangeError that names
 * a wrong option.
 *
 * @example
 * ```ts
 * import { createMemoryHost } from "managed-orders/memory";
 * import { openPaperVenue } from "managed-orders/simulator";
 * const { clock, instruments } = createMemoryHost({ symbols: ["BTC/USD"] });
 * const venue = await openPaperVenue({ clock, instruments, terms: { fees: { maker: "0", taker: "0.001" } } });
 * await venue.setBalances(1, { USD: "1000" });
 * console.log(venue.balances(1)); // { USD: '1000' }
 * await venue.close();
 * ```
 */
export async function openPaperVenue(options: PaperVenueOptions): Promise<PaperVenue> {
  paperVenueOption(options, "openPaperVenue");
  return await openVenue({ ...options, restingPrice: "quote" });
}

/** Opens the venue of a simulation, in memory. A resting order executes at its limit. */
export function openSimulatedVenue(options: Omit<PaperVenueOptions, "path">): Promise<PaperVenue> {
  return openVenue({ ...options, restingPrice: "limit" });
}

type OpeningOptions = PaperVenueOptions & Pick<NativeOrderManagerParts, "restingPrice">;

async function openVenue(options: OpeningOptions): Promise<PaperVenue> {
  const { log, record } = await openRecord(options);
  try {
    const venue = new RecordedVenue({ ...options, log, record });
    await venue.closeUndecided();
    return venue;
  } catch (error) {
    // Report the original error, not a failure to close the file.
    await log.close().catch(() => undefined);
    throw error;
  }
}

/** Market of executions, and whether their order waited in the book. */
type Executed = Readonly<{ symbol: string; liquidity: Liquidity }>;

type Decision = Pick<EntryOf<"resolved">, "state" | "fills" | "held" | "final" | "detail">;

const refused = (detail: string, final = false): Decision => ({
  state: "rejected",
  fills: [],
  held: false,
  final,
  detail,
});

class RecordedVenue implements PaperVenue {
  readonly capabilities: VenueCapabilities = { honoursDeadline: true, canVoid: false };
  readonly lagMs = 0;
  readonly native: NativeOrderManager;
  readonly #clock: Clock;
  readonly #instruments: Instruments;
  readonly #log: AppendLog;
  readonly #record: VenueRecord;
  readonly #durable: DurableVenueRecord;
  readonly #book: OrderBook = new OrderBook();
  readonly #faults: FaultPlan = new FaultPlan();
  readonly #listeners: Set<(event: VenueEvent) => void> = new Set();
  readonly #prints: PrintPublisher = new PrintPublisher();
  readonly #timers: Set<() => void> = new Set();
  readonly #working: Set<Promise<unknown>> = new Set();
  readonly #forgetter: Pruner;
  readonly #terms: Terms;

  constructor(parts: OpeningOptions & Readonly<{ log: AppendLog; record: VenueRecord }>) {
    this.#clock = parts.clock;
    this.#instruments = parts.instruments;
    this.#log = parts.log;
    this.#record = parts.record;
    this.#terms = new Terms(parts.terms ?? {}, () => this.#clock.monotonicMs());
    this.#durable = new DurableVenueRecord({ ...parts, notify: (news) => this.native.notify(news) });
    this.#forgetter = new Pruner({
      ...parts,
      telemetry: parts.telemetry,
      forgetting: parts.forgetting ?? DEFAULT_FORGETTING,
      work: (work) => this.#work(work),
      forgot: (childId) => this.#faults.prune(childId),
    });
    this.native = new NativeOrderManager({
      ...parts,
      book: this.#book,
      durable: this.#durable,
      work: (work) => this.#work(work),
      fillsOf: (market, takes) => this.#fills(market, takes),
      terms: this.#terms,
      prints: this.#prints,
    });
  }

  async submit(child: ChildRequest, { deadlineMs }: Pick<SubmitOptions, "deadlineMs">): Promise<ChildReport> {
    const fault = this.#faults.onSubmit(child);
    if (fault?.mode === "timeout-before") return noAnswer();
    await this.#waitFor(this.#terms.submitMs);
    const report = await this.#work(this.#take(child, deadlineMs, fault));
    if (fault?.mode === "timeout-after") return noAnswer();
    await this.#waitFor(this.#terms.answerMs + (fault?.mode === "delay" ? fault.delayMs : 0));
    return report;
  }

  async lookup(child: ChildRequest): Promise<ChildReport | NotFound> {
    const fault = this.#faults.onLookup(child);
    if (fault?.lookup === "fail") throw new Error("the venue could not look the child up");
    if (fault?.lookup === "not-found") return { notFoundAtMs: this.#clock.nowMs() };
    if (fault?.lookup === "delay") await this.#waitFor(fault.delayMs);
    const nowMs = this.#clock.nowMs();
    const { childId, symbol } = child;
    this.#requireRemembered(childId);
    const report = await this.#work(this.#durable.read(() => this.#record.report(childId)));
    this.#forgetter.requested(childId);
    // The engine may have lost a child's prints in a crash. Send them again; each id counts once.
    this.#prints.publish(symbol, report?.fills ?? []);
    return report ?? { notFoundAtMs: nowMs };
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
    if (this.#durable.writable() === undefined) this.native.meet(quote.symbol);
  }

  left(symbol: string): QuoteInput | undefined {
    return this.#book.left(symbol);
  }

  traded({ symbol, quantity }: Pick<CountedPrint, "symbol" | "quantity">): void {
    this.#terms.traded(symbol, quantity);
  }

  printAgain(sinceMs: number): void {
    for (const { terms, fills } of this.#record.orders.all) {
      if (terms.isChild) continue;
      this.#prints.publish(
        terms.symbol,
        fills.filter(({ timeMs }) => timeMs >= sinceMs),
      );
    }
  }

  onPrint(listener: (print: PrintInput) => void): () => void {
    return this.#prints.subscribe(listener);
  }

  setFault(fault: VenueFault): void {
    this.#faults.set(fault);
  }

  async release(childId?: string): Promise<number> {
    const held = this.#record.held();
    if (childId !== undefined && !held.includes(childId))
      throw new VenueInputError(`child: the venue does not hold a child ${childId}`);
    const children = childId === undefined ? held : [childId];
    const timeMs = this.#clock.nowMs();
    await this.#work(
      Promise.all(children.map((id) => this.#durable.commit({ kind: "released", childId: id, timeMs }))),
    );
    for (const id of children) {
      const report = this.#record.report(id);
      if (report !== undefined) this.publish({ report });
      this.#print(id);
      this.#forgetter.requested(id);
    }
    return children.length;
  }

  publish(event: VenueEvent): void {
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
      if (parseAmount(asset, text) === undefined)
        throw new VenueInputError(`balances.${asset}: must be an amount`);
    }
    await this.#work(
      this.#durable.commit({ kind: "balances", accountId, balances, timeMs: this.#clock.nowMs() }),
    );
  }

  funds(accountId: number): readonly AssetBalance[] {
    return this.#record.ledger.funds(accountId);
  }

  fills(of: Readonly<{ childId: string }> | Readonly<{ orderId: bigint }>): readonly VenueFill[] {
    if ("childId" in of) return this.#record.fillsOfChild(of.childId);
    return this.#record.orders.byId(of.orderId)?.fills ?? [];
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
        throw new VenueInputError(`positions.${symbol}: unknown instrument`);
      if (parsePosition(text) === undefined)
        throw new VenueInputError(`positions.${symbol}: must be a quantity`);
    }
    await this.#work(
      this.#durable.commit({ kind: "positions", accountId, positions, timeMs: this.#clock.nowMs() }),
    );
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

  /** Decides the children that a crash left undecided. Otherwise look-ups would find them open forever. */
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
      this.#forgetter.requested(childId);
    }
  }

  async #take(child: ChildRequest, deadlineMs: number, fault: ActiveFault | undefined): Promise<ChildReport> {
    await this.#durable.writable();
    const { childId } = child;
    this.#requireRemembered(childId, deadlineMs);
    const isNew = !this.#record.has(childId);
    const orderId = isNew ? { orderId: this.#record.orders.nextId } : {};
    await this.#durable.commit({
      kind: "arrived",
      ...orderId,
      child,
      deadlineMs,
      timeMs: this.#clock.nowMs(),
    });
    if (isNew) {
      await this.#resolve(childId, this.#decide(child, deadlineMs, fault));
      this.#print(childId);
    }
    this.#forgetter.requested(childId);
    return (
      (await this.#durable.read(() => this.#record.report(childId))) ?? { childId, state: "open", fills: [] }
    );
  }

  /**
   * Throws if the child may be forgotten: "not found" or a refusal would be a guess, and a second execution would be
   * worse.
   */
  #requireRemembered(childId: string, deadlineMs?: number): void {
    if (!this.#record.mayBePruned(childId, deadlineMs)) return;
    throw new Error("the venue no longer remembers children this old");
  }

  #decide(child: ChildRequest, deadlineMs: number, fault: ActiveFault | undefined): Decision {
    if (this.#clock.nowMs() > deadlineMs) return refused("The deadline had passed on arrival.");
    const instrument = this.#instruments.find(child.symbol);
    if (instrument === undefined) return refused(UNKNOWN_INSTRUMENT, true);
    if (fault?.mode === "reject" || this.#terms.refuses()) return refused("The venue refused the order.");
    const wanted = this.#reducible(child);
    if (wanted <= 0) return refused(ERRORS.REDUCE_ONLY_REJECTED.text);
    const { accountId, side, symbol } = child;
    let there: readonly Take[];
    try {
      there = this.#terms.slipped(child, this.#book.match({ ...child, quantity: wanted }));
    } catch (error) {
      return refused(`The slippage model failed: ${errorMessage(error)}`);
    }
    const market: Executed = { symbol, liquidity: "taker" };
    const all = this.#fills(market, there);
    const debit = debitOf({ accountId, side, baseAsset: instrument.baseAsset, fills: all });
    if (!this.#record.ledger.covers(debit)) return refused(ERRORS.INSUFFICIENT_BALANCE.text);
    const takes = this.#allowed(child, there, fault);
    this.#book.take(child, takes);
    this.#terms.executed(child, takes);
    const fills = this.#fills(market, takes);
    return { state: "closed", fills, held: fault?.mode === "hold", final: false, detail: "" };
  }

  /** Returns the quantity of a child that may execute. A reduce-only child never exceeds a position that was set. */
  #reducible({ accountId, symbol, side, quantity, reduceOnly }: ChildRequest): Quantity {
    const position = reduceOnly ? this.#record.positions.find(accountId, symbol) : undefined;
    return position === undefined ? quantity : min(quantity, reducibleOf(side, position));
  }

  /**
   * Returns the takes that the child may have. FOK is all or nothing; a partial fault leaves a fraction of what is
   * available.
   */
  #allowed(child: ChildRequest, there: readonly Take[], fault: ActiveFault | undefined): readonly Take[] {
    const all = total(there);
    const allowed = fault?.mode === "partial" ? fractionOf(all, fault) : all;
    if (child.timeInForce === "FOK" && allowed < child.quantity) return [];
    return firstOf(there, allowed);
  }

  #fills({ symbol, liquidity }: Executed, takes: readonly Take[]): readonly VenueFill[] {
    const timeMs = this.#clock.nowMs();
    const rate = this.#terms.rate(symbol, liquidity);
    return takes.map((take, index) => {
      const { price, quantity, commission } = charged(take, rate);
      const executionId = String(this.#record.executions + index + 1);
      const fee = commission === undefined ? {} : { commission, commissionAsset: "USD" };
      return { executionId, quantity, price, timeMs, ...fee, ...(liquidity === "maker" && { liquidity }) };
    });
  }

  #resolve(childId: string, decision: Decision): Promise<void> {
    return this.#durable.commit({ kind: "resolved", childId, ...decision, timeMs: this.#clock.nowMs() });
  }

  #print(childId: string): void {
    const symbol = this.#record.request(childId)?.symbol ?? "";
    this.#prints.publish(symbol, this.#record.report(childId)?.fills ?? []);
  }

  #work<T>(work: Promise<T>): Promise<T> {
    this.#working.add(work);
    const done = (): void => void this.#working.delete(work);
    work.then(done, done);
    return work;
  }

  async #waitFor(durationMs: number): Promise<void> {
    if (durationMs === 0) return;
    const atMs = this.#clock.monotonicMs() + durationMs;
    await new Promise<void>((resolve) => {
      const cancel = this.#clock.schedule(atMs, () => {
        this.#timers.delete(cancel);
        resolve();
      });
      this.#timers.add(cancel);
    });
  }
}

/** Returns a promise that never settles. Nothing refers to it, so it is collected when its caller has given up. */
const noAnswer = (): Promise<never> => new Promise(() => undefined);
