import { durationText } from "../../common/index.ts";

/**
 * Returns a decimal text as people write it: thousands separated, and at least `decimals` decimals. Nothing is rounded,
 * because a level that is off by a cent would be wrong.
 */
export function grouped(text: string, decimals = 0): string {
  const found = /^(-?)([0-9]+)(?:\.([0-9]+))?$/.exec(text);
  if (found === null) return text;
  const [, sign = "", whole = "", fraction = ""] = found;
  const groups = whole.replaceAll(/\B(?=([0-9]{3})+$)/g, ",");
  const padded = fraction.padEnd(decimals, "0");
  return `${sign}${groups}${padded === "" ? "" : `.${padded}`}`;
}

/** Returns a price for a person. */
export const dollars = (text: string): string => grouped(text, 2);

/** Returns an average price with at most four decimals. It is shown only, never compared. */
export function shortPrice(text: string): string {
  const [whole = "", fraction = ""] = text.split(".");
  const decimals = fraction.slice(0, 4).replace(/0+$/, "");
  return dollars(decimals === "" ? whole : `${whole}.${decimals}`);
}

/** Returns how old something is, in whole seconds. */
export const ageText = (ms: number): string =>
  `${durationText(Math.max(1, Math.floor(ms / 1_000)) * 1_000)} old`;

const two = (value: number): string => String(value).padStart(2, "0");

/** Returns the time of day. */
export function timeText(ms: number, withMs = false): string {
  const date = new Date(ms);
  const seconds = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
  return withMs ? `${seconds}.${String(date.getMilliseconds()).padStart(3, "0")}` : seconds;
}

/** Returns where a price is on the chart. No order is made of this number: it only becomes pixels. */
export const plotNumber = (text: string): number => Number(text);

/** Returns how many decimals prices like this one have on the chart: two, or more if it is small. */
export const plotDecimals = (price: number): number =>
  price > 0 ? Math.min(Math.max(4 - Math.floor(Math.log10(price)), 2), 8) : 2;

/** Returns the text of a price of the chart. */
export const plotText = (price: number): string => grouped(price.toFixed(plotDecimals(price)));
