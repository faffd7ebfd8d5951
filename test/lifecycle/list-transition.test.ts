import { describe, expect, it } from "vitest";
import { price, quantity } from "../../src/decimal/index.ts";
import { type ParentEvent, transitionList } from "../../src/lifecycle/index.ts";
import type { ParentIntent } from "../../src/model/index.ts";
import { ENTRY, EXIT, LIMIT, ListSubject, recordOf, STOP } from "./list-transition-subject.ts";
import { NOT_AFTER_MS, NOW, quoteAt, RULES, Subject } from "./support.ts";

const GTD = { timeInForce: "GTD", expireTimeMs: NOW + 1_000 } as const;
const withChange = (leg: typeof STOP, change: Partial<ParentIntent>): typeof STOP => [
  leg[0],
  { ...leg[1], ...change },
];

describe("the winner of a pair", () => {
  it.each([
    ["a stop", "protective", "90", ["TRIGGERED, CHILD_INTENDED"]],
    ["a plain limit, when its child passes every check", "profit", "110", ["CHILD_INTENDED"]],
  ] as const)("%s: the loser is canceled in the same record, before it", (_what, winner, at, [facts]) => {
    const list = new ListSubject("OCO");
    const loser = winner === "profit" ? "protective" : "profit";
    const steps = list.fire(winner, at);
    expect(recordOf(steps)).toEqual([`${loser}: ENDED CANCELED OCO_TRIGGER`, `${winner}: ${facts}`]);
    expect(steps.at(-1)?.effects).toEqual([{ kind: "SUBMIT" }]);
    expect(list.status(loser)).toBe("CANCELED CANCELED");
  });

  it("a stop-limit wins when it triggers, even if it then waits for a price inside its cap", () => {
    const list = new ListSubject("OCO", [
      withChange(STOP, { type: "STOP_LOSS_LIMIT", price: price("89") }),
      LIMIT,
    ]);
    expect(recordOf(list.fire("protective", "80"))).toEqual([
      "profit: ENDED CANCELED OCO_TRIGGER",
      "protective: TRIGGERED",
    ]);
    expect(list.statuses).toEqual(["NEW WAITING", "CANCELED CANCELED"]);
  });

  it("a take-profit wins when it triggers, even if the quote is stale by then", () => {
    const list = new ListSubject("OCO", [
      STOP,
      withChange(LIMIT, { type: "TAKE_PROFIT_MARKET", stopPrice: price("110") }),
    ]);
    const { orderId } = list.leg("profit");
    const fired = { orderId, observed: price("111"), level: price("110") };
    const event = { kind: "FIRED" as const, fired, quote: quoteAt("111", "112"), fresh: false };
    expect(recordOf(list.meet("profit", event))).toEqual([
      "protective: ENDED CANCELED OCO_TRIGGER",
      "profit: TRIGGERED",
    ]);
  });

  it.each([
    ["is outside its limit", "109.99", true],
    ["is stale", "110", false],
  ])("a plain limit does not win on a quote that %s", (_what, at, fresh) => {
    const list = new ListSubject("OCO");
    const fired = { orderId: list.leg("profit").orderId, observed: price(at) };
    expect(recordOf(list.meet("profit", { kind: "FIRED", fired, quote: quoteAt(at, "120"), fresh }))).toEqual(
      [],
    );
    expect(list.statuses).toEqual(["NEW WAITING", "NEW WAITING"]);
  });

  it("a reduce-only limit wins with its exposure, not with the request for it", () => {
    const list = new ListSubject("OCO", [STOP, withChange(LIMIT, { reduceOnly: true })]);
    const requested = list.fire("profit", "110");
    expect([recordOf(requested), requested[0]?.effects]).toEqual([[], [{ kind: "MEASURE" }]]);
    const quote = quoteAt("110", "111");
    const none = { kind: "MEASURED", quote, fresh: true, exposure: quantity("1") } as const;
    expect(recordOf(list.meet("profit", { ...none, exposure: 0 as never }))).toEqual([]);
    expect(list.statuses).toEqual(["NEW WAITING", "NEW WAITING"]);
    expect(recordOf(list.meet("profit", none))).toEqual([
      "protective: ENDED CANCELED OCO_TRIGGER",
      "profit: CHILD_INTENDED",
    ]);
  });

  it("the loser stays canceled, whatever the winner's result, and does not lose twice", () => {
    const list = new ListSubject("OCO");
    list.fire("profit", "110");
    const lost = list.leg("protective");
    expect(recordOf(list.report("profit", "rejected"))).toEqual(["profit: CHILD_CLOSED"]);
    list.nowMs += 10_000;
    expect(recordOf(list.fire("profit", "110"))).toEqual(["profit: CHILD_INTENDED"]);
    const { lastChildId = "" } = list.leg("profit");
    list.meet("profit", { kind: "CHILD_VOIDED", childId: lastChildId });
    expect(recordOf(list.meet("profit", { kind: "CANCEL" }))).toEqual([
      "profit: ENDED CANCELED USER_CANCELED",
    ]);
    expect(list.fire("protective", "80")[0]?.facts).toEqual([]);
    expect(list.leg("protective")).toEqual(lost);
  });

  it("an activation does not win", () => {
    const trailing = { kind: "bps", bps: 100 } as const;
    const trail: typeof STOP = [
      "protective",
      { side: "SELL", type: "TRAILING_STOP_MARKET", trailing, clientOrderId: "trail" },
    ];
    const list = new ListSubject("OCO", [trail, LIMIT]);
    const activation = { position: 1, seed: price("100") };
    expect(recordOf(list.meet("protective", { kind: "ACTIVATED", activation }))).toEqual([
      "protective: ACTIVATED",
    ]);
  });
});

describe("an OCO leg that ends without winning ends alone", () => {
  it("by its expiry", () => {
    const list = new ListSubject("OCO", [withChange(STOP, GTD), LIMIT]);
    list.nowMs += 1_000;
    expect(recordOf(list.meet("protective", { kind: "EXPIRED" }))).toEqual([
      "protective: ENDED EXPIRED EXPIRED_GTD",
    ]);
    expect(recordOf(list.fire("profit", "110"))).toEqual(["profit: CHILD_INTENDED"]);
  });

  it("by a first quote that crosses a post-only leg", () => {
    const list = new ListSubject("OCO", [STOP, withChange(LIMIT, { type: "LIMIT_MAKER" })]);
    expect(recordOf(list.fire("profit", "111"))).toEqual(["profit: ENDED REJECTED WOULD_MATCH_IMMEDIATELY"]);
    expect(list.statuses).toEqual(["NEW WAITING", "REJECTED REJECTED"]);
  });
});

/** An OTO whose entry was completed by a late execution while a second child of it is in flight. */
function completedLate(): ListSubject {
  const list = new ListSubject("OTO");
  list.fire("working", "100");
  const first = list.leg("working").lastChildId ?? "";
  list.report("working", "closed", [["a", "0.6"]]);
  list.fire("working", "100");
  const fill = { executionId: "late", quantity: quantity("0.4"), price: price("100"), timeMs: NOW };
  const late = { childId: first, state: "closed" as const, fills: [fill] };
  expect(recordOf(list.meet("working", { kind: "REPORTED", report: late }))).toEqual([
    "working: FILLED, ALERT LATE_FILL, END_REQUESTED CANCELED",
    "pending: RELEASED",
  ]);
  return list;
}

describe("a leg that was restored may have won since the backup", () => {
  const list = new ListSubject("OCO", [withChange(STOP, { reduceOnly: true, ...GTD }), LIMIT]);
  list.restore("profit");
  const order = list.leg("protective");
  const attempt = { quote: quoteAt("80", "81"), fresh: true };

  it.each<ParentEvent>([
    { kind: "FIRED", fired: { orderId: order.orderId, observed: price("80") }, ...attempt },
    { kind: "MEASURED", ...attempt, exposure: quantity("1") },
    { kind: "PRINTED", ...attempt, volume: quantity("1") },
    { kind: "NOTHING_TO_REDUCE" },
  ])("before its executions are known $kind of another leg does nothing", (event) => {
    expect(list.meet("protective", event)).toEqual([{ order, facts: [], effects: [], wait: "LIST_UNKNOWN" }]);
  });

  it("an event that cannot lead to a child applies", () => {
    list.nowMs += 1_000;
    expect(recordOf(list.meet("protective", { kind: "EXPIRED" }))).toEqual([
      "protective: ENDED EXPIRED EXPIRED_GTD",
    ]);
  });

  it("one that has ended holds nothing up", () => {
    const list = new ListSubject("OCO", [withChange(STOP, GTD), LIMIT]);
    list.nowMs += 1_000;
    list.meet("protective", { kind: "EXPIRED" });
    list.restore("protective");
    expect(recordOf(list.fire("profit", "110"))).toEqual(["profit: CHILD_INTENDED"]);
  });
});

describe("a leg whose position is gone", () => {
  const REDUCES = { reduceOnly: true };
  const gone = (
    exits: readonly (typeof STOP)[],
    event: ParentEvent = { kind: "NOTHING_TO_REDUCE" },
  ): readonly string[] => {
    const list = new ListSubject("OTOCO", [ENTRY, ...exits]);
    list.fire("working", "100");
    list.report("working", "closed", [["a", "1"]]);
    return recordOf(list.meet("protective", event));
  };

  it("takes along the other reduce-only legs, and no other leg", () => {
    const ended = "protective: ENDED EXPIRED NOTHING_TO_REDUCE";
    const [stop, limit] = [withChange(STOP, REDUCES), withChange(LIMIT, REDUCES)];
    expect(gone([stop, limit])).toEqual([ended, "profit: ENDED CANCELED NOTHING_TO_REDUCE"]);
    expect(gone([stop, LIMIT])).toEqual([ended]);
    expect(gone([STOP, limit])).toEqual([]);
    expect(gone([stop, limit], { kind: "EXPIRED" })).toEqual(["protective: ENDED EXPIRED EXPIRED_GTD"]);
  });
});

describe("release", () => {
  it.each([
    ["OTO", ["working: FILLED, CHILD_CLOSED, ENDED FILLED FILLED", "pending: RELEASED"]],
    [
      "OTOCO",
      ["working: FILLED, CHILD_CLOSED, ENDED FILLED FILLED", "protective: RELEASED", "profit: RELEASED"],
    ],
  ] as const)("%s: in the record of the full fill, after it", (contingency, record) => {
    const list = new ListSubject(contingency);
    list.fire("working", "100");
    expect(recordOf(list.report("working", "closed", [["a", "1"]]))).toEqual(record);
    expect(list.statuses.slice(1)).toEqual(record.slice(1).map(() => "NEW WAITING"));
    expect(list.legs.slice(1).map(({ releasedAtMs }) => releasedAtMs)).toEqual(
      record.slice(1).map(() => NOW),
    );
  });

  it("I41: once; a repeated report and a late one release nothing", () => {
    const list = new ListSubject("OTO");
    list.fire("working", "100");
    list.report("working", "closed", [["a", "1"]]);
    expect(recordOf(list.report("working", "closed", [["a", "1"]]))).toEqual([]);
    expect(recordOf(list.report("working", "closed", [["b", "0.5"]]))).toEqual([
      "working: FILLED, ALERT LATE_FILL, ALERT OVERFILL",
    ]);
    expect(list.journal.filter(({ fact }) => fact.kind === "RELEASED")).toHaveLength(1);
  });

  it("complaint 1: a partial fill releases nothing", () => {
    const list = new ListSubject("OTOCO");
    list.fire("working", "100");
    expect(recordOf(list.report("working", "closed", [["a", "0.999"]]))).toEqual([
      "working: FILLED, CHILD_CLOSED",
    ]);
    expect(list.statuses).toEqual(["PARTIALLY_FILLED WAITING", "PENDING_NEW WAITING", "PENDING_NEW WAITING"]);
    expect(list.active).toEqual(["working"]);
  });

  it("I23: a held leg neither triggers nor sends, and is not activated", () => {
    const list = new ListSubject("OTOCO");
    const activation = { position: 1, seed: price("100") };
    for (const role of ["protective", "profit"] as const) {
      expect(list.fire(role, role === "profit" ? "200" : "1")[0]?.facts).toEqual([]);
      expect(list.meet(role, { kind: "ACTIVATED", activation })[0]?.facts).toEqual([]);
    }
    expect(list.statuses).toEqual(["NEW WAITING", "PENDING_NEW WAITING", "PENDING_NEW WAITING"]);
  });

  it("a late execution that completes the working leg releases", () => {
    const list = new ListSubject("OTO");
    list.fire("working", "100");
    const first = list.leg("working").lastChildId ?? "";
    list.report("working", "closed", [["a", "0.6"]]);
    const fill = { executionId: "late", quantity: quantity("0.4"), price: price("100"), timeMs: NOW };
    const late = { childId: first, state: "closed" as const, fills: [fill] };
    expect(recordOf(list.meet("working", { kind: "REPORTED", report: late }))).toEqual([
      "working: FILLED, ALERT LATE_FILL, ENDED FILLED FILLED",
      "pending: RELEASED",
    ]);
  });

  it("in the record of that execution, also while another child is in flight; the released legs raise no alert", () => {
    const list = completedLate();
    expect(list.statuses).toEqual(["PARTIALLY_FILLED WORKING cancelPending", "NEW WAITING"]);
    list.fire("pending", "110");
    list.report("pending", "closed", [["b", "1"]]);
    expect(recordOf(list.report("working", "closed"))).toEqual([
      "working: CHILD_CLOSED, ENDED FILLED FILLED",
    ]);
    expect(list.statuses).toEqual(["FILLED FILLED", "FILLED FILLED"]);
  });

  it("while that other child is unknown the released leg triggers and sends nothing", () => {
    const list = completedLate();
    const childId = list.leg("working").lastChildId ?? "";
    list.meet("working", { kind: "OUTCOME_UNKNOWN", childId });
    const [waiting] = list.fire("pending", "110");
    expect([waiting?.facts, waiting?.wait]).toEqual([[], "LIST_UNKNOWN"]);
    list.meet("working", { kind: "CHILD_VOIDED", childId });
    expect(recordOf(list.fire("pending", "110"))).toEqual(["pending: CHILD_INTENDED"]);
  });

  it("an overfill that fills it completely releases too: there is a position to protect", () => {
    const list = new ListSubject("OTO");
    list.fire("working", "100");
    expect(recordOf(list.report("working", "open", [["a", "1.5"]]))).toEqual([
      "working: FILLED, ALERT OVERFILL, CHILD_CLOSED, ENDED FILLED OVERFILL",
      "pending: RELEASED",
    ]);
  });
});

describe("I42: a working leg that ends otherwise cancels the legs that it holds", () => {
  const END = "ENDED CANCELED WORKING_LEG_ENDED";

  it("by its expiry, without a fill", () => {
    const list = new ListSubject("OTOCO", [withChange(ENTRY, GTD), STOP, LIMIT]);
    list.nowMs += 1_000;
    expect(recordOf(list.meet("working", { kind: "EXPIRED" }))).toEqual([
      "working: ENDED EXPIRED EXPIRED_GTD",
      `protective: ${END}`,
      `profit: ${END}`,
    ]);
  });

  it("by its expiry, with fills: the event says that a position is left unprotected", () => {
    const list = new ListSubject("OTO", [withChange(ENTRY, GTD), EXIT]);
    list.fire("working", "100");
    list.report("working", "closed", [["a", "0.5"]]);
    list.nowMs += 1_000;
    expect(recordOf(list.meet("working", { kind: "EXPIRED" }))).toEqual([
      "working: ENDED EXPIRED EXPIRED_GTD, ALERT POSITION_UNPROTECTED",
      `pending: ${END}`,
    ]);
  });

  it("by a refusal of the venue for good", () => {
    const list = new ListSubject("OTO");
    list.fire("working", "100");
    const childId = list.leg("working").lastChildId ?? "";
    const report = { childId, state: "rejected" as const, fills: [], final: true };
    expect(recordOf(list.meet("working", { kind: "REPORTED", report }))).toEqual([
      "working: CHILD_CLOSED, ENDED REJECTED REJECTED_BY_VENUE",
      `pending: ${END}`,
    ]);
  });

  it("by a residual that is too small", () => {
    const list = new ListSubject("OTO");
    list.fire("working", "100");
    list.report("working", "closed", [["a", "0.9"]]);
    expect(recordOf(list.fire("working", "100"))).toEqual([
      "working: ENDED EXPIRED RESIDUAL_BELOW_MIN_NOTIONAL, ALERT POSITION_UNPROTECTED",
      `pending: ${END}`,
    ]);
  });

  it.each([
    ["the residual counts as filled", "FIRED", "RESIDUAL_BELOW_MIN_NOTIONAL", "RELEASED"],
    ["any other end does not", "EXPIRED", "EXPIRED_GTD", END],
  ] as const)("under residualCountsAsFilled %s", (_what, kind, reason, consequence) => {
    const list = new ListSubject("OTO", [withChange(ENTRY, GTD), EXIT]);
    list.rules = { ...RULES, residualCountsAsFilled: true };
    list.fire("working", "100");
    list.report("working", "closed", [["a", "0.9"]]);
    if (kind === "EXPIRED") list.nowMs += 1_000;
    const steps = kind === "FIRED" ? list.fire("working", "100") : list.meet("working", { kind });
    const alert = kind === "FIRED" ? "" : ", ALERT POSITION_UNPROTECTED";
    expect(recordOf(steps)).toEqual([`working: ENDED EXPIRED ${reason}${alert}`, `pending: ${consequence}`]);
    if (kind === "EXPIRED") return;
    list.fire("pending", "110");
    const { childId = "", quantity: asked } = list.leg("pending").child ?? {};
    expect(asked).toBe(quantity("0.9"));
    const fill = { executionId: "b", quantity: quantity("0.8"), price: price("110"), timeMs: NOW };
    const report = { childId, state: "closed" as const, fills: [fill] };
    expect(
      recordOf(list.meet("pending", { kind: "REPORTED", report, quote: quoteAt("110", "111") })),
    ).toEqual(["pending: FILLED, CHILD_CLOSED, ENDED EXPIRED RESIDUAL_BELOW_MIN_NOTIONAL"]);
  });

  it("by a first quote that a post-only one crosses", () => {
    const list = new ListSubject("OTO", [
      ["working", { type: "LIMIT_MAKER", price: price("100"), clientOrderId: "entry" }],
      EXIT,
    ]);
    expect(recordOf(list.fire("working", "99"))).toEqual([
      "working: ENDED REJECTED WOULD_MATCH_IMMEDIATELY",
      `pending: ${END}`,
    ]);
  });

  it("by an overfill of a child that does not fill it completely", () => {
    const list = new ListSubject("OTO", [
      withChange(ENTRY, { type: "ICEBERG", price: price("100"), icebergQuantity: quantity("0.4") }),
      EXIT,
    ]);
    list.fire("working", "100");
    expect(recordOf(list.report("working", "closed", [["a", "0.6"]]))).toEqual([
      "working: FILLED, ALERT OVERFILL, CHILD_CLOSED, ENDED CANCELED OVERFILL, ALERT POSITION_UNPROTECTED",
      `pending: ${END}`,
    ]);
  });

  it("except those that have already ended", () => {
    const list = new ListSubject("OTOCO", [ENTRY, withChange(STOP, GTD), LIMIT]);
    list.nowMs += 1_000;
    expect(recordOf(list.meet("protective", { kind: "EXPIRED" }))).toEqual([
      "protective: ENDED EXPIRED EXPIRED_GTD",
    ]);
    expect(list.status("protective")).toBe("EXPIRED EXPIRED");
    list.fire("working", "100");
    const steps = list.report("working", "closed", [["a", "1"]]);
    expect(recordOf(steps).slice(1)).toEqual(["profit: RELEASED"]);
  });

  it("a full fill with no leg left to release leaves a position unprotected", () => {
    const list = new ListSubject("OTO", [ENTRY, withChange(EXIT, GTD)]);
    list.nowMs += 1_000;
    list.meet("pending", { kind: "EXPIRED" });
    list.fire("working", "100");
    expect(recordOf(list.report("working", "closed", [["a", "1"]]))).toEqual([
      "working: FILLED, CHILD_CLOSED, ENDED FILLED FILLED, ALERT POSITION_UNPROTECTED",
    ]);
  });
});

describe("I43: cancel of any leg", () => {
  const CANCELED = "ENDED CANCELED USER_CANCELED";

  it.each([
    ["OCO", "protective"],
    ["OCO", "profit"],
    ["OTO", "working"],
    ["OTO", "pending"],
    ["OTOCO", "working"],
    ["OTOCO", "protective"],
    ["OTOCO", "profit"],
  ] as const)("%s: the %s leg cancels all, in one record", (contingency, role) => {
    const list = new ListSubject(contingency);
    const roles = list.legs.map((leg) => leg.list?.role);
    expect(recordOf(list.meet(role, { kind: "CANCEL" }))).toEqual(roles.map((one) => `${one}: ${CANCELED}`));
    expect(list.meet(role, { kind: "CANCEL" }).flatMap(({ facts }) => facts)).toEqual([]);
  });

  it("with a child of the working leg in flight the held legs end at once, and it waits", () => {
    const list = new ListSubject("OTOCO");
    list.fire("working", "100");
    expect(recordOf(list.meet("profit", { kind: "CANCEL" }))).toEqual([
      "working: END_REQUESTED CANCELED",
      `protective: ${CANCELED}`,
      `profit: ${CANCELED}`,
    ]);
    expect(list.status("working")).toBe("NEW WORKING cancelPending");
    expect(recordOf(list.report("working", "closed", [["a", "1"]]))).toEqual([
      "working: FILLED, CHILD_CLOSED, ENDED FILLED FILLED, ALERT POSITION_UNPROTECTED",
    ]);
    expect(list.statuses).toEqual(["FILLED FILLED", "CANCELED CANCELED", "CANCELED CANCELED"]);
  });

  it.each([
    ["some", [["a", "0.4"]], "FILLED, CHILD_CLOSED", ", ALERT POSITION_UNPROTECTED"],
    ["nothing", [], "CHILD_CLOSED", ""],
  ] as const)("if it then filled %s", (_what, fills, before, after) => {
    const list = new ListSubject("OTO");
    list.fire("working", "100");
    list.meet("working", { kind: "CANCEL" });
    expect(recordOf(list.report("working", "closed", fills))).toEqual([
      `working: ${before}, ${CANCELED}${after}`,
    ]);
  });

  it("at once, with a part of the working leg filled: a position is left unprotected", () => {
    const list = new ListSubject("OTO");
    list.fire("working", "100");
    list.report("working", "closed", [["a", "0.4"]]);
    expect(recordOf(list.meet("pending", { kind: "CANCEL" }))).toEqual([
      `working: ${CANCELED}, ALERT POSITION_UNPROTECTED`,
      `pending: ${CANCELED}`,
    ]);
  });

  it("after the release: the exits end, the fill stays, and the owner's own cancel raises no alert", () => {
    const list = new ListSubject("OTOCO");
    list.fire("working", "100");
    list.report("working", "closed", [["a", "1"]]);
    expect(recordOf(list.meet("protective", { kind: "CANCEL" }))).toEqual([
      `protective: ${CANCELED}`,
      `profit: ${CANCELED}`,
    ]);
  });

  it("of the loser, or of the winner with its child in flight: the winner waits", () => {
    for (const role of ["protective", "profit"] as const) {
      const list = new ListSubject("OCO");
      list.fire("profit", "110");
      expect(recordOf(list.meet(role, { kind: "CANCEL" }))).toEqual(["profit: END_REQUESTED CANCELED"]);
      list.report("profit", "closed", [["a", "0.5"]]);
      expect(list.statuses).toEqual(["CANCELED CANCELED", "CANCELED CANCELED"]);
    }
  });
});

describe("a parent outside lists, and one that is not a leg", () => {
  it("is a list of one", () => {
    const subject = new Subject();
    const context = { sequence: 2, nowMs: NOW, rules: RULES, notAfterMs: NOT_AFTER_MS };
    const legs = [subject.order];
    const event = { legs, orderId: subject.order.orderId, event: { kind: "CANCEL" } } as const;
    expect(transitionList(event, context).map(({ facts }) => facts.length)).toEqual([1]);
    expect(() => transitionList({ ...event, orderId: -1 }, context)).toThrow(/I53/);
  });

  it("I41: cannot be released, and no leg occurs twice", () => {
    expect(new Subject().meet({ kind: "RELEASED" }).facts).toEqual([]);
    const list = new ListSubject("OTO");
    expect(recordOf(list.meet("pending", { kind: "RELEASED" }))).toEqual(["pending: RELEASED"]);
    expect(recordOf(list.meet("pending", { kind: "RELEASED" }))).toEqual([]);
  });
});

describe("the record of a list", () => {
  it("has no leg that the event does not change, besides the one that it is for", () => {
    const list = new ListSubject("OCO");
    list.fire("profit", "110");
    const legsOf = (event: ParentEvent): readonly unknown[] =>
      list.meet("profit", event).map(({ order }) => order.list?.role);
    expect(legsOf({ kind: "CANCEL" })).toEqual(["profit"]);
    expect(legsOf({ kind: "CANCEL" })).toEqual(["profit"]);
  });

  it("I53: is not made for an order that is no leg of the list", () => {
    const { legs } = new ListSubject("OCO");
    const stranger = { legs, orderId: -1, event: { kind: "CANCEL" } } as const;
    expect(() =>
      transitionList(stranger, { sequence: 2, nowMs: NOW, rules: RULES, notAfterMs: NOT_AFTER_MS }),
    ).toThrow("I53: order -1 is not a leg of its list");
  });
});
