import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { functionsOf, linesOf, readSources } from "./source-file.ts";
import { check, numberReaders, sourceRules } from "./source-rules.ts";

const sources = readSources();
const findings = sources.flatMap(check);

/** The value below which `share` of the values lie. */
function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
}

describe("the sources", () => {
  for (const rule of sourceRules) {
    it(`${rule.name}: ${rule.says}`, () => {
      const broken = findings.filter((finding) => finding.rule === rule.name);
      expect(broken.map(({ path, line, what }) => `src/${path}:${line} ${what}`)).toEqual([]);
    });
  }

  it("a seed repeats its world: no clock, no randomness and no timer is in it", () => {
    const found = readSources(fileURLToPath(new URL("../world/", import.meta.url))).flatMap(check);
    expect(found.filter(({ rule }) => ["clock", "chance", "timers"].includes(rule))).toEqual([]);
  });

  it("every file that is allowed to read numbers exists", () => {
    const paths = sources.map((file) => file.path);
    expect(Object.keys(numberReaders).filter((path) => !paths.includes(path))).toEqual([]);
  });

  it("nine in ten functions have at most 45 lines", () => {
    const functions = sources.flatMap((file) => functionsOf(file).map((node) => linesOf(file, node)));
    const p90 = quantile(functions, 0.9);
    console.log(`${sources.length} files; ${functions.length} functions: p90 ${p90} lines`);
    expect(p90).toBeLessThanOrEqual(45);
  });
});
