import type { VolumeBar } from "../model/index.ts";
import type { Awaitable } from "./host.ts";

/**
 * Executed base-asset volume of the service by minute, for VWAP profiles. Without one the engine uses the bars that
 * it makes of the prints it receives (contract, POST /api/order rule 4; decision 29).
 */
export interface VolumeHistory {
  /**
   * Returns the bars of the minutes that begin at or after `fromMs` and before `toMs`, oldest first. Minutes without
   * volume are left out.
   */
  minutes(range: Readonly<{ symbol: string; fromMs: number; toMs: number }>): Awaitable<readonly VolumeBar[]>;
}
