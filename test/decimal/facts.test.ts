import { describe, expect, it } from "vitest";
import {
  floorFact,
  formatExact,
  isFinerFact,
  Notional,
  Price,
  parseFact,
  Quantity,
} from "../../src/decimal/index.ts";

describe("facts are read by their value", () => {
  it.each([
    ["0.10000000", 100_000],
    ["1.0000000000000000000000000000000000000000", 1_000_000],
    ["0000000000000000000000001.5", 1_500_000],
    ["0000000000000000000000001", 1_000_000],
    ["0.1000001", undefined],
    ["1e-3", undefined],
    ["-1", undefined],
    [".5", undefined],
    [`1.${"0".repeat(41)}`, undefined],
    ["9".repeat(41), undefined],
  ])("%s is %s millionths, exactly or not at all", (text, steps) => {
    expect(parseFact(text, 6)).toBe(steps);
  });

  it.each([
    ["0.1234567890", 123_456, true],
    ["0.00000099", 0, true],
    ["0.12345600", 123_456, false],
    ["12345678901.1234569", 12_345_678_901_123_456n, true],
    ["x", undefined, false],
  ])("public volume %s is rounded down to %s millionths", (text, steps, finer) => {
    expect([floorFact(text, 6), isFinerFact(text, 6)]).toEqual([steps, finer]);
  });

  it.each([
    ["0.12345678", "0.12345678"],
    ["0.100000000000000001", "0.100000000000000001"],
    ["999999999999.999999999999999999", "999999999999.999999999999999999"],
    ["0.000000000000000001", "0.000000000000000001"],
    ["2.50000000", "2.5"],
    ["120.0000000000000000000000", "120"],
  ])("an executed quantity of %s is held exactly", (text, held) => {
    const { quantity, fine } = Quantity.parseFact(text);
    expect(formatExact(quantity, fine, 6)).toBe(held);
    expect(fine === undefined || (fine > 0 && fine < 1e12)).toBe(true);
  });

  it.each(["0", "0.00000000", "0.1234567890123456789", "1000000000000", "-1", "1e3", ""])(
    "an executed quantity of %j cannot be held",
    (text) => {
      expect(() => Quantity.parseFact(text)).toThrow(
        new RangeError(
          `a quantity must be a decimal above 0 whose value has at most 18 decimals, got ${text}`,
        ),
      );
    },
  );

  it("a price by its value; one finer than eight decimals and zero cannot be held", () => {
    expect(Price.parseFact("65000.0000000000")).toBe(Price.parse("65000"));
    for (const text of ["65000.000000001", "0.0000000000", "10000000000.0"])
      expect(() => Price.parseFact(text)).toThrow(
        new RangeError(`a price must be a decimal above 0 whose value has at most 8 decimals, got ${text}`),
      );
  });

  it("a position by its value, towards zero; what a client sends is still counted as sent", () => {
    expect(Quantity.format(Quantity.parseSigned("-0.50000000"))).toBe("-0.5");
    expect(Quantity.format(Quantity.parseSigned("-0.12345678"))).toBe("-0.123456");
    expect(() => Quantity.parse("0.1000000")).toThrow(RangeError);
    expect(() => Notional.parse("x")).toThrow(RangeError);
  });
});
