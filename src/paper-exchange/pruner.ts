import { errorCode, nextTurn } from "../common/index.ts";
import { add, notionalOf, type Scaled, subtract } from "../decimal/index.ts";
import type { ChildRequest } from "../model/index.ts";
import type { Clock, Telemetry } from "../ports/index.ts";
import type { AppendLog, Compaction } from "./append-log.ts";
import { decodeEntry, type Entry, type EntryOf, encodeEntry, type PassedTrade } from "./entry.ts";
import type { VenueFill } from "./execution-terms.ts";
import { commissionOf } from "./ledger.ts";
import type { VenueRecord } from "./venue-record.ts";

/** Conditions under which a venue may prune a child. */
export interface Pruning {
  /** Time since it was settled, on the venue's clock. */
  readonly afterMs: number;
  /** Time since it was last looked up or the venue was opened, on the monotonic clock. Both conditions must hold. */
  readonly quietMs: number;
}

/** Number of checks for due children in the time after which a child is forgotten. */
const LOOKS = 32;

/** Number of children that are forgotten in one turn, and in one line of the record. */
const SLICE = 256;

/** A record with fewer obsolete lines is not rewritten. */
const STALE_LINES = 1_000;

/** Dependencies of a pruner on its venue. */
type PrunerParts = Readonly<{
  clock: Clock;
  record: VenueRecord;
  log: AppendLog;
  forgetting: Pruning;
  /** Counts a promise as work of the venue until it settles. */
  work: <T>(work: Promise<T>) => Promise<T>;
  /** Called when a child has been durably forgotten. */
  forgot: (childId: string) => void;
  telemetry: Telemetry | undefined;
}>;

/**
 * Prunes children that were settled a while ago. First a line of the record states it; then they are removed from
 * memory, some in each turn. When half of the record is obsolete, it is rewritten beside the old one.
 */
export class Pruner {
  readonly #parts: PrunerParts;
  readonly #settled: SettledChildren;
  #cancel: (() => void) | undefined;
  #isStopped = false;

  constructor(parts: PrunerParts) {
    this.#parts = parts;
    this.#settled = new SettledChildren(parts.forgetting);
    for (const childId of parts.record.settled()) this.requested(childId);
  }

  /**
   * Restarts a child's quiet time: a caller has sent it, looked it up or released it, and may still need its outcome.
   */
  requested(childId: string): void {
    const settledAtMs = this.#parts.record.settledAtMs(childId);
    if (settledAtMs === undefined) return;
    this.#settled.add(childId, { settledAtMs, requestedAtMs: this.#parts.clock.monotonicMs() });
    this.#arm();
  }

  /** Stops forgetting. */
  stop(): void {
    this.#isStopped = true;
    this.#cancel?.();
  }

  #arm(): void {
    if (this.#isStopped || this.#cancel !== undefined || this.#settled.size === 0) return;
    const { clock, forgetting, work } = this.#parts;
    const atMs = clock.monotonicMs() + Math.ceil(forgetting.afterMs / LOOKS);
    this.#cancel = clock.schedule(atMs, () => void work(this.#look()));
  }

  async #look(): Promise<void> {
    try {
      await this.#pruneDue();
      await this.#compact();
    } catch (error) {
      // The writers of the record report that it cannot be written. Children that were not forgotten now are forgotten
      // later.
      const code = errorCode(error);
      this.#parts.telemetry?.event("warn", "venue-record.not-shortened", { code });
    }
    this.#cancel = undefined;
    this.#arm();
  }

  async #pruneDue(): Promise<void> {
    const { clock, record, log } = this.#parts;
    while (!this.#isStopped && !log.isFailing) {
      const now = { nowMs: clock.nowMs(), monotonicMs: clock.monotonicMs() };
      const children = this.#settled.takeDue(now, SLICE);
      if (children.length === 0) return;
      record.leave(children);
      const entry: Entry = { kind: "forgotten", children, timeMs: now.nowMs };
      await log.append(encodeEntry(entry), () => {
        record.apply(entry);
        for (const childId of children) this.#parts.forgot(childId);
      });
      await nextTurn(clock);
    }
  }

  async #compact(): Promise<void> {
    const { record, log } = this.#parts;
    const { stale, lines } = record;
    if (this.#isStopped || stale < STALE_LINES || stale * 2 < lines) return;
    const compaction = new RecordCompaction(record);
    await log.compact({
      line: (text) => {
        if (this.#isStopped) throw new Error("the venue was closed");
        return compaction.line(text);
      },
      end: () => compaction.end(),
    });
    record.compacted({ dropped: compaction.dropped, stale });
  }
}

type ClockTimes = Readonly<{ nowMs: number; monotonicMs: number }>;
type SettlementTimes = Readonly<{ settledAtMs: number; requestedAtMs: number }>;

/**
 * Children whose outcome was reported, in the order in which they may be forgotten. An engine that does not know an
 * outcome looks the child up, so a look-up moves the child to the end.
 */
class SettledChildren {
  readonly #children: Map<string, SettlementTimes> = new Map();
  readonly #forgetting: Pruning;

  constructor(forgetting: Pruning) {
    this.#forgetting = forgetting;
  }

  get size(): number {
    return this.#children.size;
  }

  /** Adds a settled child; `requestedAtMs` is a monotonic time. */
  add(childId: string, settled: SettlementTimes): void {
    this.#children.delete(childId);
    this.#children.set(childId, settled);
  }

  /** Removes and returns the children that may be forgotten now. Checks at most `limit`. */
  takeDue(now: ClockTimes, limit: number): readonly string[] {
    const due: string[] = [];
    let left = limit;
    for (const [childId, settled] of this.#children) {
      const isAhead = settled.settledAtMs > now.nowMs;
      if (left-- === 0 || !(isAhead || this.#isDue(settled, now))) break;
      this.#children.delete(childId);
      // A child with a late deadline, or from before the clock was set back, must not block those behind it.
      if (isAhead) this.#children.set(childId, settled);
      else due.push(childId);
    }
    return due;
  }

  #isDue({ settledAtMs, requestedAtMs }: SettlementTimes, { nowMs, monotonicMs }: ClockTimes): boolean {
    const { afterMs, quietMs } = this.#forgetting;
    return settledAtMs + afterMs <= nowMs && requestedAtMs + quietMs <= monotonicMs;
  }
}

/**
 * Compacts the venue's record line by line. Lines of forgotten children are dropped; one line in their place has their
 * counts and the sums of their trades. The remaining lines, in order, reproduce the same venue.
 */
class RecordCompaction implements Compaction {
  readonly #record: VenueRecord;
  /** Forgotten children found so far; and outcomes of the held ones. */
  readonly #gone: Map<string, ChildRequest> = new Map();
  readonly #held: Map<string, EntryOf<"resolved">> = new Map();
  readonly #trades: Map<string, PassedTrade> = new Map();
  #orders = 0;
  #executions = 0;
  #read = 0;
  #written = 0;

  constructor(record: VenueRecord) {
    this.#record = record;
  }

  /** Number of lines that the record has lost. */
  get dropped(): number {
    return this.#read - this.#written;
  }

  *line(text: string): Iterable<string> {
    this.#read += 1;
    if (this.#passes(decodeEntry(text))) return;
    yield* this.#passed();
    this.#written += 1;
    yield text;
  }

  *end(): Iterable<string> {
    yield* this.#passed();
    for (const part of this.#record.forgotten.parts()) {
      this.#written += 1;
      yield encodeEntry({ kind: "marks", ...part });
    }
  }

  /** Returns whether an entry is dropped. Adds the counts and trades of a dropped entry to the sums. */
  #passes(entry: Entry): boolean {
    switch (entry.kind) {
      case "forgotten":
      case "marks":
        return true;
      case "passed":
        this.#orders += entry.orders;
        this.#executions += entry.executions;
        for (const trade of entry.trades) this.#move(trade);
        return true;
      case "arrived":
        return !this.#record.has(entry.child.childId) && this.#arrived(entry.child);
      case "resolved":
        return !this.#record.has(entry.childId) && this.#resolved(entry);
      case "released":
        return !this.#record.has(entry.childId) && this.#released(entry.childId);
      default:
        return false;
    }
  }

  #arrived(child: ChildRequest): true {
    if (!this.#gone.has(child.childId)) this.#orders += 1;
    this.#gone.set(child.childId, child);
    return true;
  }

  #resolved(entry: EntryOf<"resolved">): true {
    this.#executions += entry.fills.length;
    if (entry.held) this.#held.set(entry.childId, entry);
    else this.#trade(entry.childId, entry.fills);
    return true;
  }

  #released(childId: string): true {
    this.#trade(childId, this.#held.get(childId)?.fills ?? []);
    this.#held.delete(childId);
    return true;
  }

  #trade(childId: string, fills: readonly VenueFill[]): void {
    const child = this.#gone.get(childId);
    if (child === undefined) return;
    const { accountId, symbol, side } = child;
    for (const fill of fills) {
      const { price, quantity: base } = fill;
      const [amount, commission] = [notionalOf(price, base), commissionOf(fill)];
      const signed: Readonly<{ base: Scaled; quote: Scaled }> =
        side === "BUY"
          ? { base, quote: subtract<Scaled>(0, add(amount, commission)) }
          : { base: subtract<Scaled>(0, base), quote: subtract(amount, commission) };
      this.#move({ accountId, symbol, ...signed });
    }
  }

  #move({ accountId, symbol, base, quote }: PassedTrade): void {
    const market = `${accountId} ${symbol}`;
    const sum = this.#trades.get(market) ?? { base: 0, quote: 0 };
    this.#trades.set(market, { accountId, symbol, base: add(sum.base, base), quote: add(sum.quote, quote) });
  }

  /** Writes one line for everything dropped since the last line that was kept. */
  *#passed(): Iterable<string> {
    if (this.#orders + this.#executions + this.#trades.size === 0) return;
    const [orders, executions, trades] = [this.#orders, this.#executions, [...this.#trades.values()]];
    this.#orders = 0;
    this.#executions = 0;
    this.#trades.clear();
    this.#written += 1;
    yield encodeEntry({ kind: "passed", orders, executions, trades });
  }
}
