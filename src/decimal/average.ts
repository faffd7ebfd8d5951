import { Decimal } from "decimal.js";
import type { Notional } from "./exact.ts";
import { PRICE_SCALE, type Quantity, type Scaled } from "./scaled.ts";

/**
 * decimal.js with enough precision for every quotient here: at most 32 digits before the point, and 48 after it,
 * which distinguish each quotient of two amounts from a half.
 */
const Wide: typeof Decimal = /* @__PURE__ */ Decimal.clone({ precision: 80, toExpNeg: -80, toExpPos: 80 });

/**
 * Returns the average price text of `total` USD over `quantity` units, at 8 decimals, rounded half up; "0" without
 * quantity.
 */
export function averagePriceText(total: Notional, quantity: Quantity): string {
  return averageOfSteps(total, quantity);
}

/** Like {@link averagePriceText}, of a total and a quantity that are in any steps whose quotient is a step of a price. */
export function averageOfSteps(total: Scaled, quantity: Scaled): string {
  if (quantity <= 0) return "0";
  // A total has as many decimals as price and quantity together, so the quotient is in steps of a price.
  const steps = new Wide(String(total)).dividedBy(String(quantity));
  return steps.times(`1e-${PRICE_SCALE}`).toDecimalPlaces(PRICE_SCALE, Decimal.ROUND_HALF_UP).toFixed();
}
