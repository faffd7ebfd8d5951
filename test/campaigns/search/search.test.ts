import { describe, expect, it } from "vitest";
import { type Finding, searchPlan, tableOf, violationLines } from "./campaign.ts";
import { CATALOGUE, SHORT_CATALOGUE } from "./catalogue.ts";
import { tableInPage } from "./lists-page.ts";

const findings: readonly Finding[] = SHORT_CATALOGUE.map((plan) => searchPlan(plan, () => 0));

describe("I10-I15, I20-I24, I40-I44, I50-I55: every state that a list can reach", () => {
  it("no rule is broken; `npm run program -- search` uses larger bounds", () => {
    expect(findings.flatMap(violationLines)).toEqual([]);
  });

  it("every form of order and list is searched", () => {
    expect(CATALOGUE.length).toBe(341);
    const names = findings.map(({ name }) => name);
    for (const form of ["single order", "OCO", "OTO", "OTOCO"]) {
      for (const side of ["BUY", "SELL"])
        expect(names.some((name) => name.startsWith(`${form} ${side}:`))).toBe(true);
    }
  });

  it("it visits as many states as before: a form with fewer states is no longer searched completely", () => {
    expect(findings.reduce((sum, { states }) => sum + states, 0)).toBeGreaterThan(230_000);
  });

  it("docs/list-transitions.md shows the transitions that the search sees", () => {
    expect(tableInPage()).toEqual(tableOf(findings));
  });
});
