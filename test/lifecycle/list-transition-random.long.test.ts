import fc from "fast-check";
import { expect, it } from "vitest";
import { add, price, quantity } from "../../src/decimal/index.ts";
import { childIdOf, evolve, listStatusOf, statusOf } from "../../src/lifecycle/index.ts";
import type { Contingency, LegRole, ParentOrder } from "../../src/model/index.ts";
import { FORMS, type LegInput, ListSubject, STOP } from "./list-transition-subject.ts";
import { NOW } from "./support.ts";

/** An event of a list; a cancel is distinguished from the rest. */
type Step = Readonly<{ cancels?: true; take: (list: ListSubject) => unknown }>;

const TERMINAL: readonly string[] = ["FILLED", "CANCELED", "EXPIRED", "REJECTED"];
const size = fc.constantFrom("0.1", "0.4", "0.6", "1", "1.1");
const fill = fc.tuple(
  fc.nat(20).map((n) => `x${n}`),
  size,
);

/** An event of one of the legs, in a list of any form. */
const ofLeg = <T>(arbitrary: fc.Arbitrary<T>, take: (list: ListSubject, leg: LegRole, what: T) => unknown) =>
  fc.tuple(fc.nat(5), arbitrary).map(([n, what]): Step => {
    return { take: (list) => take(list, list.legs[n % list.legs.length]?.list?.role ?? "working", what) };
  });

const prices = fc.constantFrom("80", "90", "99", "100", "110", "120");
const fires = ofLeg(prices, (list, leg, at) => list.fire(leg, at));
const reports = ofLeg(
  fc.tuple(fc.constantFrom("open", "closed", "rejected"), fc.array(fill, { maxLength: 2 })),
  (list, leg, [state, fills]) => list.report(leg, state, fills),
);
const finals = ofLeg(
  fc.constant({ state: "rejected", fills: [], final: true } as const),
  (list, leg, answer) =>
    list.meet(leg, { kind: "REPORTED", report: { ...answer, childId: list.leg(leg).lastChildId ?? "" } }),
);
const late = ofLeg(fill, (list, leg, [executionId, executed]) => {
  if (list.leg(leg).attempts === 0) return;
  const one = { executionId, quantity: quantity(executed), price: price("100"), timeMs: NOW };
  const report = { childId: childIdOf(list.leg(leg), 1), state: "closed" as const, fills: [one] };
  list.meet(leg, { kind: "REPORTED", report });
});
const others = ofLeg(
  fc.constantFrom("OUTCOME_UNKNOWN", "CHILD_VOIDED", "CHILD_WITHDRAWN", "EXPIRED"),
  (list, leg, kind) => list.meet(leg, { kind, childId: list.leg(leg).lastChildId ?? "", detail: "" }),
);
const cancels = ofLeg(fc.constant(undefined), (list, leg) => list.meet(leg, { kind: "CANCEL" })).map(
  (one): Step => ({ ...one, cancels: true }),
);
const passing = fc.nat(500).map((ms): Step => {
  return { take: (list) => (list.nowMs += ms) };
});

const step = fc.oneof(
  { weight: 6, arbitrary: fires },
  { weight: 6, arbitrary: reports },
  { weight: 1, arbitrary: finals },
  { weight: 2, arbitrary: late },
  { weight: 3, arbitrary: others },
  { weight: 1, arbitrary: cancels },
  { weight: 3, arbitrary: passing },
);

const stopLimit: LegInput = [
  STOP[0],
  { ...STOP[1], type: "STOP_LOSS_LIMIT", price: price("89"), reduceOnly: false },
];
const expiring = ([leg, change]: LegInput): LegInput => [
  leg,
  { ...change, timeInForce: "GTD", expireTimeMs: NOW + 2_000 },
];

/** Every form, with plain and triggered legs, some of which expire. */
const anyList = fc
  .record({
    contingency: fc.constantFrom<Contingency>("OCO", "OTO", "OTOCO"),
    stops: fc.boolean(),
    expiring: fc.tuple(fc.boolean(), fc.boolean(), fc.boolean()),
  })
  .map(({ contingency, stops, expiring: expire }) => {
    const inputs = FORMS[contingency].map((leg) => (leg === STOP && stops ? stopLimit : leg));
    return (): ListSubject =>
      new ListSubject(
        contingency,
        inputs.map((leg, index) => (expire[index] === true ? expiring(leg) : leg)),
      );
  });

it("I12, I23, I40-I44, I50, I51 and I53 hold over any sequence of events of any list", () => {
  fc.assert(
    fc.property(anyList, fc.array(step, { maxLength: 50 }), (open, steps) => {
      const list = open();
      for (const { take, cancels: isCancel } of steps) {
        const before = list.legs;
        const noted = list.journal.length;
        take(list);
        checkRecord(before, list, noted);
        if (isCancel) expect(list.legs.map(isCanceled), "I43").toEqual(list.legs.map(() => true));
      }
      checkReplay(list);
    }),
    { numRuns: 1_000 },
  );
});

/** After a cancel nothing of the list continues by itself. */
const isCanceled = ({ ended, pendingEnd }: ParentOrder): boolean =>
  ended !== undefined || pendingEnd?.status === "CANCELED";

function checkRecord(before: readonly ParentOrder[], list: ListSubject, noted: number): void {
  const record = list.journal.slice(noted);
  const factsOf = (leg: ParentOrder): readonly string[] =>
    record.filter(({ context }) => context.orderId === leg.orderId).map(({ fact }) => fact.kind);
  for (const [index, leg] of list.legs.entries()) checkLeg(before[index] as ParentOrder, leg);
  const working = list.legs.find((leg) => leg.list?.role === "working");
  const held = list.legs.filter((leg) => leg.held === true && leg.ended === undefined);
  const released = list.legs.filter((leg) => factsOf(leg).includes("RELEASED"));
  if (working !== undefined && working.ended !== undefined) expect(held, "I42").toEqual([]);
  if (released.length > 0) {
    expect(working && working.executedQuantity >= working.intent.quantity, "I41").toBe(true);
    expect(working && factsOf(working), "I41: in the record of the fill").toContain("FILLED");
    expect(record.findIndex(({ fact }) => fact.kind === "FILLED")).toBeLessThan(
      record.findIndex(({ fact }) => fact.kind === "RELEASED"),
    );
  }
  checkPair(list);
  const done = list.legs.every((leg) => TERMINAL.includes(statusOf(leg).status));
  expect(listStatusOf(list).listOrderStatus, "I44").toBe(done ? "ALL_DONE" : "EXECUTING");
  if (working === undefined) return;
  const others = list.legs.filter((leg) => leg !== working);
  const unprotected =
    factsOf(working).includes("ENDED") &&
    working.executedQuantity > 0 &&
    others.every((leg) => leg.held === true);
  const alerted = record.some(({ fact }) => fact.kind === "ALERT" && fact.alert === "POSITION_UNPROTECTED");
  expect(alerted, "Release").toBe(unprotected);
}

function checkLeg(before: ParentOrder, leg: ParentOrder): void {
  if (before.ended !== undefined) expect(leg.ended, "I50").toEqual(before.ended);
  if (leg.ended !== undefined) expect(leg.child ?? leg.pendingEnd, "I50").toBeUndefined();
  const view = statusOf(leg);
  expect(view.held, "I51").toBe(view.status === "PENDING_NEW");
  if (view.held)
    expect([leg.attempts, leg.trigger, leg.activation], "I23").toEqual([0, undefined, undefined]);
  if (before.held === true && leg.held === undefined) expect(leg.releasedAtMs).toBeDefined();
  if (leg.attempts === before.attempts) return;
  expect(before.held ?? before.ended ?? before.pendingEnd ?? before.child, "I23, I24").toBeUndefined();
  const open = leg.child?.quantity ?? 0;
  expect(add(leg.executedQuantity, open as never) <= leg.intent.quantity, "I12").toBe(true);
}

/** Whichever leg wins, the other has ended at an earlier place of the journal, and never sends anything (I40). */
function checkPair(list: ListSubject): void {
  const pair = list.legs.filter((leg) => ["protective", "profit"].includes(leg.list?.role ?? ""));
  const sent = pair.filter((leg) => leg.attempts > 0);
  expect(sent.length, "I40").toBeLessThan(2);
  const winner = sent[0] ?? pair.find((leg) => leg.trigger !== undefined);
  if (winner === undefined) return;
  const loser = pair.find((leg) => leg !== winner);
  expect(loser?.ended, "I40").toBeDefined();
  expect([loser?.trigger, loser?.attempts], "I40").toEqual([undefined, 0]);
  const indexOf = (leg: ParentOrder | undefined, kind: string): number =>
    list.journal.findIndex(({ fact, context }) => context.orderId === leg?.orderId && fact.kind === kind);
  const intended = indexOf(winner, "CHILD_INTENDED");
  if (intended >= 0) expect(indexOf(loser, "ENDED"), "I40").toBeLessThan(intended);
}

function checkReplay(list: ListSubject): void {
  const replayed = new Map<number, ParentOrder>();
  for (const { fact, context } of list.journal) {
    replayed.set(context.orderId, evolve(replayed.get(context.orderId), fact, context));
  }
  expect([...replayed.values()], "I53").toEqual(list.legs);
}
