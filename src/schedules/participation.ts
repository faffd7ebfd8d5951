import type { Quantity } from "../decimal/index.ts";
import { share } from "./share.ts";

/** Basis points of the whole. */
const WHOLE_BIPS = 10_000;

/**
 * Returns what a POV parent should have executed when `volume` was executed since its admission, its own fills
 * included: `bips` basis points of it, cut to whole 1e-6 steps (contract, POST /api/order rule 5; decision 30).
 *
 *
 * @example
 * ```ts
 * import { Quantity } from "managed-orders";
 * import { participationTarget } from "managed-orders/rules";
 * console.log(Quantity.format(participationTarget(Quantity.parse("2.000009"), 1000))); // 0.2
 * ```
 */
export function participationTarget(volume: Quantity, bips: number): Quantity {
  return share(volume, { numerator: bips, denominator: WHOLE_BIPS });
}
