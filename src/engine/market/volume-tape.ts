import {
  add,
  compare,
  type Price,
  parsePrice,
  parseQuantity,
  type Quantity,
  ZERO_QUANTITY,
} from "../../decimal/index.ts";
import type { CountedPrint, PricedPrint, VolumeBar } from "../../model/index.ts";
import type { PrintInput, VolumeHistory, VolumeState } from "../../ports/index.ts";

/** Outcome of a print. */
export type PrintVerdict = "counted" | "unknown-symbol" | "malformed" | "duplicate" | "future" | "backlog";

/**
 * Options of a tape. `maxAgeMs` is the greatest age of a fresh print, `maxAheadMs` how far in the future its time may
 * lie, and `maxWaiting` how many prints may wait for the store.
 */
export type TapeOptions = Readonly<{
  symbols: readonly string[];
  state: VolumeState;
  maxAgeMs: number;
  maxAheadMs: number;
  maxWaiting: number;
}>;

const MINUTE_MS = 60_000;

/** Age of the bars kept in memory: a day. */
const KEPT_MS: number = 1_440 * MINUTE_MS;

/** Ids remembered per symbol. The oldest are dropped first, so that no source can fill the memory. */
const MOST_IDS = 500_000;

/** Fresh prints per symbol that can still be distinguished from own fills. */
const RING_SIZE = 4_096;

const ID = /^[ -~]{1,64}$/;

/**
 * The executed volume of the service. Counts every print once by symbol and id, whatever the number of deliveries,
 * sources and restarts. Fresh prints add to the total of their symbol (POV); all prints add to the bar of their
 * minute (VWAP). Memory is ahead of the store by the prints that {@link takePrints} has not handed over (contract,
 * POST /api/order rules 4-5; decisions 29-30).
 */
export class VolumeTape implements VolumeHistory {
  readonly #symbols: ReadonlyMap<string, SymbolTape>;
  readonly #maxAgeMs: number;
  readonly #maxAheadMs: number;
  readonly #maxWaiting: number;
  #prints: PricedPrint[] = [];
  /** Counted prints that are not known to be durable. */
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
   * Counts a print, or returns why it does not count. A print that does not count is not remembered either. Its age
   * is measured by the wall clock. `nowMs` is the engine time at which it is seen. A print that is not to be followed is
   * remembered as one that came late.
   */
  take(
    print: PrintInput,
    { wallMs, nowMs, isFollowed = true }: Readonly<{ wallMs: number; nowMs: number; isFollowed?: boolean }>,
  ): PricedPrint | Exclude<PrintVerdict, "counted"> {
    const tape = this.#symbols.get(print.symbol);
    if (tape === undefined) return "unknown-symbol";
    const amounts = readPrint(print);
    if (amounts === undefined) return "malformed";
    const { symbol, id, timeMs } = print;
    if (tape.ids.has(id)) return "duplicate";
    if (timeMs - wallMs > this.#maxAheadMs) return "future";
    if (this.#waiting >= this.#maxWaiting) return "backlog";
    const fresh = isFollowed && wallMs - timeMs <= this.#maxAgeMs;
    const counted: PricedPrint = { symbol, id, ...amounts, timeMs, seenAtMs: nowMs, fresh };
    tape.count(counted);
    this.#prints.push(counted);
    this.#waiting++;
    return counted;
  }

  /** Returns the volume of all fresh prints of a symbol since the beginning. It never falls. */
  total(symbol: string): Quantity {
    return this.#symbols.get(symbol)?.total ?? ZERO_QUANTITY;
  }

  /** Returns how many fresh prints of a symbol were counted in this process. */
  position(symbol: string): number {
    return this.#symbols.get(symbol)?.position ?? 0;
  }

  /**
   * Returns whether a fresh print counted after a position is not one of these own executions. Looks at the newest
   * 4,096 prints at most. A child follows only an external print (decision 30).
   */
  hasExternal(symbol: string, after: Readonly<{ position: number; own: (id: string) => boolean }>): boolean {
    return this.#symbols.get(symbol)?.hasExternal(after) ?? false;
  }

  minutes(range: Readonly<{ symbol: string; fromMs: number; toMs: number }>): readonly VolumeBar[] {
    const { symbol } = range;
    const bars = this.#symbols.get(symbol)?.bars.within(range) ?? [];
    return bars.map(([minuteMs, quantity]) => ({ symbol, minuteMs, quantity }));
  }

  /** Returns the prints counted since the last call, for the next append. */
  takePrints(): readonly PricedPrint[] {
    const prints = this.#prints;
    this.#prints = [];
    return prints;
  }

  /** Notes that `count` of the taken prints are durable. */
  kept(count: number): void {
    this.#waiting -= count;
  }

  /** Whether there are prints to append. */
  get hasPrints(): boolean {
    return this.#prints.length > 0;
  }

  /**
   * Drops at most `most` ids first seen before a time, and the bars begun before it. Returns the number of dropped
   * ids. Totals stay.
   */
  forget(beforeMs: number, most: number): number {
    let gone = 0;
    for (const { ids, bars } of this.#symbols.values()) {
      gone += ids.forget(beforeMs, most - gone);
      bars.forget(beforeMs);
    }
    return gone;
  }
}

type Amounts = Readonly<{ price: Price; quantity: Quantity }>;

/** Returns the amounts of a print; undefined if a field breaks its type, which a source may do. */
function readPrint(print: PrintInput): Amounts | undefined {
  const { id, timeMs } = print;
  if (typeof id !== "string" || !ID.test(id)) return undefined;
  if (!Number.isSafeInteger(timeMs) || timeMs < 0) return undefined;
  if (typeof print.price !== "string" || typeof print.quantity !== "string") return undefined;
  const [price, quantity] = [parsePrice(print.price), parseQuantity(print.quantity)];
  return price === undefined || quantity === undefined ? undefined : { price, quantity };
}

/** The volume of one symbol. */
class SymbolTape {
  readonly ids: SeenIds = new SeenIds();
  readonly bars: MinuteBars = new MinuteBars();
  /** Ids of the newest fresh prints. The print counted at position p is at index p modulo the size. */
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
  /** Iterator positioned before the oldest id. A new iterator would step over all dropped ids. */
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

/** Volume by minute, for the day before the newest minute. */
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

  /** Returns the bars of a range, oldest first. */
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
