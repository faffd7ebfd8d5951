import { add, notionalOf, type Scaled, subtract } from "../../decimal/index.ts";
import type { ChildRequest } from "../../model/index.ts";
import type { Compaction } from "./compact-file.ts";
import { type ChildResolved, decodeEntry, type Entry, encodeEntry } from "./entry.ts";
import type { PassedTrade } from "./forgetting-entry.ts";
import { commissionOf } from "./ledger.ts";
import type { VenueFill } from "./venue-fill.ts";
import type { VenueRecord } from "./venue-record.ts";

/**
 * Compacts the venue's record line by line. Lines of forgotten children are dropped; one line in their place has their
 * counts and the sums of their trades. The remaining lines, in order, reproduce the same venue.
 */
export class RecordCompaction implements Compaction {
  readonly #record: VenueRecord;
  /** Forgotten children found so far; and outcomes of the held ones. */
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
