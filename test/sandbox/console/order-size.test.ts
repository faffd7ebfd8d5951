import { describe, expect, it } from "vitest";
import { quantityAt, questionOf, type SizeInput, sizeOf } from "../../../src/sandbox/console/requests.ts";
import type { Values } from "../../../src/sandbox/console/ticket.ts";

const QUOTE = { bid: "60000", ask: "60001.5" };
const BALANCES = { USD: "1000.00000000000001", BTC: "3.5" };

const input = (values: Values, more: Partial<SizeInput> = {}): SizeInput => ({
  ...{ values, base: "BTC", quote: QUOTE, balances: BALANCES, ...more },
});
const sale = (quantity: string, more: Values = {}): SizeInput => input({ side: "SELL", quantity, ...more });
const purchase = (quantity: string, more: Values = {}): SizeInput =>
  input({ side: "BUY", quantity, ...more });

describe("the size of an order", () => {
  it("is its value at its own price, or at that of the market, exact and in the words of the button", () => {
    expect(sizeOf(sale("0.5"))).toEqual({
      ...{ does: "Sell 0.5 BTC", value: "30,000.00", available: "3.5 BTC", percent: 15 },
    });
    expect(sizeOf(purchase("0.01"))).toEqual({
      ...{ does: "Buy 0.01 BTC", value: "600.02", available: "1,000.00 USD", percent: 61 },
    });
    const values = [{ price: "50000" }, { stopPrice: "40000" }, { entryPrice: "30000", stopPrice: "1" }];
    expect(values.map((each) => sizeOf(purchase("0.01", each)).value)).toEqual([
      ...["500.00", "400.00", "300.00"],
    ]);
    expect(sizeOf(sale("123456789.123457", { price: "999999.99999999" })).value).toBe(
      "123,456,789,123,455.77",
    );
  });

  it("without a quantity, a price or a balance says only what is known", () => {
    expect(sizeOf(sale("half"))).toMatchObject({ does: "Sell BTC", value: undefined, percent: undefined });
    const unknown = { quote: undefined, balances: {} };
    expect(sizeOf(input({ side: "BUY", quantity: "1" }, unknown))).toEqual({
      ...{ does: "Buy 1 BTC", value: undefined, available: undefined, percent: undefined },
    });
  });

  it("a share of what is available is a quantity, rounded down", () => {
    const at = (percent: number, given: SizeInput): string | undefined => quantityAt(percent, given);
    expect([at(100, sale("")), at(33, sale("")), at(0, sale(""))]).toEqual(["3.5", "1.155", "0"]);
    expect([at(100, purchase("")), at(50, purchase("", { price: "3" }))]).toEqual([
      ...["0.016666", "166.666666"],
    ]);
    expect(at(50, input({ side: "BUY" }, { quote: undefined }))).toBe(undefined);
    expect(at(50, input({ side: "SELL" }, { balances: {} }))).toBe(undefined);
  });

  it("each share leads back to itself, and all of it is not more than there is", () => {
    for (let percent = 1; percent <= 100; percent++)
      for (const made of [sale, purchase])
        expect(sizeOf(made(quantityAt(percent, made("")) ?? "")).percent).toBe(percent);
  });

  it("beyond half of what is available, a person is asked", () => {
    const requested = (given: SizeInput): string | undefined => questionOf(sizeOf(given));
    expect([requested(sale("1.75")), requested(sale("x")), requested(input({ side: "SELL" }))]).toEqual(
      Array(3).fill(undefined),
    );
    expect(requested(sale("1.750001"))).toBe(
      "Sell 1.750001 BTC for about 105,000.06 USD? That is 51 % of the 3.5 BTC that you have.",
    );
    expect(requested(purchase("1"))).toBe(
      "Buy 1 BTC for about 60,001.50 USD? That is more than the 1,000.00 USD that you have.",
    );
    const nothing = input({ side: "SELL", quantity: "1" }, { balances: { BTC: "0" } });
    expect(requested(nothing)).toContain("more than the 0 BTC");
  });
});
