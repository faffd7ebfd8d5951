import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { functionsOf, lengthOf, linesOf, readSources } from "./source-file.ts";
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

  it("half of the files have at most 120 lines, nine in ten functions at most 45", () => {
    const files = sources.filter((file) => !file.path.endsWith("index.ts")).map(lengthOf);
    const functions = sources.flatMap((file) => functionsOf(file).map((node) => linesOf(file, node)));
    const size = {
      files: files.length,
      median: quantile(files, 0.5),
      p90: quantile(files, 0.9),
      functions: functions.length,
      functionP90: quantile(functions, 0.9),
    };
    console.log(
      `${size.files} files: median ${size.median}, p90 ${size.p90} lines; ` +
        `${size.functions} functions: p90 ${size.functionP90} lines`,
    );
    expect(size.median).toBeLessThanOrEqual(120);
    expect(size.functionP90).toBeLessThanOrEqual(45);
  });
});
