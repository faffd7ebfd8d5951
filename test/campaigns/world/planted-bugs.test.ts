import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { BUGS } from "./planted/bugs.ts";

const sourceOf = (file: string): string =>
  readFileSync(fileURLToPath(new URL(`../../../${file}`, import.meta.url)), "utf8");

describe("bugs planted for the seeded world", () => {
  it.each(BUGS.map((bug) => [bug.name, bug] as const))(
    "%s: its place exists in the present sources",
    (_, bug) => {
      const missing = bug.edits.filter(({ file, before }) => !sourceOf(file).includes(before));
      expect(missing).toEqual([]);
    },
  );
});
