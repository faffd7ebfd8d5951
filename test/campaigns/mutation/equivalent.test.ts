import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import listed from "./equivalent.json";

const root = fileURLToPath(new URL("../../../", import.meta.url));

type Entry = Readonly<{ file: string; line: string; changes: readonly string[]; reason: string }>;

/** Returns what an entry says about code that no longer exists. */
function staleIn({ file, line, changes, reason }: Entry): readonly string[] {
  if (!existsSync(root + file)) return [`${file} does not exist`];
  const lines = readFileSync(root + file, "utf8").split("\n");
  const isKnown = lines.some((code) => code.trim() === line);
  if (!isKnown || changes.length === 0 || reason === "") return [`${file}: ${line}`];
  return [];
}

it("every listed mutant is in a line of code that exists, and has a reason", () => {
  expect((listed as readonly Entry[]).flatMap(staleIn)).toEqual([]);
});
