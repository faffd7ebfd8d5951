import { compare, type Quantity, ZERO_QUANTITY } from "../../decimal/index.ts";
import type { PricedPrint, VolumeBar } from "../../model/index.ts";
import type { PrintInput, VolumeHistory, VolumeState } from "../../ports/index.ts";
import { readPrint, SymbolTape } from "./symbol-tape.ts";

const NONE: ReadonlyMap<string, PricedPrint> = new Map();

/**
 * Counted prints that are not known to be stored, in the order in which they were counted. An engine that writes the market
 * journal appends them. Any other waits until it reads them in the store, and has them ready in case it becomes the writer.
 */
class PendingPrints {
  readonly #most: number;
  readonly #all: Set<PricedPrint> = new Set();
  readonly #bySymbol: Map<string, Map<string, PricedPrint>> = new Map();
  /** Those that no append has taken yet. Some may have been read in the store since. */
  #due: PricedPrint[] = [];
  /** Those that an append has taken since this engine last began to write. */
  readonly #taken: Set<PricedPrint> = new Set();
  #writes = true;

  constructor(most: number) {
    this.#most = most;
  }

  /** Whether this engine writes the market journal. */
  get writes(): boolean {
    return this.#writes;
  }

  /** Whether as many prints wait as may. */
  get isFull(): boolean {
    return this.#all.size >= this.#most;
  }

  /** Whether there are prints to append. */
  get hasDue(): boolean {
    return this.#due.length > 0;
  }

  get oldest(): PricedPrint | undefined {
    return this.#all.values().next().value;
  }

  add(print: PricedPrint): void {
    const { symbol, id } = print;
    this.#all.add(print);
    const ofSymbol = this.#bySymbol.get(symbol) ?? new Map<string, PricedPrint>();
    this.#bySymbol.set(symbol, ofSymbol.set(id, print));
    if (this.#writes) this.#due.push(print);
  }

  /** Returns the prints of a symbol by id, in the order in which they were counted. */
  of(symbol: string): ReadonlyMap<string, PricedPrint> {
    return this.#bySymbol.get(symbol) ?? NONE;
  }

  /** Removes a print. */
  remove(print: PricedPrint): void {
    this.#all.delete(print);
    this.#bySymbol.get(print.symbol)?.delete(print.id);
    this.#taken.delete(print);
  }

  /** Returns the prints that were counted since the last call, for an append. Its end is told by `stored` or `requeue`. */
  take(): readonly PricedPrint[] {
    const prints = this.#due.filter((print) => this.#all.has(print));
    this.#due = [];
    for (const print of prints) this.#taken.add(print);
    return prints;
  }

  /**
   * Returns those prints of an append that was kept which still wait. What an append kept of the prints that it took before
   * the engine last stopped to write is not known: the market journal may have had another owner by then.
   */
  stored(prints: readonly PricedPrint[]): readonly PricedPrint[] {
    return prints.filter((print) => this.#taken.has(print));
  }

  /** Appends the prints of an append again that was not kept, before all others. */
  requeue(prints: readonly PricedPrint[]): void {
    this.#due = [...this.stored(prints), ...this.#due];
  }

  /** Appends all prints from now on, also those that wait. */
  startWriting(): void {
    this.#writes = true;
    this.#due = [...this.#all];
  }

  /** Appends none any more. Those of an append under way wait as well: the store tells whether it has them. */
  stopWriting(): void {
    this.#writes = false;
    this.#due = [];
    this.#taken.clear();
  }
}

/**
 * Outcome of a print. `unknown-symbol`: the host has no such instrument. `out-of-log`: it contradicts the log of its market.
 */
export type PrintVerdict =
  | "counted"
  | "unknown-symbol"
  | "malformed"
  | "duplicate"
  | "out-of-log"
  | "future"
  | "backlog";

/**
 * Options of a tape. `maxAgeMs` is the greatest age of a fresh print, `maxAheadMs` how far in the future its time may
 * lie, and `maxWaiting` how many prints may wait for the store. `settled` is called with every print that waits no longer,
 * as it is stored and in the order in which it is stored.
 */
export type TapeOptions = Readonly<{
  state: VolumeState;
  maxAgeMs: number;
  maxAheadMs: number;
  maxWaiting: number;
  settled?: (print: PricedPrint) => void;
}>;

/**
 * The executed volume of the service. Counts every print once by symbol and id, whatever the number of deliveries, sources
 * and restarts. Fresh prints add to the total of their symbol (POV); all prints add to the bar of their minute (VWAP).
 * Memory is ahead of the store by the prints that wait (contract, POST /api/order rules 4-5). A market with a log of its
 * trades has a second total, that of its newest print.
 */
export class VolumeTape implements VolumeHistory {
  readonly #symbols: Map<string, SymbolTape> = new Map();
  readonly #maxAgeMs: number;
  readonly #maxAheadMs: number;
  readonly #pending: PendingPrints;
  readonly #settled: (print: PricedPrint) => void;
  /**
   * Whether an append with prints or quotes has no answer for long. Later ones wait until it is over, and no order follows
   * the volume meanwhile.
   */
  isAside = false;
  #isTransient = false;

  constructor(options: TapeOptions) {
    this.#pending = new PendingPrints(options.maxWaiting);
    this.#settled = options.settled ?? (() => undefined);
    this.#maxAgeMs = options.maxAgeMs;
    this.#maxAheadMs = options.maxAheadMs;
    this.#restore(options.state);
  }

  #restore({ totals, bars, prints }: VolumeState): void {
    for (const { symbol, total } of totals) this.#of(symbol).restore(total);
    for (const bar of bars) this.#of(bar.symbol).bars.add(bar.minuteMs, bar.quantity);
    const oldestFirst = prints.toSorted((a, b) => compare(a.seenAtMs, b.seenAtMs));
    for (const { symbol, id, seenAtMs } of oldestFirst) this.#of(symbol).ids.add(id, seenAtMs);
  }

  #of(symbol: string): SymbolTape {
    const known = this.#symbols.get(symbol);
    if (known !== undefined) return known;
    const tape = new SymbolTape();
    this.#symbols.set(symbol, tape);
    return tape;
  }

  /**
   * Counts a print, or returns why it does not count. A print that does not count is not remembered either, except that the
   * log of its market goes on with a duplicate. Its age is measured by the wall clock. `nowMs` is the engine time at which it
   * is seen.
   */
  take(
    print: PrintInput,
    { wallMs, nowMs }: Readonly<{ wallMs: number; nowMs: number }>,
  ): PricedPrint | Exclude<PrintVerdict, "counted" | "unknown-symbol"> {
    const read = readPrint(print);
    if (read === undefined) return "malformed";
    const tape = this.#of(print.symbol);
    const { symbol, id, timeMs } = print;
    const { price, quantity, logged } = read;
    const isFuture = timeMs - wallMs > this.#maxAheadMs;
    const goesOn = logged === undefined || tape.log.isContinuedBy(logged, quantity);
    if (tape.ids.has(id)) {
      // Its volume was counted by another node or before a restart, which knew the log; this tape may not.
      if (logged !== undefined && goesOn && !isFuture) tape.log.advance(logged, timeMs);
      return "duplicate";
    }
    if (!goesOn) return "out-of-log";
    if (isFuture) return "future";
    if (!this.#makeRoom()) return "backlog";
    if (logged !== undefined) tape.log.advance(logged, timeMs);
    const fresh = wallMs - timeMs <= this.#maxAgeMs;
    const counted: PricedPrint = { symbol, id, price, quantity, timeMs, seenAtMs: nowMs, fresh };
    if (this.#isTransient) tape.adopt(counted);
    else {
      tape.count(counted);
      this.#pending.add(counted);
    }
    return counted;
  }

  /**
   * Returns whether one more print may wait. An engine that does not write counts every print: the oldest waits no longer, so
   * that this engine would not store it if it became the writer.
   */
  #makeRoom(): boolean {
    if (!this.#pending.isFull) return true;
    const { oldest, writes } = this.#pending;
    if (writes || oldest === undefined) return false;
    this.#settle(oldest);
    return true;
  }

  /**
   * Takes a print that was read in the store. The volume is then that of the stored print, also if this tape has judged its
   * age otherwise. Returns the print as it is counted if it has not been heard here: with `fresh` only if it may be
   * followed, which the wall clock says too. Returns undefined for one that was counted before.
   */
  takeStored(stored: PricedPrint, wallMs: number): PricedPrint | undefined {
    const tape = this.#of(stored.symbol);
    const pending = this.#pending.of(stored.symbol).get(stored.id);
    if (pending !== undefined) {
      this.#settle(pending, stored);
      return undefined;
    }
    if (tape.ids.mayHave(stored)) return undefined;
    const fresh = stored.fresh && wallMs - stored.timeMs <= this.#maxAgeMs;
    tape.adopt(stored);
    this.#settled(stored);
    return { ...stored, fresh };
  }

  #settle(pending: PricedPrint, stored: PricedPrint = pending): void {
    this.#pending.remove(pending);
    this.#symbols.get(pending.symbol)?.settle(stored, pending);
    this.#settled(stored);
  }

  /** Returns the volume of all fresh prints of a symbol since the beginning. It never falls. */
  total(symbol: string): Quantity {
    return this.#symbols.get(symbol)?.total ?? ZERO_QUANTITY;
  }

  /**
   * Returns the total of the log of a market; undefined before the first print of the log, and if the market has none. It
   * may be behind that of another node, but never falls.
   */
  loggedTotal(symbol: string): Quantity | undefined {
    return this.#symbols.get(symbol)?.log.total;
  }

  /** Returns the total of the log of a market if its newest print is fresh now. */
  loggedNow(symbol: string, wallMs: number): Quantity | undefined {
    const log = this.#symbols.get(symbol)?.log;
    return log !== undefined && wallMs - log.timeMs <= this.#maxAgeMs ? log.total : undefined;
  }

  minutes(range: Readonly<{ symbol: string; fromMs: number; toMs: number }>): readonly VolumeBar[] {
    const { symbol } = range;
    const pending = this.pendingOf(symbol);
    const bars = this.#symbols.get(symbol)?.bars.with(pending).within(range) ?? [];
    return bars.map(([minuteMs, quantity]) => ({ symbol, minuteMs, quantity }));
  }

  /** Returns the counted prints of a symbol that are not known to be stored, in the order in which they were counted. */
  pendingOf(symbol: string): readonly PricedPrint[] {
    return [...this.#pending.of(symbol).values()];
  }

  /** Returns the prints to append that no append has taken yet. `stored` or `requeue` tells what became of them. */
  takePrints(): readonly PricedPrint[] {
    return this.isAside ? [] : this.#pending.take();
  }

  /** Notes that an append with these prints is durable. */
  stored(prints: readonly PricedPrint[]): void {
    for (const print of this.#pending.stored(prints)) this.#settle(print);
  }

  /** Notes that an append with these prints failed. The next one has them again, which adds nothing that is stored. */
  requeue(prints: readonly PricedPrint[]): void {
    this.#pending.requeue(prints);
  }

  /** Whether there are prints to append. */
  get hasPrints(): boolean {
    return this.#pending.hasDue && !this.isAside;
  }

  /** Whether as many prints wait as may. */
  get isFull(): boolean {
    return this.#pending.isFull;
  }

  /** Whether its prints are appended. */
  get writes(): boolean {
    return this.#pending.writes;
  }

  /** Appends its prints from now on, those that wait first. */
  startWriting(): void {
    this.#pending.startWriting();
  }

  /** Appends none of its prints any more. Those that wait are settled by {@link takeStored}. */
  stopWriting(): void {
    this.#pending.stopWriting();
  }

  /** Appends none of its prints, and lets none wait: nobody opens the store after this engine. */
  forgoStore(): void {
    this.stopWriting();
    this.#isTransient = true;
  }

  /**
   * Drops at most `most` ids first seen before a time, and the bars begun before it. Returns the number of dropped
   * ids. Totals stay. Of an engine that does not write, prints of that time wait no longer: the store has forgotten them.
   */
  evict(beforeMs: number, most: number): number {
    for (
      let { oldest } = this.#pending;
      !this.writes && isBefore(oldest, beforeMs);
      { oldest } = this.#pending
    )
      this.#settle(oldest);
    let gone = 0;
    for (const { ids, bars } of this.#symbols.values()) {
      gone += ids.evict(beforeMs, most - gone);
      bars.evict(beforeMs);
    }
    return gone;
  }
}

const isBefore = (print: PricedPrint | undefined, beforeMs: number): print is PricedPrint =>
  print !== undefined && print.seenAtMs < beforeMs;
