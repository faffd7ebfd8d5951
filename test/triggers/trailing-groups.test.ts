import { describe, expect, it } from "vitest";
import { price } from "../../src/decimal/index.ts";
import type { MarketSide } from "../../src/model/index.ts";
import { currentGroup, entryOf, isTrailing, type TrailingEntry } from "../../src/triggers/entry.ts";
import { TrailingGroups } from "../../src/triggers/trailing-groups.ts";

const entry = (orderId: number, distance: string, side: MarketSide = "bid"): TrailingEntry => {
  const amount = { kind: "amount", amount: price(distance) } as const;
  const made = entryOf({
    orderId,
    acceptedAtMs: -orderId,
    acceptance: 1,
    watch: { kind: "trail", side, distance: amount },
  });
  if (!isTrailing(made)) throw new Error("the entry does not trail");
  return made;
};

const referenceOf = (of: TrailingEntry): unknown => currentGroup(of)?.reference;

/** Ids of the entries that a price meets, in the order in which they leave. */
function taken(groups: TrailingGroups, at: string): readonly number[] {
  const ids: number[] = [];
  for (let hit = groups.takeMet(price(at)); hit !== undefined; hit = groups.takeMet(price(at)))
    ids.push(hit.order.orderId);
  return ids;
}

/** Groups with references of 100, 90 and 80, each with one entry of distance 50. */
function three(): Readonly<{ groups: TrailingGroups; entries: readonly TrailingEntry[] }> {
  const groups = new TrailingGroups("bid");
  const entries = [entry(-1, "50"), entry(-2, "50"), entry(-3, "50")];
  entries.forEach((each, index) => {
    groups.join(each, price(String(100 - 10 * index)));
  });
  return { groups, entries };
}

describe("I31: the references of trailing orders", () => {
  it("a move without merges before it moves all that the price passes, and no other", () => {
    const { groups, entries } = three();
    expect(groups.move(price("95"))).toBe(true);
    expect(entries.map(referenceOf)).toEqual([price("100"), price("95"), price("95")]);
    expect(groups.move(price("95"))).toBe(false);
    expect(groups.move(price("110"))).toBe(true);
    expect(entries.map(referenceOf)).toEqual([price("110"), price("110"), price("110")]);
    expect(taken(groups, "60")).toEqual([-1, -2, -3]);
  });

  it("an order that joins its group later and is nearer fires at its own level", () => {
    for (const side of ["bid", "ask"] as const) {
      const groups = new TrailingGroups(side);
      groups.join(entry(-1, "50", side), price("100"));
      const at = (distance: number): string => String(side === "bid" ? 100 - distance : 100 + distance);
      expect(groups.hasMet(price(at(5)))).toBe(false);
      groups.join(entry(-2, "5", side), price("100"));
      expect(groups.hasMet(price(at(5)))).toBe(true);
      groups.join(entry(-3, "20", side), price("100"));
      expect([at(4), at(5), at(19), at(20), at(50)].map((value) => taken(groups, value))).toEqual([
        [],
        [-2],
        [],
        [-3],
        [-1],
      ]);
    }
  });

  it("of groups with different references the one whose level is met first is asked first", () => {
    for (const side of ["bid", "ask"] as const) {
      const groups = new TrailingGroups(side);
      groups.join(entry(-1, "50", side), price("100"));
      // Its reference is worse for the order, so that its level is nearer or further by the distance alone.
      groups.join(entry(-2, "1", side), price(side === "bid" ? "99" : "101"));
      groups.join(entry(-3, "90", side), price(side === "bid" ? "98" : "102"));
      expect(taken(groups, side === "bid" ? "98" : "102")).toEqual([-2]);
    }
  });

  it("an order that leaves in the middle of a merge takes none of the others with it", () => {
    const { groups, entries } = three();
    const [first, second, third] = entries as [TrailingEntry, TrailingEntry, TrailingEntry];
    expect(groups.mergeTwo(price("85"))).toBe(false);
    groups.remove(third);
    expect(groups.move(price("85"))).toBe(false);
    expect([first, second].map(referenceOf)).toEqual([price("100"), price("90")]);
    expect(groups.move(price("120"))).toBe(true);
    expect([first, second].map(referenceOf)).toEqual([price("120"), price("120")]);
    expect(taken(groups, "70")).toEqual([-1, -2]);
  });

  it("decision 16: orders restored after a quote have their own reference, not one that has moved on", () => {
    const groups = new TrailingGroups("bid");
    const [before, after] = [entry(-1, "50"), entry(-2, "50")];
    groups.restore(before, price("100"));
    groups.move(price("110"));
    groups.restore(after, price("100"));
    expect([before, after].map(referenceOf)).toEqual([price("110"), price("100")]);
    expect(taken(groups, "60")).toEqual([-1]);
    expect(taken(groups, "50")).toEqual([-2]);
  });

  it("decision 16: restored in any order, the group whose reference a new extreme reaches first moves first", () => {
    for (const side of ["bid", "ask"] as const) {
      const groups = new TrailingGroups(side);
      const [far, near] = [entry(-1, "50", side), entry(-2, "50", side)];
      groups.restore(near, price("100"));
      groups.restore(far, price(side === "bid" ? "120" : "80"));
      expect(groups.move(price(side === "bid" ? "110" : "90"))).toBe(true);
      expect([near, far].map(referenceOf)).toEqual(
        side === "bid" ? [price("110"), price("120")] : [price("90"), price("80")],
      );
    }
  });
});
