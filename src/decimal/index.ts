export { averagePriceText } from "./average.ts";
export { amountOption } from "./decimal-options.ts";
export {
  formatNotional,
  leastQuantity,
  NOTIONAL_SCALE,
  notional,
  notionalOf,
  portion,
  type Rounding,
  ZERO_NOTIONAL,
} from "./exact.ts";
export {
  afterExecution,
  beforeExecution,
  type Executed,
  type ExecutedValue,
  exactQuantityText,
  exceeds,
  executedPriceText,
  executedText,
  executedValueText,
  executionValueText,
  hasExecuted,
  roundedUp,
  withExecution,
} from "./executed.ts";
export {
  type ExactQuantity,
  FINE_LIMIT,
  floorFact,
  formatExact,
  isFinerFact,
  parseExactQuantity,
  parseFact,
  parsePriceFact,
} from "./facts.ts";
export { Notional, Price, Quantity } from "./namespaces.ts";
export { bytesOfRow, type NumberRow, PackedNumbers, packed } from "./packed-numbers.ts";
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
  parsePrice,
  parseQuantity,
  price,
  QUANTITY_LIMIT,
  QUANTITY_SCALE,
  quantity,
  withinPriceRange,
  ZERO_QUANTITY,
} from "./units.ts";
