import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { pages, readPage, root } from "../examples/markdown.ts";
import { readSources } from "../style/source-file.ts";

const PATH = /`((?:src|test|docs|examples)\/[^`\s*<]+)`/g;
/** A test's file, with parts of the names of its tests. */
const PROOF = /`(test\/[^`]+)` ("[^"]+"(?:, "[^"]+")*)/g;
const CONTRACT = ["docs/contract.md", "docs/contract-endpoints.md", "docs/contract-rules.md"];

/** The cells of every row of a table of a page, without head and rule. */
function rowsOf(page: string): readonly (readonly string[])[] {
  const lines = readPage(page).split("\n");
  return lines
    .filter((line, index) => line.startsWith("| ") && !isHead(lines, index) && !line.startsWith("| ---"))
    .map((line) =>
      line
        .slice(2, -2)
        .split(" | ")
        .map((cell) => cell.trim()),
    );
}

const isHead = (lines: readonly string[], index: number): boolean =>
  lines[index + 1]?.startsWith("| ---") === true;

describe("the pages of the contract", () => {
  const rows = CONTRACT.flatMap(rowsOf);

  it("every row names its implementation and its tests, or says that it is not built yet", () => {
    expect(rows.length).toBeGreaterThan(100);
    const unclear = rows.filter(([, built = "", proof = "", ...more]) => {
      if (more.length > 0) return true;
      if (built === "nothing to build") return proof !== "-";
      if (built.startsWith("not yet")) return proof !== "not yet" && !proof.startsWith("`test/");
      return !built.startsWith("`src/") || !proof.startsWith("`test/");
    });
    expect(unclear).toEqual([]);
  });

  it("no row occurs twice", () => {
    const seen = rows.map((cells) => cells.join(" | "));
    expect(seen.filter((row, index) => seen.indexOf(row) !== index)).toEqual([]);
  });
});

describe("docs/invariants.md", () => {
  const rows = rowsOf("docs/invariants.md");
  const ids = rows.map(([id = ""]) => id);

  it("ids are in ascending order", () => {
    expect([...ids].sort()).toEqual(ids);
  });

  it("contains every invariant that the sources name", () => {
    const comment = /"I00"/; // the example of invariant() itself
    const named = readSources().flatMap(
      ({ text }) => text.replace(comment, "").match(/\bI[0-9]{2}\b/g) ?? [],
    );
    expect([...new Set(named)].filter((id) => !ids.includes(id))).toEqual([]);
  });

  it("every invariant has a test with its id in the name, or names one", () => {
    const files = readdirSync(`${root}test`, { recursive: true, encoding: "utf8" });
    const tests = files.filter((file) => file.endsWith(".test.ts") && !file.startsWith("docs"));
    const titles = tests.flatMap(
      (file) => readFileSync(`${root}test/${file}`, "utf8").match(/\b(?:it|test|describe)\b.*/g) ?? [],
    );
    const proved = new Set(titles.flatMap((title) => title.match(/\bI[0-9]{2}\b/g) ?? []));
    const unproved = rows.filter(
      ([id = "", , , others = ""]) => !proved.has(id) && !others.startsWith("`test/"),
    );
    expect(unproved).toEqual([]);
  });
});

for (const page of pages) {
  it(`every file named in ${page} exists`, () => {
    const named = [...readPage(page).matchAll(PATH)].map(([, path = ""]) => path.replace(/#.*$/, ""));
    const made = (path: string): boolean => path.startsWith("docs/site");
    expect(named.filter((path) => !made(path) && !existsSync(root + path))).toEqual([]);
  });

  it(`every test named in ${page} has such a name`, () => {
    const proofs = [...readPage(page).matchAll(PROOF)].flatMap(([, path = "", names = ""]) =>
      [...names.matchAll(/"([^"]+)"/g)].map(([, name = ""]) => ({ path, name })),
    );
    const missing = proofs.filter(
      ({ path, name }) => !existsSync(root + path) || !readFileSync(root + path, "utf8").includes(name),
    );
    expect(missing).toEqual([]);
  });
}
