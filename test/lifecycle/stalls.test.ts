import { describe, expect, it } from "vitest";
import { price, quantity } from "../../src/decimal/index.ts";
import { isInside, isMet, type ParentEvent } from "../../src/lifecycle/index.ts";
import type { Fact, ParentOrder } from "../../src/model/index.ts";
import { intentOf, NOW, quoteAt, Subject } from "./support.ts";

const END = { status: "CANCELED", reason: "USER_CANCELED" } as const;
const STALLED: ParentEvent = { kind: "STALLED", cause: "REFUSED", detail: "no", wait: "RETRY_PACE" };
const OVER: ParentEvent = { kind: "STALL_OVER", wait: "PRICE_OUTSIDE_LIMIT" };
const stallAlert: Fact = { kind: "ALERT", alert: "ORDER_STALLED", detail: "REFUSED: no", cause: "REFUSED" };
const resumed = (detail: string): Fact => ({ kind: "ALERT", alert: "ORDER_RESUMED", detail });

const stalled = (): Subject => {
  const subject = new Subject();
  subject.meet(STALLED);
  return subject;
};
const factsOf = (subject: Subject, event: ParentEvent): readonly Fact[] => subject.meet(event).facts;

describe("the condition of a parent is met", () => {
  const limit = intentOf();
  const stop = intentOf({ type: "STOP_MARKET", stopPrice: price("110") });
  const maker = intentOf({ type: "LIMIT_MAKER", price: price("100") });
  const twap = intentOf({ type: "TWAP", price: price("90") });
  const trigger = { level: price("110"), observed: price("110"), atMs: NOW };
  const plan = { startsAtMs: NOW, intervalMs: 1_000, count: 2 };
  const later = { ...plan, startsAtMs: NOW + 1 };

  it.each<readonly [what: string, change: Partial<ParentOrder>, met: boolean]>([
    ["with its price there", { intent: limit }, true],
    ["not with its price outside", { intent: { ...limit, price: price("99") } }, false],
    ["not after its end", { intent: limit, ended: { ...END, atMs: NOW } }, false],
    ["not while it ends", { intent: limit, pendingEnd: END }, false],
    ["not while it is held", { intent: limit, held: true }, false],
    ["not from its expiry on", { intent: { ...limit, expireTimeMs: NOW } }, false],
    ["before its expiry", { intent: { ...limit, expireTimeMs: NOW + 1 } }, true],
    ["not before it triggers", { intent: stop }, false],
    ["once it has triggered", { intent: stop, trigger }, true],
    ["not before its first quote, if it is post-only", { intent: maker }, false],
    ["after its first quote", { intent: maker, postOnlyCleared: true }, true],
    ["in a slot, whatever the price", { intent: twap, plan }, true],
    ["not before its first slot", { intent: twap, plan: later }, false],
  ])("%s", (_what, change, met) => {
    expect(isMet({ ...new Subject().order, ...change }, quoteAt("99", "100"), NOW)).toBe(met);
  });

  it("any price is inside a parent without a limit", () => {
    expect(isInside({ ...new Subject().order, intent: stop }, quoteAt("1", "9999"))).toBe(true);
  });
});

describe("a stalled parent raises an alert", () => {
  it("once, and again after ten minutes; its story tells why it waits", () => {
    const subject = new Subject();
    expect(subject.meet(STALLED)).toMatchObject({ facts: [stallAlert], wait: "RETRY_PACE" });
    subject.nowMs += 599_999;
    expect(factsOf(subject, STALLED)).toEqual([]);
    subject.nowMs++;
    expect(factsOf(subject, STALLED)).toEqual([stallAlert]);
  });

  it("unless it has ended meanwhile", () => {
    const subject = new Subject();
    subject.meet({ kind: "CANCEL" });
    expect(factsOf(subject, STALLED)).toEqual([]);
  });

  it("and another one when its price goes away; the next stall within ten minutes raises none", () => {
    expect(factsOf(new Subject(), OVER)).toEqual([]);
    const subject = stalled();
    const over = subject.meet(OVER);
    expect(over).toMatchObject({ facts: [resumed("its price went away")], wait: "PRICE_OUTSIDE_LIMIT" });
    expect([OVER, STALLED].map((event) => factsOf(subject, event))).toEqual([[], []]);
  });

  it("and another one when something of it executes, which a child without execution is not", () => {
    const subject = stalled();
    subject.fire("100");
    expect(subject.report("closed").facts.map(({ kind }) => kind)).toEqual(["CHILD_CLOSED"]);
    subject.nowMs += 1_000;
    subject.fire("100");
    const { facts } = subject.report("closed", [["a", "0.5"]]);
    expect(facts.map(({ kind }) => kind)).toEqual(["FILLED", "CHILD_CLOSED", "ALERT"]);
    expect(facts.at(-1)).toEqual(resumed("something of it has executed"));
  });

  it("and none at an execution if its stall was over already, or never was", () => {
    const over = stalled();
    over.meet(OVER);
    for (const subject of [over, new Subject()]) {
      subject.fire("100");
      const { facts } = subject.report("closed", [["a", "0.5"]]);
      expect(facts.map(({ kind }) => kind)).toEqual(["FILLED", "CHILD_CLOSED"]);
    }
  });
});

describe("a restored parent resumes", () => {
  const fill = { executionId: "a", quantity: quantity("1"), price: price("100"), timeMs: NOW };
  const children = (fills: readonly (typeof fill)[]): ParentEvent => ({
    kind: "RESUMED",
    children: [{ childId: "aqc-x", fills }],
  });
  const restored = (change: Partial<ParentOrder> = {}): Subject => {
    const subject = new Subject();
    subject.order = { ...subject.order, restored: true, ...change };
    return subject;
  };

  it.each([
    [
      "with the executions of its children, which are not late",
      restored(),
      [fill],
      ["FILLED", "RESUMED", "ENDED"],
    ],
    ["without executions", restored(), [], ["RESUMED"]],
    ["never after its end", restored({ ended: { ...END, atMs: NOW } }), [fill], []],
    ["never without a restore", new Subject(), [fill], []],
  ])("%s", (_what, subject, fills, kinds) => {
    expect(factsOf(subject, children(fills)).map(({ kind }) => kind)).toEqual(kinds);
  });
});
