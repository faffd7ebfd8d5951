import type { Random } from "../../src/common/random.ts";
import {
  add,
  type ExactQuantity,
  exactQuantityText,
  type Quantity,
  quantity,
  ZERO_QUANTITY,
} from "../../src/decimal/index.ts";
import type { OwnFillsInPrints, PrintInput } from "../../src/ports/index.ts";
import type { Faults } from "./faults.ts";
import type { Situations } from "./situations.ts";
import type { WorldTime } from "./world-time.ts";

type OwedPrint = Readonly<{ id: string; name: string; size: ExactQuantity; atMs: number }>;

type Market = {
  readonly reported: PrintInput[];
  /** True times of all reports of each trade: at the first one, no process may have listened. */
  readonly known: Map<string, number[]>;
  /** True time at which each process heard each trade first, by id of the trade and generation of the process. */
  readonly received: Map<string, Map<number, number>>;
  /** Own executions that were not reported yet. */
  readonly owed: OwedPrint[];
  /** The own executions, by the ids under which they are printed. */
  readonly own: Map<string, string>;
  total: Quantity;
  /** Quantity of the trades of each minute. */
  readonly minutes: Map<number, Quantity>;
};

const MINUTE_MS = 60_000;

/** Greatest age of a fresh print. */
const FRESH_MS = 5_000;

/** Dependencies of a tape, and the greatest age of a print that an engine may take for fresh. */
export type TapeParts = Readonly<{
  random: Random;
  faults: Faults;
  situations: Situations;
  time: WorldTime;
  /** Default 5,000. */
  freshMs?: number;
  /** How own fills appear in the prints. Default `by-execution-id`. */
  ownFills?: OwnFillsInPrints;
}>;

/** The true trades of all markets, external and own. Some are reported late, some twice. */
export class TrueTape {
  readonly #freshMs: number;
  readonly #ownFills: OwnFillsInPrints;
  readonly #random: Random;
  readonly #faults: Faults;
  readonly #situations: Situations;
  readonly #time: WorldTime;
  readonly #markets: Map<string, Market> = new Map();
  #others = 0;

  constructor(parts: TapeParts) {
    this.#freshMs = parts.freshMs ?? FRESH_MS;
    this.#ownFills = parts.ownFills ?? "by-execution-id";
    this.#random = parts.random;
    this.#faults = parts.faults;
    this.#situations = parts.situations;
    this.#time = parts.time;
  }

  /** Returns the fresh volume of a market so far, each id counted once, each rounded down to whole steps. An engine may know less. */
  total(symbol: string): Quantity {
    return this.#market(symbol).total;
  }

  /** Returns the quantity of all trades of each minute of a market that had any, each id counted once. */
  minutes(symbol: string): ReadonlyMap<number, Quantity> {
    return this.#market(symbol).minutes;
  }

  /**
   * Returns the number of trades reported since this true time, except those known as own when they were reported. Trades
   * of before count too if `unreceivedBy`, the generation of a process, had not heard them until then.
   */
  tradesSince(
    symbol: string,
    { ms, unreceivedBy = [] }: Readonly<{ ms: number; unreceivedBy?: readonly number[] }>,
    isOwn: (id: string, reportedAtMs: number) => boolean,
  ): number {
    const { known, received } = this.#market(symbol);
    let count = 0;
    for (const [id, times] of known) {
      const isReported = times.some((atMs) => atMs >= ms && !isOwn(id, atMs));
      const isNews = unreceivedBy.some((generation) => (received.get(id)?.get(generation) ?? ms) >= ms);
      if (isReported || (isNews && !isOwn(id, ms))) count++;
    }
    return count;
  }

  /** Notes that a process has heard of a trade. */
  receivedBy(generation: number, { symbol, id }: PrintInput): void {
    const { received } = this.#market(symbol);
    const of = received.get(id) ?? new Map<number, number>();
    received.set(id, of);
    if (!of.has(generation)) of.set(generation, this.#time.trueMs);
  }

  /** Queues the print of an own execution, whose name no other one has, under its execution id or one of the tape. */
  owe(symbol: string, { name, id, size }: Readonly<{ name: string; id: string; size: ExactQuantity }>): void {
    const market = this.#market(symbol);
    if (this.#ownFills === "none") {
      this.#faults.shows("prints leave own fills out");
      return;
    }
    const isOther = this.#ownFills === "other-id";
    if (isOther) this.#faults.shows("prints name own fills by another id");
    const printId = isOther ? `own-${market.own.size + 1}` : id;
    market.own.set(printId, name);
    market.owed.push({ id: printId, name, size, atMs: this.#time.trueMs });
  }

  /** Returns the name of the own execution that is printed under an id. */
  ownName(symbol: string, id: string): string | undefined {
    return this.#market(symbol).own.get(id);
  }

  /** Returns the next print: usually an external trade, else an own one or a repeated one. */
  next(symbol: string, nowMs: number): PrintInput {
    const market = this.#market(symbol);
    const again = market.reported[this.#random.below(market.reported.length + 1)];
    if (this.#faults.strikes("prints come twice", this.#random, 0.2) && again !== undefined) {
      this.#situations.observe("print reported twice");
      market.known.get(again.id)?.push(this.#time.trueMs);
      return again;
    }
    const isOwn = this.#random.chance(0.4);
    const lateMs = 3_000 + this.#random.below(4_000);
    const isLate = this.#faults.strikes("prints come late", this.#random, 0.12);
    const own = isOwn ? this.#nextOwed(market) : undefined;
    if (own !== undefined) return this.#report(symbol, { ...own, timeMs: nowMs }, nowMs);
    if (isLate) this.#situations.observe("print reported late");
    return this.external(symbol, nowMs, isLate ? nowMs - lateMs : nowMs);
  }

  /** Returns the next own execution to print. One that cannot be recognised by its id is printed while it is fresh, or never. */
  #nextOwed({ owed }: Market): OwedPrint | undefined {
    const isOld = ({ atMs }: OwedPrint): boolean => this.#time.trueMs - atMs > FRESH_MS;
    while (this.#ownFills === "other-id" && owed[0] !== undefined && isOld(owed[0])) owed.shift();
    return owed.shift();
  }

  /** Returns an external trade. */
  external(symbol: string, nowMs: number, timeMs: number = nowMs): PrintInput {
    const size = { quantity: quantity(`${this.#random.below(4)}.${1 + this.#random.below(9)}`) };
    return this.#report(symbol, { id: `other-${++this.#others}`, size, timeMs }, nowMs);
  }

  #report(
    symbol: string,
    trade: Readonly<{ id: string; size: ExactQuantity; timeMs: number }>,
    nowMs: number,
  ): PrintInput {
    const { id, size, timeMs } = trade;
    const market = this.#market(symbol);
    const print = { symbol, price: "100", quantity: exactQuantityText(size), id, timeMs };
    market.reported.push(print);
    if (market.reported.length > 200) market.reported.splice(0, 100);
    if (nowMs - timeMs <= this.#freshMs) market.total = add(market.total, size.quantity);
    market.known.set(id, [this.#time.trueMs]);
    const minuteMs = timeMs - (timeMs % MINUTE_MS);
    market.minutes.set(minuteMs, add(market.minutes.get(minuteMs) ?? ZERO_QUANTITY, size.quantity));
    return print;
  }

  #market(symbol: string): Market {
    const known = this.#markets.get(symbol);
    if (known !== undefined) return known;
    const market: Market = {
      ...{ reported: [], known: new Map(), received: new Map(), owed: [], own: new Map() },
      ...{ total: ZERO_QUANTITY, minutes: new Map() },
    };
    this.#markets.set(symbol, market);
    return market;
  }
}
