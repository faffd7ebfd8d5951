import { Decimal } from "decimal.js";
import {
  type OptionCheck,
  optional,
  optionsOf,
  recordOption,
  textOption,
  wholeOption,
  wordOption,
  wrongOption,
} from "../../common/index.ts";
import { formatQuantity, parseQuantity, parseScaled, type Quantity } from "../../decimal/index.ts";
import type { Side } from "../../model/index.ts";
import { BPS_SCALE } from "./basis-points.ts";
import { RollingVolume } from "./rolling-volume.ts";

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

/** An execution of a taker: `ahead` is the quantity that the same order takes at better levels. */
export type Impacting = Readonly<{ symbol: string; side: Side; quantity: Quantity; ahead: Quantity }>;

/** The longest window and half-life: a year. */
const LONGEST_MS = 365 * 86_400_000;
const DIGITS = 40;
const Exact = Decimal.clone({ precision: DIGITS, rounding: Decimal.ROUND_HALF_EVEN });
const ZERO = new Exact(0);
const BPS_UNITS = new Exact(10).pow(BPS_SCALE);

const quantityOption: OptionCheck = textOption(
  'a positive decimal string with at most 6 decimals, such as "25000"',
  (text) => parseQuantity(text) !== undefined,
);
const periodMs: OptionCheck = optional(wholeOption({ from: 1, to: LONGEST_MS }, " of milliseconds"));
const modelOption: OptionCheck = optionsOf<ImpactModel>({
  shape: wordOption(["linear", "square-root"]),
  coefficientBps: textOption(
    `a decimal string of zero or more with at most ${BPS_SCALE} decimals, such as "100"`,
    (text) => parseScaled(text, BPS_SCALE) !== undefined,
  ),
  volumes: optional(recordOption("an object with volumes by symbol", quantityOption)),
  windowMs: periodMs,
  halfLifeMs: periodMs,
});

/** Checks an impact model. */
export const impactOption: OptionCheck = Object.assign(
  (value: unknown, name: string): void => {
    modelOption(value, name);
    const { volumes, windowMs } = value as ImpactModel;
    if ((volumes === undefined) === (windowMs === undefined))
      throw wrongOption(value, name, "an object with either volumes or windowMs", true);
  },
  { names: modelOption.names ?? [] },
);

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
