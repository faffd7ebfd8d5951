import type { Quantity } from "../decimal/index.ts";

/**
 * An executed trade of the service as it was counted, once per id. A fresh trade counts for POV; every trade counts
 * for the bar of its minute.
 */
export interface CountedPrint {
  readonly symbol: string;
  readonly id: string;
  readonly quantity: Quantity;
  /** When it was executed, and when it was first seen here, in epoch milliseconds. */
  readonly timeMs: number;
  readonly seenAtMs: number;
  readonly fresh: boolean;
}

/** Executed base-asset volume of one minute, which begins at `minuteMs`. A minute without volume has no bar. */
export interface VolumeBar {
  readonly symbol: string;
  readonly minuteMs: number;
  readonly quantity: Quantity;
}
