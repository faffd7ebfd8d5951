import { createRequire } from "node:module";
import { relative, resolve } from "node:path";
import {
  DryRunStatus,
  determineHitLimitReached,
  TestStatus,
  toMutantRunResult,
} from "@stryker-mutator/api/test-runner";
import { startTests } from "@vitest/runner";
import { testFilesOf } from "./folders.mjs";
import { programsOf } from "./programs.mjs";

/** Where mutated code looks up which mutant is active, and counts which code was reached. */
const state = {};
globalThis.__stryker__ = state;

/** A test that reaches the changed code this many times as often as without the change is taken to run for ever. */
const MOST_HITS = 100;

/** A test that waits for something in vain fails after this time plus ten times that of the longest test. */
const WAITING_MS = 5_000;

/**
 * Runs tests of Vitest for Stryker in one process: a mutant costs some milliseconds more than its tests. Stryker's own
 * runner starts a worker of Vitest for each mutant, which took about a second.
 */
class InProcessTestRunner {
  /** Test files and their programs, in the order in which they run. */
  #programs = new Map();
  /** How often each test, and the loading of all files, reaches the code of each mutant. */
  #hits = { perTest: {}, static: {} };
  /** Known only in the process of the dry run, which Stryker replaces after some mutants. */
  #testTimeoutMs = Number.POSITIVE_INFINITY;

  capabilities() {
    return { reloadEnvironment: true };
  }

  async init() {
    // Every mutant meets the same inputs, so that a result can be repeated. That a counterexample exists is enough.
    const { configureGlobal } = createRequire(resolve("test/x.js"))("fast-check");
    configureGlobal({ seed: 20_261_123, endOnFailure: true, defaultSizeToMaxWhenMaxSpecified: true });
    this.#programs = await programsOf(testFilesOf(process.env.MUTATED_FOLDER));
  }

  async dryRun() {
    Object.assign(state, { activeMutant: undefined, hitCount: undefined, mutantCoverage: undefined });
    const tests = await this.#run([...this.#programs.keys()], new Run(this.#programs));
    this.#shortestFirst(tests);
    this.#testTimeoutMs = WAITING_MS + 10 * Math.max(...tests.map(({ timeSpentMs }) => timeSpentMs));
    const { mutantCoverage } = state;
    this.#hits = mutantCoverage ?? this.#hits;
    return { status: DryRunStatus.Complete, tests, mutantCoverage };
  }

  async mutantRun({ activeMutant, testFilter, hitLimit, timeout }) {
    // Further counts of coverage are of no use.
    const mutantCoverage = { static: {}, perTest: {} };
    const limit = (hits = {}) => MOST_HITS * hits[activeMutant.id] || hitLimit;
    Object.assign(state, { activeMutant: activeMutant.id, mutantCoverage });
    Object.assign(state, { hitCount: 0, hitLimit: limit(this.#hits.static) });
    const chosen = testFilter && new Set(testFilter.map((id) => id.slice(0, id.indexOf("#"))));
    const files = [...this.#programs.keys()].filter((file) => chosen?.has(file) ?? true);
    const limitOf = (test) => limit(this.#hits.perTest[test]);
    const tests = testFilter && new Set(testFilter);
    // A test that waits in vain fails before Stryker ends this process.
    const testTimeoutMs = Math.min(this.#testTimeoutMs, 0.8 * timeout);
    const run = new Run(this.#programs, { tests, limitOf, testTimeoutMs });
    const results = await this.#run(files, run);
    return toMutantRunResult(run.endless ?? { status: DryRunStatus.Complete, tests: results });
  }

  /** Most mutants fail in a short test; then the long ones do not run. */
  #shortestFirst(tests) {
    const spentMs = new Map();
    for (const { id, timeSpentMs } of tests) {
      const file = id.slice(0, id.indexOf("#"));
      spentMs.set(file, (spentMs.get(file) ?? 0) + timeSpentMs);
    }
    const timeOf = ([file]) => spentMs.get(file) ?? 0;
    this.#programs = new Map([...this.#programs].sort((a, b) => timeOf(a) - timeOf(b)));
  }

  async #run(files, run) {
    const results = await startTests(
      files.map((file) => resolve(file)),
      run,
    );
    return results.flatMap((file) => [...loadFailureOf(file), ...testsIn(file).flatMap(resultOf)]);
  }
}

/** One run of some tests: a tested mutant ends at its first failure. */
class Run {
  config = {
    root: resolve("test"),
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxConcurrency: 1,
    retry: 0,
    passWithNoTests: true,
    sequence: { hooks: "stack", setupFiles: "list", concurrent: false, shuffle: false },
    setupFiles: [],
    tags: [],
    diffOptions: {},
  };
  /** The result of a mutant that runs for ever. */
  endless;
  #programs;
  #chosen;
  #hasFailed = false;

  constructor(programs, chosen) {
    this.#programs = programs;
    this.#chosen = chosen;
    if (chosen !== undefined) this.config.testTimeout = chosen.testTimeoutMs;
  }

  importFile(path) {
    this.#programs.get(relative(process.cwd(), path))();
  }

  onCollected(files) {
    const chosen = this.#chosen?.tests;
    if (chosen === undefined) return;
    for (const test of files.flatMap(testsIn)) if (!chosen.has(idOf(test))) test.mode = "skip";
  }

  onBeforeRunTask(test) {
    if (this.#hasFailed) test.mode = "skip";
  }

  onBeforeTryTask(test) {
    const id = idOf(test);
    state.currentTestId = id;
    if (this.#chosen !== undefined) Object.assign(state, { hitCount: 0, hitLimit: this.#chosen.limitOf(id) });
  }

  onAfterTryTask() {
    state.currentTestId = undefined;
  }

  onAfterRunTask(test) {
    if (this.#chosen === undefined) return;
    this.endless ??= determineHitLimitReached(state.hitCount, state.hitLimit);
    if (test.result?.state === "fail" || this.endless !== undefined) this.#hasFailed = true;
  }
}

function testsIn(suite) {
  return suite.tasks.flatMap((task) => (task.type === "suite" ? testsIn(task) : [task]));
}

function idOf(test) {
  return `${relative(process.cwd(), test.file.filepath)}#${nameOf(test)}`;
}

function nameOf(test) {
  const above = test.suite === undefined || test.suite === test.file ? [] : [nameOf(test.suite)];
  return [...above, test.name].join(" ");
}

/** A mutant can make a test file fail before any of its tests runs. */
function loadFailureOf(file) {
  if (file.result?.state !== "fail" || file.result.errors === undefined) return [];
  const fileName = file.filepath;
  const id = `${relative(process.cwd(), fileName)}#`;
  const failureMessage = file.result.errors[0]?.message ?? "the file failed";
  return [{ id, name: "load", fileName, timeSpentMs: 0, status: TestStatus.Failed, failureMessage }];
}

function resultOf(test) {
  const { state: ended, duration = 0, errors } = test.result ?? {};
  if (ended !== "pass" && ended !== "fail") return [];
  const result = { id: idOf(test), name: nameOf(test), fileName: test.file.filepath, timeSpentMs: duration };
  if (ended === "pass") return [{ ...result, status: TestStatus.Success }];
  return [
    { ...result, status: TestStatus.Failed, failureMessage: errors?.[0]?.message ?? "the test failed" },
  ];
}

export const strykerPlugins = [
  { kind: "TestRunner", name: "in-process", injectableClass: InProcessTestRunner },
];
