import type { VolumeBar } from "../model/index.ts";
import type { Awaitable } from "./host.ts";

/**
 * Executed base-asset volume of the service itself by minute, for VWAP profiles. Without one the engine uses the bars
 * it makes of the prints it is given. Source: contract, POST /api/order rule 4; decision 29.
 */
export type VolumeHistory = {
  /** The bars of the minutes that begin from `fromMs` on and before `toMs`, oldest first; minutes without volume are left out. */
  minutes(range: Readonly<{ symbol: string; fromMs: number; toMs: number }>): Awaitable<readonly VolumeBar[]>;
};
