import {
  add,
  compare,
  parsePrice,
  parseQuantity,
  type Quantity,
  ZERO_QUANTITY,
} from "../../decimal/index.ts";
import type { CountedPrint, VolumeBar } from "../../model/index.ts";
import type { PrintInput, VolumeHistory, VolumeState } from "../../ports/index.ts";

/** What became of a print. */
export type PrintVerdict = "counted" | "unknown-symbol" | "malformed" | "duplicate" | "future" | "backlog";

/**
 * What a tape begins with; `maxAgeMs` is how old a fresh print may be, `maxAheadMs` how far ahead one may stand,
 * `maxWaiting` how many may wait for the store.
 */
export type TapeOptions = Readonly<{
  symbols: readonly string[];
  state: VolumeState;
  maxAgeMs: number;
  maxAheadMs: number;
  maxWaiting: number;
}>;

const MINUTE_MS = 60_000;

/** Minutes of bars kept in memory: a day. */
const KEPT_MS: number = 1_440 * MINUTE_MS;

/** Ids remembered per symbol; the oldest are dropped first, so that nobody can fill the memory. */
const MOST_IDS = 500_000;

/** Fresh prints per symbol that can still be told from own fills. */
const RING_SIZE = 4_096;

const ID = /^[ -~]{1,64}$/;

/**
 * The executed volume of the service: counts every print once by symbol and id, whatever the number of deliveries,
 * sources and restarts. Fresh ones add to the total of their symbol (POV), all of them to the bar of their minute
 * (VWAP). Memory is ahead of the store by the prints that {@link takePrints} has not handed over. Source: contract,
 * POST /api/order rules 4-5; decisions 29-30.
 */
export class VolumeTape implements VolumeHistory {
  readonly #symbols: ReadonlyMap<string, SymbolTape>;
  readonly #maxAgeMs: number;
  readonly #maxAheadMs: number;
  readonly #maxWaiting: number;
  #prints: CountedPrint[] = [];
  /** Prints counted that are not known to be durable. */
  #waiting = 0;

  constructor(options: TapeOptions) {
    this.#maxWaiting = options.maxWaiting;
    this.#maxAgeMs = options.maxAgeMs;
    this.#maxAheadMs = options.maxAheadMs;
    this.#symbols = new Map(options.symbols.map((symbol) => [symbol, new SymbolTape()]));
    this.#restore(options.state);
  }

  #restore({ totals, bars, prints }: VolumeState): void {
    for (const { symbol, total } of totals) this.#symbols.get(symbol)?.restore(total);
    for (const bar of bars) this.#symbols.get(bar.symbol)?.bars.add(bar.minuteMs, bar.quantity);
    const oldestFirst = prints.toSorted((a, b) => compare(a.seenAtMs, b.seenAtMs));
    for (const { symbol, id, seenAtMs } of oldestFirst) this.#symbols.get(symbol)?.ids.add(id, seenAtMs);
  }

  /**
   * Counts a print, or says why it does not count; one that does not is not remembered either. How old it is, the wall
   * clock says; when it was seen is told in engine time, `nowMs`.
   */
  take(
    print: PrintInput,
    { wallMs, nowMs }: Readonly<{ wallMs: number; nowMs: number }>,
  ): CountedPrint | Exclude<PrintVerdict, "counted"> {
    const tape = this.#symbols.get(print.symbol);
    if (tape === undefined) return "unknown-symbol";
    const quantity = readPrint(print);
    if (quantity === undefined) return "malformed";
    const { symbol, id, timeMs } = print;
    if (tape.ids.has(id)) return "duplicate";
    if (timeMs - wallMs > this.#maxAheadMs) return "future";
    if (this.#waiting >= this.#maxWaiting) return "backlog";
    const fresh = wallMs - timeMs <= this.#maxAgeMs;
    const counted: CountedPrint = { symbol, id, quantity, timeMs, seenAtMs: nowMs, fresh };
    tape.count(counted);
    this.#prints.push(counted);
    this.#waiting++;
    return counted;
  }

  /** Volume of all fresh prints of a symbol since ever; it never falls. */
  total(symbol: string): Quantity {
    return this.#symbols.get(symbol)?.total ?? ZERO_QUANTITY;
  }

  /** How many fresh prints of a symbol were counted in this process. */
  position(symbol: string): number {
    return this.#symbols.get(symbol)?.position ?? 0;
  }

  /**
   * Whether one of the fresh prints counted after a position is none of these own executions. Of more than 4,096
   * prints the newest 4,096 are looked at. Source: decision 30: a child follows an external print only.
   */
  hasExternal(symbol: string, after: Readonly<{ position: number; own: (id: string) => boolean }>): boolean {
    return this.#symbols.get(symbol)?.hasExternal(after) ?? false;
  }

  minutes(range: Readonly<{ symbol: string; fromMs: number; toMs: number }>): readonly VolumeBar[] {
    const { symbol } = range;
    const bars = this.#symbols.get(symbol)?.bars.within(range) ?? [];
    return bars.map(([minuteMs, quantity]) => ({ symbol, minuteMs, quantity }));
  }

  /** The prints counted since the last call, for the next append. */
  takePrints(): readonly CountedPrint[] {
    const prints = this.#prints;
    this.#prints = [];
    return prints;
  }

  /** So many of the prints taken are durable. */
  kept(count: number): void {
    this.#waiting -= count;
  }

  /** Whether there is something to append. */
  get hasPrints(): boolean {
    return this.#prints.length > 0;
  }

  /** Drops ids first seen before a time, `most` at most, and the bars begun before it; how many ids went. Totals stay. */
  forget(beforeMs: number, most: number): number {
    let gone = 0;
    for (const { ids, bars } of this.#symbols.values()) {
      gone += ids.forget(beforeMs, most - gone);
      bars.forget(beforeMs);
    }
    return gone;
  }
}

/** The quantity of a print that is as its type says, which a source may not keep. */
function readPrint({ id, price, quantity, timeMs }: PrintInput): Quantity | undefined {
  if (typeof id !== "string" || !ID.test(id)) return undefined;
  if (!Number.isSafeInteger(timeMs) || timeMs < 0) return undefined;
  if (typeof price !== "string" || typeof quantity !== "string") return undefined;
  return parsePrice(price) === undefined ? undefined : parseQuantity(quantity);
}

/** The volume of one symbol. */
class SymbolTape {
  readonly ids: SeenIds = new SeenIds();
  readonly bars: MinuteBars = new MinuteBars();
  /** Ids of the newest fresh prints; the one counted at position p stands at p modulo the size. */
  readonly #ring: string[] = [];
  #total = ZERO_QUANTITY;
  #position = 0;

  get total(): Quantity {
    return this.#total;
  }

  get position(): number {
    return this.#position;
  }

  restore(total: Quantity): void {
    this.#total = total;
  }

  count({ id, quantity, timeMs, seenAtMs, fresh }: CountedPrint): void {
    this.ids.add(id, seenAtMs);
    this.bars.add(timeMs - (timeMs % MINUTE_MS), quantity);
    if (!fresh) return;
    this.#total = add(this.#total, quantity);
    this.#ring[this.#position % RING_SIZE] = id;
    this.#position++;
  }

  hasExternal(after: Readonly<{ position: number; own: (id: string) => boolean }>): boolean {
    const first = Math.max(after.position, this.#position - RING_SIZE);
    for (let position = this.#position - 1; position >= first; position--) {
      const id = this.#ring[position % RING_SIZE];
      if (id !== undefined && !after.own(id)) return true;
    }
    return false;
  }
}

/** Ids in the order they were first seen. */
class SeenIds {
  readonly #seenAtMs: Map<string, number> = new Map();
  /** Stands before the oldest id: looking for it from the start would step over all that were dropped. */
  #oldest: Iterator<string> | undefined;

  has(id: string): boolean {
    return this.#seenAtMs.has(id);
  }

  add(id: string, seenAtMs: number): void {
    this.#seenAtMs.set(id, seenAtMs);
    if (this.#seenAtMs.size <= MOST_IDS) return;
    this.#oldest ??= this.#seenAtMs.keys();
    this.#seenAtMs.delete(this.#oldest.next().value);
  }

  forget(beforeMs: number, most: number): number {
    let gone = 0;
    for (const [id, seenAtMs] of this.#seenAtMs) {
      if (seenAtMs >= beforeMs || gone === most) return gone;
      this.#seenAtMs.delete(id);
      gone++;
    }
    return gone;
  }
}

/** Volume by minute, of the last day before the newest minute. */
class MinuteBars {
  readonly #quantities: Map<number, Quantity> = new Map();
  #newestMs = 0;

  add(minuteMs: number, quantity: Quantity): void {
    if (minuteMs <= this.#newestMs - KEPT_MS) return;
    this.#quantities.set(minuteMs, add(this.#quantities.get(minuteMs) ?? ZERO_QUANTITY, quantity));
    if (minuteMs <= this.#newestMs) return;
    this.#newestMs = minuteMs;
    this.forget(minuteMs - KEPT_MS + 1);
  }

  /** Oldest first. */
  within(range: Readonly<{ fromMs: number; toMs: number }>): readonly (readonly [number, Quantity])[] {
    return [...this.#quantities]
      .filter(([minuteMs]) => minuteMs >= range.fromMs && minuteMs < range.toMs)
      .sort(([a], [b]) => a - b);
  }

  forget(beforeMs: number): void {
    for (const minuteMs of this.#quantities.keys()) {
      if (minuteMs < beforeMs) this.#quantities.delete(minuteMs);
    }
  }
}
