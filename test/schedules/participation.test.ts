import { expect, it } from "vitest";
import { formatQuantity, quantity, ZERO_QUANTITY } from "../../src/decimal/index.ts";
import { participationTarget } from "../../src/schedules/index.ts";

it.each([
  ["10%", "2", 1_000, "0.2"],
  ["all", "123.456789", 10_000, "123.456789"],
  ["one basis point of too little", "0.009999", 1, "0"],
  ["one basis point of just enough", "0.010000", 1, "0.000001"],
  ["cut, never rounded up", "0.000019", 1_000, "0.000001"],
  ["beyond the doubles", "999999999999.999999", 9_999, "999899999999.999999"],
])("the target of a POV: %s", (_what, volume, bips, target) => {
  expect(formatQuantity(participationTarget(quantity(volume), bips))).toBe(target);
});

it("without volume there is no target", () => {
  expect(participationTarget(ZERO_QUANTITY, 10_000)).toBe(ZERO_QUANTITY);
});
