import { averageOfSteps } from "./average.ts";
import { NOTIONAL_SCALE, type Notional, notionalOf, portion, type Rounding } from "./exact.ts";
import { type ExactQuantity, FINE_LIMIT, formatExact } from "./facts.ts";
import { add, type Price, QUANTITY_SCALE, type Quantity, type Scaled, subtract } from "./scaled.ts";

/** What was executed, exact: whole steps, and what is below one step in units of 10^-18, left out if there is nothing. */
export type Executed = Readonly<{ executedQuantity: Quantity; executedFine?: number | undefined }>;

/** What was executed and its value, exact: of the value, what is below one step of 10^-14 in units of 10^-26. */
export type ExecutedValue = Executed &
  Readonly<{ executedNotional: Notional; notionalFine?: number | undefined }>;

/** The amounts of one execution. */
type Execution = ExactQuantity & Readonly<{ price: Price }>;

/** Whole steps and a fine part below one. */
type Exact<T extends Scaled> = readonly [steps: T, fine: number | undefined];

/** Returns the exact sum; `sign` is -1 for the difference. */
function sum<T extends Scaled>(
  [steps, fine = 0]: Exact<T>,
  [more, moreFine = 0]: Exact<T>,
  sign: 1 | -1,
): Exact<T> {
  const whole = sign === 1 ? add(steps, more) : subtract(steps, more);
  const rest = fine + sign * moreFine;
  if (rest >= 0 && rest < FINE_LIMIT) return [whole, rest || undefined];
  return [add(whole, sign as T), rest - sign * FINE_LIMIT || undefined];
}

/** Returns the exact value of an execution. Its fine part may be zero. */
function exactValueOf({ price, quantity, fine }: Execution): Exact<Notional> {
  const whole = notionalOf(price, quantity);
  if (fine === undefined) return [whole, undefined];
  const product = BigInt(price) * BigInt(fine);
  const limit = BigInt(FINE_LIMIT);
  return [add(whole, (product / limit) as Notional), Number(product % limit)];
}

/** Returns what was executed after one more execution. */
export function withExecution(
  { executedQuantity, executedFine }: Executed,
  { quantity, fine }: ExactQuantity,
): Executed {
  const [steps, rest] = sum([executedQuantity, executedFine], [quantity, fine], 1);
  return { executedQuantity: steps, executedFine: rest };
}

function moved(total: ExecutedValue, execution: Execution, sign: 1 | -1): ExecutedValue {
  const { quantity, fine } = execution;
  const [steps, rest] = sum([total.executedQuantity, total.executedFine], [quantity, fine], sign);
  const [value, valueRest] = sum([total.executedNotional, total.notionalFine], exactValueOf(execution), sign);
  return { executedQuantity: steps, executedFine: rest, executedNotional: value, notionalFine: valueRest };
}

/** Returns what was executed, and its value, after one more execution. */
export const afterExecution = (total: ExecutedValue, execution: Execution): ExecutedValue =>
  moved(total, execution, 1);

/** Returns what was executed, and its value, before an execution that is part of it. */
export const beforeExecution = (total: ExecutedValue, execution: Execution): ExecutedValue =>
  moved(total, execution, -1);

/** Returns whether anything was executed. */
export const hasExecuted = ({ executedQuantity, executedFine }: Executed): boolean =>
  executedQuantity > 0 || executedFine !== undefined;

/** Returns whether more was executed than this quantity. */
export const exceeds = ({ executedQuantity, executedFine }: Executed, quantity: Quantity): boolean =>
  executedQuantity > quantity || (executedFine !== undefined && executedQuantity >= quantity);

/** Returns what was executed, rounded up to whole steps: what is left of a quantity never exceeds what is left in truth. */
export const roundedUp = ({ executedQuantity, executedFine }: Executed): Quantity =>
  executedFine === undefined ? executedQuantity : add(executedQuantity, 1 as Quantity);

/** Returns the exact text of what was executed. */
export const executedText = ({ executedQuantity, executedFine }: Executed): string =>
  formatExact(executedQuantity, executedFine, QUANTITY_SCALE);

/** Returns the exact text of the quantity of one execution. */
export const exactQuantityText = ({ quantity, fine }: ExactQuantity): string =>
  formatExact(quantity, fine, QUANTITY_SCALE);

/** Returns the exact text of the value of what was executed, in USD. */
export const executedValueText = ({ executedNotional, notionalFine }: ExecutedValue): string =>
  formatExact(executedNotional, notionalFine, NOTIONAL_SCALE);

/** Returns the exact text of the value of one execution, in USD. */
export function executionValueText(execution: Execution): string {
  const [value, fine] = exactValueOf(execution);
  return formatExact(value, fine, NOTIONAL_SCALE);
}

/** Returns steps and their fine part as one whole number. */
const exactOf = (steps: Scaled, fine = 0): bigint => BigInt(steps) * BigInt(FINE_LIMIT) + BigInt(fine);

/** Returns the average price of what was executed, rounded to a step of a price. Something must have been executed. */
export function averagePriceOf(total: ExecutedValue, rounding: Rounding): Price {
  const { executedQuantity, executedFine, executedNotional, notionalFine } = total;
  const value = exactOf(executedNotional, notionalFine) as Scaled as Price;
  // A value has as many decimals as price and quantity together, so the quotient is in steps of a price.
  return portion(value, { numerator: 1, denominator: exactOf(executedQuantity, executedFine), rounding });
}

/** Returns the average price of what was executed, at 8 decimals, rounded half up; "0" if nothing was. */
export function executedPriceText(total: ExecutedValue): string {
  const { executedQuantity, executedFine, executedNotional, notionalFine } = total;
  if ((executedFine ?? notionalFine) === undefined) return averageOfSteps(executedNotional, executedQuantity);
  return averageOfSteps(exactOf(executedNotional, notionalFine), exactOf(executedQuantity, executedFine));
}
