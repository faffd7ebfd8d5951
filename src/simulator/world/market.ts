import { type Price, price } from "../../decimal/index.ts";
import type { QuoteInput } from "../../ports/index.ts";
import type { Faults } from "./faults.ts";
import type { MarketPlan } from "./plan.ts";
import type { Random } from "./random.ts";

/** A quote that a market tells, and whether it was made to be bad. */
export type ToldQuote = Readonly<{ quote: QuoteInput; bad?: BadQuote }>;

/** How a quote is bad. */
export type BadQuote = "zero" | "crossed" | "malformed" | "stale" | "future" | "out-of-order" | "jump";

/** Prices are whole numbers of 0.0001 USD here. */
const UNITS = 10_000;
const START = 100 * UNITS;
const LOWEST = 70 * UNITS;
const HIGHEST = 140 * UNITS;

const BAD: readonly BadQuote[] = ["zero", "crossed", "malformed", "stale", "future", "out-of-order", "jump"];

/** One market: its price goes where its plan lets it, and it tells good quotes and bad ones. */
export class Market {
  readonly symbol: string;
  readonly #plan: MarketPlan;
  readonly #random: Random;
  readonly #faults: Faults;
  readonly #rows: readonly (readonly [bid: string, ask: string])[];
  #row = 0;
  #mid = START;
  #up = false;

  constructor(
    parts: Readonly<{
      plan: MarketPlan;
      random: Random;
      faults: Faults;
      /** Recorded bids and asks, for a market that is recorded. */
      rows: readonly (readonly [bid: string, ask: string])[];
    }>,
  ) {
    this.symbol = parts.plan.symbol;
    this.#plan = parts.plan;
    this.#random = parts.random;
    this.#faults = parts.faults;
    this.#rows = parts.rows;
  }

  /** What it stands at now. */
  get price(): Price {
    return price(textOf(this.#mid));
  }

  /** The next quote. */
  next(nowMs: number): ToldQuote {
    const isBad = this.#faults.strikes("quotes are bad", this.#random, 0.12);
    const kind = this.#random.pick(BAD);
    if (isBad) return this.#bad(kind, nowMs);
    this.#move();
    const stamp = this.#plan.stamped ? { timeMs: nowMs } : {};
    return { quote: { symbol: this.symbol, ...this.#prices(), ...this.#sizes(), ...stamp } };
  }

  /** A quote at a price of its own, in units of the middle price of the range. */
  at(factor: number): ToldQuote {
    this.#mid = Math.round(START * factor);
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
    this.#mid = Math.min(HIGHEST, Math.max(LOWEST, Math.round(this.#mid * factor)));
  }

  #prices(): Readonly<{ bid: string; ask: string }> {
    const row = this.#plan.style === "recorded" ? this.#rows[this.#row++ % this.#rows.length] : undefined;
    if (row !== undefined) return { bid: row[0], ask: row[1] };
    const spread = 1 + this.#random.next() * 0.004;
    return { bid: textOf(this.#mid), ask: textOf(Math.round(this.#mid * spread)) };
  }

  #sizes(): Readonly<{ bidQuantity?: string; askQuantity?: string }> {
    const size = (): string => `${this.#random.below(3)}.${1 + this.#random.below(9)}`;
    const sizes = { bidQuantity: size(), askQuantity: size() };
    return this.#plan.sized && this.#random.chance(0.5) ? sizes : {};
  }

  #bad(kind: BadQuote, nowMs: number): ToldQuote {
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
        return {
          quote: { ...good, ...(this.#up ? { bid: "4000", ask: "4001" } : { bid: "2", ask: "2.1" }) },
          bad: kind,
        };
    }
  }
}

const textOf = (units: number): string => (units / UNITS).toFixed(4);
