import { add, notionalOf, type Scaled, subtract } from "../../decimal/index.ts";
import type { ChildRequest, Fill } from "../../model/index.ts";
import type { Compaction } from "./compact-file.ts";
import { type ChildResolved, decodeEntry, type Entry, encodeEntry } from "./entry.ts";
import type { PassedTrade } from "./forgetting-entry.ts";
import type { VenueRecord } from "./venue-record.ts";

/**
 * Makes the venue's record shorter, line by line: those of forgotten children go, and one line in their place says what
 * they counted and moved. What stays makes the same venue, in its order.
 */
export class RecordCompaction implements Compaction {
  readonly #record: VenueRecord;
  /** Forgotten children that were met; a held one with its outcome. */
  readonly #gone: Map<string, ChildRequest> = new Map();
  readonly #held: Map<string, ChildResolved> = new Map();
  readonly #trades: Map<string, PassedTrade> = new Map();
  #orders = 0;
  #executions = 0;
  #read = 0;
  #written = 0;

  constructor(record: VenueRecord) {
    this.#record = record;
  }

  /** How many lines the record has lost. */
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

  /** Whether an entry goes; what it counted and moved is taken in. */
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

  #resolved(entry: ChildResolved): true {
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

  #trade(childId: string, fills: readonly Fill[]): void {
    const child = this.#gone.get(childId);
    if (child === undefined) return;
    const { accountId, symbol, side } = child;
    for (const { price, quantity } of fills) {
      const [base, quote]: [Scaled, Scaled] = [quantity, notionalOf(price, quantity)];
      const signed =
        side === "BUY" ? { base, quote: subtract(0, quote) } : { base: subtract(0, base), quote };
      this.#move({ accountId, symbol, ...signed });
    }
  }

  #move({ accountId, symbol, base, quote }: PassedTrade): void {
    const market = `${accountId} ${symbol}`;
    const sum = this.#trades.get(market) ?? { base: 0, quote: 0 };
    this.#trades.set(market, { accountId, symbol, base: add(sum.base, base), quote: add(sum.quote, quote) });
  }

  /** One line for all that has gone since the last line that stayed. */
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
