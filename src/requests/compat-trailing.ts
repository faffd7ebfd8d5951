import type { ParentType } from "../model/index.ts";

/**
 * The trailing type that replaces a stop or take-profit with a trailingDelta on the compat prefix, by the name of the
 * stop or take-profit. Source: decision NC.
 */
export const COMPAT_TRAILING: ReadonlyMap<string, ParentType> = new Map([
  ["STOP_LOSS", "TRAILING_STOP_MARKET"],
  ["TAKE_PROFIT", "TRAILING_STOP_MARKET"],
  ["STOP_LOSS_LIMIT", "TRAILING_STOP_LIMIT"],
  ["TAKE_PROFIT_LIMIT", "TRAILING_STOP_LIMIT"],
]);
