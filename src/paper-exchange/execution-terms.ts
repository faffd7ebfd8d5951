import { Decimal } from "decimal.js";
import {
  createRandom,
  functionOption,
  numberOption,
  type OptionCheck,
  type OptionChecks,
  optionalOption,
  optionsOf,
  type Random,
  recordOption,
  textOption,
  wholeOption,
  wordOption,
  wrongOption,
} from "../common/index.ts";
import {
  add,
  formatNotional,
  formatPrice,
  formatQuantity,
  type Notional,
  notionalOf,
  type Price,
  parseQuantity,
  parseScaled,
  portion,
  type Quantity,
  type Scaled,
  withinPriceRange,
  ZERO_QUANTITY,
} from "../decimal/index.ts";
import type { NativeFill, Side } from "../model/index.ts";
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

/**
 * How executions on arrival move the price against the trader, beside slippage. At an own quantity `u`, the price is
 * `coefficientBps · (u / V)^d` basis points worse than the quote, where `V` is the volume and `d` is 1 for `linear` and
 * 1/2 for `square-root`. An execution of the quantity `q` pays the mean of this over the own quantities from `b` to
 * `b + q`, where `b` is what the account's venue executed before, as far as it has not decayed:
 *
 * - linear: `coefficientBps · (2b + q) / 2V`
 * - square-root: `coefficientBps · 2 / 3 · ((b + q)^(3/2) - b^(3/2)) / (q · V^(1/2))`
 *
 * So two orders at one time cost as much as one of the sum of their quantities. `V` is at least `b + q`, so the impact is
 * at most the coefficient.
 */
export interface ImpactModel {
  readonly shape: "linear" | "square-root";
  /** Basis points at an own quantity that equals the volume, as a decimal string. */
  readonly coefficientBps: string;
  /** The volume `V` by symbol, such as that of a day, as decimal strings. A symbol without one has no impact. */
  readonly volumes?: Readonly<Record<string, string>>;
  /**
   * Instead of `volumes`: `V` is the quantity traded in so many milliseconds until now, own executions included. The
   * window moves in sixtieths.
   */
  readonly windowMs?: number;
  /**
   * Time in which half of the earlier own quantity `b` is forgotten, in milliseconds. Purchases and sales are offset; a
   * rest in the other direction makes no price better. Without it the book recovers at once, and `b` is 0.
   */
  readonly halfLifeMs?: number;
}

/** Whether an order executed on arrival (taker) or waited in the book (maker). */
export type Liquidity = keyof FeeRates;

/** An execution of the paper venue. Without a liquidity it was on arrival. */
export interface VenueFill extends NativeFill {
  readonly liquidity?: Liquidity;
}

/** Decimals of a number of basis points. */
const BPS_SCALE = 8;

/** Decimals of a rate. */
const RATE_SCALE = 8;
const ONE: bigint = 10n ** BigInt(RATE_SCALE);

/** Returns whether a text is a commission rate. */
export function isRate(text: string): boolean {
  const value = parseScaled(text, RATE_SCALE);
  return value !== undefined && BigInt(value) <= ONE;
}

/** The longest window and half-life: a year. */
const LONGEST_MS = 365 * 86_400_000;
const quantityOption: OptionCheck = textOption(
  'a positive decimal string with at most 6 decimals, such as "25000"',
  (text) => parseQuantity(text) !== undefined,
);
const periodMs: OptionCheck = optionalOption(wholeOption({ from: 1, to: LONGEST_MS }, " of milliseconds"));
const modelOption: OptionCheck = optionsOf<ImpactModel>({
  shape: wordOption(["linear", "square-root"]),
  coefficientBps: textOption(
    `a decimal string of zero or more with at most ${BPS_SCALE} decimals, such as "100"`,
    (text) => parseScaled(text, BPS_SCALE) !== undefined,
  ),
  volumes: optionalOption(recordOption("an object with volumes by symbol", quantityOption)),
  windowMs: periodMs,
  halfLifeMs: periodMs,
});

const impactOption: OptionCheck = Object.assign(
  (value: unknown, name: string): void => {
    modelOption(value, name);
    const { volumes, windowMs } = value as ImpactModel;
    if ((volumes === undefined) === (windowMs === undefined))
      throw wrongOption(value, name, "an object with either volumes or windowMs", true);
  },
  { names: modelOption.names ?? [] },
);

const rateOption: OptionCheck = textOption(
  `a decimal string from "0" to "1" with at most ${RATE_SCALE} decimals, such as "0.001"`,
  isRate,
);
const rates: OptionChecks<FeeRates> = { maker: rateOption, taker: rateOption };
const travelMs: OptionCheck = optionalOption(wholeOption({ from: 0, to: 86_400_000 }, " of milliseconds"));

/** Checks execution terms. */
export const termsOption: OptionCheck = optionsOf<ExecutionTerms>({
  fees: optionalOption(optionsOf<FeeRates>(rates)),
  feesBySymbol: optionalOption(
    recordOption("an object with fee rates by symbol", optionsOf<FeeRates>(rates)),
  ),
  slippage: optionalOption(functionOption("returns basis points")),
  impact: optionalOption(impactOption),
  latency: optionalOption(optionsOf<Latency>({ submitMs: travelMs, answerMs: travelMs })),
  rejectionRate: optionalOption(numberOption({ from: 0, to: 1 })),
  seed: optionalOption(wholeOption({ from: 0 })),
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

  constructor(terms: ExecutionTerms, nowMs: () => number) {
    this.#terms = terms;
    this.#random = createRandom(terms.seed ?? 1);
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
        { symbol, side, quantity: take.quantity, ahead: before },
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

/** 10,000 basis points, in units of 1e-8 of one. */
const ALL_BPS: bigint = 10_000n * 10n ** BigInt(BPS_SCALE);

/** By how much a price is worse, in units of 1e-8 basis points, and the limit that it never passes. */
type Worse = Readonly<{ side: Side; units: bigint; limitPrice: Price | undefined }>;

/** Returns a price that is worse for the taker, rounded against it. It stays above zero, and within the limit. */
function worse(price: Price, { side, units, limitPrice }: Worse): Price {
  if (side === "BUY") {
    const higher = portion(price, { numerator: ALL_BPS + units, denominator: ALL_BPS, rounding: "up" });
    return limitPrice !== undefined && higher > limitPrice ? limitPrice : withinPriceRange(higher);
  }
  const left = units < ALL_BPS ? ALL_BPS - units : 0n;
  const lower = portion(price, { numerator: left, denominator: ALL_BPS, rounding: "down" });
  return limitPrice !== undefined && lower < limitPrice ? limitPrice : withinPriceRange(lower);
}

const DIGITS = 40;
const Exact = Decimal.clone({ precision: DIGITS, rounding: Decimal.ROUND_HALF_EVEN });
const ZERO = new Exact(0);
const BPS_UNITS = new Exact(10).pow(BPS_SCALE);

/** An execution of a taker: `ahead` is the quantity that the same order takes at better levels. */
type Impacting = Readonly<{ symbol: string; side: Side; quantity: Quantity; ahead: Quantity }>;

/** Own quantity of a symbol, positive after purchases, at a time. */
type Own = Readonly<{ quantity: Decimal; atMs: number }>;

/** An impact model in use. Its state is in memory. */
export class Impact {
  readonly #model: ImpactModel;
  readonly #own: Map<string, Own> = new Map();
  readonly #traded: Map<string, RollingVolume> = new Map();

  constructor(model: ImpactModel) {
    this.#model = model;
  }

  /** Returns by how much an execution is worse, in units of 1e-8 basis points, rounded up. */
  units({ symbol, side, quantity, ahead }: Impacting, nowMs: number): bigint {
    const volume = this.#volume(symbol, nowMs);
    if (volume === undefined || quantity <= 0) return 0n;
    const signed = this.#ownAt(symbol, nowMs);
    const before = Exact.max(side === "BUY" ? signed : signed.negated(), ZERO).plus(exact(ahead));
    const bps = meanBps(this.#model, { before, quantity: exact(quantity), volume });
    return BigInt(bps.times(BPS_UNITS).toDecimalPlaces(0, Decimal.ROUND_CEIL).toFixed());
  }

  /** Takes note of an own execution. */
  executed({ symbol, side, quantity }: Omit<Impacting, "ahead">, nowMs: number): void {
    if (this.#model.halfLifeMs === undefined) return;
    const moved = side === "BUY" ? exact(quantity) : exact(quantity).negated();
    this.#own.set(symbol, { quantity: this.#ownAt(symbol, nowMs).plus(moved), atMs: nowMs });
  }

  /** Takes note of a trade of the market. */
  traded(symbol: string, quantity: Quantity, nowMs: number): void {
    const { windowMs } = this.#model;
    if (windowMs === undefined) return;
    const volume = this.#traded.get(symbol) ?? new RollingVolume(windowMs);
    this.#traded.set(symbol, volume);
    volume.add(quantity, nowMs);
  }

  #volume(symbol: string, nowMs: number): Decimal | undefined {
    const { volumes } = this.#model;
    if (volumes !== undefined) return volumes[symbol] === undefined ? undefined : new Exact(volumes[symbol]);
    const traded = this.#traded.get(symbol);
    return traded === undefined ? ZERO : exact(traded.at(nowMs));
  }

  #ownAt(symbol: string, nowMs: number): Decimal {
    const own = this.#own.get(symbol);
    if (own === undefined || this.#model.halfLifeMs === undefined) return ZERO;
    const halves = new Exact(nowMs - own.atMs).dividedBy(this.#model.halfLifeMs);
    return own.quantity.times(new Exact(2).pow(halves.negated()));
  }
}

const exact = (quantity: Quantity): Decimal => new Exact(formatQuantity(quantity));

type Quantities = Readonly<{ before: Decimal; quantity: Decimal; volume: Decimal }>;

function meanBps({ shape, coefficientBps }: ImpactModel, { before, quantity, volume }: Quantities): Decimal {
  const after = before.plus(quantity);
  const base = Exact.max(volume, after);
  if (shape === "linear") return before.plus(after).times(coefficientBps).dividedBy(base.times(2));
  const power = (value: Decimal): Decimal => value.times(value.sqrt());
  const difference = power(after).minus(power(before));
  return difference.times(coefficientBps).times(2).dividedBy(quantity.times(base.sqrt()).times(3));
}

/** Steps in which the window moves. */
const STEPS = 60;

/** The quantity traded in a window of time that moves in sixtieths of its length. Its memory does not grow with trades. */
class RollingVolume {
  readonly #stepMs: number;
  /** Oldest first. */
  readonly #steps: { readonly number: number; quantity: Quantity }[] = [];

  constructor(windowMs: number) {
    this.#stepMs = windowMs / STEPS;
  }

  /** Adds a trade at a time that is not before that of the last one. */
  add(quantity: Quantity, nowMs: number): void {
    const number = Math.floor(nowMs / this.#stepMs);
    const last = this.#steps.at(-1);
    if (last?.number === number) last.quantity = add(last.quantity, quantity);
    else this.#steps.push({ number, quantity });
    this.#prune(number);
  }

  /** Returns the quantity of the window that ends now: that of the present sixtieth and of the 59 before. */
  at(nowMs: number): Quantity {
    this.#prune(Math.floor(nowMs / this.#stepMs));
    return this.#steps.reduce((sum, { quantity }) => add(sum, quantity), ZERO_QUANTITY);
  }

  #prune(present: number): void {
    while (this.#steps[0] !== undefined && this.#steps[0].number <= present - STEPS) this.#steps.shift();
  }
}
