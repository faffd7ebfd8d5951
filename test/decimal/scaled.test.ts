import { Decimal } from "decimal.js";
import fc from "fast-check";
import { expect, it } from "vitest";
import {
  abs,
  add,
  amountOption,
  averagePriceText,
  compare,
  decimalProblem,
  formatNotional,
  formatPrice,
  formatQuantity,
  formatScaled,
  max,
  min,
  NOTIONAL_SCALE,
  type Notional,
  normalise,
  notional,
  notionalOf,
  type Price,
  parsePrice,
  parseQuantity,
  parseScaled,
  portion,
  price,
  type Quantity,
  quantity,
  type Scaled,
  subtract,
  withinPriceRange,
} from "../../src/decimal/index.ts";
import { InvariantError } from "../../src/errors/index.ts";

const Wide = Decimal.clone({ precision: 100, toExpNeg: -100, toExpPos: 100 });
/** Values of every length: sums and products of small ones end on both sides of the limit of safe integers. */
const scaled = fc
  .oneof(...[10n ** 18n, 2n ** 53n, 10n ** 9n].map((end) => fc.bigInt(0n, end - 1n)))
  .map(normalise);
const positive = fc.bigInt({ min: 1n, max: 10n ** 18n - 1n }).map(normalise);
const decimalText = fc
  .tuple(fc.stringMatching(/^[0-9]{1,20}$/), fc.option(fc.stringMatching(/^[0-9]{1,20}$/)))
  .map(([whole, decimals]) => (decimals === null ? whole : `${whole}.${decimals}`));

const exact = (value: Scaled, scale: number): Decimal => new Wide(String(value)).times(`1e-${scale}`);

it("I16: every scaled value survives the conversion to text and back, and the text is canonical", () => {
  fc.assert(
    fc.property(scaled, fc.integer({ min: 1, max: 14 }), (value, scale) => {
      const text = formatScaled(value, scale);
      expect(parseScaled(text, scale)).toBe(value);
      expect(text).toBe(exact(value, scale).toFixed());
    }),
  );
});

it("a text is read exactly or refused; decimals count as sent", () => {
  fc.assert(
    fc.property(decimalText, fc.integer({ min: 1, max: 14 }), (text, scale) => {
      const decimals = text.split(".")[1]?.length ?? 0;
      const value = parseScaled(text, scale);
      if (decimals > scale) expect(value).toBeUndefined();
      else expect(exact(value ?? -1, scale).equals(new Wide(text))).toBe(true);
    }),
  );
});

it.each([
  "",
  ".",
  ".5",
  "5.",
  "-1",
  "+1",
  "1e3",
  "0x10",
  "1_000",
  " 1",
  "1 ",
  "1,5",
  "Infinity",
  "NaN",
  "١",
  "１",
  "1.2.3",
  "0".repeat(21),
  `0.${"0".repeat(21)}`,
])("%j is not a decimal", (text) => {
  expect(parseScaled(text, 8)).toBeUndefined();
  expect(decimalProblem(text, 8)).toBe("grammar");
});

it("problems are reported in the order grammar, precision, range, zero", () => {
  expect(decimalProblem("1.1234567", 6)).toBe("precision");
  expect(decimalProblem("1.0000000", 6)).toBe("precision");
  expect(decimalProblem("0.000000", 6)).toBe("zero");
  expect(decimalProblem("1000000000000", 6)).toBe("range");
});

it("quantities are below 10^12 and prices below 10^10", () => {
  expect(formatQuantity(quantity("999999999999.999999"))).toBe("999999999999.999999");
  expect(parseQuantity("1000000000000")).toBeUndefined();
  expect(formatPrice(price("9999999999.99999999"))).toBe("9999999999.99999999");
  expect(parsePrice("10000000000")).toBeUndefined();
  expect(parsePrice("0")).toBeUndefined();
});

it("complaint 40: k hundredths stay k hundredths for every k up to 400", () => {
  for (let k = 1; k <= 400; k++) {
    const text = (k / 100).toFixed(2);
    expect(parseQuantity(text)).toBe(k * 10_000);
    expect(new Wide(formatQuantity(quantity(text))).times(100).toNumber()).toBe(k);
  }
});

it("sums, differences, order and extremes agree with decimal.js across the limit of safe integers", () => {
  fc.assert(
    fc.property(scaled, scaled, (a, b) => {
      const [x, y] = [new Wide(String(a)), new Wide(String(b))];
      expect(String(add(a, b))).toBe(x.plus(y).toFixed());
      expect(String(subtract(a, b))).toBe(x.minus(y).toFixed());
      expect(compare(a, b)).toBe(x.comparedTo(y));
      expect(a < b).toBe(x.lessThan(y));
      expect(String(min(a, b))).toBe(Wide.min(x, y).toFixed());
      expect(String(max(a, b))).toBe(Wide.max(x, y).toFixed());
      expect(abs(subtract(a, b))).toBe(abs(subtract(b, a)));
    }),
  );
});

it("a value has one form: a number if it is a safe integer, otherwise a bigint", () => {
  expect(normalise(BigInt(Number.MAX_SAFE_INTEGER))).toBe(Number.MAX_SAFE_INTEGER);
  expect(normalise(BigInt(Number.MAX_SAFE_INTEGER) + 1n)).toBe(9007199254740992n);
  expect(subtract(9007199254740992n, 1 as Scaled)).toBe(Number.MAX_SAFE_INTEGER);
  expect(add(Number.MAX_SAFE_INTEGER, 2)).toBe(9007199254740993n);
  expect(subtract(-Number.MAX_SAFE_INTEGER, 2)).toBe(-9007199254740993n);
  expect(parseScaled("90071992547.4097", 8)).toBe(9007199254740970000n);
  expect(notionalOf(94906267 as unknown as Price, 94906267 as unknown as Quantity)).toBe(9007199515875289n);
});

it("I16: a value that is not a whole number of steps is a broken invariant, never a wrong text", () => {
  const broken = new InvariantError("I16", "a scaled value is not an integer");
  for (const value of [1e21, 1.5e-7]) expect(() => formatScaled(value, 8)).toThrow(broken);
});

it("a computed price is held within the range of prices", () => {
  const [lowest, highest] = [price("0.00000001"), price("9999999999.99999999")];
  const held = (value: Scaled): Price => withinPriceRange(value as Price);
  expect([-5, 0, 1].map(held)).toEqual([lowest, lowest, lowest]);
  expect(held(2)).toBe(2);
  expect(held(10n ** 18n - 2n)).toBe(10n ** 18n - 2n);
  expect([10n ** 18n - 1n, 10n ** 18n, 10n ** 30n].map(held)).toEqual([highest, highest, highest]);
});

it("an amount in options is a text with at most 14 decimals", () => {
  const refused = 'minimum must be a decimal string with at most 14 decimals, such as "15", got ';
  for (const amount of ["15", "0", "0.00000000000001"])
    expect(() => amountOption(amount, "minimum")).not.toThrow();
  for (const amount of ["0.000000000000001", "x", 15])
    expect(() => amountOption(amount, "minimum")).toThrow(refused);
});

it("negative values (exposure) are written with a sign", () => {
  expect(formatQuantity(-1500000 as unknown as Quantity)).toBe("-1.5");
  expect(formatScaled(normalise(-(10n ** 18n)), 6)).toBe("-1000000000000");
});

it("price times quantity is exact, also for the largest of both", () => {
  fc.assert(
    fc.property(scaled, scaled, (p, q) => {
      const value = notionalOf(p as Price, q as Quantity);
      expect(formatNotional(value)).toBe(exact(p, 8).times(exact(q, 6)).toFixed());
    }),
  );
  expect(notionalOf(price("15"), quantity("1"))).toBe(notional("15"));
  expect(NOTIONAL_SCALE).toBe(14);
});

it("a portion is rounded once, in the requested direction", () => {
  fc.assert(
    fc.property(scaled, positive, positive, (value, numerator, denominator) => {
      const [v, n, d] = [BigInt(value), BigInt(numerator), BigInt(denominator)];
      const floor = (v * n) / d;
      const ceil = floor + ((v * n) % d === 0n ? 0n : 1n);
      expect(BigInt(portion(value, { numerator, denominator, rounding: "down" }))).toBe(floor);
      expect(BigInt(portion(value, { numerator, denominator, rounding: "up" }))).toBe(ceil);
    }),
  );
});

it("the average price is total divided by quantity, with eight decimals", () => {
  expect(averagePriceText(notional("0"), 0 as unknown as Quantity)).toBe("0");
  expect(averagePriceText(notional("100"), quantity("3"))).toBe("33.33333333");
  expect(averagePriceText(notional("200"), quantity("3"))).toBe("66.66666667");
});

it("the average price is rounded once, also for the largest totals: just below a half is no half", () => {
  const units = 999_999_999_999_999_999n;
  const total = units * 10n ** 17n + (units - 1n) / 2n;
  expect(averagePriceText(total as unknown as Notional, units as unknown as Quantity)).toBe("1000000000");
});

it("quotients agree with decimal.js: portions of either sign, averages rounded half up", () => {
  const signed = fc.tuple(scaled, fc.boolean()).map(([value, minus]) => (minus ? subtract(0, value) : value));
  fc.assert(
    fc.property(signed, positive, positive, (value, numerator, denominator) => {
      const product = new Wide(String(value)).times(String(numerator)).dividedBy(String(denominator));
      const [down, up] = (["down", "up"] as const).map((rounding) =>
        String(portion(value, { numerator, denominator, rounding })),
      );
      expect([down, up]).toEqual([product.floor().plus(0).toFixed(), product.ceil().plus(0).toFixed()]);
    }),
  );
  const halves = positive.map((value): [Scaled, Scaled] => [value, normalise(2n * BigInt(value))]);
  fc.assert(
    fc.property(fc.oneof(fc.tuple(scaled, positive), halves), ([total, units]) => {
      const average = new Wide(String(total)).dividedBy(String(units)).times("1e-8");
      const due = average.toDecimalPlaces(8, Decimal.ROUND_HALF_UP).toFixed();
      expect(averagePriceText(total as Notional, units as Quantity)).toBe(due);
    }),
  );
});

it("literals that are not a price or quantity throw a RangeError", () => {
  const refused = (what: string): RangeError => new RangeError(`${what} decimals, got 1.123456789012345`);
  const text = "1.123456789012345";
  expect(() => price(text)).toThrow(refused("a price must be a decimal string above 0 with at most 8"));
  expect(() => quantity(text)).toThrow(refused("a quantity must be a decimal string above 0 with at most 6"));
  expect(() => notional(text)).toThrow(refused("an amount must be a decimal string with at most 14"));
  expect(() => quantity("0")).toThrow(RangeError);
});
