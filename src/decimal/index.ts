export { averagePriceText } from "./average.ts";
export {
  formatNotional,
  NOTIONAL_SCALE,
  type Notional,
  notional,
  notionalOf,
  portion,
  type Rounding,
  ZERO_NOTIONAL,
} from "./exact.ts";
export { bytesOfRow, type NumberRow, type PackedCells, PackedNumbers, packed } from "./packed-numbers.ts";
export {
  abs,
  add,
  compare,
  formatScaled,
  max,
  min,
  normalise,
  parseScaled,
  type Scaled,
  subtract,
} from "./scaled.ts";
export {
  DECIMAL_GRAMMAR,
  type DecimalProblem,
  decimalProblem,
  formatPrice,
  formatQuantity,
  PRICE_LIMIT,
  PRICE_SCALE,
  type Price,
  parsePrice,
  parseQuantity,
  price,
  QUANTITY_LIMIT,
  QUANTITY_SCALE,
  type Quantity,
  quantity,
  withinPriceRange,
  ZERO_QUANTITY,
} from "./units.ts";
