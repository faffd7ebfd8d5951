import fc from "fast-check";
import { expect, it } from "vitest";
import type { ParentOrder } from "../../src/model/index.ts";
import { bracketOf, KindSubject, SHARED } from "../lifecycle/bracket-subject.ts";

type Act = Readonly<{ name: string; what: string; at: string; share: number }>;

const actsOf = (names: readonly string[]): fc.Arbitrary<readonly Act[]> =>
  fc.array(
    fc.record({
      name: fc.constantFrom(...names),
      what: fc.constantFrom("fire", "fire", "fire", "fill", "close", "lose", "expire", "withdraw"),
      at: fc.constantFrom("80", "90", "100", "110", "120"),
      share: fc.nat(3),
    }),
    { minLength: 4, maxLength: 40 },
  );

/** Applies an act that the venue may do: it executes at most what a child has left, at a price inside its limit. */
function perform(list: KindSubject, { name, what, at, share }: Act): void {
  const leg = list.leg(name);
  const { child, lastChildId: childId = "" } = leg;
  const left = child === undefined ? 0 : Number(child.quantity) - Number(child.executedQuantity);
  const size = Math.min(left / 1e6, share);
  const price = leg.intent.price === undefined ? at : String(Number(leg.intent.price) / 1e8);
  if (what === "fire") list.fire(name, at);
  else if (what === "expire" && share === 0) list.meet(name, { kind: "EXPIRED" });
  else if (child === undefined) return;
  else if (what === "lose") list.meet(name, { kind: "OUTCOME_UNKNOWN", childId });
  else if (what === "withdraw") {
    if (Number(child.executedQuantity) === 0 && child.state === "SENT")
      list.meet(name, { kind: "CHILD_WITHDRAWN", childId, detail: "late", atOnce: true });
  } else if (what === "close") list.close(name, size > 0 ? String(size) : undefined, price);
  else if (size > 0) list.fill(name, String(size), price);
}

const executed = (leg: ParentOrder): number => Number(leg.executedQuantity);
const open = ({ child }: ParentOrder): number =>
  child === undefined ? 0 : Number(child.quantity) - Number(child.executedQuantity);
const sum = (legs: readonly ParentOrder[], of: (leg: ParentOrder) => number): number =>
  legs.reduce((total, leg) => total + of(leg), 0);

it("a bracket's exits never execute, or have under way, more than its entry has executed; and a stop is there for it", () => {
  fc.assert(
    fc.property(actsOf(["entry", "stop", "tp1", "tp2"]), (acts) => {
      const list = new KindSubject({ kind: "BRACKET", stopMove: { after: 1, to: "ENTRY" } }, bracketOf());
      for (const act of acts) {
        const was = list.leg("stop").ended;
        perform(list, act);
        const [entry, ...exits] = list.legs as [ParentOrder, ...ParentOrder[]];
        expect(sum(exits, executed) + sum(exits, open)).toBeLessThanOrEqual(executed(entry));
        const stop = list.leg("stop");
        const isExposed = executed(entry) > sum(exits, executed);
        if (isExposed && stop.ended !== undefined && was === undefined)
          expect(stop.ended.reason).toBe("EXPIRED_GTD");
        if (executed(entry) > 0 && stop.ended === undefined) expect(stop.held).toBeUndefined();
        const isOver = entry.ended !== undefined && !isExposed && sum(exits, open) === 0;
        if (isOver) expect(exits.filter((leg) => !leg.ended && !leg.child)).toEqual([]);
      }
    }),
    { numRuns: 300 },
  );
});

it("the orders of an OCA never execute, or have under way, more than their quantity together", () => {
  fc.assert(
    fc.property(actsOf(["leg1", "leg2"]), fc.constantFrom("REDUCE", "CANCEL"), (acts, mode) => {
      const list = new KindSubject({ kind: "OCA", mode }, SHARED);
      for (const act of acts) {
        perform(list, act);
        expect(sum(list.legs, executed) + sum(list.legs, open)).toBeLessThanOrEqual(3e6);
      }
      const { length } = list.legs.filter((leg) => executed(leg) > 0 || leg.child !== undefined);
      if (mode === "CANCEL") expect(length).toBeLessThan(2);
      if (sum(list.legs, executed) === 3e6) expect(list.legs.filter((leg) => !leg.ended)).toEqual([]);
    }),
    { numRuns: 200 },
  );
});
