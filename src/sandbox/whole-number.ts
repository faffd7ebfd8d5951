import { parseScaled } from "../decimal/index.ts";

/** A range of whole numbers, both ends included. */
export type WholeRange = Readonly<{ min: number; max: number }>;

/** Parses digits as a whole number in a range. Returns `undefined` for anything else. */
export function parseWhole(text: string, range: WholeRange): number | undefined {
  const value = parseScaled(text, 0);
  return typeof value === "number" && value >= range.min && value <= range.max ? value : undefined;
}

/** Epoch milliseconds up to the year 9999. */
export const EPOCH_MS: WholeRange = { min: 0, max: 253_402_300_799_000 };
