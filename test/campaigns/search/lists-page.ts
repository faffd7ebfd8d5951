import { readFileSync, writeFileSync } from "node:fs";

const PAGE = "docs/list-transitions.md";
const BEGIN = "<!-- transitions: made by `npm run program -- search --write` -->";
const END = "<!-- end of transitions -->";

/** The table of transitions in docs/list-transitions.md. */
export function tableInPage(page: string = readFileSync(PAGE, "utf8")): readonly string[] {
  const { table } = cut(page);
  return table.trim().split("\n");
}

/** Writes the table to docs/list-transitions.md, between its two marks; the rest of the page stays. */
export function writeTable(lines: readonly string[], file: string = PAGE): void {
  const { before, after } = cut(readFileSync(file, "utf8"));
  writeFileSync(file, `${before}${BEGIN}\n\n${lines.join("\n")}\n\n${END}${after}`);
}

function cut(page: string): Readonly<{ before: string; table: string; after: string }> {
  const [before, rest] = page.split(BEGIN);
  const [table, after] = rest?.split(END) ?? [];
  if (before === undefined || table === undefined || after === undefined)
    throw new Error(`docs/list-transitions.md has no table between "${BEGIN}" and "${END}"`);
  return { before, table, after };
}
