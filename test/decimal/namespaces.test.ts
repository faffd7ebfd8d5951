import { describe, expect, it } from "vitest";
import { Notional, Price, Quantity } from "../../src/index.ts";

describe("Price, Quantity and Notional of the package", () => {
  it.each([
    ["Price", Price, "60000.5", "0.1"],
    ["Quantity", Quantity, "12.5", "0.000001"],
    ["Notional", Notional, "15.00000000000001", "0.2"],
  ] as const)("%s: sums, differences and order are exact", (_, unit, high, low) => {
    // One type for the three, so that one test calls each.
    const { parse, format, add, subtract, min, max, compare, zero } = unit as unknown as typeof Price;
    const [a, b] = [parse(high), parse(low)];
    expect(format(a)).toBe(high);
    expect(format(subtract(add(a, b), a))).toBe(low);
    expect(subtract(add(a, b), add(b, a))).toBe(zero);
    expect(subtract(b, a)).toBe(-subtract(a, b));
    expect([min(a, b), max(a, b)]).toEqual([b, a]);
    expect([compare(a, b), compare(b, a), compare(a, a)]).toEqual([1, -1, 0]);
  });

  it("the value of a quantity at a price is a Notional", () => {
    expect(Notional.of(Price.parse("7424.9"), Quantity.parse("0.01"))).toBe(Notional.parse("74.249"));
  });
});

describe("the quantity of a position", () => {
  it.each([
    ["-0.50", "-0.5"],
    ["0.5", "0.5"],
    ["0", "0"],
    ["-0", "0"],
    ["-999999999999.999999", "-999999999999.999999"],
  ])("may be negative or zero: %s", (text, canonical) => {
    const position = Quantity.parseSigned(text);
    expect(Object.is(position, -0)).toBe(false);
    expect(Quantity.format(position)).toBe(canonical);
    expect(Quantity.format(Quantity.abs(position))).toBe(canonical.replace("-", ""));
  });

  it.each(["", "-", "--1", "+1", "1e3", "1000000000000", "-1000000000000", " 1"])(
    "is a decimal in range: %j is refused",
    (text) => {
      expect(() => Quantity.parseSigned(text)).toThrow(
        new RangeError(`a position must be a decimal string, got ${text}`),
      );
    },
  );

  it.each(["-0.5", "0"])("differs from the quantity of an order, which is positive: %s", (text) => {
    expect(() => Quantity.parse(text)).toThrow(RangeError);
  });
});

it.each([
  ["Price.parse", Price.parse],
  ["Price.parseFact", Price.parseFact],
  ["Quantity.parse", Quantity.parse],
  ["Quantity.parseFact", Quantity.parseFact],
  ["Quantity.parseSigned", Quantity.parseSigned],
  ["Notional.parse", Notional.parse],
])("%s refuses a number; the error has the type's name, the number and the expected form", (name, parse) => {
  const refused = (): unknown => parse(15 as unknown as string);
  expect(refused).toThrow(new TypeError(`${name} takes a decimal string, such as "0.5", got the number 15`));
});
