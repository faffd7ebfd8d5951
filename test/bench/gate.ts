import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { benchFolder } from "./bench-folder.ts";
import { spentByPlace } from "./flame.ts";
import type { Sample } from "./line.ts";
import { LINES } from "./lines/index.ts";
import { figure, medianOf, printTable } from "./measure.ts";
import { samplesOf } from "./table.ts";

/** The lines of the gate: a quote that meets nothing, a trigger, and placements in process and over both interfaces. */
const GATED: readonly string[] = ["dormant-quotes", "triggers", "placements-64", "rest", "socket"];

/** The least ratio of the processor time of the main thread, before and now, that passes. */
const LEAST = 0.95;
/** A line that seems slower is measured this often before it fails: a single measurement varies by some percent. */
const ATTEMPTS = 3;
/** How many places of the profile are shown. */
const SHOWN = 12;

/** Bundles the benchmark of a commit from its own sources. Returns its path; `remove` deletes all that was written. */
export function benchOf(commit: string): Readonly<{ program: string; remove(): void }> {
  const root = fileURLToPath(new URL("../../", import.meta.url));
  const folder = benchFolder();
  try {
    const options = { cwd: root, maxBuffer: 1e9 };
    const input = execFileSync(
      "git",
      ["archive", commit, "src", "test", "package.json", "tsconfig.json"],
      options,
    );
    mkdirSync(folder.path("at"));
    execFileSync("tar", ["-x", "-C", folder.path("at")], { input });
    symlinkSync(`${root}/node_modules`, folder.path("at/node_modules"));
    const program = folder.path("at/bench.mjs");
    const words = [
      "test/bench/main.ts",
      "--bundle",
      "--platform=node",
      "--format=esm",
      "--packages=external",
    ];
    const hmac = "--alias:#hmac=./src/signing/hmac-node.ts";
    const esbuild = `${root}/node_modules/.bin/esbuild`;
    execFileSync(esbuild, [...words, hmac, "--log-level=error", `--outfile=${program}`], {
      cwd: folder.path("at"),
    });
    return { program, remove: folder.remove };
  } catch (error) {
    folder.remove();
    throw error;
  }
}

/** Processor time of the main thread of an operation before, divided by that of now, in each pair of rounds. */
const ratiosOf = ([now = [], before = []]: readonly (readonly Sample[])[]): readonly number[] =>
  before.map((sample, at) => mainUsOf(sample) / mainUsOf(now[at]));

const mainUsOf = (sample: Sample | undefined): number =>
  sample?.ours === undefined ? Number.NaN : sample.ours.mainUs / sample.ours.operations;

/** Compares lines with those of a commit. Returns whether each needs at most 1/0.95 of the commit's processor time. */
export async function passesGate(
  commit: string,
  names: readonly string[],
  options: Readonly<{ rounds: number; program: string }>,
): Promise<boolean> {
  const before = benchOf(commit);
  try {
    const slower: string[] = [];
    for (const name of names.length === 0 ? GATED : names) {
      const line = LINES[name];
      if (line === undefined) throw new Error(`there is no line ${name}: ${Object.keys(LINES).join(", ")}`);
      const ratios: number[] = [];
      for (let n = 0; n < ATTEMPTS && !(medianOf(ratios) >= LEAST); n++)
        ratios.push(...ratiosOf(await samplesOf(name, line, { ...options, before: before.program })));
      const [least, most] = [Math.min(...ratios), Math.max(...ratios)];
      const passed = medianOf(ratios) >= LEAST;
      const verdict = passed ? "passes" : `is below ${LEAST}`;
      console.log(
        `${name}: ${medianOf(ratios).toFixed(3)} of ${commit} (${figure(least)} to ${figure(most)}, ${ratios.length} rounds) ${verdict}`,
      );
      if (!passed) slower.push(name);
    }
    for (const name of slower) await printDifference(name, options.program, before.program);
    return slower.length === 0;
  } finally {
    before.remove();
  }
}

/** Shows in which folders of the sources a line spends more time than before. */
async function printDifference(name: string, program: string, before: string): Promise<void> {
  const [now, earlier] = [await spentByPlace(name, program), await spentByPlace(name, before)];
  const rows = [...new Set([...now.keys(), ...earlier.keys()])]
    .map((place) => [place, earlier.get(place) ?? 0, now.get(place) ?? 0] as const)
    .sort((a, b) => b[2] - b[1] - (a[2] - a[1]))
    .slice(0, SHOWN)
    .map(([place, was, is]) => [place, was.toFixed(3), is.toFixed(3), (is - was).toFixed(3)]);
  printTable(`${name}: microseconds of the main thread for an operation`, [
    ["place", "before", "now", "more"],
    ...rows,
  ]);
}
