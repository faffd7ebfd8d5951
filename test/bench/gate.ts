import { execFileSync, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { bundleProgram } from "../support/bundle-program.ts";
import { benchFolder } from "./bench-folder.ts";
import { spentByPlace } from "./flame.ts";
import type { Line, Sample } from "./line.ts";
import { LINES } from "./lines/index.ts";
import { figure, printTable } from "./measure.ts";
import { mainUsOf, shift } from "./table.ts";

/** The lines of the gate: a quote that meets nothing, a trigger, and placements in process and over both interfaces. */
const GATED: readonly string[] = ["dormant-quotes", "triggers", "placements-64", "rest", "socket"];

/** A line that seems slower is measured this often before it fails: a single measurement varies by some percent. */
const ATTEMPTS = 3;
const ROUNDS_OF_A_PAIR = 3;
/** How many places of the profile are shown. */
const SHOWN = 12;

const root = fileURLToPath(new URL("../../", import.meta.url));

/**
 * Returns the commit that `base` means: where this branch left `origin/main`, or else the one before this; undefined without
 * a history.
 */
export function baseCommit(): string | undefined {
  const git = (...words: string[]): string | undefined => {
    const { status, stdout } = spawnSync("git", words, { cwd: root, encoding: "utf8" });
    return status === 0 ? stdout.trim() : undefined;
  };
  const [head, fork] = [git("rev-parse", "HEAD"), git("merge-base", "HEAD", "origin/main")];
  return fork === undefined || fork === head ? git("rev-parse", "HEAD~1") : fork;
}

/** Bundles the benchmark of a commit from its own sources. Resolves to its path. */
export async function benchOf(commit: string): Promise<string> {
  const folder = benchFolder();
  try {
    const words = ["archive", commit, "src", "test", "package.json", "tsconfig.json"];
    const input = execFileSync("git", words, { cwd: root, maxBuffer: 1e9 });
    execFileSync("tar", ["-x", "-C", folder.path("")], { input });
    return await bundleProgram("test/bench/main.ts", "bench-before", folder.path(""));
  } finally {
    folder.remove();
  }
}

/** Processor time of the main thread for one operation: the least of the rounds, which other processes disturbed least. */
const leastOf = (samples: readonly Sample[]): number => Math.min(...samples.map(mainUsOf));

/**
 * Measures a line of both programs in processes of their own, `pairs` times, and returns each pair's processor time before,
 * divided by that of now. Every second pair is opened in the other order: the process that is opened first can be faster by
 * more than the gate is to find.
 */
async function ratiosOf(
  name: string,
  now: string,
  before: string,
  pairs: number,
): Promise<readonly number[]> {
  const ratios: number[] = [];
  for (let pair = 0; pair < pairs; pair++) {
    const programs = pair % 2 === 0 ? [now, before] : [before, now];
    const [first, second] = (await shift(name, lineOf(name), programs, ROUNDS_OF_A_PAIR)).map(leastOf);
    ratios.push(pair % 2 === 0 ? Number(second) / Number(first) : Number(first) / Number(second));
  }
  return ratios;
}

/** Returns the middle of ratios: the mean of their logarithms without the quarter at each end. */
function middleOf(ratios: readonly number[]): number {
  const cut = ratios.length >> 2;
  const inner = ratios
    .map(Math.log)
    .sort((a, b) => a - b)
    .slice(cut, ratios.length - cut);
  return Math.exp(inner.reduce((sum, log) => sum + log, 0) / inner.length);
}

function lineOf(name: string): Line {
  const line = LINES[name];
  if (line === undefined) throw new Error(`there is no line ${name}: ${Object.keys(LINES).join(", ")}`);
  return line;
}

/** What a comparison needs: this program, the number of pairs of processes, and the least ratio that passes. */
type GateOptions = Readonly<{ program: string; pairs: number; least: number }>;

/**
 * Compares lines with those of a commit. Returns whether the processor time of the main thread before, divided by that of
 * now, is at least `least` for each.
 */
export async function passesGate(
  commit: string,
  names: readonly string[],
  { program, pairs, least }: GateOptions,
): Promise<boolean> {
  const before = await benchOf(commit);
  const slower: string[] = [];
  const gated = names.length === 0 ? GATED : names;
  for (const name of gated) {
    const ratios: number[] = [];
    for (let n = 0; n < ATTEMPTS && !(middleOf(ratios) >= least); n++)
      ratios.push(...(await ratiosOf(name, program, before, pairs)));
    const passed = middleOf(ratios) >= least;
    const all = `${figure(Math.min(...ratios))} to ${figure(Math.max(...ratios))} in ${ratios.length} pairs`;
    console.log(
      `${name}: ${middleOf(ratios).toFixed(3)} (${all}) ${passed ? "passes" : `is below ${least}`}`,
    );
    if (!passed) slower.push(name);
  }
  for (const name of slower) await printDifference(name, program, before);
  console.log(`${gated.length - slower.length} passed, ${slower.length} failed`);
  return slower.length === 0;
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
