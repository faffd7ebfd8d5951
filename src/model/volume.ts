import type { Quantity } from "../decimal/index.ts";

/**
 * An executed trade of the service as it was counted, once per id. A fresh trade counts for POV; every trade counts
 * for the bar of its minute.
 */
export type CountedPrint = Readonly<{
  symbol: string;
  id: string;
  quantity: Quantity;
  /** When it was executed, and when it was first seen here, in epoch milliseconds. */
  timeMs: number;
  seenAtMs: number;
  fresh: boolean;
}>;

/** Executed base-asset volume of one minute, which begins at `minuteMs`. A minute without volume has no bar. */
export type VolumeBar = Readonly<{ symbol: string; minuteMs: number; quantity: Quantity }>;
