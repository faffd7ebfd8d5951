import { describe, expect, it } from "vitest";
import { type Finding, searchPlan, violationLines } from "./campaign.ts";
import {
  BRINGS_THE_LOSER_BACK,
  PLANTED,
  type PlantedBug,
  RELEASES_ON_A_PARTIAL_FILL,
  SUBMITS_BEFORE_IT_IS_DURABLE,
} from "./planted.ts";

const found = ({ plan, subject }: PlantedBug): Finding => searchPlan(plan, () => 0, subject);

describe("the search finds a planted bug", () => {
  it.each(PLANTED.map((planted) => [planted.found, planted.bug, planted] as const))(
    "%s: %s",
    (id, _bug, planted) => {
      expect(found(planted).violation?.id).toBe(id);
    },
  );
});

describe("reports the shortest path to it in words", () => {
  it("I41: release by a partial fill", () => {
    expect(violationLines(found(RELEASES_ON_A_PARTIAL_FILL))).toMatchInlineSnapshot(`
      [
        "I41 is broken in OTO BUY: limit + stop: the pending leg is released by a record that does not fill the working leg whole; after 6 steps:",
        "  1. the market is at 15: the working leg decides child 1 for 2",
        "  2. the oldest record is durable",
        "  3. child 1 of the working leg is handed to the venue",
        "  4. child 1 of the working leg: the venue takes it",
        "  5. child 1 of the working leg: the venue executes 1 of it",
        "  6. the venue says of child 1 of the working leg: open, executed 1: the working leg counts 1 executed, knows its child in flight; the pending leg is released",
      ]
    `);
  });

  it("I40: a child before the record of its sibling", () => {
    expect(violationLines(found(SUBMITS_BEFORE_IT_IS_DURABLE))).toMatchInlineSnapshot(`
      [
        "I40 is broken in OCO SELL: stop + limit: child 1 of the profit leg goes out while its sibling is not durably canceled; after 2 steps:",
        "  1. the market is at 20: the protective leg ends CANCELED (OCO_TRIGGER); the profit leg decides child 1 for 2",
        "  2. child 1 of the profit leg is handed to the venue",
      ]
    `);
  });

  it("I50: a loser that comes back", () => {
    expect(violationLines(found(BRINGS_THE_LOSER_BACK))).toMatchInlineSnapshot(`
      [
        "I50 is broken in OCO SELL: stop + limit: the protective leg ended CANCELED (OCO_TRIGGER) and is now open; after 6 steps:",
        "  1. the market is at 20: the protective leg ends CANCELED (OCO_TRIGGER); the profit leg decides child 1 for 2",
        "  2. the oldest record is durable",
        "  3. child 1 of the profit leg is handed to the venue",
        "  4. child 1 of the profit leg: the venue takes it",
        "  5. child 1 of the profit leg: the venue is done with it",
        "  6. the venue says of child 1 of the profit leg: closed, executed 0: the profit leg has done with its child (DONE); the protective leg does not cross and waits",
      ]
    `);
  });
});
