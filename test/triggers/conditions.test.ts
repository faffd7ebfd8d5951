import { describe, expect, it } from "vitest";
import { price } from "../../src/decimal/index.ts";
import {
  executableSide,
  gateDirection,
  limitDirection,
  meets,
  stopDirection,
  takeProfitDirection,
} from "../../src/triggers/index.ts";

describe("trigger rules of the contract", () => {
  it("observe the executable side: ask for BUY, bid for SELL", () => {
    expect([executableSide("BUY"), executableSide("SELL")]).toEqual(["ask", "bid"]);
  });

  it("rule 1: BUY stop at or above, SELL stop at or below", () => {
    expect([stopDirection("BUY"), stopDirection("SELL")]).toEqual(["atOrAbove", "atOrBelow"]);
  });

  it("rule 2: BUY take-profit at or below, SELL take-profit at or above", () => {
    expect([takeProfitDirection("BUY"), takeProfitDirection("SELL")]).toEqual(["atOrBelow", "atOrAbove"]);
  });

  it("rule 3: buy limit at or below its cap, sell limit at or above its floor", () => {
    expect([limitDirection("BUY"), limitDirection("SELL")]).toEqual(["atOrBelow", "atOrAbove"]);
  });
});

describe("direction of the activation gate", () => {
  it.each(["TRAILING_STOP_MARKET", "TRAILING_STOP_LIMIT"] as const)(
    "%s opens on the favorable side",
    (type) => {
      expect(gateDirection({ type, side: "BUY" })).toBe("atOrBelow");
      expect(gateDirection({ type, side: "SELL" })).toBe("atOrAbove");
    },
  );

  it.each(["STOP_MARKET", "STOP_LOSS_LIMIT"] as const)("%s opens where the stop triggers", (type) => {
    expect(gateDirection({ type, side: "BUY" })).toBe("atOrAbove");
    expect(gateDirection({ type, side: "SELL" })).toBe("atOrBelow");
  });

  it.each(["TAKE_PROFIT_MARKET", "TAKE_PROFIT_LIMIT"] as const)("%s opens at the profit level", (type) => {
    expect(gateDirection({ type, side: "BUY" })).toBe("atOrBelow");
    expect(gateDirection({ type, side: "SELL" })).toBe("atOrAbove");
  });
});

describe("comparisons are exact and inclusive", () => {
  it("a single step is decisive", () => {
    const level = price("100");
    const rising = ["99.99999999", "100", "100.00000001"].map((text) =>
      meets({ direction: "atOrAbove", level }, price(text)),
    );
    const falling = ["99.99999999", "100", "100.00000001"].map((text) =>
      meets({ direction: "atOrBelow", level }, price(text)),
    );
    expect(rising).toEqual([false, true, true]);
    expect(falling).toEqual([true, true, false]);
  });

  it("also beyond the safe integers, against a level within them", () => {
    const level = price("90071992.54740991");
    expect(meets({ direction: "atOrAbove", level }, price("90071992.54740992"))).toBe(true);
    expect(meets({ direction: "atOrBelow", level }, price("90071992.54740992"))).toBe(false);
    expect(
      meets({ direction: "atOrBelow", level: price("9999999999.99999999") }, price("9999999999.99999999")),
    ).toBe(true);
  });
});
