import {
  add,
  floorFact,
  isFinerFact,
  max,
  PRICE_LIMIT,
  PRICE_SCALE,
  type Price,
  QUANTITY_LIMIT,
  QUANTITY_SCALE,
  type Quantity,
  type Scaled,
  subtract,
  ZERO_QUANTITY,
} from "../../decimal/index.ts";
import type { CountedPrint } from "../../model/index.ts";
import type { PrintInput } from "../../ports/index.ts";

/** The place of a print in the log of its market, and the quantity of all trades up to it, itself included. */
type TradePlace = Readonly<{ sequence: number; total: Quantity }>;

/** What is known of the log of one market: its newest print in this process. Nothing of it is stored. */
class TradeLog {
  #last: TradePlace | undefined;
  #timeMs = Number.NEGATIVE_INFINITY;

  /** The total of the newest print; undefined before the first one. */
  get total(): Quantity | undefined {
    return this.#last?.total;
  }

  /** When the newest print was executed. */
  get timeMs(): number {
    return this.#timeMs;
  }

  /** Returns whether a print of this quantity comes after the newest one, and their totals leave room for it. */
  isContinuedBy({ sequence, total }: TradePlace, quantity: Quantity): boolean {
    if (this.#last === undefined) return total >= quantity;
    return sequence > this.#last.sequence && total >= add(this.#last.total, quantity);
  }

  advance(place: TradePlace, timeMs: number): void {
    this.#last = place;
    this.#timeMs = timeMs;
  }
}

/** The amounts of a print, rounded down to steps, and its place in the log of its market. */
type ReadPrint = Readonly<{
  price: Price;
  quantity: Quantity;
  logged: TradePlace | undefined;
}>;

const ID = /^[ -~]{1,64}$/;

/** Returns what a print says; undefined if a field breaks its type, which a source may do. */
export function readPrint(print: PrintInput): ReadPrint | undefined {
  const { id, timeMs, sequence, total } = print;
  if (typeof id !== "string" || !ID.test(id)) return undefined;
  if (!isWhole(timeMs, 0)) return undefined;
  if (typeof print.price !== "string" || typeof print.quantity !== "string") return undefined;
  const price = within(floorFact(print.price, PRICE_SCALE), PRICE_LIMIT);
  const quantity = within(floorFact(print.quantity, QUANTITY_SCALE), QUANTITY_LIMIT);
  if (price === undefined || quantity === undefined) return undefined;
  if (sequence === undefined && total === undefined) return { price, quantity, logged: undefined };
  // A total has no upper limit: it is a sum.
  const sum = typeof total === "string" ? floorFact(total, QUANTITY_SCALE) : undefined;
  if (sum === undefined || !isWhole(sequence, 1)) return undefined;
  return { price, quantity, logged: { sequence, total: sum as Quantity } };
}

/** Returns whether a print has decimals below the steps, which are not counted. */
export const isFinerPrint = ({ price, quantity }: PrintInput): boolean =>
  isFinerFact(quantity, QUANTITY_SCALE) || isFinerFact(price, PRICE_SCALE);

const within = <T extends Scaled>(value: Scaled | undefined, limit: T): T | undefined =>
  value !== undefined && value > 0 && value < limit ? (value as T) : undefined;

const isWhole = (answer: unknown, from: number): answer is number =>
  Number.isSafeInteger(answer) && (answer as number) >= from;

const MINUTE_MS = 60_000;

/** Age of the bars kept in memory: a day. */
const RETAINED_MS: number = 1_440 * MINUTE_MS;

/** Ids remembered per symbol. The oldest are dropped first, so that no source can fill the memory. */
const MOST_IDS = 500_000;

/** The volume of one symbol: what is stored of it, and on top of that the prints that wait for the store. */
export class SymbolTape {
  readonly ids: RecentIds = new RecentIds();
  /** Bars of the stored prints. */
  readonly bars: MinuteBars = new MinuteBars();
  readonly log: TradeLog = new TradeLog();
  #total = ZERO_QUANTITY;
  /** Volume of the fresh prints that are stored, and of those that wait. */
  #stored = ZERO_QUANTITY;
  #pending = ZERO_QUANTITY;

  /** The volume of all fresh prints. It stays while a print turns out to be stored as one that came late. */
  get total(): Quantity {
    return this.#total;
  }

  restore(total: Quantity): void {
    this.#stored = total;
    this.#total = total;
  }

  /** Counts a print that waits for the store. */
  count({ id, quantity, seenAtMs, fresh }: CountedPrint): void {
    this.ids.add(id, seenAtMs);
    if (!fresh) return;
    this.#pending = add(this.#pending, quantity);
    this.#raise();
  }

  /** Counts a stored print in the place of the one that waited. */
  settle(stored: CountedPrint, pending: CountedPrint): void {
    if (pending.fresh) this.#pending = subtract(this.#pending, pending.quantity);
    this.#addStored(stored);
  }

  /** Counts a stored print that was not heard here. */
  adopt(stored: CountedPrint): void {
    this.ids.add(stored.id, stored.seenAtMs);
    this.#addStored(stored);
  }

  #addStored({ quantity, timeMs, fresh }: CountedPrint): void {
    this.bars.add(minuteOf(timeMs), quantity);
    if (fresh) this.#stored = add(this.#stored, quantity);
    this.#raise();
  }

  #raise(): void {
    this.#total = max(this.#total, add(this.#stored, this.#pending));
  }
}

/** Ids in the order they were first seen. */
class RecentIds {
  readonly #seenAtMs: Map<string, number> = new Map();
  /** Iterator positioned before the oldest id. A new iterator would step over all dropped ids. */
  #oldest: Iterator<string> | undefined;
  /** When the newest of the ids that were dropped was first seen. */
  #droppedMs = Number.NEGATIVE_INFINITY;

  has(id: string): boolean {
    return this.#seenAtMs.has(id);
  }

  /** Returns whether an id is known, or so old that it may have been dropped. */
  mayHave({ id, seenAtMs }: Pick<CountedPrint, "id" | "seenAtMs">): boolean {
    return seenAtMs <= this.#droppedMs || this.has(id);
  }

  add(id: string, seenAtMs: number): void {
    this.#seenAtMs.set(id, seenAtMs);
    if (this.#seenAtMs.size <= MOST_IDS) return;
    this.#oldest ??= this.#seenAtMs.keys();
    const { value } = this.#oldest.next();
    this.#drop(value, this.#seenAtMs.get(value));
  }

  evict(beforeMs: number, most: number): number {
    let gone = 0;
    for (const [id, seenAtMs] of this.#seenAtMs) {
      if (seenAtMs >= beforeMs || gone === most) return gone;
      this.#drop(id, seenAtMs);
      gone++;
    }
    return gone;
  }

  #drop(id: string, seenAtMs = Number.NEGATIVE_INFINITY): void {
    this.#seenAtMs.delete(id);
    this.#droppedMs = Math.max(this.#droppedMs, seenAtMs);
  }
}

/** Volume by minute, for the day before the newest minute. */
class MinuteBars {
  readonly #quantities: Map<number, Quantity>;
  #newestMs: number;

  constructor(quantities: Iterable<readonly [number, Quantity]> = [], newestMs = 0) {
    this.#quantities = new Map(quantities);
    this.#newestMs = newestMs;
  }

  add(minuteMs: number, quantity: Quantity): void {
    if (minuteMs <= this.#newestMs - RETAINED_MS) return;
    this.#quantities.set(minuteMs, add(this.#quantities.get(minuteMs) ?? ZERO_QUANTITY, quantity));
    if (minuteMs <= this.#newestMs) return;
    this.#newestMs = minuteMs;
    this.evict(minuteMs - RETAINED_MS + 1);
  }

  /** Returns the bars with further prints. */
  with(prints: readonly CountedPrint[]): MinuteBars {
    if (prints.length === 0) return this;
    const bars = new MinuteBars(this.#quantities, this.#newestMs);
    for (const { timeMs, quantity } of prints) bars.add(minuteOf(timeMs), quantity);
    return bars;
  }

  /** Returns the bars of a range, oldest first. */
  within(range: Readonly<{ fromMs: number; toMs: number }>): readonly (readonly [number, Quantity])[] {
    return [...this.#quantities]
      .filter(([minuteMs]) => minuteMs >= range.fromMs && minuteMs < range.toMs)
      .sort(([a], [b]) => a - b);
  }

  evict(beforeMs: number): void {
    for (const minuteMs of this.#quantities.keys()) {
      if (minuteMs < beforeMs) this.#quantities.delete(minuteMs);
    }
  }
}

const minuteOf = (timeMs: number): number => timeMs - (timeMs % MINUTE_MS);
