import {
  abs,
  averagePriceText,
  formatPrice,
  formatQuantity,
  formatScaled,
  NOTIONAL_SCALE,
  type Notional,
  normalise,
  PRICE_SCALE,
  type Price,
  parseScaled,
  type Quantity,
  type Scaled,
} from "../../decimal/index.ts";

/** Returns a decimal text with commas between thousands, and a minus sign instead of a hyphen. */
export function grouped(text: string): string {
  const isNegative = text.startsWith("-");
  const [whole = "", decimals] = (isNegative ? text.slice(1) : text).split(".");
  const thousands = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return `${isNegative ? "\u2212" : ""}${thousands}${decimals === undefined ? "" : `.${decimals}`}`;
}

/** Returns a quantity with commas between thousands. */
export const quantityText = (quantity: Quantity): string => grouped(formatQuantity(quantity));

/** Returns a price with commas between thousands. */
export const priceText = (price: Price): string => grouped(formatPrice(price));

/** Returns the text of a scaled value at so many decimals, rounded half away from zero, with commas. */
export function rounded(value: Scaled, of: Readonly<{ scale: number; places: number }>): string {
  const { scale, places } = of;
  const step = 10n ** BigInt(Math.max(scale - places, 0));
  const steps = (BigInt(abs(value)) * 2n + step) / (step * 2n);
  const [whole = "", decimals = ""] = formatScaled(normalise(steps), Math.min(scale, places)).split(".");
  const padded = places > 0 ? `.${decimals.padEnd(places, "0")}` : "";
  const sign = value < 0 && steps > 0n ? "-" : "";
  return grouped(`${sign}${whole}${padded}`);
}

/** Returns an amount of USD at two decimals. */
export function usd(amount: Notional): string {
  return rounded(amount, { scale: NOTIONAL_SCALE, places: 2 });
}

/** Reads a decimal text that may be negative. Digits beyond the scale are cut off. */
export function readDecimal(text: string, scale: number): Scaled {
  const isNegative = text.startsWith("-");
  const [whole = "", decimals] = (isNegative ? text.slice(1) : text).split(".");
  const stored = decimals?.slice(0, scale) ?? "";
  const value = parseScaled(stored === "" ? whole : `${whole}.${stored}`, scale) ?? 0;
  return isNegative ? normalise(-BigInt(value)) : value;
}

/** Returns an amount of USD in a result at two decimals. */
export function usdText(text: string): string {
  return usd(readDecimal(text, NOTIONAL_SCALE) as Notional);
}

/** Returns a fraction in percent with all its digits. */
export function percentText(fraction: string): string {
  const scale = fraction.split(".")[1]?.length ?? 0;
  const value = readDecimal(fraction, scale);
  const shifted =
    scale > 2 ? formatScaled(value, scale - 2) : String(BigInt(value) * 10n ** BigInt(2 - scale));
  return `${grouped(shifted)} %`;
}

/** Returns a quotient times ten to the power of `scale`, rounded half away from zero. */
export function quotient(dividend: bigint, divisor: bigint, scale: number): Scaled {
  const isNegative = dividend < 0n !== divisor < 0n;
  const [above, below] = [dividend < 0n ? -dividend : dividend, divisor < 0n ? -divisor : divisor];
  const value = (above * 10n ** BigInt(scale) * 2n + below) / (below * 2n);
  return normalise(isNegative ? -value : value);
}

/** Returns the average price of an order for a table: at four decimals, below ten at eight. */
export function averageText({ executedQuantity, executedNotional }: Executed): string {
  if (!(executedQuantity > 0) || executedNotional === undefined) return "";
  const text = averagePriceText(executedNotional, executedQuantity);
  const value = readDecimal(text, PRICE_SCALE);
  return value < TEN ? grouped(text) : withoutZeros(rounded(value, { scale: PRICE_SCALE, places: 4 }));
}

type Executed = Readonly<{ executedQuantity: Quantity; executedNotional?: Notional }>;

/** Ten USD in steps of a price. */
const TEN: number = 10 ** (PRICE_SCALE + 1);

const withoutZeros = (text: string): string => text.replace(/\.?0+$/, "");

/** The last time that a date can have. */
const LAST_MS = 8.64e15;

const SECOND_MS = 1_000;
const MINUTE_MS: number = 60 * SECOND_MS;
const HOUR_MS: number = 60 * MINUTE_MS;

/** Length of a day in milliseconds. */
export const DAY_MS: number = 24 * HOUR_MS;

/** Returns date and time in UTC as ISO 8601 writes them, without a zone; undefined beyond the range of dates. */
function isoText(timeMs: number): string | undefined {
  return timeMs >= 0 && timeMs <= LAST_MS ? new Date(timeMs).toISOString().slice(0, -1) : undefined;
}

/** Returns the date of a time in UTC. */
export function dateText(timeMs: number): string {
  return isoText(timeMs)?.replace(/T.*/, "") ?? `${timeMs} ms`;
}

/** Returns the time of day in UTC, with milliseconds only if there are any. */
function clockText(timeMs: number): string {
  const text = isoText(timeMs)?.replace(/.*T/, "");
  return text?.replace(/\.000$/, "") ?? `${timeMs} ms`;
}

/** Returns date and time of day in UTC. */
export function instantText(timeMs: number): string {
  return timeMs <= LAST_MS ? `${dateText(timeMs)} ${clockText(timeMs)}` : `${timeMs} ms`;
}

/** Returns the label of a tick of a time axis: no finer than the distance between ticks. */
export function tickText(timeMs: number, stepMs: number): string {
  if (stepMs >= DAY_MS) return dateText(timeMs);
  if (timeMs % DAY_MS === 0) return dateText(timeMs).slice(5);
  if (stepMs >= MINUTE_MS) return clockText(timeMs).slice(0, 5);
  return stepMs >= SECOND_MS ? clockText(timeMs).slice(0, 8) : clockText(timeMs).slice(6);
}
