import { describe, expect, it } from "vitest";
import { price } from "../../src/decimal/index.ts";
import type { ListTerms, ParentIntent, StopMove } from "../../src/model/index.ts";
import { bracketOf, KindSubject, SHARED } from "./bracket-subject.ts";

const bracket = (stopMove?: StopMove, shares?: readonly string[]): KindSubject =>
  new KindSubject({ kind: "BRACKET", ...(stopMove && { stopMove }) }, bracketOf(shares));
const oca = (mode: NonNullable<ListTerms["mode"]>): KindSubject =>
  new KindSubject({ kind: "OCA", mode }, SHARED);

/** The orders of a bracket with one take-profit of these terms for all of it. */
const typed = (terms: Partial<ParentIntent>): ReturnType<typeof bracketOf> =>
  bracketOf(["3"]).map((one) =>
    one.role === "profit" ? { ...one, intent: { ...one.intent, price: undefined, ...terms } as never } : one,
  );

/** A bracket whose entry has executed this much and goes on. */
function entered(size: string, stopMove?: StopMove): KindSubject {
  const list = bracket(stopMove);
  list.execute("entry", "100", size);
  return list;
}

describe("the exits of a bracket", () => {
  it("are released by executions of the entry that are their part, and the entry goes on", () => {
    const list = bracket();
    expect(list.fire("stop", "80")).toEqual([]);
    list.fire("entry", "100");
    expect(list.fill("entry", "1")).toEqual(["entry: FILLED, CHILD_OPEN", "stop: RELEASED", "tp1: RELEASED"]);
    expect(list.fill("entry", "1")).toEqual(["entry: FILLED", "tp2: RELEASED"]);
  });

  it("act for what the entry has executed for certain, while its child is unknown", () => {
    const list = bracket();
    list.fire("entry", "100");
    list.fill("entry", "2");
    list.meet("entry", { kind: "OUTCOME_UNKNOWN", childId: list.leg("entry").lastChildId ?? "" });
    list.fire("tp1", "120");
    list.fire("tp2", "120");
    expect([list.sent("tp1"), list.sent("tp2")]).toEqual([1, 1]);
  });

  it("a take-profit that has executed its part waits for the next", () => {
    const list = entered("2");
    list.execute("tp2", "120");
    expect([list.fire("tp2", "130"), list.wait]).toEqual([[], "NO_SHARE"]);
    list.execute("entry", "100", "1");
    list.fire("tp2", "130");
    expect(list.sent("tp2")).toBe(1);
  });

  it("a take-profit at market executes at its level only, also what the entry executes later", () => {
    const list = new KindSubject(
      { kind: "BRACKET" },
      typed({ type: "TAKE_PROFIT_MARKET", stopPrice: price("110") }),
    );
    list.execute("entry", "100", "1");
    list.execute("tp1", "120");
    list.execute("entry", "100", "2");
    expect([list.fire("tp1", "99"), list.wait]).toEqual([[], "PRICE_OUTSIDE_LIMIT"]);
    list.fire("tp1", "110");
    expect(list.sent("tp1")).toBe(2);
  });

  it("a take-profit that trails begins when the entry has ended", () => {
    const trailing = { kind: "bps", bps: 100 } as const;
    const list = new KindSubject({ kind: "BRACKET" }, typed({ type: "TRAILING_STOP_MARKET", trailing }));
    list.execute("entry", "100", "2");
    expect(list.status("tp1")).toBe("PENDING_NEW held");
    expect(list.meet("entry", { kind: "EXPIRED" })).toContain("tp1: RELEASED");
  });

  it("a take-profit whose share is executed but for dust ends, and the stop moves, while the entry goes on", () => {
    const list = entered("2", { after: 1, to: "ENTRY" });
    list.execute("tp1", "110", "0.95");
    expect(list.fire("tp1", "110")).toEqual([
      "tp1: ENDED EXPIRED RESIDUAL_BELOW_MIN_NOTIONAL",
      "stop: AMENDED 10000000000",
    ]);
  });

  it("a restored stop that has executed ends the entry; a take-profit of an entry without executions moves no stop", () => {
    const list = entered("1", { after: 1, to: "ENTRY" });
    list.restore();
    expect(list.resume("stop", "0.5", "89").join("; ")).toContain("entry: ENDED");
    const before = bracket({ after: 1, to: "ENTRY" });
    before.restore();
    expect(before.resume("tp1", "1", "111")).toHaveLength(1);
  });

  it("unresolved children of all exits together never exceed what is left", () => {
    const list = entered("2");
    list.fire("tp1", "120");
    list.meet("tp1", { kind: "OUTCOME_UNKNOWN", childId: list.leg("tp1").lastChildId ?? "" });
    list.fire("stop", "90");
    expect([list.sent("tp1"), list.sent("stop")]).toEqual([1, 1]);
  });

  it("a child that closed early counts as unresolved until it is looked up", () => {
    const list = entered("3");
    list.fire("tp1", "120");
    const childId = list.leg("tp1").lastChildId ?? "";
    const report = { childId, state: "closed" as const, fills: [] };
    list.meet("tp1", { kind: "REPORTED", report, lookUpAfterMs: 30_000 });
    list.fire("stop", "90");
    expect(list.sent("stop")).toBe(2);
    list.close("stop", "2", "90");
    list.lookedUp = true;
    list.fire("stop", "90");
    expect(list.sent("stop")).toBe(1);
  });

  it("stay for what was executed when the entry alone is canceled, and end with the whole list", () => {
    const list = entered("2");
    expect(list.meet("entry", { kind: "CANCEL", alone: true })).toEqual([
      "entry: ENDED CANCELED USER_CANCELED",
    ]);
    expect(list.status("stop")).toBe("NEW");
    expect(bracket().meet("entry", { kind: "CANCEL", alone: true })).toEqual([
      "entry: ENDED CANCELED USER_CANCELED",
      ...["stop", "tp1", "tp2"].map((name) => `${name}: ENDED CANCELED WORKING_LEG_ENDED`),
    ]);
    const whole = entered("2");
    whole.meet("entry", { kind: "CANCEL", alone: false });
    expect(whole.statuses).toEqual(Array(4).fill("CANCELED"));
    const byExit = entered("2");
    byExit.meet("tp1", { kind: "CANCEL", alone: true });
    expect(byExit.statuses).toEqual(Array(4).fill("CANCELED"));
  });

  it("the last execution of an exit ends the others in its record", () => {
    const list = entered("3");
    expect(list.execute("tp1", "110")).toEqual(["tp1: FILLED, CHILD_CLOSED, ENDED FILLED FILLED"]);
    expect(list.execute("tp2", "120")).toEqual([
      "tp2: FILLED, CHILD_CLOSED, ENDED FILLED FILLED",
      "stop: ENDED CANCELED OCO_TRIGGER",
    ]);
  });

  it("end with an entry that executed nothing", () => {
    const list = bracket();
    expect(list.meet("entry", { kind: "EXPIRED" })).toEqual([
      "entry: ENDED EXPIRED EXPIRED_GTD",
      "stop: ENDED CANCELED WORKING_LEG_ENDED",
      "tp1: ENDED CANCELED WORKING_LEG_ENDED",
      "tp2: ENDED CANCELED WORKING_LEG_ENDED",
    ]);
  });

  it("stay for what an entry executed that ended with less; a take-profit without a part ends", () => {
    const list = entered("1");
    expect(list.meet("entry", { kind: "EXPIRED" })).toEqual([
      "entry: ENDED EXPIRED EXPIRED_GTD",
      "tp2: ENDED CANCELED WORKING_LEG_ENDED",
    ]);
    expect(list.execute("tp1", "110")).toEqual([
      "tp1: FILLED, CHILD_CLOSED, ENDED FILLED FILLED",
      "stop: ENDED CANCELED OCO_TRIGGER",
    ]);
  });

  it("nothing to reduce ends no exit while the entry may still execute", () => {
    const list = entered("1");
    expect([list.meet("stop", { kind: "NOTHING_TO_REDUCE" }), list.wait]).toEqual([[], "NO_EXPOSURE"]);
  });

  it("a cancel ends every leg, and an open position is told of", () => {
    const list = entered("1");
    expect(list.meet("tp1", { kind: "CANCEL" })).toEqual([
      "entry: ENDED CANCELED USER_CANCELED, ALERT POSITION_UNPROTECTED",
      "stop: ENDED CANCELED USER_CANCELED",
      "tp1: ENDED CANCELED USER_CANCELED",
      "tp2: ENDED CANCELED USER_CANCELED",
    ]);
  });
});

describe("the stop of a bracket", () => {
  it("ends entry and take-profits before its child when it triggers", () => {
    const list = entered("2");
    list.fire("tp1", "110");
    expect(list.fire("stop", "90")).toEqual([
      "entry: ENDED CANCELED OCO_TRIGGER",
      "tp1: END_REQUESTED CANCELED",
      "tp2: ENDED CANCELED OCO_TRIGGER",
      "stop: TRIGGERED, CHILD_INTENDED",
    ]);
  });

  it("grows with executions of the entry that resolve later, and ends when all is executed", () => {
    const list = entered("1");
    list.fire("entry", "100");
    list.fire("stop", "90");
    expect(list.sent("stop")).toBe(1);
    list.close("stop", "1", "90");
    expect(list.statuses).toEqual(["PARTIALLY_FILLED canceling", "PARTIALLY_FILLED", "CANCELED", "CANCELED"]);
    expect([list.fire("stop", "90"), list.wait]).toEqual([[], "NO_SHARE"]);
    list.close("entry", "1");
    list.fire("stop", "85");
    expect(list.sent("stop")).toBe(1);
    expect(list.close("stop", "1", "85")).toEqual([
      "stop: FILLED, CHILD_CLOSED, ENDED CANCELED WORKING_LEG_ENDED",
    ]);
  });

  it("ends as a residual when all that the entry executed is below the minimum, and so does a take-profit", () => {
    const list = entered("0.01");
    expect([list.fire("tp1", "120"), list.wait]).toEqual([[], "BELOW_MINIMUM_NOTIONAL"]);
    list.meet("entry", { kind: "CANCEL", alone: true });
    expect(list.fire("tp1", "120")).toEqual(["tp1: ENDED EXPIRED RESIDUAL_BELOW_MIN_NOTIONAL"]);
    expect(list.fire("stop", "90").at(-1)).toBe("stop: TRIGGERED, ENDED EXPIRED RESIDUAL_BELOW_MIN_NOTIONAL");
  });

  it("alone expired leaves a position that is told of, and so is each later execution of the entry", () => {
    const list = entered("1");
    const end = list.meet("stop", { kind: "EXPIRED" });
    expect(end).toEqual(["stop: ENDED EXPIRED EXPIRED_GTD", "entry: ALERT POSITION_UNPROTECTED"]);
    expect(list.execute("entry", "100", "1")).toEqual([
      "entry: FILLED, CHILD_CLOSED, ALERT POSITION_UNPROTECTED",
      "tp2: RELEASED",
    ]);
  });

  it("moves to the average price of the entry, rounded for the owner, with the offset", () => {
    const list = bracket({ after: 1, to: "ENTRY", offset: price("0.5") });
    list.execute("entry", "100", "1");
    list.execute("entry", "99.5", "2");
    expect(list.execute("tp1", "110")).toEqual([
      "tp1: FILLED, CHILD_CLOSED, ENDED FILLED FILLED",
      "stop: AMENDED 10016666667",
    ]);
  });

  it("moves only to a better level, only once its take-profits have executed whole, and not when triggered", () => {
    const worse = entered("3", { after: 1, to: price("80") });
    expect(worse.execute("tp1", "110")).toHaveLength(1);
    const later = entered("3", { after: 2, to: price("95") });
    expect(later.execute("tp1", "110")).toHaveLength(1);
    const fired = entered("3", { after: 1, to: price("95") });
    fired.fire("tp1", "110");
    fired.fire("stop", "90");
    expect(fired.close("tp1", "1", "110")).toEqual(["tp1: FILLED, CHILD_CLOSED, ENDED FILLED FILLED"]);
  });
});

describe("an OCA", () => {
  it("REDUCE: an execution of one leaves the others less, and the last ends them", () => {
    const list = oca("REDUCE");
    list.execute("leg1", "110", "1");
    list.fire("leg2", "120");
    expect(list.sent("leg2")).toBe(2);
    expect([list.fire("leg1", "110"), list.wait]).toEqual([[], "NO_SHARE"]);
    expect(list.close("leg2", "2", "120")).toEqual([
      "leg2: FILLED, CHILD_CLOSED, ENDED CANCELED OCO_TRIGGER",
      "leg1: ENDED CANCELED OCO_TRIGGER",
    ]);
  });

  it("CANCEL: the first child ends the others before it", () => {
    const list = oca("CANCEL");
    expect(list.fire("leg2", "120")).toEqual(["leg1: ENDED CANCELED OCO_TRIGGER", "leg2: CHILD_INTENDED"]);
  });

  it("REDUCE: an unknown child holds the others, as in other lists", () => {
    const list = oca("REDUCE");
    list.fire("leg1", "110");
    list.close("leg1", "1", "110");
    list.fire("leg1", "110");
    list.meet("leg1", { kind: "OUTCOME_UNKNOWN", childId: list.leg("leg1").lastChildId ?? "" });
    expect([list.fire("leg2", "120"), list.wait]).toEqual([[], "LIST_UNKNOWN"]);
  });
});
