import { grouped } from "./number-texts.ts";

/** Returns where a price is on the chart. No order is made of this number: it only becomes pixels. */
export const plotNumber = (text: string): number => Number(text);

/** Returns how many decimals prices like this one have on the chart: two, or more if it is small. */
export const plotDecimals = (price: number): number =>
  price > 0 ? Math.min(Math.max(4 - Math.floor(Math.log10(price)), 2), 8) : 2;

/** Returns the text of a price of the chart. */
export const plotText = (price: number): string => grouped(price.toFixed(plotDecimals(price)));
