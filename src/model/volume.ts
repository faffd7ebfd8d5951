import type { Quantity } from "../decimal/index.ts";

/**
 * An executed trade of the service as it was counted, once per id. A fresh one counts for POV; every one counts for the
 * bar of its minute.
 */
export type CountedPrint = Readonly<{
  symbol: string;
  id: string;
  quantity: Quantity;
  /** When it was executed, and when it was first seen here; epoch milliseconds. */
  timeMs: number;
  seenAtMs: number;
  fresh: boolean;
}>;

/** Executed base-asset volume of one minute; `minuteMs` is when it begins. A minute without volume has no bar. */
export type VolumeBar = Readonly<{ symbol: string; minuteMs: number; quantity: Quantity }>;
