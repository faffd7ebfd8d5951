import { grouped } from "./number-texts.ts";

/** Returns where a price is on the chart. No order is made of this number: it only becomes pixels. */
export const plotNumber = (text: string): number => Number(text);

/** Returns the text of a price of the chart: two decimals, or four digits of a price that is small. */
export function plotText(price: number): string {
  const digits = price > 0 ? 3 - Math.floor(Math.log10(price)) : 2;
  return grouped(price.toFixed(Math.min(Math.max(digits, 2), 8)));
}
