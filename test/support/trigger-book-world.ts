import { normalise, type Price } from "../../src/decimal/index.ts";
import {
  type MarketMark,
  type MarketSide,
  type Quote,
  shardOfId,
  type TrailingDistance,
} from "../../src/model/index.ts";
import {
  type LevelCondition,
  MarkHistory,
  type Observation,
  TriggerBook,
  type Watcher,
} from "../../src/triggers/index.ts";
import { type NaiveObservation, NaiveTriggerBook } from "./naive-trigger-book.ts";

const SYMBOL = "BTC/USD";
const SIDES: readonly MarketSide[] = ["ask", "bid"];
const steps = (value: bigint): Price => normalise(value) as Price;

/** Mulberry32. */
export function randomFrom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Prices are `base + tick · n` with n within ±range: ties, rounding, both forms of integers. */
export type Regime = Readonly<{ name: string; base: bigint; tick: bigint; range: number }>;
export const REGIMES: readonly Regime[] = [
  { name: "few steps", base: 130n, tick: 1n, range: 120 },
  { name: "bitcoin", base: 7_400_000_000_000n, tick: 12_345_679n, range: 40_000 },
  { name: "around 2^53", base: 2n ** 53n, tick: 7n, range: 60 },
  { name: "around 2^53, wide", base: 2n ** 53n, tick: 10n ** 11n + 1n, range: 30_000 },
  { name: "up to 10^18", base: 5n * 10n ** 17n, tick: 10n ** 12n + 3n, range: 400_000 },
];

/** The state after a crash: the orders as of the last take, with the reference that the taken marks give them. */
type Durable = readonly Readonly<{ watcher: Watcher; reference: bigint | undefined }>[];

/** A book and its twin in one random market, with a store for the marks. */
export class World {
  readonly #random: () => number;
  readonly #regime: Regime;
  readonly #twin = new NaiveTriggerBook();
  #history = new MarkHistory();
  #book = new TriggerBook(SYMBOL, this.#history);
  readonly #store = new Map<string, MarketMark>();
  #inFlight: readonly MarketMark[] = [];
  #durable: Durable = [];
  #watchers = new Map<number, Watcher>();
  #nextId = -1;
  #at = 0;
  quotes = 0;
  fired = 0;
  activated = 0;
  restarts = 0;

  constructor(regime: Regime, random: () => number) {
    this.#regime = regime;
    this.#random = random;
  }

  step(): void {
    const die = this.#random();
    if (die < 0.3) for (let i = this.#below(3); i >= 0 && this.#book.size < 32; i--) this.#add();
    else if (die < 0.36) this.#cancel();
    else if (die < 0.38) this.#reload();
    else if (die < 0.41) this.#take();
    else if (die < 0.43) this.#takeDue();
    else if (die < 0.45) this.#arrive();
    else if (die < 0.455) this.#forget();
    else if (die < 0.4575) this.#restart();
    else if (die < 0.46) this.#crash();
    this.#quote();
  }

  #nextQuote(): Quote {
    const { range, base, tick } = this.#regime;
    if (this.#random() < 0.01) this.#at = this.#below(2 * range) - range;
    else
      this.#at += Math.round(
        (this.#random() - 0.5) * range * (this.#random() < 0.2 ? 0.4 : 0.05) - this.#at * 0.01,
      );
    this.#at = Math.max(-range, Math.min(range, this.#at));
    const bid = base + tick * BigInt(this.#at);
    const ask = bid + tick * BigInt(this.#below(3));
    this.quotes += 1;
    const quote: Quote = {
      symbol: SYMBOL,
      bid: steps(bid),
      ask: steps(ask),
      bids: [],
      asks: [],
      timeMs: this.quotes,
      sequence: this.quotes,
    };
    return quote;
  }

  #quote(): void {
    const quote = this.#nextQuote();
    if (this.#random() < 0.3) this.#inSlices(quote);
    else this.#compare(this.#book.observe(quote), this.#twin.observe(quote));
  }

  /**
   * Lets the quote act a few orders at a time while others are added and removed; the twin processes one after the
   * other.
   */
  #inSlices(first: Quote): void {
    const behind: (Quote | Watcher)[] = [];
    let expected = this.#twin.observe(first);
    let activated: Observation["activated"] = [];
    this.#book.begin(first);
    while (this.#book.isBusy) {
      const die = this.#random();
      if (die < 0.3) expected = this.#withdraw(expected, { activated, behind });
      else if (die < 0.5) behind.push(this.#addToBook());
      else if (die < 0.6) behind.push(this.#quoteBehind());
      const progress = this.#book.resume(1 + this.#below(3));
      activated = [...activated, ...progress.activated];
      if (!progress.isOver) continue;
      this.#compareReported({ fired: progress.fired, activated }, expected);
      activated = [];
      expected = this.#untilSomethingHappens(behind);
    }
    same(expected.fired, []);
    this.#compareReferences();
  }

  #untilSomethingHappens(behind: (Quote | Watcher)[]): NaiveObservation {
    for (let one = behind.shift(); one !== undefined; one = behind.shift()) {
      if ("watch" in one) {
        this.#twin.add(one);
        continue;
      }
      const expected = this.#twin.observe(one);
      if (expected.fired.length + expected.activated.length > 0) return expected;
    }
    return { fired: [], activated: [] };
  }

  /** Removes an order while a quote acts: one that has not left the book yet neither fires nor becomes active. */
  #withdraw(
    expected: NaiveObservation,
    { activated, behind }: Pick<Observation, "activated"> & Readonly<{ behind: (Quote | Watcher)[] }>,
  ): NaiveObservation {
    const orderId = this.#pick([...this.#watchers.keys(), 0]);
    if (!this.#book.remove(orderId)) return expected;
    const at = behind.findIndex((one) => "watch" in one && one.orderId === orderId);
    if (at >= 0) behind.splice(at, 1);
    this.#twin.remove(orderId);
    this.#watchers.delete(orderId);
    const others = (one: Readonly<{ orderId: number }>): boolean => one.orderId !== orderId;
    const isReported = activated.some((one) => !others(one));
    return {
      fired: expected.fired.filter(others),
      activated: isReported ? expected.activated : expected.activated.filter(others),
    };
  }

  #quoteBehind(): Quote {
    const quote = this.#nextQuote();
    this.#book.begin(quote);
    return quote;
  }

  #compare(seen: Observation, expected: NaiveObservation): void {
    this.#compareReported(seen, expected);
    this.#compareReferences();
  }

  #compareReported(seen: Observation, expected: NaiveObservation): void {
    same(seen.fired, expected.fired);
    same(
      seen.activated.map(({ orderId, activation }) => ({ orderId, seed: activation.seed })),
      expected.activated,
    );
    for (const { orderId } of seen.fired) this.#watchers.delete(orderId);
    for (const { orderId, activation } of seen.activated) {
      const watcher = this.#watchers.get(orderId);
      // Removed since.
      if (watcher === undefined) continue;
      if (watcher.watch.kind !== "trail") throw new Error(`order ${orderId} does not trail`);
      this.#watchers.set(orderId, { ...watcher, watch: { ...watcher.watch, activation } });
    }
    this.fired += seen.fired.length;
    this.activated += seen.activated.length;
  }

  #compareReferences(): void {
    if (this.#book.size !== this.#watchers.size) throw new Error("the book lost or kept an order");
    for (const orderId of this.#watchers.keys()) {
      const reference = this.#book.reference(orderId);
      const expected = this.#twin.reference(orderId);
      if (reference === undefined ? expected !== undefined : BigInt(reference) !== expected) {
        throw new Error(`reference of ${orderId}: ${reference}, twin ${expected}`);
      }
    }
  }

  #add(): void {
    this.#twin.add(this.#addToBook());
  }

  #addToBook(): Watcher {
    const acceptedAtMs = this.quotes - this.#below(3);
    const acceptance = 1 + this.#below(1_000);
    const watcher: Watcher = { orderId: this.#nextId, acceptedAtMs, acceptance, watch: this.#watch() };
    this.#nextId -= 1 + this.#below(3);
    this.#watchers.set(watcher.orderId, watcher);
    this.#book.add(watcher);
    return watcher;
  }

  #watch(): Watcher["watch"] {
    const side = this.#pick(SIDES);
    const kind = this.#random();
    if (kind < 0.03) return { kind: "every", side };
    if (kind < 0.4) return { kind: "level", side, condition: this.#condition(this.#regime.range) };
    const distance = this.#distance();
    if (kind < 0.75) return { kind: "trail", side, distance };
    return { kind: "trail", side, distance, gate: this.#condition(this.#regime.range / 8) };
  }

  #condition(within: number): LevelCondition {
    const { base, tick } = this.#regime;
    const ticks = Math.round(this.#at + (this.#random() - 0.5) * within);
    const level = base + tick * BigInt(ticks) + BigInt(this.#below(3) - 1);
    return { direction: this.#pick(["atOrAbove", "atOrBelow"]), level: steps(level > 0n ? level : 1n) };
  }

  #distance(): TrailingDistance {
    const { tick, range } = this.#regime;
    const kind = this.#random();
    if (kind < 0.1) return { kind: "bps", bps: 1 + this.#below(9999) };
    if (kind < 0.4) return { kind: "bps", bps: 1 + this.#below(200) };
    if (kind < 0.5) return { kind: "percent", percent: steps(BigInt(1 + this.#below(9_999_999_999))) };
    if (kind < 0.7) return { kind: "percent", percent: steps(BigInt(1 + this.#below(2_00000000))) };
    return { kind: "amount", amount: steps(tick * BigInt(1 + this.#below(range)) + BigInt(this.#below(2))) };
  }

  #cancel(): void {
    const orderId = this.#pick([...this.#watchers.keys(), 0]);
    same([this.#book.remove(orderId)], [this.#twin.remove(orderId)]);
    this.#watchers.delete(orderId);
  }

  /** Removes orders and adds them again, as a shard does that reads its store again while others continue. */
  #reload(): void {
    for (const watcher of [...this.#watchers.values()]) {
      if (this.#random() < 0.5) continue;
      this.#book.remove(watcher.orderId);
      this.#book.add(watcher);
    }
    this.#compareReferences();
  }

  /** Makes everything so far durable, in one transaction; the book's history learns of it later. */
  #take(): void {
    this.#arrive();
    this.#inFlight = this.#book.takeMarks();
    this.#retain();
    this.#durable = [...this.#watchers.values()].map((watcher) => {
      const reference = this.#twin.reference(watcher.orderId);
      const extreme = this.#extremeOf(watcher);
      if (extreme !== undefined && extreme !== reference)
        throw new Error(`marks give ${watcher.orderId} the reference ${extreme}, not ${reference}`);
      return { watcher, reference };
    });
  }

  /**
   * Makes the orders durable with the marks that they need, while those of moved references wait. An order then has a
   * reference from its seed on, of this moment at the most.
   */
  #takeDue(): void {
    this.#arrive();
    this.#inFlight = this.#book.takeDueMarks();
    this.#retain();
    this.#durable = [...this.#watchers.values()].map((watcher) => {
      const reference = this.#twin.reference(watcher.orderId);
      const extreme = this.#extremeOf(watcher);
      if (extreme === undefined) return { watcher, reference };
      const isBeyond =
        reference === undefined || (watcher.watch.side === "ask" ? extreme < reference : extreme > reference);
      if (isBeyond)
        throw new Error(`marks give ${watcher.orderId} the reference ${extreme}, beyond ${reference}`);
      return { watcher, reference: extreme };
    });
  }

  #retain(): void {
    for (const mark of this.#inFlight) this.#store.set(keyOf(mark), mark);
  }

  /**
   * Returns the extreme of all marks of the order's shard from the position of its activation on; undefined for an order
   * that is not active. Throws if no mark holds the seed.
   */
  #extremeOf({ orderId, watch }: Watcher): bigint | undefined {
    if (watch.kind !== "trail" || watch.activation === undefined) return undefined;
    const { position, seed } = watch.activation;
    const shard = shardOfId(orderId);
    const isBetter = (a: bigint, b: bigint): boolean => (watch.side === "ask" ? a < b : a > b);
    let extreme: bigint | undefined;
    for (const mark of this.#store.values()) {
      if (mark.shard !== shard || mark.side !== watch.side || mark.position < position) continue;
      const price = BigInt(mark.price);
      if (extreme === undefined || isBetter(price, extreme)) extreme = price;
    }
    if (extreme === undefined || isBetter(BigInt(seed), extreme))
      throw new Error(`no mark holds the seed ${seed} of ${orderId}`);
    return extreme;
  }

  #arrive(): void {
    for (const mark of this.#inFlight) this.#history.add(mark);
    this.#inFlight = [];
  }

  /** Drops the marks that no order needs, durable or live. */
  #forget(): void {
    this.#arrive();
    for (const side of SIDES) {
      const active = [...this.#watchers.values(), ...this.#durable.map((each) => each.watcher)].flatMap(
        ({ orderId, watch }) =>
          watch.side === side && watch.kind === "trail" && watch.activation
            ? [{ shard: shardOfId(orderId), position: watch.activation.position }]
            : [],
      );
      const last = this.#history.lastPosition({ symbol: SYMBOL, side }) ?? 0;
      const oldest = (positions: readonly number[]): number => Math.min(last, ...positions);
      this.#book.pruneMarks({ side, beforePosition: oldest(active.map(({ position }) => position)) });
      for (const shard of this.#history.shardsOf({ symbol: SYMBOL, side })) {
        const own = active.filter((one) => one.shard === shard);
        const oldestPosition = oldest(own.map(({ position }) => position));
        for (const mark of this.#history.obsolete({ shard, symbol: SYMBOL, side, oldestPosition }))
          this.#store.delete(keyOf(mark));
      }
    }
  }

  /** A clean end: everything is durable. */
  #restart(): void {
    this.#take();
    this.#crash();
  }

  /** Restores only what the last take made durable, in any order. */
  #crash(): void {
    this.restarts += 1;
    this.#inFlight = [];
    this.#history = new MarkHistory();
    for (const mark of this.#shuffled([...this.#store.values()])) this.#history.add(mark);
    this.#book = new TriggerBook(SYMBOL, this.#history);
    for (const orderId of this.#twin.orderIds) this.#twin.remove(orderId);
    this.#watchers = new Map();
    for (const { watcher, reference } of this.#shuffled([...this.#durable])) {
      this.#watchers.set(watcher.orderId, watcher);
      this.#book.add(watcher);
      this.#twin.add(watcher, reference);
    }
    this.#compareReferences();
  }

  #below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }

  #pick<T>(from: readonly T[]): T {
    return from[this.#below(from.length)] as T;
  }

  #shuffled<T>(values: T[]): T[] {
    const drawn = values.map((value) => ({ value, at: this.#random() }));
    return drawn.sort((a, b) => a.at - b.at).map(({ value }) => value);
  }
}

const keyOf = ({ shard, side, position }: MarketMark): string => `${shard} ${side} ${position}`;

/** Plays a random market until it has had so many quotes. The error of a difference names the seed. */
export function playWorld(
  regime: Regime,
  { seed, quotes }: Readonly<{ seed: number; quotes: number }>,
): World {
  const world = new World(regime, randomFrom(seed));
  try {
    while (world.quotes < quotes) world.step();
  } catch (error) {
    const where = `${regime.name}, quote ${world.quotes}, replay with TRIGGER_BOOK_SEED=${seed}`;
    throw new Error(`${where}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
  return world;
}

/** Compares as texts: prices of the book and of the twin have different forms, and this must be fast. */
function same(seen: readonly unknown[], expected: readonly unknown[]): void {
  if (seen.length === 0 && expected.length === 0) return;
  const text = (values: readonly unknown[]): string => JSON.stringify(values.map(plain));
  if (text(seen) !== text(expected)) throw new Error(`book: ${text(seen)}\ntwin: ${text(expected)}`);
}

function plain(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return String(value);
  return Object.entries(value)
    .map(([key, each]) => `${key}=${String(each)}`)
    .sort();
}
