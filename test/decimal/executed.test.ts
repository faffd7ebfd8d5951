import fc from "fast-check";
import { expect, it } from "vitest";
import {
  afterExecution,
  beforeExecution,
  type ExecutedValue,
  exactQuantityText,
  exceeds,
  executedPriceText,
  executedText,
  executedValueText,
  executionValueText,
  hasExecuted,
  Price,
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

it.each([
  ["1", "1", false],
  ["1", "0.999999", true],
  ["0.9999999999", "1", false],
  ["1.0000000001", "1", true],
])("whether %s executed exceeds %s: %s", (executed, limit, isExceeded) => {
  const total = withExecution(NOTHING, Quantity.parseFact(executed));
  expect(exceeds(total, Quantity.parse(limit))).toBe(isExceeded);
});

it.each([
  ["a quantity", [["0.0000005", "10"]], "10"],
  [
    "a value",
    [
      ["0.0000005", "0.00000001"],
      ["0.0000005", "0.00000002"],
    ],
    "0.00000002",
  ],
] as const)("the average price counts %s below one step", (_, fills, average) => {
  const total = fills
    .map(([quantity, price]) => ({ ...Quantity.parseFact(quantity), price: Price.parse(price) }))
    .reduce<ExecutedValue>(afterExecution, NOTHING);
  expect(executedPriceText(total)).toBe(average);
});

it("two halves of a step are a whole one, and nothing is left below it", () => {
  const half = { ...Quantity.parseFact("0.0000005"), price: Price.parse("0.00000001") };
  const total = [half, half].reduce<ExecutedValue>(afterExecution, NOTHING);
  expect(total).toStrictEqual({
    executedQuantity: 1,
    executedFine: undefined,
    executedNotional: 1,
    notionalFine: undefined,
  });
  expect(exactQuantityText(half)).toBe("0.0000005");
});

it("the value of one execution is exact", () => {
  const fill = { ...Quantity.parseFact("0.000000000000000001"), price: 1 as Price };
  expect(executionValueText(fill)).toBe("0.00000000000000000000000001");
  expect([hasExecuted(NOTHING), executedPriceText(NOTHING)]).toEqual([false, "0"]);
});
