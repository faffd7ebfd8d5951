import { describe, expect, it } from "vitest";
import { formatQuantity, price, type Quantity, quantity, ZERO_QUANTITY } from "../../src/decimal/index.ts";
import { evolve, type Transition, transition } from "../../src/lifecycle/index.ts";
import type { ParentIntent, ParentOrder } from "../../src/model/index.ts";
import { intentOf, NOT_AFTER_MS, NOW, quoteAt, RULES } from "./support.ts";

/** A POV of 10 at 30 percent, admitted when 5 had been executed. */
function pov(change: Partial<ParentIntent> = {}): ParentOrder {
  const intent = intentOf({ type: "POV", quantity: quantity("10"), participationBips: 3_000, ...change });
  const fact = {
    kind: "ACCEPTED",
    accountId: 1,
    intent,
    acceptance: 1,
    volumeBefore: quantity("5"),
  } as const;
  return evolve(undefined, fact, { orderId: -256, sequence: 1, timeMs: NOW });
}

/** The market offers it a quantity when this much was executed. */
function offered(order: ParentOrder, volume?: Quantity): Transition {
  const attempt = { quote: quoteAt("99", "100"), fresh: true, ...(volume !== undefined && { volume }) };
  const event = { kind: "PRINTED", ...attempt } as const;
  return transition(order, event, { sequence: 2, nowMs: NOW, rules: RULES, notAfterMs: NOT_AFTER_MS });
}

const sizeOf = ({ order, wait }: Transition): string | undefined =>
  order.child === undefined ? wait : formatQuantity(order.child.quantity);

describe("decision 30: the allowance of a POV", () => {
  it.each([
    ["nothing new", "5", "SHARE_USED"],
    ["one step short of the minimum", "5.499999", "BELOW_MINIMUM_NOTIONAL"],
    ["the minimum", "5.5", "0.15"],
    ["its share, rounded down to whole steps", "6.000001", "0.3"],
    ["at most its quantity", "1000", "10"],
  ])("%s", (_what, volume, expected) => {
    expect(sizeOf(offered(pov(), quantity(volume)))).toBe(expected);
  });

  it("less its own executions, and zero if those are more", () => {
    const executed = (size: string): ParentOrder => ({ ...pov(), executedQuantity: quantity(size) });
    expect(sizeOf(offered(executed("1"), quantity("10")))).toBe("0.5");
    expect(sizeOf(offered(executed("1.5"), quantity("10")))).toBe("SHARE_USED");
    expect(sizeOf(offered(executed("3"), quantity("10")))).toBe("SHARE_USED");
  });

  it("zero without new volume, and zero if the earlier volume is unknown", () => {
    expect(sizeOf(offered(pov()))).toBe("NO_VOLUME");
    const { volumeBefore: _before, ...lost } = pov();
    expect(sizeOf(offered(lost, quantity("10")))).toBe("NO_VOLUME");
  });

  it("with nothing executed before it, all volume counts", () => {
    expect(sizeOf(offered({ ...pov(), volumeBefore: ZERO_QUANTITY }, quantity("5")))).toBe("1.5");
  });

  it("the volume that it followed is stored with the child", () => {
    expect(offered(pov(), quantity("10")).facts).toMatchObject([
      { kind: "CHILD_INTENDED", volume: quantity("10") },
    ]);
  });
});

describe("decision 31: the allowance of an iceberg", () => {
  it.each([
    ["its display", "0.4", "1", "0.4"],
    ["all, if it shows all", "1", "1", "1"],
    ["the rest", "0.4", "0.3", "0.3"],
  ])("%s", (_what, display, rest, expected) => {
    const change = { type: "ICEBERG", price: price("100"), icebergQuantity: quantity(display) } as const;
    const fact = { kind: "ACCEPTED", accountId: 1, intent: intentOf(change), acceptance: 1 } as const;
    const order = evolve(undefined, fact, { orderId: -256, sequence: 1, timeMs: NOW });
    const done = { ...order, executedQuantity: (1_000_000 - Number(quantity(rest))) as never };
    expect(sizeOf(offered(done))).toBe(expected);
  });
});
