import { describe, expect, it } from "vitest";
import { transitionList } from "../../../src/lifecycle/index.ts";
import type { ParentOrder } from "../../../src/model/index.ts";
import { searchPlan, violationLines } from "./campaign.ts";
import { SHORT_KINDS } from "./catalogue.ts";
import { RULES_AS_THEY_ARE, type Subject } from "./subject.ts";

describe("decision 57: every state of a bracket by fills and of an OCA", () => {
  it("no rule is broken; `npm run program -- search` uses more legs, and crashes", () => {
    const findings = SHORT_KINDS.map((plan) => searchPlan(plan, () => 0));
    expect(findings.flatMap(violationLines)).toEqual([]);
  });

  it("finds orders of an OCA that do not count each other's unresolved children", () => {
    const withoutChild = (leg: ParentOrder, orderId: number): ParentOrder =>
      leg.orderId === orderId ? leg : { ...leg, child: undefined };
    const subject: Subject = {
      ...RULES_AS_THEY_ARE,
      transitionList: (event, context) =>
        event.event.kind === "FIRED"
          ? transitionList(
              { ...event, legs: event.legs.map((leg) => withoutChild(leg, event.orderId)) },
              context,
            )
          : transitionList(event, context),
    };
    const [reducing] = SHORT_KINDS.slice(0, 1).map(
      (plan) => searchPlan(plan, () => 0, subject).violation?.id,
    );
    expect(reducing).toMatch(/^(57|I14)$/);
  });
});
