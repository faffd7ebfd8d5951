import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { add, formatPrice, formatQuantity, price, quantity } from "../../src/decimal/index.ts";
import {
  childIdOf,
  evolve,
  type ParentEvent,
  statusOf,
  type Transition,
  watchOf,
} from "../../src/lifecycle/index.ts";
import type { ParentOrder } from "../../src/model/index.ts";
import { kindsOf, NOW, quoteAt, Subject } from "./support.ts";

describe("I51: the table of status and apiState", () => {
  const ROWS: readonly (readonly [string, string, (subject: Subject) => unknown])[] = [
    ["accepted", "NEW WAITING", () => undefined],
    ["child handed over", "NEW WORKING", (s) => s.fire("100")],
    ["child confirmed", "NEW WORKING", (s) => [s.fire("100"), s.report("open")]],
    ["child unknown", "NEW UNKNOWN", (s) => [s.fire("100"), unknown(s)]],
    [
      "child unknown with fills",
      "PARTIALLY_FILLED UNKNOWN",
      (s) => [s.fire("100"), s.report("open", [["a", "0.5"]]), unknown(s)],
    ],
    [
      "some filled, child in flight",
      "PARTIALLY_FILLED WORKING",
      (s) => [s.fire("100"), s.report("open", [["a", "0.5"]])],
    ],
    [
      "some filled, no child",
      "PARTIALLY_FILLED WAITING",
      (s) => [s.fire("100"), s.report("closed", [["a", "0.5"]])],
    ],
    ["child closed without a fill", "NEW WAITING", (s) => [s.fire("100"), s.report("closed")]],
    ["child refused", "NEW WAITING", (s) => [s.fire("100"), s.report("rejected")]],
    ["cancel requested, child in flight", "NEW WORKING cancelPending", (s) => [s.fire("100"), cancel(s)]],
    [
      "cancel requested, child unknown",
      "NEW UNKNOWN cancelPending",
      (s) => [s.fire("100"), unknown(s), cancel(s)],
    ],
    [
      "cancel requested, some filled",
      "PARTIALLY_FILLED WORKING cancelPending",
      (s) => [s.fire("100"), s.report("open", [["a", "0.5"]]), cancel(s)],
    ],
    ["expiry requested, child in flight", "NEW WORKING", (s) => [s.fire("100"), s.meet({ kind: "EXPIRED" })]],
    ["all filled", "FILLED FILLED", (s) => [s.fire("100"), s.report("closed", [["a", "1"]])]],
    [
      "all filled while cancel was pending",
      "FILLED FILLED",
      (s) => [s.fire("100"), cancel(s), s.report("closed", [["a", "1"]])],
    ],
    ["canceled", "CANCELED CANCELED", (s) => cancel(s)],
    [
      "canceled with fills",
      "CANCELED CANCELED",
      (s) => [s.fire("100"), cancel(s), s.report("closed", [["a", "0.5"]])],
    ],
    ["expired", "EXPIRED EXPIRED", (s) => s.meet({ kind: "EXPIRED" })],
    [
      "refused for good",
      "REJECTED REJECTED",
      (s) => [
        s.fire("100"),
        s.meet({
          kind: "REPORTED",
          report: { childId: s.childId, state: "rejected", fills: [], final: true },
        }),
      ],
    ],
    ["frozen", "NEW WAITING", (s) => s.meet({ kind: "INVARIANT_BROKEN", detail: "I24" })],
  ];

  it.each(ROWS)("%s: %s", (_situation, expected, happens) => {
    const subject = new Subject();
    happens(subject);
    expect(subject.status).toBe(expected);
    expect(subject.view.held).toBe(false);
  });
});

it("I41: a leg that ended while it was held is not released afterwards", () => {
  const subject = new Subject();
  subject.order = { ...subject.order, held: true };
  subject.meet({ kind: "CANCEL" });
  expect(subject.meet({ kind: "RELEASED" }).facts).toEqual([]);
  expect(subject.status).toBe("CANCELED CANCELED");
});

const unknown = (s: Subject): unknown => s.meet({ kind: "OUTCOME_UNKNOWN", childId: s.childId });
const cancel = (s: Subject): unknown => s.meet({ kind: "CANCEL" });

describe("the end that counts while a child is in flight", () => {
  it("a cancel overrides an expiry, an expiry does not override a cancel, and each is recorded once", () => {
    const subject = new Subject();
    subject.fire("100");
    expect(kindsOf(subject.meet({ kind: "EXPIRED" }))).toEqual(["END_REQUESTED"]);
    expect(subject.meet({ kind: "EXPIRED" }).facts).toEqual([]);
    expect(kindsOf(subject.meet({ kind: "CANCEL" }))).toEqual(["END_REQUESTED"]);
    expect(subject.meet({ kind: "CANCEL" }).facts).toEqual([]);
    expect(subject.meet({ kind: "EXPIRED" }).facts).toEqual([]);
    subject.report("closed");
    expect(subject.order.ended).toMatchObject({ status: "CANCELED", reason: "USER_CANCELED" });
  });
});

describe("a transition copies its parent once", () => {
  it("the given parent stays unchanged, and the facts one by one produce the returned one", () => {
    const subject = new Subject({ type: "STOP_MARKET", stopPrice: price("110") });
    const steps: readonly (() => Transition)[] = [
      () => subject.fire("120", { fired: { orderId: -256, observed: price("120"), level: price("110") } }),
      () => subject.report("closed", [["a", "1"]]),
    ];
    for (const [index, meet] of steps.entries()) {
      const before = Object.freeze(subject.order);
      const { order, facts } = meet();
      expect(facts.length).toBeGreaterThan(1);
      const context = { orderId: -256, sequence: index + 2, timeMs: NOW };
      const replayed = facts.reduce((parent, fact) => evolve(parent, fact, context), before);
      expect(order).toStrictEqual(replayed);
      expect(before.lastSequence).toBe(index + 1);
    }
  });
});

describe("triggers", () => {
  it("a trigger is recorded once and is one-way, with level, observed price and time", () => {
    const subject = new Subject({ type: "STOP_LOSS_LIMIT", stopPrice: price("110"), price: price("111") });
    const { facts } = subject.fire("120", {
      fired: { orderId: -256, observed: price("120"), level: price("110") },
    });
    expect(facts).toEqual([
      { kind: "TRIGGERED", trigger: { level: price("110"), observed: price("120"), atMs: NOW } },
    ]);
    expect(kindsOf(subject.fire("111"))).toEqual(["CHILD_INTENDED"]);
    expect(subject.order.trigger?.observed).toBe(price("120"));
  });

  it("I25: a trigger on a quote that is stale by then sends nothing", () => {
    const subject = new Subject({ type: "STOP_MARKET", stopPrice: price("110") });
    const done = subject.fire("120", { fresh: false });
    expect([kindsOf(done), done.effects, done.wait]).toEqual([["TRIGGERED"], [], "STALE_QUOTE"]);
  });

  it("I55: nothing triggers at or after the expiry", () => {
    const subject = new Subject({
      type: "STOP_MARKET",
      stopPrice: price("110"),
      timeInForce: "GTD",
      expireTimeMs: NOW + 10,
    });
    subject.nowMs = NOW + 10;
    expect(subject.fire("120").facts).toEqual([]);
    subject.nowMs = NOW + 9;
    expect(kindsOf(subject.fire("120"))).toEqual(["TRIGGERED", "CHILD_INTENDED"]);
  });

  it.each([
    ["BUY", "100", "5", "1.00000001", "106.00000001"],
    ["SELL", "100", "5", "1.00000001", "93.99999999"],
    ["BUY", "100", "5", "9999999999", "9999999999.99999999"],
    ["SELL", "100", "5", "9999999999", "0.00000001"],
  ] as const)(
    "the limit of a dynamic %s is its level and offset, frozen",
    (side, reference, amount, offset, limit) => {
      const subject = new Subject({
        side,
        type: "TRAILING_STOP_LIMIT",
        trailing: { kind: "amount", amount: price(amount) },
        limitOffset: price(offset),
      });
      const level = side === "BUY" ? price("105") : price("95");
      const done = subject.fire("100", {
        fired: { orderId: -256, observed: level, level, reference: price(reference) },
      });
      expect(formatPrice(subject.order.trigger?.limit ?? price("1"))).toBe(limit);
      expect(kindsOf(done)).toEqual(["TRIGGERED", "CHILD_INTENDED"]);
      expect(subject.order.child?.limitPrice).toBe(price(limit));
    },
  );

  it("an activation is recorded once", () => {
    const subject = new Subject({ type: "TRAILING_STOP_MARKET", trailing: { kind: "bps", bps: 100 } });
    expect(
      kindsOf(subject.meet({ kind: "ACTIVATED", activation: { position: 1, seed: price("100") } })),
    ).toEqual(["ACTIVATED"]);
    expect(subject.meet({ kind: "ACTIVATED", activation: { position: 2, seed: price("90") } }).facts).toEqual(
      [],
    );
    expect(subject.order.activation).toEqual({ position: 1, seed: price("100") });
  });
});

describe("children", () => {
  it("I24: a parent with a child in flight sends no other, whatever triggers", () => {
    const subject = new Subject();
    subject.fire("100");
    expect(subject.fire("100").facts).toEqual([]);
    expect(
      subject.meet({ kind: "MEASURED", quote: quoteAt("99", "100"), fresh: true, exposure: quantity("1") })
        .facts,
    ).toEqual([]);
  });

  it("I06: a child's id names parent and attempt; the next attempt has the next number", () => {
    const subject = new Subject();
    subject.fire("100");
    expect(subject.childId).toBe(childIdOf(subject.order, 1));
    subject.report("rejected");
    subject.nowMs += 100;
    subject.fire("100");
    expect(subject.childId).toBe(childIdOf(subject.order, 2));
  });

  it("each child without a fill doubles the pause, a fill resets it", () => {
    const subject = new Subject({ quantity: quantity("10") });
    const pauses: number[] = [];
    for (let n = 0; n < 9; n++) {
      subject.nowMs = Math.max(subject.nowMs, subject.order.notBeforeMs);
      subject.fire("100");
      if (n === 7) subject.report("closed", [["a", "1"]]);
      else subject.report(n % 2 === 0 ? "closed" : "rejected");
      pauses.push(Math.max(0, subject.order.notBeforeMs - subject.nowMs));
    }
    expect(pauses).toEqual([100, 200, 400, 800, 1_600, 3_200, 5_000, 0, 100]);
  });

  it("nothing goes out before the pause is over", () => {
    const subject = new Subject();
    subject.fire("100");
    subject.report("closed");
    subject.nowMs += 99;
    expect(subject.fire("100")).toMatchObject({ facts: [], wait: "RETRY_PACE" });
    subject.nowMs += 1;
    expect(kindsOf(subject.fire("100"))).toEqual(["CHILD_INTENDED"]);
  });

  it("a proof that a child never executes frees its quantity", () => {
    const subject = new Subject();
    subject.fire("100");
    unknown(subject);
    expect(kindsOf(subject.meet({ kind: "CHILD_VOIDED", childId: subject.childId }))).toEqual([
      "CHILD_CLOSED",
    ]);
    expect(subject.status).toBe("NEW WAITING");
    subject.nowMs += 100;
    subject.fire("100");
    expect(formatQuantity(subject.order.child?.quantity ?? quantity("9"))).toBe("1");
  });

  it("a reduce-only parent requests the exposure and sends its free part", () => {
    const subject = new Subject({ reduceOnly: true });
    expect(subject.fire("100")).toMatchObject({ facts: [], effects: [{ kind: "MEASURE" }] });
    const measured = (exposure: string | 0) =>
      subject.meet({
        kind: "MEASURED",
        quote: quoteAt("99", "100"),
        fresh: true,
        exposure: exposure === 0 ? (0 as never) : quantity(exposure),
      });
    expect(measured(0)).toMatchObject({ facts: [], wait: "NO_EXPOSURE" });
    expect(measured("0.000001").facts).toMatchObject([
      { child: { quantity: quantity("0.000001") }, exposure: quantity("0.000001") },
    ]);
  });

  it("events of another or an unknown child change nothing", () => {
    const subject = new Subject();
    subject.fire("100");
    const before = subject.order;
    for (const event of [
      { kind: "OUTCOME_UNKNOWN", childId: "aqc-x" },
      { kind: "CHILD_VOIDED", childId: "aqc-x" },
      { kind: "CHILD_WITHDRAWN", childId: "aqc-x", detail: "" },
    ] as const) {
      expect(subject.meet(event).facts).toEqual([]);
    }
    expect(subject.order).toEqual(before);
  });
});

describe("terminal states absorb (I50)", () => {
  const QUOTE = quoteAt("99", "100");
  const EVENTS: readonly ParentEvent[] = [
    { kind: "FIRED", fired: { orderId: -256, observed: QUOTE.ask }, quote: QUOTE, fresh: true },
    { kind: "ACTIVATED", activation: { position: 1, seed: QUOTE.ask } },
    { kind: "MEASURED", quote: QUOTE, fresh: true, exposure: quantity("1") },
    { kind: "OUTCOME_UNKNOWN", childId: childIdOf({ orderId: -256, acceptedAtMs: NOW }, 1) },
    { kind: "CHILD_VOIDED", childId: childIdOf({ orderId: -256, acceptedAtMs: NOW }, 1) },
    { kind: "CANCEL" },
    { kind: "EXPIRED" },
  ];

  it.each(["FILLED", "CANCELED", "EXPIRED", "REJECTED"] as const)("%s", (status) => {
    const subject = new Subject();
    subject.fire("100");
    if (status === "FILLED") subject.report("closed", [["a", "1"]]);
    else if (status === "REJECTED")
      subject.meet({
        kind: "REPORTED",
        report: { childId: subject.childId, state: "rejected", fills: [], final: true },
      });
    else {
      subject.report("closed", [["a", "0.5"]]);
      subject.meet({ kind: status === "CANCELED" ? "CANCEL" : "EXPIRED" });
    }
    const ended = subject.order;
    for (const event of EVENTS) expect(subject.meet(event).facts).toEqual([]);
    for (const state of ["open", "closed", "rejected"] as const)
      expect(subject.report(state).facts).toEqual([]);
    expect(subject.order).toEqual(ended);
    expect(watchOf(ended, 0)).toBeUndefined();
    expect(kindsOf(subject.report("open", [["late", "0.25"]])).slice(0, 2)).toEqual(["FILLED", "ALERT"]);
    expect(statusOf(subject.order).status).toBe(status);
  });
});

describe("any sequence of events", () => {
  const id = fc.nat(30).map((n) => `x${n}`);
  const size = fc.constantFrom("0.1", "0.25", "0.5", "1", "1.5");
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom("95", "100", "105").map((at) => (s: Subject) => s.fire(at)) },
    {
      weight: 5,
      arbitrary: fc
        .record({
          state: fc.constantFrom("open", "closed", "rejected"),
          fills: fc.array(fc.tuple(id, size), { maxLength: 2 }),
          late: fc.boolean(),
        })
        .map(({ state, fills, late }) => (s: Subject) => {
          const attempt = Math.max(1, s.order.attempts - (late ? 1 : 0));
          return s.order.attempts === 0 ? undefined : s.report(state, fills, childIdOf(s.order, attempt));
        }),
    },
    { weight: 2, arbitrary: fc.constant(unknown) },
    {
      weight: 1,
      arbitrary: fc.constant((s: Subject) => s.meet({ kind: "CHILD_VOIDED", childId: s.childId })),
    },
    {
      weight: 1,
      arbitrary: fc.constant((s: Subject) =>
        s.meet({ kind: "CHILD_WITHDRAWN", childId: s.childId, detail: "" }),
      ),
    },
    { weight: 1, arbitrary: fc.constant(cancel) },
    { weight: 1, arbitrary: fc.constant((s: Subject) => s.meet({ kind: "EXPIRED" })) },
    { weight: 3, arbitrary: fc.nat(300).map((ms) => (s: Subject) => (s.nowMs += ms)) },
  );

  it("I10, I12, I15, I23, I24, I50, I51: keeps every rule of quantities, states and submissions", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const subject = new Subject();
        for (const take of steps) {
          const before = subject.order;
          take(subject);
          checkFacts(before, subject.order);
          checkView(subject);
        }
      }),
      { numRuns: 400 },
    );
  });
});

function checkFacts(before: ParentOrder, order: ParentOrder): void {
  expect(order.executedQuantity >= before.executedQuantity).toBe(true);
  expect(new Set(order.executions).size).toBe(order.executions.size);
  if (before.ended !== undefined) expect(order.ended).toEqual(before.ended);
  if (order.ended !== undefined) expect(order.child).toBeUndefined();
  if (order.pendingEnd !== undefined) expect(order.child).toBeDefined();
  if (order.child === undefined || order.attempts === before.attempts) return;
  expect(before.child ?? before.ended ?? before.pendingEnd).toBeUndefined();
  expect(add(order.executedQuantity, order.child.quantity) <= order.intent.quantity).toBe(true);
}

const TERMINAL = ["FILLED", "CANCELED", "EXPIRED", "REJECTED"];

function checkView({ view: { status, apiState, cancelPending } }: Subject): void {
  if (TERMINAL.includes(status)) expect([apiState, cancelPending]).toEqual([status, false]);
  else expect(["WAITING", "WORKING", "UNKNOWN"]).toContain(apiState);
  if (cancelPending) expect(apiState).not.toBe("WAITING");
}
