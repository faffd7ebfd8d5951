import { describe, expect, it } from "vitest";
import { price, quantity } from "../../src/decimal/index.ts";
import { LIMIT, ListSubject, recordOf, STOP } from "./list-transition-subject.ts";

describe("an amend of a leg", () => {
  const amended = (list: ListSubject, role: "working" | "protective" | "profit", size: string) =>
    recordOf(list.meet(role, { kind: "AMEND", terms: { quantity: quantity(size) } }));

  it("of its quantity changes both legs of a pair, and the exits of an entry, in one record", () => {
    expect(amended(new ListSubject("OCO"), "profit", "2")).toEqual([
      "profit: AMENDED",
      "protective: AMENDED",
    ]);
    const list = new ListSubject("OTOCO");
    expect(amended(list, "protective", "2")).toEqual(["protective: AMENDED", "profit: AMENDED"]);
    expect(amended(list, "working", "3")).toEqual([
      "working: AMENDED",
      "protective: AMENDED",
      "profit: AMENDED",
    ]);
    expect(list.legs.map(({ intent }) => intent.quantity)).toEqual(Array(3).fill(quantity("3")));
  });

  it("of its level changes it alone", () => {
    const terms = { stopPrice: price("95") };
    expect(recordOf(new ListSubject("OTOCO").meet("protective", { kind: "AMEND", terms }))).toEqual([
      "protective: AMENDED",
    ]);
  });

  it("changes nothing while a child of any leg is not settled, or a leg is restored", () => {
    const list = new ListSubject("OTOCO");
    list.fire("working", "100");
    for (const role of ["working", "protective", "profit"] as const)
      expect(amended(list, role, "2")).toEqual([]);
    const restored = new ListSubject("OCO");
    restored.restore("profit");
    expect(amended(restored, "protective", "2")).toEqual([]);
  });

  it("of the winner of a pair changes it alone", () => {
    const list = new ListSubject("OCO", [
      [STOP[0], { ...STOP[1], type: "STOP_LOSS_LIMIT", price: price("89") }],
      LIMIT,
    ]);
    list.fire("protective", "80");
    expect(amended(list, "protective", "2")).toEqual(["protective: AMENDED"]);
    expect(amended(list, "profit", "3")).toEqual([]);
  });
});
