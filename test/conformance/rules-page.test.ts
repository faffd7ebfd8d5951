import { expect, it } from "vitest";
import { rulesPage, suites } from "./rules-page.ts";

it("docs/conformance.md lists the rules of every suite; `npm run docs:update test/conformance/rules-page` rewrites the lists", async () => {
  const page = rulesPage();
  const listed = [...page.matchAll(/<!-- rules: ([a-z ]+) -->/g)].map(([, suite]) => suite);
  expect(listed).toEqual(Object.keys(suites));
  await expect(page).toMatchFileSnapshot("../../docs/conformance.md");
});
