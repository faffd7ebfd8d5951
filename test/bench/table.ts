import type { Line, Sample, Taken } from "./line.ts";
import { startLine } from "./line-process.ts";
import { LINES } from "./lines/index.ts";
import { figure, medianOf } from "./measure.ts";

/** Which lines to run, how often, and the same benchmark built from earlier sources for a comparison. */
export type TableOptions = Readonly<{
  names: readonly string[];
  rounds: number;
  program: string;
  before: string | undefined;
}>;

/** The medians of a line's rounds, and the spread of its ratios. */
type Row = Readonly<{
  figure: number;
  peer: number;
  ratio: number;
  spread: string;
  cpu: string;
  heap: string;
}>;

/** Returns operations per second, or per second of processor time of the main or the busiest thread. */
const rateOf = (line: Line, { operations, seconds, mainUs, busiestUs = mainUs }: Taken): number =>
  line.timedBy === "processor" ? operations / (busiestUs / 1e6) : operations / seconds;

const figureOf = (line: Line, sample: Sample): number =>
  "figure" in sample ? sample.figure : rateOf(line, sample.ours);

function peerOf(line: Line, sample: Sample): number {
  if ("figure" in sample) return sample.peer ?? Number.NaN;
  return sample.peer === undefined ? Number.NaN : rateOf(line, sample.peer);
}

const each = ({ ours }: Sample, of: (taken: Taken) => number): number =>
  ours === undefined ? Number.NaN : of(ours) / ours.operations;

/** Processor time of the main thread for one operation, in microseconds. */
export const mainUsOf = (sample: Sample): number => each(sample, ({ mainUs }) => mainUs);

function rowOf(line: Line, samples: readonly Sample[]): Row {
  const median = (of: (sample: Sample) => number): number => medianOf(samples.map(of));
  const ratios = samples.map((sample) => figureOf(line, sample) / peerOf(line, sample));
  const figures = samples.map((sample) => figureOf(line, sample));
  const [low, high] = [Math.min(...ratios), Math.max(...ratios)];
  const [least, most] = [Math.min(...figures), Math.max(...figures)];
  const us = (of: (taken: Taken) => number): string => shown(median((sample) => each(sample, of)));
  return {
    figure: medianOf(figures),
    peer: median((sample) => peerOf(line, sample)),
    ratio: medianOf(ratios),
    spread: Number.isNaN(low) ? `${figure(least)}-${figure(most)}` : `${figure(low)}-${figure(high)}`,
    cpu:
      samples[0]?.ours === undefined
        ? ""
        : `${us(({ mainUs }) => mainUs)} / ${us(({ othersUs }) => othersUs)}`,
    heap: shown(median((sample) => each(sample, ({ heapBytes }) => heapBytes))),
  };
}

const shown = (value: number): string => (Number.isNaN(value) ? "" : figure(value));

const HEAD = [
  "work",
  "unit",
  "before",
  "now",
  "peer",
  "peer's",
  "ratio before",
  "ratio",
  "spread of rounds",
  "us of main thread / others",
  "the same before",
  "main thread, before / now",
  "heap left, B each",
  "target",
  "reached",
];

/** Prints the row of each line as soon as it is measured. */
export async function printLines(options: TableOptions): Promise<void> {
  print(HEAD);
  print(HEAD.map(() => "---"));
  for (const [index, name] of options.names.entries()) {
    const line = LINES[name];
    if (line === undefined) throw new Error(`there is no line ${name}`);
    console.error(`${index + 1} of ${options.names.length}: ${line.work}`);
    print(await measured(name, line, options));
  }
}

const print = (cells: readonly string[]): void => console.log(`| ${cells.join(" | ")} |`);

async function measured(name: string, line: Line, options: TableOptions): Promise<readonly string[]> {
  const samples = await samplesOf(name, line, options);
  const [samplesNow = [], samplesBefore = []] = samples;
  const [now, before] = samples.map((of) => rowOf(line, of));
  if (now === undefined) return [];
  return [
    line.work,
    unitOf(line, samples[0]?.[0]),
    before === undefined ? "" : figure(before.figure),
    figure(now.figure),
    line.peer ?? "",
    shown(now.peer),
    before === undefined ? "" : shown(before.ratio),
    shown(now.ratio),
    now.spread,
    now.cpu,
    before?.cpu ?? "",
    shown(medianOf(samplesBefore.map((sample, n) => mainUsOf(sample) / mainUsOf(samplesNow[n] ?? sample)))),
    now.heap,
    line.target,
    line.reached(now.figure, now.ratio) ? "yes" : "no",
  ];
}

function unitOf({ unit, timedBy }: Line, sample: Sample | undefined): string {
  if (sample === undefined || "figure" in sample) return unit;
  return timedBy === "processor" ? `${unit}/s of CPU` : `${unit}/s`;
}

/**
 * Runs rounds of this program and of the earlier one alternately, so that both run under the same conditions. In the second
 * half of the rounds the order is turned, with processes of their own: of two processes of one program, the one that is opened
 * first was up to a third faster.
 */
async function samplesOf(
  name: string,
  line: Line,
  { rounds, program, before }: TableOptions,
): Promise<readonly (readonly Sample[])[]> {
  if (before === undefined) return shift(name, line, [program], rounds);
  const half = Math.ceil(rounds / 2);
  const [now = [], earlier = []] = await shift(name, line, [program, before], half);
  const [earlierAgain = [], nowAgain = []] = await shift(name, line, [before, program], half);
  return [
    [...now, ...nowAgain],
    [...earlier, ...earlierAgain],
  ];
}

/** Runs rounds of several programs alternately, each in one process. Returns the samples by program. */
export async function shift(
  name: string,
  line: Line,
  programs: readonly string[],
  rounds: number,
): Promise<readonly (readonly Sample[])[]> {
  const samples: Sample[][] = programs.map(() => []);
  const open = line.alone ? [] : await inOrder(programs, (one) => startLine(one, name));
  for (let round = 0; round < rounds; round++) {
    for (const [index, one] of programs.entries()) {
      const process = open[index] ?? (await startLine(one, name));
      samples[index]?.push(await process.take(round));
      if (line.alone) await process.close();
    }
  }
  for (const process of open) await process.close();
  return samples;
}

/** Lines run one after the other; lines that are open together would be measured together. */
async function inOrder<T, U>(items: readonly T[], make: (item: T) => Promise<U>): Promise<readonly U[]> {
  const made: U[] = [];
  for (const item of items) made.push(await make(item));
  return made;
}
