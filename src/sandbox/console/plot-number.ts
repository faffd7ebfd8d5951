/** Returns where a price is on the chart. No order is made of this number: it only becomes pixels. */
export const plotNumber = (text: string): number => Number(text);
