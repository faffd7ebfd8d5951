import { describe, expect, it } from "vitest";
import { formatQuantity, price, type Quantity, quantity, ZERO_QUANTITY } from "../../src/decimal/index.ts";
import {
  evolve,
  isScheduleOver,
  isSlotOver,
  nextSlotChangeMs,
  openSlotOf,
  type Transition,
  transition,
  watchOf,
} from "../../src/lifecycle/index.ts";
import type { ChildOutcome, ParentIntent, ParentOrder, SchedulePlan } from "../../src/model/index.ts";
import { intentOf, NOT_AFTER_MS, NOW, quoteAt, RULES } from "./support.ts";

const STEP = 60_000;
const at = (slots: number): number => NOW + slots * STEP;

/** A BUY of 1 in three slots of a minute, the first after a delay of one. */
function scheduled(
  type: "TWAP" | "VWAP",
  cumulative?: readonly number[],
  change: Partial<ParentIntent> = {},
): ParentOrder {
  const plan: SchedulePlan = {
    startsAtMs: at(1),
    intervalMs: STEP,
    count: 3,
    ...(cumulative && { cumulative }),
  };
  const schedule = { intervalMs: STEP, intervalCount: 3, intervalDelayMs: STEP };
  const intent = intentOf({ type, schedule, ...change });
  const fact = { kind: "ACCEPTED", accountId: 1, intent, acceptance: 1, plan } as const;
  return evolve(undefined, fact, { orderId: -256, sequence: 1, timeMs: NOW });
}

let sequence = 1;

/** A quote meets an order: an ask that offers everything by default. */
const offer = (order: ParentOrder, nowMs: number, ask = "100"): Transition =>
  transition(
    order,
    {
      kind: "FIRED",
      fired: { orderId: -256, observed: price(ask) },
      quote: quoteAt("0.01", ask),
      fresh: true,
    },
    { sequence: ++sequence, nowMs, rules: RULES, notAfterMs: NOT_AFTER_MS },
  );

/** The child of an order is closed without a fill. */
const closed = (order: ParentOrder, outcome: ChildOutcome, nowMs: number): ParentOrder =>
  evolve(
    order,
    { kind: "CHILD_CLOSED", childId: order.child?.childId ?? "", outcome },
    { orderId: -256, sequence: ++sequence, timeMs: nowMs },
  );

it("the slot of a child is over once it closes; without a slot or a child none is", () => {
  const waiting = scheduled("TWAP");
  const { order } = offer(waiting, at(1));
  expect([at(2) - 1, at(2)].map((nowMs) => isSlotOver(order, nowMs))).toEqual([false, true]);
  expect([waiting, { ...waiting, plan: undefined }].map((one) => isSlotOver(one, at(9)))).toEqual([
    false,
    false,
  ]);
  const bare = { ...order, child: order.child && { ...order.child, slot: undefined } };
  expect(isSlotOver(bare, at(9))).toBe(false);
});

it("a VWAP has no open slot before the first one, and a TWAP none after the last", () => {
  expect(openSlotOf(scheduled("VWAP", [1, 2, 3]), at(1) - 1)).toBeUndefined();
  expect(openSlotOf(scheduled("TWAP"), at(4))).toBeUndefined();
});

const openAt = (order: ParentOrder, nowMs: number): string | undefined => {
  const open = openSlotOf(order, nowMs);
  return open && `${open.slot}: ${formatQuantity(open.quantity)}`;
};
const changeAt = (order: ParentOrder, nowMs: number): number | undefined => {
  const ms = nextSlotChangeMs(order, nowMs);
  return ms === undefined ? undefined : (ms - NOW) / STEP;
};

describe("a TWAP", () => {
  const twap = scheduled("TWAP");

  it.each([
    ["before the delay is over", at(1) - 1, undefined, 1],
    ["at the opening of the first", at(1), "0: 0.333333", 2],
    ["at its last moment", at(2) - 1, "0: 0.333333", 2],
    ["when it closes the next opens", at(2), "1: 0.333333", 3],
    ["the last has the rest", at(3), "2: 0.333334", 4],
    ["at its last moment too", at(4) - 1, "2: 0.333334", 4],
    ["after it: nothing", at(4), undefined, undefined],
    ["a day later: nothing", at(1_440), undefined, undefined],
  ])("slots: %s", (_what, nowMs, open, change) => {
    expect([openAt(twap, nowMs), changeAt(twap, nowMs)]).toEqual([open, change]);
    expect(isScheduleOver(twap, nowMs)).toBe(nowMs >= at(4));
    expect(watchOf(twap, nowMs) !== undefined).toBe(open !== undefined);
  });

  it("one child per slot: its unfilled rest is not tried again, and not carried over", () => {
    const sent = offer(twap, at(1));
    expect(sent.order.child).toMatchObject({ quantity: quantity("0.333333"), slot: 0 });
    const back = closed(sent.order, "DONE", at(1) + 1);
    expect([openAt(back, at(1) + 1), changeAt(back, at(1) + 1)]).toEqual([undefined, 2]);
    expect([offer(back, at(1) + 1).wait, watchOf(back, at(1) + 1)]).toEqual(["NO_OPEN_SLOT", undefined]);
    expect(offer(back, at(2)).order.child).toMatchObject({ quantity: quantity("0.333333"), slot: 1 });
  });

  it("I33: missed slots stay missed: no burst", () => {
    expect(offer(twap, at(3)).order.child).toMatchObject({ quantity: quantity("0.333334"), slot: 2 });
  });

  it("a child that was withdrawn or refused without execution frees its slot, one that was closed or voided does not", () => {
    const sent = offer(twap, at(1)).order;
    for (const outcome of ["WITHDRAWN", "REJECTED"] as const)
      expect([outcome, openAt(closed(sent, outcome, at(1)), at(1))]).toEqual([outcome, "0: 0.333333"]);
    for (const outcome of ["DONE", "VOIDED"] as const)
      expect([outcome, openAt(closed(sent, outcome, at(1)), at(1))]).toEqual([outcome, undefined]);
  });

  it("I33: a used slot cannot be used again, nor an earlier one", () => {
    const sent = offer(twap, at(2)).order;
    const free = closed(sent, "DONE", at(2));
    for (const slot of [0, 1]) {
      const child = { ...sent.child, attempt: 2, slot, state: "SENT" as const, executedQuantity: 0 as never };
      const fact = { kind: "CHILD_INTENDED" as const, child: { ...child, childId: "x" } as never };
      expect(() => evolve(free, fact, { orderId: -256, sequence: 9, timeMs: at(2) })).toThrow(/I33/);
    }
  });

  it("a rest that is smaller than a slice is sent alone", () => {
    const nearly = { ...twap, executedQuantity: quantity("0.8") };
    expect(formatQuantity(offer(nearly, at(2)).order.child?.quantity as never)).toBe("0.2");
  });

  it("its cap applies in every slot", () => {
    const capped = scheduled("TWAP", undefined, { price: price("100") });
    expect(offer(capped, at(1), "100.01").wait).toBe("PRICE_OUTSIDE_LIMIT");
    expect(offer(capped, at(1), "100").order.child?.limitPrice).toBe(price("100"));
    expect(watchOf(capped, at(1))).toMatchObject({ kind: "level" });
    expect(watchOf(twap, at(1))).toMatchObject({ kind: "every" });
  });
});

describe("the end of a TWAP", () => {
  const over = { kind: "SCHEDULE_OVER" } as const;
  const meet = (order: ParentOrder, nowMs: number): Transition =>
    transition(order, over, { sequence: ++sequence, nowMs, rules: RULES, notAfterMs: NOT_AFTER_MS });

  it("is when its last slot has closed and no child is in flight", () => {
    const twap = scheduled("TWAP");
    expect(meet(twap, at(4) - 1).facts).toEqual([]);
    expect(meet(twap, at(4)).order.ended).toMatchObject({ status: "EXPIRED", reason: "SCHEDULE_ENDED" });
    const sent = offer(twap, at(4) - 1).order;
    expect(meet(sent, at(4)).facts).toEqual([]);
  });

  it.each([
    ["nothing", [], "EXPIRED"],
    ["a part", ["0.1"], "EXPIRED"],
    ["all", ["0.333334"], "EXPIRED"],
  ] as const)("a child in flight then is awaited: it filled %s", (_what, sizes, status) => {
    const { order } = offer(scheduled("TWAP"), at(4) - 1);
    const fills = sizes.map((size) => ({
      executionId: "a",
      quantity: quantity(size),
      price: price("100"),
      timeMs: NOW,
    }));
    const report = { childId: order.child?.childId ?? "", state: "closed" as const, fills };
    const done = transition(
      order,
      { kind: "REPORTED", report },
      { sequence: 9, nowMs: at(5), rules: RULES, notAfterMs: NOT_AFTER_MS },
    );
    expect(done.order.ended?.status).toBe(status);
    expect(done.order.ended?.reason).toBe("SCHEDULE_ENDED");
  });

  it("on its last fill it is FILLED, also after the last slot", () => {
    const nearly = { ...scheduled("TWAP"), executedQuantity: quantity("0.666666") };
    const { order } = offer(nearly, at(4) - 1);
    const fill = { executionId: "a", quantity: quantity("0.333334"), price: price("100"), timeMs: NOW };
    const report = { childId: order.child?.childId ?? "", state: "closed" as const, fills: [fill] };
    const done = transition(
      order,
      { kind: "REPORTED", report },
      { sequence: 9, nowMs: at(5), rules: RULES, notAfterMs: NOT_AFTER_MS },
    );
    expect(done.order.ended).toMatchObject({ status: "FILLED", reason: "FILLED" });
  });

  it("does not apply to a VWAP, an order without a schedule, or a stopped one", () => {
    const vwap = scheduled("VWAP", [1, 2, 3]);
    expect([meet(vwap, at(100)).facts, isScheduleOver(vwap, at(100))]).toEqual([[], false]);
    const frozen = { ...scheduled("TWAP"), frozen: true as const };
    expect(meet(frozen, at(4)).facts).toEqual([]);
    const { plan: _plan, ...plain } = scheduled("TWAP");
    expect([meet(plain, at(4)).facts, openAt(plain, at(4)), changeAt(plain, NOW)]).toEqual([
      [],
      undefined,
      undefined,
    ]);
  });
});

describe("a VWAP", () => {
  it("a zero weight has no slot, and leaves nothing to catch up", () => {
    const vwap = scheduled("VWAP", [1, 1, 4]);
    expect([openAt(vwap, at(1)), changeAt(vwap, at(1))]).toEqual(["0: 0.25", 2]);
    expect([openAt(vwap, at(2)), changeAt(vwap, at(2))]).toEqual([undefined, 3]);
    expect(openAt(vwap, at(3))).toBe("2: 0.75");
  });

  it("with zero weights first it begins when the first slot with a weight opens", () => {
    const vwap = scheduled("VWAP", [0, 0, 1]);
    expect([openAt(vwap, at(1)), changeAt(vwap, NOW)]).toEqual([undefined, 3]);
    expect(openAt(vwap, at(3))).toBe("2: 1");
  });

  it("with a zero weight last its planned part is over earlier, and it continues after the last", () => {
    const vwap = scheduled("VWAP", [1, 4, 4]);
    expect([openAt(vwap, at(3)), changeAt(vwap, at(3))]).toEqual([undefined, 4]);
    expect(openAt(vwap, at(4))).toBe("3: 0.75");
  });

  it("after the last slot: one attempt per interval, of at most the largest slice", () => {
    const vwap = scheduled("VWAP", [1, 3, 4]);
    expect([openAt(vwap, at(4)), changeAt(vwap, at(4))]).toEqual(["3: 0.5", 5]);
    const used = closed(offer(vwap, at(4)).order, "DONE", at(4));
    expect([openAt(used, at(4)), changeAt(used, at(4)), openAt(used, at(5))]).toEqual([
      undefined,
      5,
      "4: 0.5",
    ]);
    expect(openAt(vwap, at(10_000))).toBe("9999: 0.5");
  });

  it("a slot that was used early does not move the next change", () => {
    const vwap = scheduled("VWAP", [1, 1, 4]);
    const used = closed(offer(vwap, at(1)).order, "DONE", at(1));
    expect(changeAt(used, at(1))).toBe(3);
    const all = { ...used, nextSlot: 3 };
    expect(changeAt(all, at(3) + 1)).toBe(4);
  });
});

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

describe("the allowance of a POV", () => {
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

describe("the allowance of an iceberg", () => {
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
