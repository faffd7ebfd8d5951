import { describe, expect, it } from "vitest";
import { price, Quantity, quantity } from "../../src/decimal/index.ts";
import { childIdOf, type ParentEvent, type Transition } from "../../src/lifecycle/index.ts";
import type { ChildReport, Fact, Fill } from "../../src/model/index.ts";
import { NOW, quoteAt, Subject } from "./support.ts";

const idOf = (attempt: number): string => childIdOf({ orderId: -256, acceptedAtMs: NOW }, attempt);
const [FIRST, SECOND] = [idOf(1), idOf(2)];

/** A fact in one line, with all that it says besides its child. */
function wordsOf(fact: Fact): string {
  const detail = "detail" in fact && fact.detail !== undefined ? `: ${fact.detail}` : "";
  switch (fact.kind) {
    case "FILLED":
      return `FILLED ${fact.fill.executionId}`;
    case "CHILD_UNKNOWN":
      return fact.problem === undefined ? fact.kind : `${fact.kind}: ${fact.problem}`;
    case "CHILD_CLOSED":
      return `${fact.kind} ${fact.outcome}${detail}${fact.notBeforeMs === undefined ? "" : " and a pause"}${fact.lookUpAfterMs === undefined ? "" : `, looked up after ${fact.lookUpAfterMs} ms`}`;
    case "ALERT":
      return `${fact.kind} ${fact.alert}${detail}`;
    case "ENDED":
      return `${fact.kind} ${fact.status} ${fact.reason}`;
    case "END_REQUESTED":
      return `${fact.kind} ${fact.end.status} ${fact.end.reason}`;
    default:
      return fact.kind;
  }
}
const words = ({ facts }: Transition): readonly string[] => facts.map(wordsOf);

const fillOf = (executionId: string, size: string, at = "100"): Fill => ({
  executionId,
  quantity: quantity(size),
  price: price(at),
  timeMs: NOW,
});
const reported = (report: Partial<ChildReport>): Extract<ParentEvent, { kind: "REPORTED" }> => ({
  kind: "REPORTED",
  report: { childId: FIRST, state: "open", fills: [], ...report },
});

/** A parent with a child in flight: a BUY of 1 with cap 100. */
function sent(change: ConstructorParameters<typeof Subject>[0] = {}): Subject {
  const subject = new Subject(change);
  subject.fire("100");
  return subject;
}
const iceberg = (): Subject =>
  sent({ type: "ICEBERG", price: price("100"), icebergQuantity: quantity("0.5") });

/** A parent whose first child was closed without a fill, and whose second is in flight. */
function sentTwice(): Subject {
  const subject = sent();
  subject.report("closed");
  subject.nowMs += 100;
  subject.fire("100");
  return subject;
}

const LATE = `ALERT LATE_FILL: execution a of ${FIRST} came after the child was closed`;
const OVERFILL = (childId: string): string => `ALERT OVERFILL: ${childId} executed more than it was sent for`;
const BEYOND = `ALERT CHILD_BEYOND_LIMIT: execution a of ${FIRST} at 100.01 lies beyond the limit 100`;
const INVALID = (problem: string, childId = FIRST): string =>
  `ALERT VENUE_REPORT_INVALID: child ${childId}: ${problem}`;
const REJECTED = "it is called rejected, but has executions";

type Case = readonly [situation: string, start: () => Subject, event: ParentEvent, facts: readonly string[]];

describe("the record of a report about the child in flight", () => {
  const cases: readonly Case[] = [
    ["it is open", sent, reported({}), ["CHILD_OPEN"]],
    ["it filled a part", sent, reported({ fills: [fillOf("a", "0.5")] }), ["FILLED a", "CHILD_OPEN"]],
    [
      "complaint: it filled all, but is called open",
      sent,
      reported({ fills: [fillOf("a", "1")] }),
      ["FILLED a", "CHILD_CLOSED DONE", "ENDED FILLED FILLED"],
    ],
    ["it is closed", sent, reported({ state: "closed" }), ["CHILD_CLOSED DONE and a pause"]],
    [
      "it is closed early",
      sent,
      { ...reported({ state: "closed", fills: [fillOf("a", "0.5")] }), lookUpAfterMs: 300 },
      ["FILLED a", "CHILD_CLOSED DONE, looked up after 300 ms"],
    ],
    [
      "it filled all, and may be looked up",
      sent,
      { ...reported({ state: "closed", fills: [fillOf("a", "1")] }), lookUpAfterMs: 300 },
      ["FILLED a", "CHILD_CLOSED DONE", "ENDED FILLED FILLED"],
    ],
    [
      "it is closed, with a reason",
      sent,
      reported({ state: "closed", detail: "expired" }),
      ["CHILD_CLOSED DONE: expired and a pause"],
    ],
    [
      "it is refused",
      sent,
      reported({ state: "rejected", detail: "busy" }),
      ["CHILD_CLOSED REJECTED: busy and a pause"],
    ],
    [
      "it is refused for good",
      sent,
      reported({ state: "rejected", detail: "unknown symbol", final: true }),
      ["CHILD_CLOSED REJECTED_FINAL: unknown symbol and a pause", "ENDED REJECTED REJECTED_BY_VENUE"],
    ],
    [
      "it is refused, but has filled a part, so that the rest may be live",
      sent,
      reported({ state: "rejected", fills: [fillOf("a", "0.5")] }),
      ["FILLED a", `CHILD_UNKNOWN: ${REJECTED}`, INVALID(REJECTED)],
    ],
    [
      "it is refused, but has filled all",
      sent,
      reported({ state: "rejected", fills: [fillOf("a", "1")] }),
      ["FILLED a", "CHILD_CLOSED DONE", "ENDED FILLED FILLED"],
    ],
  ];

  it.each(cases)("%s", (_situation, start, event, facts) => {
    expect(words(start().meet(event))).toEqual(facts);
  });

  it.each<readonly [what: string, said: Partial<ChildReport>, facts: readonly string[]]>([
    ["rejected again", { state: "rejected" }, []],
    ["open", {}, ["CHILD_OPEN"]],
    ["closed", { state: "closed" }, ["CHILD_CLOSED DONE"]],
  ])("a child that was called rejected after an execution and then %s", (_what, answer, facts) => {
    const subject = sent();
    subject.meet(reported({ fills: [fillOf("a", "0.5")] }));
    expect(words(subject.meet(reported({ state: "rejected" })))).toEqual([
      `CHILD_UNKNOWN: ${REJECTED}`,
      INVALID(REJECTED),
    ]);
    expect(words(subject.meet(reported(answer)))).toEqual(facts);
  });

  it.each<readonly [what: string, counted: string, said: string, isMore: boolean]>([
    ["more is a contradiction", "0.5", "0.6", true],
    ["more below one step, too", "0.5", "0.500000000000000001", true],
    ["less is an older report", "0.5", "0.4", false],
    ["less with more below one step, too", "0.500000000000000001", "0.499999000000000002", false],
    ["less below one step, too", "0.500000000000000002", "0.500000000000000001", false],
  ])("I17: of an execution that is counted already, %s", (_what, counted, said, isMore) => {
    const sizeOf = (size: string): Fill => ({ ...fillOf("a", "1"), ...Quantity.parseFact(size) });
    const subject = sent();
    subject.meet(reported({ fills: [sizeOf(counted)] }));
    const problem = `its executions sum to ${said}, but ${counted} was counted of it`;
    const facts = isMore ? [`CHILD_UNKNOWN: ${problem}`, INVALID(problem)] : [];
    expect(words(subject.meet(reported({ fills: [sizeOf(said)] })))).toEqual(facts);
  });

  it("a refused child leaves a residual that the market has made too small", () => {
    const subject = sent();
    subject.report("closed", [["a", "0.84"]]);
    subject.fire("100");
    const refused = { ...reported({ childId: SECOND, state: "rejected" }), quote: quoteAt("89", "90") };
    expect(words(subject.meet(refused))).toEqual([
      "CHILD_CLOSED REJECTED and a pause",
      "ENDED EXPIRED RESIDUAL_BELOW_MIN_NOTIONAL",
    ]);
  });

  it("a report that says nothing new is not recorded", () => {
    const subject = sent();
    subject.meet(reported({ fills: [fillOf("a", "0.5")] }));
    expect(subject.meet(reported({ fills: [fillOf("a", "0.5")] })).facts).toEqual([]);
  });

  it("a fact has no members without a value", () => {
    expect(sent().meet(reported({ state: "closed" })).facts).toStrictEqual([
      { kind: "CHILD_CLOSED", childId: FIRST, outcome: "DONE", notBeforeMs: NOW + 100 },
    ]);
    expect(sent().meet({ kind: "OUTCOME_UNKNOWN", childId: FIRST }).facts).toStrictEqual([
      { kind: "CHILD_UNKNOWN", childId: FIRST },
    ]);
  });

  it("without a price nothing is a residual", () => {
    const quote = { ...quoteAt("99", "100"), asks: [] };
    const event = { ...reported({ state: "closed", fills: [fillOf("a", "0.9")] }), quote } as ParentEvent;
    expect(words(sent().meet(event))).toEqual(["FILLED a", "CHILD_CLOSED DONE"]);
  });

  it("I55: a child that is closed after the expiry ends its parent", () => {
    const subject = sent({ timeInForce: "GTD", expireTimeMs: NOW + 10 });
    subject.nowMs = NOW + 10;
    expect(words(subject.report("closed"))).toEqual([
      "CHILD_CLOSED DONE and a pause",
      "ENDED EXPIRED EXPIRED_GTD",
    ]);
  });

  it.each([
    ["0.9", true, ["ENDED EXPIRED RESIDUAL_BELOW_MIN_NOTIONAL"]],
    ["0.9", false, []],
    ["0.85", true, []],
  ])("after a fill of %s and a fresh quote (%s)", (size, fresh, ends) => {
    const event = reported({ state: "closed", fills: [fillOf("a", size)] });
    const done = sent().meet(fresh ? ({ ...event, quote: quoteAt("99", "100") } as ParentEvent) : event);
    expect(words(done)).toEqual(["FILLED a", "CHILD_CLOSED DONE", ...ends]);
  });

  it("a reduce-only parent goes on with any rest", () => {
    const subject = new Subject({ reduceOnly: true });
    const quote = quoteAt("99", "100");
    subject.meet({ kind: "MEASURED", quote, fresh: true, exposure: quantity("1") });
    const report = { childId: subject.childId, state: "closed", fills: [fillOf("a", "0.99")] } as const;
    expect(words(subject.meet({ kind: "REPORTED", report, quote }))).toEqual([
      "FILLED a",
      "CHILD_CLOSED DONE",
    ]);
  });
});

describe("I50: the record of executions that came too late", () => {
  it.each([
    [300, "; a child that closes with less than asked is looked up after 300 ms, before the next one"],
    [0, ""],
  ])("after a close that is looked up after %d ms, the alert says so: %s", (lookUpAfterMs, note) => {
    const subject = sent();
    subject.meet({ ...reported({ state: "closed" }), lookUpAfterMs });
    expect(words(subject.meet(reported({ fills: [fillOf("a", "0.5")] })))).toEqual(["FILLED a", LATE + note]);
  });

  it("a late execution is counted, with an alert", () => {
    const subject = sentTwice();
    expect(words(subject.meet(reported({ fills: [fillOf("a", "0.5")] })))).toEqual(["FILLED a", LATE]);
    expect(subject.meet(reported({ fills: [fillOf("a", "0.5")] })).facts).toEqual([]);
  });

  it("the last one fills a parent that has no child in flight", () => {
    const subject = sent();
    subject.report("closed");
    const done = subject.meet(reported({ fills: [fillOf("a", "1")] }));
    expect(words(done)).toEqual(["FILLED a", LATE, "ENDED FILLED FILLED"]);
  });

  it("one that completes the quantity stops the child in flight, once", () => {
    const subject = sentTwice();
    const done = subject.meet(reported({ fills: [fillOf("a", "1")] }));
    expect(words(done)).toEqual(["FILLED a", LATE, "END_REQUESTED CANCELED OVERFILL"]);
    const more = words(subject.meet(reported({ fills: [fillOf("b", "0.5")] })));
    expect(more).toEqual([
      "FILLED b",
      LATE.replace("n a", "n b"),
      "ALERT OVERFILL: late executions exceed the quantity",
    ]);
  });

  it("one after the end changes no status", () => {
    const subject = sent();
    subject.report("closed", [["x", "1"]]);
    const late = reported({ fills: [fillOf("a", "0.5")] });
    const facts = ["FILLED a", LATE, "ALERT OVERFILL: late executions exceed the quantity"];
    expect(words(subject.meet(late))).toEqual(facts);
    expect(subject.meet(late).facts).toEqual([]);
  });

  it("after one, the child in flight may fill more than the rest: it is awaited, and the parent ends filled", () => {
    const subject = sentTwice();
    subject.meet(reported({ fills: [fillOf("a", "1")] }));
    expect(words(subject.report("open", [["b", "0.5"]], SECOND))).toEqual(["FILLED b", OVERFILL(SECOND)]);
    expect(subject.report("open", [["b", "0.5"]], SECOND).facts).toEqual([]);
    expect(words(subject.report("closed", [], SECOND))).toEqual([
      "CHILD_CLOSED DONE",
      "ENDED FILLED OVERFILL",
    ]);
  });

  it("after one, a child in flight that has filled is closed, whatever the venue calls it", () => {
    const subject = sentTwice();
    subject.meet(reported({ fills: [fillOf("a", "0.5")] }));
    subject.report("open", [["b", "0.5"]], SECOND);
    expect(words(subject.report("open", [["c", "0.5"]], SECOND))).toEqual([
      "FILLED c",
      OVERFILL(SECOND),
      "CHILD_CLOSED DONE",
      "ENDED FILLED OVERFILL",
    ]);
  });

  it("if the second child exceeds the rest before anyone asked for the end, the end is requested", () => {
    const subject = sentTwice();
    subject.meet(reported({ fills: [fillOf("a", "0.5")] }));
    expect(words(subject.report("open", [["b", "0.75"]], SECOND))).toEqual([
      "FILLED b",
      OVERFILL(SECOND),
      "END_REQUESTED CANCELED OVERFILL",
    ]);
  });
});

describe("the record of an overfill", () => {
  it("of the whole quantity ends the parent as filled", () => {
    expect(words(sent().report("open", [["a", "1.5"]]))).toEqual([
      "FILLED a",
      OVERFILL(FIRST),
      "CHILD_CLOSED DONE",
      "ENDED FILLED OVERFILL",
    ]);
  });

  it("of a child that was a part stops the parent, and the child is awaited", () => {
    const subject = iceberg();
    expect(words(subject.report("open", [["a", "0.6"]]))).toEqual([
      "FILLED a",
      OVERFILL(FIRST),
      "END_REQUESTED CANCELED OVERFILL",
    ]);
    expect(subject.report("open", [["a", "0.6"]]).facts).toEqual([]);
    expect(words(subject.report("open", [["b", "0.1"]]))).toEqual(["FILLED b", OVERFILL(FIRST)]);
    expect(words(subject.report("closed"))).toEqual(["CHILD_CLOSED DONE", "ENDED CANCELED OVERFILL"]);
  });

  it("of exactly the whole quantity by a child that was a part ends the parent as filled", () => {
    expect(words(iceberg().report("closed", [["a", "1"]]))).toEqual([
      "FILLED a",
      OVERFILL(FIRST),
      "CHILD_CLOSED DONE",
      "ENDED FILLED OVERFILL",
    ]);
  });
});

describe("the record of an execution beyond the limit", () => {
  const beyond = (size: string, state: "open" | "closed" = "open"): ParentEvent =>
    reported({ state, fills: [fillOf("a", size, "100.01")] });

  it("stops the parent, and the child is awaited", () => {
    expect(words(sent().meet(beyond("0.5")))).toEqual([
      "FILLED a",
      BEYOND,
      "END_REQUESTED CANCELED BEYOND_LIMIT",
      "CHILD_OPEN",
    ]);
  });

  it("ends the parent if its child is closed", () => {
    expect(words(sent().meet(beyond("0.5", "closed")))).toEqual([
      "FILLED a",
      BEYOND,
      "END_REQUESTED CANCELED BEYOND_LIMIT",
      "CHILD_CLOSED DONE",
      "ENDED CANCELED BEYOND_LIMIT",
    ]);
  });

  it("leaves a parent that it completes filled", () => {
    expect(words(sent().meet(beyond("1")))).toEqual([
      "FILLED a",
      BEYOND,
      "CHILD_CLOSED DONE",
      "ENDED FILLED FILLED",
    ]);
  });

  it("leaves a cancel as it is, and overrides an expiry", () => {
    const canceled = sent();
    canceled.meet({ kind: "CANCEL" });
    expect(words(canceled.meet(beyond("0.5")))).toEqual(["FILLED a", BEYOND, "CHILD_OPEN"]);
    const expired = sent();
    expired.meet({ kind: "EXPIRED" });
    expect(words(expired.meet(beyond("0.5")))).toContain("END_REQUESTED CANCELED BEYOND_LIMIT");
  });

  it("ends a parent without a child in flight, and changes no end", () => {
    const closed = sent();
    closed.report("closed");
    expect(words(closed.meet(beyond("0.5")))).toEqual([
      "FILLED a",
      LATE,
      BEYOND,
      "ENDED CANCELED BEYOND_LIMIT",
    ]);
    const ended = sent();
    ended.report("closed", [["x", "0.1"]]);
    ended.meet({ kind: "EXPIRED" });
    expect(words(ended.meet(beyond("0.5")))).toEqual(["FILLED a", LATE, BEYOND]);
  });

  it("does not exist at the limit, and at market", () => {
    expect(words(sent().meet(reported({ fills: [fillOf("a", "0.5", "100")] })))).toEqual([
      "FILLED a",
      "CHILD_OPEN",
    ]);
    const market = sent({ type: "STOP_MARKET", stopPrice: price("100") });
    expect(words(market.meet(beyond("0.5")))).toEqual(["FILLED a", "CHILD_OPEN"]);
  });
});

describe("the record of a report that is unreadable", () => {
  const invalid = (problem: string, fills: readonly Fill[] = [], childId = FIRST): ParentEvent => ({
    kind: "REPORT_INVALID",
    childId,
    fills,
    problem,
  });

  it("each problem is told once; the first one is kept with the child", () => {
    const subject = sent();
    expect(words(subject.meet(invalid("no state")))).toEqual([
      "CHILD_UNKNOWN: no state",
      INVALID("no state"),
    ]);
    expect(subject.meet(invalid("no state")).facts).toEqual([]);
    expect(words(subject.meet(invalid("no price")))).toEqual([INVALID("no price")]);
    expect([subject.order.child?.state, subject.order.child?.problem]).toEqual(["UNKNOWN", "no state"]);
    expect(subject.order.invalidReports).toEqual([`child ${FIRST}: no state`, `child ${FIRST}: no price`]);
  });

  it("a problem with another child is told, and the child in flight stays as it is", () => {
    const subject = sent();
    expect(words(subject.meet(invalid("no state", [], "aqc-x")))).toEqual([INVALID("no state", "aqc-x")]);
    expect(subject.order.child?.state).toBe("SENT");
  });

  it("a problem is told for a child whose outcome was unknown before, and unknown is recorded once", () => {
    const subject = sent();
    expect(words(subject.meet({ kind: "OUTCOME_UNKNOWN", childId: FIRST }))).toEqual(["CHILD_UNKNOWN"]);
    expect(subject.meet({ kind: "OUTCOME_UNKNOWN", childId: FIRST }).facts).toEqual([]);
    expect(words(subject.meet(invalid("no state")))).toEqual([
      "CHILD_UNKNOWN: no state",
      INVALID("no state"),
    ]);
    expect(subject.meet({ kind: "OUTCOME_UNKNOWN", childId: FIRST }).facts).toEqual([]);
  });

  it("a readable report settles the problem", () => {
    const subject = sent();
    subject.meet(invalid("no state"));
    expect(words(subject.report("open"))).toEqual(["CHILD_OPEN"]);
    expect([subject.order.child?.state, subject.order.child?.problem]).toEqual(["OPEN", undefined]);
  });

  it("its readable executions count, and may overfill", () => {
    const subject = iceberg();
    expect(words(subject.meet(invalid("no state", [fillOf("a", "0.4")])))).toEqual([
      "FILLED a",
      "CHILD_UNKNOWN: no state",
      INVALID("no state"),
    ]);
    expect(words(subject.meet(invalid("no state", [fillOf("b", "0.2")])))).toEqual([
      "FILLED b",
      OVERFILL(FIRST),
      "END_REQUESTED CANCELED OVERFILL",
    ]);
    expect(subject.meet(invalid("no state", [fillOf("b", "0.2")])).facts).toEqual([]);
  });

  it("its late executions are settled as those of a readable one", () => {
    const subject = sent();
    subject.report("closed");
    expect(words(subject.meet(invalid("no state", [fillOf("a", "1")])))).toEqual([
      "FILLED a",
      LATE,
      "ENDED FILLED FILLED",
      INVALID("no state"),
    ]);
  });

  it("at most 50 problems of a parent are told", () => {
    const subject = sent();
    for (let number = 0; number < 60; number++) subject.meet(invalid(`problem ${number}`));
    expect(subject.order.invalidReports?.length).toBe(50);
    expect(subject.meet(invalid("problem 60")).facts).toEqual([]);
  });

  it("a proof that the child never arrived settles nothing after a report about it, and a person is told once", () => {
    const subject = sent();
    subject.meet(invalid("no state"));
    const voided = { kind: "CHILD_VOIDED", childId: FIRST } as const;
    expect(words(subject.meet(voided))).toEqual([
      INVALID("the venue does not know it any more, only a person can settle it"),
    ]);
    expect(subject.meet(voided).facts).toEqual([]);
  });

  it.each<readonly [how: string, fills: readonly Fill[]]>([
    ["is open", []],
    ["has executed a part", [fillOf("a", "0.4")]],
  ])("I22: nor after a report that the child %s, once its outcome is lost", (_how, fills) => {
    const subject = sent();
    const voided = { kind: "CHILD_VOIDED", childId: FIRST } as const;
    const PERSON = INVALID("the venue does not know it any more, only a person can settle it");
    subject.meet(reported({ fills }));
    expect(words(subject.meet({ kind: "OUTCOME_UNKNOWN", childId: FIRST }))).toEqual([
      "CHILD_UNKNOWN: its outcome was lost after the venue had reported it",
    ]);
    expect(subject.meet({ kind: "OUTCOME_UNKNOWN", childId: FIRST }).facts).toEqual([]);
    expect(words(subject.meet(voided))).toEqual([PERSON]);
    expect(subject.order.child?.state).toBe("UNKNOWN");
    // The venue knows it again: its report settles it.
    subject.meet(reported({ state: "closed", fills }));
    expect(subject.order.child).toBeUndefined();
  });

  it("I22: nor while the venue reports the child as open", () => {
    const subject = sent();
    subject.meet(reported({}));
    subject.meet({ kind: "CHILD_VOIDED", childId: FIRST });
    expect(subject.order.child?.state).toBe("OPEN");
  });
});

describe("the record of other ends of a child", () => {
  const settled = (state: "closed" | "rejected" | "never", fills: readonly Fill[] = [], childId = FIRST) =>
    ({ kind: "SETTLED", childId, state, fills }) as const;
  const cases: readonly Case[] = [
    ["it never arrived", sent, { kind: "CHILD_VOIDED", childId: FIRST }, ["CHILD_CLOSED VOIDED and a pause"]],
    [
      "it was not handed over",
      sent,
      { kind: "CHILD_WITHDRAWN", childId: FIRST, detail: "canceled" },
      ["CHILD_CLOSED WITHDRAWN: canceled and a pause"],
    ],
    [
      "it was not handed over, and nothing spoke against it",
      sent,
      { kind: "CHILD_WITHDRAWN", childId: FIRST, detail: "the shard goes", atOnce: true },
      ["CHILD_CLOSED WITHDRAWN: the shard goes"],
    ],
    ["never arrived", sent, settled("never"), ["CHILD_CLOSED VOIDED and a pause"]],
    ["refused", sent, settled("rejected"), ["CHILD_CLOSED REJECTED and a pause"]],
    [
      "closed, with executions",
      sent,
      settled("closed", [fillOf("a", "1")]),
      ["FILLED a", "CHILD_CLOSED DONE", "ENDED FILLED FILLED"],
    ],
    ["of another child", sent, settled("closed", [fillOf("a", "1")], "aqc-x"), []],
    ["of a parent without a child", () => new Subject(), settled("never"), []],
  ];

  it.each(cases)("%s", (_situation, start, event, facts) => {
    expect(words(start().meet(event))).toEqual(facts);
  });
});

it("I41: a held leg that has ended is not released", () => {
  const subject = new Subject();
  subject.order = { ...subject.order, held: true };
  subject.meet({ kind: "CANCEL" });
  expect(subject.order.ended?.status).toBe("CANCELED");
  expect(subject.meet({ kind: "RELEASED" }).facts).toEqual([]);
});

describe("the record of an alert", () => {
  it("a person is told about an outcome that stays unknown", () => {
    expect(words(sent().meet({ kind: "ESCALATED", detail: "ten minutes" }))).toEqual([
      "ALERT UNKNOWN_ESCALATED: ten minutes",
    ]);
  });

  it("a position without protection is told with its size", () => {
    const subject = sent();
    subject.report("open", [["a", "0.5"]]);
    expect(words(subject.meet({ kind: "UNPROTECTED" }))).toEqual([
      "ALERT POSITION_UNPROTECTED: executed 0.5, and no order is left that would close it",
    ]);
  });

  it("a broken invariant stops the parent, and is told once", () => {
    const subject = new Subject();
    const broken = { kind: "INVARIANT_BROKEN", detail: "I24" } as const;
    expect(words(subject.meet(broken))).toEqual(["ALERT INVARIANT_BROKEN: I24", "FROZEN"]);
    expect(subject.order.frozen).toBe(true);
    expect(subject.meet(broken).facts).toEqual([]);
    expect(subject.fire("100").facts).toEqual([]);
  });
});
