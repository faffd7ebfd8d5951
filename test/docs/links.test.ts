import { expect, it } from "vitest";
import { pages, root } from "../examples/markdown.ts";
import { deadLinks } from "./links.ts";

for (const page of pages) {
  it(`every link of ${page} leads to an existing page and heading`, () => {
    expect(deadLinks(root + page)).toEqual([]);
  });
}
