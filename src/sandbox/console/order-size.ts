import {
  formatScaled,
  max,
  NOTIONAL_SCALE,
  notionalOf,
  type Price,
  parsePrice,
  parseQuantity,
  parseScaled,
  portion,
  QUANTITY_SCALE,
  type Scaled,
} from "../../decimal/index.ts";
import type { BestQuote } from "./defaults.ts";
import { grouped } from "./number-texts.ts";
import type { Values } from "./ticket-table.ts";

/** What the size of an order depends on. `balances`: of the account, as far as they are known. */
export type SizeInput = Readonly<{
  values: Values;
  base: string;
  quote: BestQuote | undefined;
  balances: Readonly<Record<string, string>>;
}>;

/** The size of an order, and what the account has for it: USD to buy, the base asset to sell. */
export type OrderSize = Readonly<{
  /** What the order does, such as "Sell 0.5 BTC". */
  does: string;
  /** Its value in USD; undefined without a quantity or a price. */
  value: string | undefined;
  available: string | undefined;
  /** The share of what is available, in percent, rounded up; undefined if one of the two is not known. */
  percent: number | undefined;
}>;

/** A share of the balance beyond which a person confirms an order, in percent. */
const MOST_PERCENT = 50;
/** Percents above this are only "more than all". */
const ALL_PERCENT = 100;
const CENTS = 10n ** BigInt(NOTIONAL_SCALE - 2);

/** The fields that price an order, the one that counts first. Without one, the market does. */
const PRICES = ["price", "cap", "entryPrice", "stopPrice"];

const isSale = ({ values }: SizeInput): boolean => values["side"] === "SELL";

function priceOf({ values, quote }: SizeInput, sells: boolean): Price | undefined {
  const text = PRICES.map((name) => values[name]).find(Boolean) ?? (sells ? quote?.bid : quote?.ask);
  return text === undefined ? undefined : parsePrice(text);
}

type Fund = Readonly<{ asset: string; scale: number; amount: Scaled }>;

/** A sale is paid in the base asset, a purchase in USD. */
function fundOf(input: SizeInput, sells: boolean): Fund | undefined {
  const asset = sells ? input.base : "USD";
  const scale = sells ? QUANTITY_SCALE : NOTIONAL_SCALE;
  const amount = parseScaled(input.balances[asset] ?? "", scale);
  return amount === undefined ? undefined : { asset, scale, amount: max(amount, 0) };
}

/** Returns the size of the order in a form. */
export function sizeOf(input: SizeInput): OrderSize {
  const sells = isSale(input);
  const text = input.values["quantity"] ?? "";
  const quantity = parseQuantity(text);
  const price = priceOf(input, sells);
  const fund = fundOf(input, sells);
  const value = quantity === undefined || price === undefined ? undefined : notionalOf(price, quantity);
  const needs = sells ? quantity : value;
  return {
    does: `${sells ? "Sell" : "Buy"}${quantity === undefined ? "" : ` ${grouped(text)}`} ${input.base}`,
    value: value === undefined ? undefined : dollarText(value),
    available: fund === undefined ? undefined : fundText(fund),
    percent: fund === undefined || needs === undefined ? undefined : percentOf(needs, fund.amount),
  };
}

/** Cents are rounded up, so that an order of less than a cent is not said to be worth nothing. */
const dollarText = (value: Scaled): string =>
  grouped(formatScaled(portion(value, { numerator: 1, denominator: CENTS, rounding: "up" }), 2), 2);

/** What is available is rounded down. */
const fundText = ({ asset, scale, amount }: Fund): string =>
  asset === "USD"
    ? `${grouped(formatScaled(portion(amount, { numerator: 1, denominator: CENTS, rounding: "down" }), 2), 2)} USD`
    : `${grouped(formatScaled(amount, scale))} ${asset}`;

function percentOf(needs: Scaled, available: Scaled): number {
  if (needs > available) return ALL_PERCENT + 1;
  const percent = portion(needs, { numerator: ALL_PERCENT, denominator: available, rounding: "up" });
  return Number.parseInt(String(percent), 10);
}

/** Returns the quantity that uses a share of what is available, in percent; undefined if that is not known. */
export function quantityAt(percent: number, input: SizeInput): string | undefined {
  const sells = isSale(input);
  const fund = fundOf(input, sells);
  const price = priceOf(input, sells);
  if (fund === undefined || (!sells && price === undefined)) return undefined;
  const denominator = BigInt(ALL_PERCENT) * (sells || price === undefined ? 1n : BigInt(price));
  return formatScaled(
    portion(fund.amount, { numerator: percent, denominator, rounding: "down" }),
    QUANTITY_SCALE,
  );
}

/** Returns the question that a person answers before an order is sent, or undefined for one that is small enough. */
export function questionOf({ does, value, available, percent }: OrderSize): string | undefined {
  if (percent === undefined || percent <= MOST_PERCENT) return undefined;
  const worth = value === undefined ? "" : ` for about ${value} USD`;
  const share = percent > ALL_PERCENT ? "more than" : `${percent} % of`;
  return `${does}${worth}? That is ${share} the ${available} that you have.`;
}
