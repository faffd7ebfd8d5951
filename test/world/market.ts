import type { Random } from "../../src/common/random.ts";
import { type Price, price } from "../../src/decimal/index.ts";
import type { QuoteInput } from "../../src/ports/index.ts";
import type { Faults } from "./faults.ts";
import { type MarketPlan, NEAR_JUMP } from "./plan.ts";

/** A quote of a market, and its fault if it was made bad. */
export type ReportedQuote = Readonly<{ quote: QuoteInput; bad?: BadQuote }>;

/** One row of a recorded day. */
export type RecordedRow = Readonly<{ bid: string; ask: string; bidQuantity: string; askQuantity: string }>;

/** Fault of a quote. */
export type BadQuote = "zero" | "crossed" | "malformed" | "stale" | "future" | "out-of-order" | "jump";

/** Prices are whole numbers of 0.0001 USD here. */
const UNITS = 10_000;
const START = 100 * UNITS;
const LOWEST = 70 * UNITS;
const HIGHEST = 140 * UNITS;

const BAD: readonly BadQuote[] = ["zero", "crossed", "malformed", "stale", "future", "out-of-order", "jump"];

/** One market. Its price moves according to its plan, and it emits good quotes and bad ones. */
export class Market {
  readonly symbol: string;
  readonly #plan: MarketPlan;
  readonly #random: Random;
  readonly #faults: Faults;
  readonly #rows: readonly RecordedRow[];
  /** Whether a confirmed jump stays within reach of the prices at the end of the world. */
  readonly #isNear: boolean;
  #row = 0;
  /** The bid of the row that was played last. */
  #played: string | undefined;
  #mid = START;
  #up = false;
  /** The jump that was just emitted. Emitted again, it is no longer an error. */
  #jump: ReportedQuote | undefined;

  constructor(
    parts: Readonly<{
      plan: MarketPlan;
      random: Random;
      faults: Faults;
      /** The rows that a recorded market plays repeatedly. */
      rows: readonly RecordedRow[];
      /** Factor above which the engine requires a quote to be confirmed. */
      jumpFactor: number;
    }>,
  ) {
    this.symbol = parts.plan.symbol;
    this.#plan = parts.plan;
    this.#random = parts.random;
    this.#faults = parts.faults;
    this.#rows = parts.rows;
    this.#isNear = parts.jumpFactor === NEAR_JUMP;
    this.#row = parts.random.of("row").below(parts.rows.length);
  }

  /** The current price. */
  get price(): Price {
    return price(this.#played ?? textOf(this.#mid));
  }

  /** Returns the next quote. */
  next(nowMs: number): ReportedQuote {
    const jump = this.#jump;
    this.#jump = undefined;
    if (jump !== undefined && this.#isNear && this.#random.chance(0.25)) return jump;
    const isBad = this.#faults.strikes("quotes are bad", this.#random, 0.12);
    const kind = this.#random.pick(BAD);
    if (isBad) return this.#bad(kind, nowMs);
    const stamp = this.#plan.stamped ? { timeMs: nowMs } : {};
    return { quote: { symbol: this.symbol, ...this.#good(), ...stamp } };
  }

  /** Returns a quote at a price that is this factor of the present one, within the range. */
  moved(factor: number): ReportedQuote {
    return this.at(Math.min(HIGHEST, Math.max(LOWEST, this.#mid * factor)) / START);
  }

  /** Returns a quote at a given price, as a factor of the middle price of the range. */
  at(factor: number): ReportedQuote {
    this.#mid = Math.round(START * factor);
    this.#played = undefined;
    return {
      quote: { symbol: this.symbol, bid: textOf(this.#mid), ask: textOf(Math.round(this.#mid * 1.001)) },
    };
  }

  #move(): void {
    const { style } = this.#plan;
    const step = style === "calm" ? 0.01 : 0.06;
    const isJump = this.#faults.strikes("quotes jump", this.#random, style === "jumpy" ? 0.05 : 0.01);
    const far = this.#random.next();
    const factor = isJump ? 0.75 + far * 0.5 : 1 + (this.#random.next() - 0.5) * step;
    this.#mid = Math.min(HIGHEST, Math.max(LOWEST, this.#onTick(this.#mid * factor)));
  }

  #good(): RecordedRow | Pick<RecordedRow, "bid" | "ask"> {
    if (this.#plan.style === "recorded") return this.#recorded();
    this.#move();
    return { ...this.#prices(), ...this.#sizes() };
  }

  /** Returns the next row, or one a little later. */
  #recorded(): RecordedRow {
    this.#row += 1 + this.#random.below(20);
    const row = this.#rows[this.#row % this.#rows.length];
    if (row === undefined) throw new RangeError("a world with a recorded market needs rows");
    this.#played = row.bid;
    return row;
  }

  /** Returns prices beyond any normal move of a market. */
  #far(): Pick<RecordedRow, "bid" | "ask"> {
    if (this.#isNear) return this.#up ? { bid: "300", ask: "301" } : { bid: "30", ask: "30.1" };
    return this.#up ? { bid: "4000", ask: "4001" } : { bid: "2", ask: "2.1" };
  }

  #prices(): Readonly<{ bid: string; ask: string }> {
    const spread = 1 + this.#random.next() * 0.004;
    return { bid: textOf(this.#mid), ask: textOf(this.#onTick(this.#mid * spread)) };
  }

  #onTick(units: number): number {
    const { tick } = this.#plan;
    return Math.round(units / tick) * tick;
  }

  #sizes(): Readonly<{ bidQuantity?: string; askQuantity?: string }> {
    const size = (): string => `${this.#random.below(3)}.${1 + this.#random.below(9)}`;
    const sizes = { bidQuantity: size(), askQuantity: size() };
    return this.#plan.sized && this.#random.chance(0.5) ? sizes : {};
  }

  #bad(kind: BadQuote, nowMs: number): ReportedQuote {
    const good = { symbol: this.symbol, ...this.#prices() };
    switch (kind) {
      case "zero":
        return { quote: { ...good, bid: "0" }, bad: kind };
      case "crossed":
        return { quote: { ...good, bid: "120", ask: "80" }, bad: kind };
      case "malformed":
        return { quote: { ...good, bid: this.#random.pick(["1e2", "", "-5", "NaN"]) }, bad: kind };
      case "stale":
        return { quote: { ...good, bid: "60", ask: "61", timeMs: nowMs - 60_000 }, bad: kind };
      case "out-of-order":
        return { quote: { ...good, bid: "60", ask: "61", timeMs: nowMs - 4_000 }, bad: kind };
      case "future":
        return { quote: { ...good, bid: "60", ask: "61", timeMs: nowMs + 5_000 }, bad: kind };
      case "jump":
        this.#up = !this.#up;
        this.#jump = { quote: { ...good, ...this.#far() }, bad: kind };
        return this.#jump;
    }
  }
}

const textOf = (units: number): string => (units / UNITS).toFixed(4);
