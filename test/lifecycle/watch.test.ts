import { describe, expect, it } from "vitest";
import { price, quantity } from "../../src/decimal/index.ts";
import { watchOf } from "../../src/lifecycle/index.ts";
import type { ParentIntent, ParentOrder } from "../../src/model/index.ts";
import { kindsOf, NOT_AFTER_MS, NOW, quoteAt, Subject } from "./support.ts";

const BPS = { kind: "bps", bps: 100 } as const;
const parent = (change: Partial<ParentIntent>, more: Partial<ParentOrder> = {}): ParentOrder => ({
  ...new Subject(change).order,
  ...more,
});
const STOP = { type: "STOP_MARKET", stopPrice: price("110") } as const;
const STOP_LIMIT = { type: "STOP_LOSS_LIMIT", stopPrice: price("110"), price: price("111") } as const;
const TRAIL = { type: "TRAILING_STOP_MARKET", trailing: BPS } as const;
const MAKER = { type: "LIMIT_MAKER", price: price("100") } as const;
const activation = { position: 1, seed: price("100") };
const trigger = { level: price("110"), observed: price("110"), atMs: NOW };
const above = { direction: "atOrAbove", level: price("110") } as const;
const below = { direction: "atOrBelow", level: price("110") } as const;

describe("what an active parent without a child in flight watches", () => {
  it.each([
    [
      "its limit",
      parent({}),
      { kind: "level", side: "ask", condition: { direction: "atOrBelow", level: price("100") } },
    ],
    [
      "a floor on the bid",
      parent({ side: "SELL" }),
      { kind: "level", side: "bid", condition: { direction: "atOrAbove", level: price("100") } },
    ],
    ["its stop", parent(STOP), { kind: "level", side: "ask", condition: above }],
    [
      "the stop of a SELL",
      parent({ ...STOP, side: "SELL" }),
      { kind: "level", side: "bid", condition: below },
    ],
    [
      "every quote once a stop at market has triggered",
      parent(STOP, { trigger }),
      { kind: "every", side: "ask" },
    ],
    [
      "its limit once a stop with a limit has triggered",
      parent(STOP_LIMIT, { trigger }),
      { kind: "level", side: "ask", condition: { direction: "atOrBelow", level: price("111") } },
    ],
    ["a trail", parent(TRAIL), { kind: "trail", side: "ask", distance: BPS }],
    [
      "a trail behind its gate",
      parent({ ...TRAIL, stopPrice: price("110") }),
      { kind: "trail", side: "ask", distance: BPS, gate: expect.objectContaining({ level: price("110") }) },
    ],
    [
      "a trail that has begun",
      parent(TRAIL, { activation }),
      { kind: "trail", side: "ask", distance: BPS, activation },
    ],
    ["every quote before a post-only order is placed", parent(MAKER), { kind: "every", side: "ask" }],
    [
      "the price of a post-only order after that",
      parent(MAKER, { postOnlyCleared: true }),
      { kind: "level", side: "ask", condition: { direction: "atOrBelow", level: price("100") } },
    ],
  ])("%s", (_what, order, watch) => {
    expect(watchOf(order, NOW)).toStrictEqual(watch);
  });

  it.each([
    ["it is ending", { pendingEnd: { status: "CANCELED", reason: "USER_CANCELED" } }],
    ["it has ended", { ended: { status: "CANCELED", reason: "USER_CANCELED", atMs: NOW } }],
    ["an invariant is broken", { frozen: true }],
    ["it is held", { held: true }],
  ] as const)("nothing if %s", (_what, more) => {
    expect(watchOf(parent({}, more), NOW)).toBeUndefined();
  });

  it("nothing while a child is in flight", () => {
    const subject = new Subject();
    subject.fire("100");
    expect(watchOf(subject.order, NOW)).toBeUndefined();
  });
});

describe("the first quote of a post-only order", () => {
  const maker = (): Subject => new Subject(MAKER);

  it("outside its price leaves it waiting, and it executes from then on", () => {
    const subject = maker();
    const done = subject.fire("100.01");
    expect([done.facts, done.effects, "wait" in done]).toStrictEqual([[{ kind: "POSTED" }], [], false]);
    expect(kindsOf(subject.fire("100"))).toEqual(["CHILD_INTENDED"]);
  });

  it("inside its price refuses it", () => {
    expect(maker().fire("100").facts).toStrictEqual([
      { kind: "ENDED", status: "REJECTED", reason: "WOULD_MATCH_IMMEDIATELY" },
    ]);
  });

  it("decides nothing if it is stale", () => {
    const done = maker().fire("100", { fresh: false });
    expect([done.facts, done.wait]).toEqual([[], "STALE_QUOTE"]);
  });

  it("comes before any child, whatever else was counted", () => {
    const printed = { kind: "PRINTED", quote: quoteAt("99", "100"), fresh: true } as const;
    expect(maker().meet(printed).facts).toEqual([]);
    expect(new Subject(STOP).meet(printed).facts).toEqual([]);
  });
});

describe("the record of a trigger and of a child", () => {
  it("has level, observed price, reference and time", () => {
    const subject = new Subject(TRAIL);
    const fired = { orderId: -256, observed: price("101"), level: price("101"), reference: price("100") };
    expect(subject.fire("101", { fired }).facts[0]).toStrictEqual({
      kind: "TRIGGERED",
      trigger: { level: price("101"), observed: price("101"), reference: price("100"), atMs: NOW },
    });
    expect(new Subject(STOP).fire("110").facts[0]).toStrictEqual({
      kind: "TRIGGERED",
      trigger: { level: price("110"), observed: price("110"), atMs: NOW },
    });
  });

  it("I06: has the child as it goes to the venue, and no members without a value", () => {
    const subject = new Subject();
    const { facts, effects } = subject.fire("100");
    expect([facts, effects]).toStrictEqual([
      [
        {
          kind: "CHILD_INTENDED",
          child: {
            childId: subject.childId,
            attempt: 1,
            quantity: quantity("1"),
            limitPrice: price("100"),
            executedQuantity: 0,
            state: "SENT",
            intendedAtMs: NOW,
            notAfterMs: NOT_AFTER_MS,
            slot: undefined,
            problem: undefined,
          },
        },
      ],
      [{ kind: "SUBMIT" }],
    ]);
  });

  it("an exposure limits a child of a reduce-only parent, and no other", () => {
    const measured = {
      kind: "MEASURED",
      quote: quoteAt("99", "100"),
      fresh: true,
      exposure: quantity("0.5"),
    } as const;
    const sizeOf = (reduceOnly: boolean): unknown => {
      const subject = new Subject({ reduceOnly });
      subject.meet(measured);
      return subject.order.child?.quantity;
    };
    expect([sizeOf(true), sizeOf(false)]).toEqual([quantity("0.5"), quantity("1")]);
  });

  it("a reduce-only parent says that it waits for the exposure", () => {
    expect(new Subject({ reduceOnly: true }).fire("100")).toMatchObject({ wait: "MEASURING" });
  });
});
