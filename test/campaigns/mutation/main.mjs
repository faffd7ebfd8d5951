/**
 * Mutation testing of one folder of src/: `npm run program -- mutate FOLDER`. Stryker changes one expression at a time, and the
 * tests of the folder must notice. Results are saved while the run goes on, in node_modules/.cache/mutation/: an
 * interrupted run continues, and a later run tests again only what a change of sources or tests can have changed.
 * `--force` tests every mutant again; `--report` prints the saved results and tests nothing.
 */
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Stryker } from "@stryker-mutator/core";
import { save } from "./checkpoint.mjs";
import { FOLDERS } from "./folders.mjs";
import { printSurvivors, summaryOf, writeRow } from "./report.mjs";

process.chdir(fileURLToPath(new URL("../../..", import.meta.url)));
const [folder, ...flags] = process.argv.slice(2);
if (!Object.hasOwn(FOLDERS, folder)) {
  console.error(
    `usage: npm run program -- mutate FOLDER [--force | --report], one of ${Object.keys(FOLDERS).join(", ")}`,
  );
  process.exit(2);
}

const results = join("node_modules", ".cache", "mutation", `${folder.replaceAll("/", "-")}.json`);
const isForced = flags.includes("--force");
mkdirSync(join(results, ".."), { recursive: true });
Object.assign(process.env, { MUTATED_FOLDER: folder, MUTATION_RESULTS: results });

if (!flags.includes("--report")) await run();
const report = JSON.parse(readFileSync(results, "utf8"));
const summary = summaryOf(folder, report);
printSurvivors(summary);
// Stryker adds its configuration at the end of a run.
if (report.config === undefined) console.log("The results are those of a run that was interrupted.");
else writeRow(summary);
console.log(summary.row);
if (summary.unlisted.length > 0 || summary.unknown.length > 0) process.exitCode = 1;

async function run() {
  // A run that was killed leaves its copy of the sources behind.
  const copies = join(".mutation", folder.replaceAll("/", "-"));
  rmSync(copies, { recursive: true, force: true });
  const earlierMs = isForced || !existsSync(results) ? 0 : forgetStaticSurvivors();
  const startedAt = Date.now();
  process.env.MUTATION_SPENT_SINCE_MS = String(startedAt - earlierMs);
  await new Stryker({
    mutate: [`src/${folder}/**/*.ts`],
    // No test of these folders reads the build or the examples, which would take time to copy.
    ignorePatterns: ["/.mutation", "/dist", "/examples"],
    testRunner: "in-process",
    plugins: ["test-runner", "type-checker", "checkpoint"].map(
      (name) => `./test/campaigns/mutation/${name}.mjs`,
    ),
    // A mutant may leave something behind in the process.
    maxTestRunnerReuse: 250,
    coverageAnalysis: "perTest",
    checkers: ["types"],
    // The checker reads the sources as they are, and the bundler of the tests ignores types.
    disableTypeChecks: false,
    // One process runs tests while another checks types.
    concurrency: 1,
    // A mutant that loops for ever is stopped after this time plus four times that of its tests.
    timeoutMS: 5_000,
    timeoutFactor: 4,
    incremental: true,
    incrementalFile: results,
    force: isForced,
    reporters: [process.stdout.isTTY ? "progress" : "progress-append-only", "checkpoint"],
    tempDirName: copies,
    cleanTempDir: "always",
    logLevel: "warn",
    warnings: { slow: false },
  }).runMutationTest();
  const report = JSON.parse(readFileSync(results, "utf8"));
  save(results, { ...report, spentMs: earlierMs + Date.now() - startedAt });
}

/**
 * Stryker does not know which tests reach code that runs when a module loads, and would never test such a mutant again.
 * Returns the time spent on the saved results, in milliseconds.
 */
function forgetStaticSurvivors() {
  const { spentMs = 0, ...report } = JSON.parse(readFileSync(results, "utf8"));
  for (const file of Object.values(report.files))
    file.mutants = file.mutants.filter(
      ({ status, static: isStatic }) => status !== "NoCoverage" && !(isStatic && status === "Survived"),
    );
  save(results, { ...report, spentMs });
  return spentMs;
}
