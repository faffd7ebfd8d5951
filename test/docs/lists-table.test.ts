import { expect, it } from "vitest";
import { searchPlan, tableOf } from "../campaigns/search/campaign.ts";
import { TABLE_CATALOGUE } from "../campaigns/search/catalogue.ts";
import { tableInPage } from "../campaigns/search/lists-page.ts";

const table = tableOf(TABLE_CATALOGUE.map((plan) => searchPlan(plan, () => 0)));

it("the table of docs/list-transitions.md is the output of the search; `npm run program -- search --write` rewrites it", () => {
  expect(tableInPage()).toEqual(table);
});

it("the table of docs/list-transitions.md is readable: it has at most 150 rows", () => {
  expect(tableInPage().length - 2).toBeLessThanOrEqual(150);
});
