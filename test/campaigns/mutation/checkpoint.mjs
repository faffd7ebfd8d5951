import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { relative } from "node:path";

/** Longest time between two saves of the results. */
const SAVE_EVERY_MS = 10_000;

/**
 * Saves the results of a run while it goes on, in the form of Stryker's incremental file, which Stryker itself writes at
 * the end only. The next run takes over the results of a run that was interrupted.
 */
class CheckpointReporter {
  #tests = [];
  #mutants = new Map();
  #sources = new Map();
  #savedAt = Date.now();

  onDryRunCompleted({ result }) {
    this.#tests = result.tests;
  }

  /** Reads every file now: results must not be attributed to lines that change during the run. */
  onMutationTestingPlanReady({ mutantPlans }) {
    for (const { fileName } of [...this.#tests, ...mutantPlans.map(({ mutant }) => mutant)]) {
      if (!this.#sources.has(fileName)) this.#sources.set(fileName, readFileSync(fileName, "utf8"));
    }
    const kept = mutantPlans.filter(({ plan }) => plan === "EarlyResult");
    for (const { mutant } of kept) this.#mutants.set(mutant.id, withLinesFromOne(mutant));
  }

  onMutantTested(mutant) {
    this.#mutants.set(mutant.id, mutant);
    if (Date.now() - this.#savedAt < SAVE_EVERY_MS) return;
    save(process.env.MUTATION_RESULTS, this.#report());
    this.#savedAt = Date.now();
  }

  #report() {
    const files = this.#byFile("mutants", this.#mutants.values(), ({ fileName, ...mutant }) => mutant);
    const testFiles = this.#byFile("tests", this.#tests, ({ id, name }) => ({ id, name }));
    const spentMs = Date.now() - Number(process.env.MUTATION_SPENT_SINCE_MS);
    return { schemaVersion: "1.0", thresholds: { high: 100, low: 90 }, files, testFiles, spentMs };
  }

  #byFile(kind, items, entryOf) {
    const files = {};
    for (const item of items) {
      const name = relative(process.cwd(), item.fileName);
      files[name] ??= { language: "typescript", source: this.#sources.get(item.fileName), [kind]: [] };
      files[name][kind].push(entryOf(item));
    }
    return files;
  }
}

/** The plan counts lines and columns from 0, a report from 1. */
function withLinesFromOne(mutant) {
  const { start, end } = mutant.location;
  const next = ({ line, column }) => ({ line: line + 1, column: column + 1 });
  return { ...mutant, location: { start: next(start), end: next(end) } };
}

/** Replaces a file in one step. */
export function save(file, report) {
  writeFileSync(`${file}.new`, JSON.stringify(report));
  renameSync(`${file}.new`, file);
}

export const strykerPlugins = [{ kind: "Reporter", name: "checkpoint", injectableClass: CheckpointReporter }];
