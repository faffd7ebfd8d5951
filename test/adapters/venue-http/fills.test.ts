import { describe, expect, it } from "vitest";
import { fill } from "../../../src/adapters/venue-http/values.ts";
import { Price, Quantity } from "../../../src/decimal/index.ts";

const WRITTEN = { executionId: "1", quantity: "0.100000000000000001", price: "65000", timeMs: 1 };

describe("executions over HTTP", () => {
  it("have one text for their quantity, exact to 18 decimals", () => {
    const read = { ...WRITTEN, ...Quantity.parseFact(WRITTEN.quantity), price: Price.parse("65000") };
    expect(fill.read(WRITTEN, "a fill")).toEqual(read);
    expect(fill.write(read)).toEqual(WRITTEN);
  });

  it("are read by their value", () => {
    const read = fill.read({ ...WRITTEN, quantity: "0.10000000", price: "65000.0000000000" }, "a fill");
    expect(fill.write(read)).toEqual({ ...WRITTEN, quantity: "0.1" });
    expect(read).not.toHaveProperty("fine");
  });

  it.each(["0.1000000000000000001", "0", "-1", "1e3", ""])(
    "with a quantity of %j are unreadable",
    (quantity) => {
      expect(() => fill.read({ ...WRITTEN, quantity }, "a fill")).toThrow("quantity of a fill");
    },
  );

  it("at a price whose value is finer than eight decimals are unreadable", () => {
    expect(() => fill.read({ ...WRITTEN, price: "65000.123456789" }, "a fill")).toThrow("price of a fill");
  });
});
