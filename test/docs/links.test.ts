import { expect, it } from "vitest";
import { pages, root } from "../examples/markdown.ts";
import { deadLinks } from "./links.ts";

for (const page of pages) {
  it(`every link of ${page} leads to a page and a heading that are there`, () => {
    expect(deadLinks(root + page)).toEqual([]);
  });
}
