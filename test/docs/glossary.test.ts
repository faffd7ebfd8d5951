import { describe, expect, it } from "vitest";
import { readPage } from "../examples/markdown.ts";
import { readSourceTexts } from "../style/source-file.ts";

/** The cells of every term: the term, its meaning, its names in the code. */
const rows = readPage("docs/glossary.md")
  .split("\n")
  .filter((line) => line.startsWith("| ") && !line.startsWith("| ---"))
  .slice(1)
  .map((line) => line.slice(2, -2).split(" | "));

const terms = rows.map(([term = ""]) => term);

describe("docs/glossary.md", () => {
  it("contains each term once, in alphabetical order", () => {
    expect(terms.length).toBeGreaterThan(40);
    expect([...new Set(terms)].sort()).toEqual(terms);
  });

  it("every name that it gives exists in the code", () => {
    const words = new Set(readSourceTexts().flatMap(({ text }) => text.match(/\w+/g) ?? []));
    const named = rows.flatMap(([term, , code = ""]) =>
      code.split(", ").map((name) => [term, name.replaceAll("`", "")] as const),
    );
    expect(named.filter(([, name]) => !words.has(name))).toEqual([]);
  });
});
