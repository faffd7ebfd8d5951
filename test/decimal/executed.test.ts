import fc from "fast-check";
import { expect, it } from "vitest";
import {
  afterExecution,
  beforeExecution,
  type ExecutedValue,
  exceeds,
  executedPriceText,
  executedText,
  executedValueText,
  executionValueText,
  hasExecuted,
  type Price,
  Quantity,
  roundedUp,
  withExecution,
  ZERO_NOTIONAL,
  ZERO_QUANTITY,
} from "../../src/decimal/index.ts";

const NOTHING: ExecutedValue = { executedQuantity: ZERO_QUANTITY, executedNotional: ZERO_NOTIONAL };
const STEP = 10n ** 12n;

const textOf = (units: bigint, scale: number): string => {
  const digits = String(units).padStart(scale + 1, "0");
  return `${digits.slice(0, -scale)}.${digits.slice(-scale)}`.replace(/\.?0+$/, "");
};

const execution = fc.record({
  units: fc.oneof(
    fc.bigInt(1n, 10n ** 20n),
    fc.bigInt(1n, 10n ** 6n).map((steps) => steps * STEP),
  ),
  price: fc.integer({ min: 1, max: 10 ** 13 }),
});

it("sums of executions are exact, in any order, and can be taken back", () => {
  fc.assert(
    fc.property(fc.array(execution, { minLength: 1, maxLength: 8 }), (all) => {
      const fills = all.map(({ units, price }) => ({
        ...Quantity.parseFact(textOf(units, 18)),
        price: price as Price,
      }));
      const total = fills.reduce<ExecutedValue>(afterExecution, NOTHING);
      const units = all.reduce((sum, each) => sum + each.units, 0n);
      const value = all.reduce((sum, each) => sum + each.units * BigInt(each.price), 0n);
      expect(executedText(total)).toBe(textOf(units, 18));
      expect(executedValueText(total)).toBe(textOf(value, 26));
      expect(executedText(fills.reduce(withExecution, NOTHING))).toBe(textOf(units, 18));
      expect(BigInt(roundedUp(total))).toBe((units + STEP - 1n) / STEP);
      expect(exceeds(total, total.executedQuantity)).toBe(units % STEP > 0n);
      expect(hasExecuted(total)).toBe(true);
      const average = (2n * value + units) / (2n * units);
      expect(executedPriceText(total)).toBe(textOf(average, 8));
      expect(fills.reduce<ExecutedValue>(beforeExecution, total)).toEqual(NOTHING);
    }),
  );
});

it("the value of one execution is exact", () => {
  const fill = { ...Quantity.parseFact("0.000000000000000001"), price: 1 as Price };
  expect(executionValueText(fill)).toBe("0.00000000000000000000000001");
  expect([hasExecuted(NOTHING), executedPriceText(NOTHING)]).toEqual([false, "0"]);
});
