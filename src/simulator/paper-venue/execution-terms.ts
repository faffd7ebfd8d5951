import {
  functionOption,
  numberOption,
  type OptionCheck,
  type OptionChecks,
  optional,
  optionsOf,
  recordOption,
  textOption,
  wholeOption,
} from "../../common/index.ts";
import {
  add,
  formatNotional,
  formatPrice,
  formatQuantity,
  type Notional,
  notionalOf,
  type Price,
  parseScaled,
  portion,
  type Quantity,
  type Scaled,
  ZERO_QUANTITY,
} from "../../decimal/index.ts";
import type { Side } from "../../model/index.ts";
import type { Random } from "../random/index.ts";
import { BPS_SCALE, worse } from "./basis-points.ts";
import { Impact, type ImpactModel, impactOption } from "./impact.ts";
import { type Take, total } from "./order-book.ts";

/** Commission rates as fractions of the amount, in decimal strings: "0.001" is a tenth of a percent. */
export interface FeeRates {
  /** For an order that waited in the book. */
  readonly maker: string;
  /** For an order that executed on arrival. */
  readonly taker: string;
}

/** One execution on arrival, before slippage. Price and quantity are decimal strings. */
export interface TakenLevel {
  readonly symbol: string;
  readonly side: Side;
  readonly price: string;
  readonly quantity: string;
  /** Quantity shown at the level before the execution; absent if the quote has no size. */
  readonly shown?: string;
}

/**
 * Returns by how many basis points an execution is worse than its level, as a decimal string of zero or more. It is
 * called once for each level of an order; for an order by amount, with the quantity that the amount buys at the price of
 * the level. If it throws or returns anything else, the child is refused, and a native order fails with the error.
 */
export type SlippageModel = (taken: TakenLevel) => string;

/** Times that a child and its answer travel, in milliseconds of the clock. */
export interface Latency {
  /** From the submit to the arrival at the venue. Default: 0. */
  readonly submitMs?: number;
  /** From the decision of the venue to the arrival of its answer. Default: 0. */
  readonly answerMs?: number;
}

/** How a paper venue executes. Without terms it charges nothing, executes at the levels of the quote and at once. */
export interface ExecutionTerms {
  readonly fees?: FeeRates;
  /** Rates of single instruments, by symbol. They replace `fees` for these. */
  readonly feesBySymbol?: Readonly<Record<string, FeeRates>>;
  /** Applies to executions on arrival. A price never becomes worse than the limit of its order. */
  readonly slippage?: SlippageModel;
  /** Impact of executions on arrival, added to the slippage. Default: none. */
  readonly impact?: ImpactModel;
  readonly latency?: Latency;
  /** Share of the children that the venue refuses, from 0 to 1. Default: 0. The engine may try again. */
  readonly rejectionRate?: number;
  /** Seed of the refusals, a whole number. Default: 1. */
  readonly seed?: number;
}

/** Whether an order executed on arrival (taker) or waited in the book (maker). */
export type Liquidity = keyof FeeRates;

/** Decimals of a rate. */
const RATE_SCALE = 8;
const ONE: bigint = 10n ** BigInt(RATE_SCALE);

/** Returns whether a text is a commission rate. */
export function isRate(text: string): boolean {
  const value = parseScaled(text, RATE_SCALE);
  return value !== undefined && BigInt(value) <= ONE;
}

const rateOption: OptionCheck = textOption(
  `a decimal string from "0" to "1" with at most ${RATE_SCALE} decimals, such as "0.001"`,
  isRate,
);
const rates: OptionChecks<FeeRates> = { maker: rateOption, taker: rateOption };
const travelMs: OptionCheck = optional(wholeOption({ from: 0, to: 86_400_000 }, " of milliseconds"));

/** Checks execution terms. */
export const termsOption: OptionCheck = optionsOf<ExecutionTerms>({
  fees: optional(optionsOf<FeeRates>(rates)),
  feesBySymbol: optional(recordOption("an object with fee rates by symbol", optionsOf<FeeRates>(rates))),
  slippage: optional(functionOption("returns basis points")),
  impact: optional(impactOption),
  latency: optional(optionsOf<Latency>({ submitMs: travelMs, answerMs: travelMs })),
  rejectionRate: optional(numberOption({ from: 0, to: 1 })),
  seed: optional(wholeOption({ from: 0 })),
});

/** Taker of levels. Its limit bounds its slippage. */
type Taker = Readonly<{ symbol: string; side: Side; limitPrice?: Price }>;

/** Execution terms in use. */
export class Terms {
  readonly submitMs: number;
  readonly answerMs: number;
  readonly #terms: ExecutionTerms;
  readonly #random: Random;
  readonly #nowMs: () => number;
  readonly #impact: Impact | undefined;

  constructor(terms: ExecutionTerms, { random, nowMs }: Readonly<{ random: Random; nowMs: () => number }>) {
    this.#terms = terms;
    this.#random = random;
    this.#nowMs = nowMs;
    this.#impact = terms.impact && new Impact(terms.impact);
    this.submitMs = terms.latency?.submitMs ?? 0;
    this.answerMs = terms.latency?.answerMs ?? 0;
  }

  /** Returns whether the venue refuses the next child. */
  refuses(): boolean {
    const { rejectionRate = 0 } = this.#terms;
    return rejectionRate > 0 && this.#random.chance(rejectionRate);
  }

  /**
   * Returns executions at the prices that a taker really gets. `ahead` is the quantity that the same order takes before
   * these.
   */
  slipped(taker: Taker, takes: readonly Take[], ahead: Quantity = ZERO_QUANTITY): readonly Take[] {
    const { slippage } = this.#terms;
    if (slippage === undefined && this.#impact === undefined) return takes;
    const { symbol, side, limitPrice } = taker;
    let before = ahead;
    return takes.map((take) => {
      const moved = this.#impact?.units(
        { ...{ symbol, side, ahead: before }, quantity: take.quantity },
        this.#nowMs(),
      );
      before = add(before, take.quantity);
      const units = (slippage === undefined ? 0n : slipUnits(taker, take, slippage)) + (moved ?? 0n);
      return { ...take, price: worse(take.price, { side, units, limitPrice }) };
    });
  }

  /** Takes note of what a taker took: later executions pay for it as long as it lasts. */
  executed({ symbol, side }: Taker, takes: readonly Take[]): void {
    this.#impact?.executed({ symbol, side, quantity: total(takes) }, this.#nowMs());
  }

  /** Takes note of a trade of the market. */
  traded(symbol: string, quantity: Quantity): void {
    this.#impact?.traded(symbol, quantity, this.#nowMs());
  }

  /** Returns the commission rate of an instrument; `undefined` if no commission is charged. */
  rate(symbol: string, liquidity: Liquidity): string | undefined {
    return this.#feesOf(symbol)?.[liquidity];
  }

  /** Returns the higher of the commission rates of an instrument; `undefined` if no commission is charged. */
  highestRate(symbol: string): string | undefined {
    const fees = this.#feesOf(symbol);
    return fees && (scaledRate(fees.maker) > scaledRate(fees.taker) ? fees.maker : fees.taker);
  }

  #feesOf(symbol: string): FeeRates | undefined {
    return this.#terms.feesBySymbol?.[symbol] ?? this.#terms.fees;
  }
}

const scaledRate = (rate: string): Scaled => parseScaled(rate, RATE_SCALE) ?? 0;

const commissionAt = (rate: string, { price, quantity }: Take): Notional =>
  portion(notionalOf(price, quantity), { numerator: scaledRate(rate), denominator: ONE, rounding: "up" });

/** Returns a part of an order with its commission in USD at a rate, rounded up. Without a rate it has none. */
export function charged(part: Take, rate: string | undefined): Take & Readonly<{ commission?: string }> {
  return rate === undefined ? part : { ...part, commission: formatNotional(commissionAt(rate, part)) };
}

/** Returns terms whose slippage model reports its errors, including a wrong return value, before it throws them. */
export function watchedTerms(terms: ExecutionTerms, failed: (error: unknown) => void): ExecutionTerms {
  const { slippage } = terms;
  if (slippage === undefined) return terms;
  const watched: SlippageModel = (taken) => {
    try {
      const text = slippage(taken);
      basisPoints(text);
      return text;
    } catch (error) {
      failed(error);
      throw error;
    }
  };
  return { ...terms, slippage: watched };
}

/** Returns the slippage of an execution in units of 1e-8 basis points. */
function slipUnits({ symbol, side }: Taker, take: Take, slippage: SlippageModel): bigint {
  const price = formatPrice(take.price);
  const quantity = formatQuantity(take.quantity);
  const shown = take.shown === undefined ? {} : { shown: formatQuantity(take.shown) };
  return basisPoints(slippage({ symbol, side, price, quantity, ...shown }));
}

function basisPoints(text: string): bigint {
  const value = typeof text === "string" ? parseScaled(text, BPS_SCALE) : undefined;
  if (value !== undefined) return BigInt(value);
  throw new TypeError(
    `slippage must return basis points as a decimal string of zero or more with at most ${BPS_SCALE} decimals, such as "2.5", got ${String(text)}`,
  );
}
