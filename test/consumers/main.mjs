/**
 * Checks how the types of the packed package resolve, installs it in projects of its users and runs one program in
 * each: `npm run program -- consumers`. Prints a table; the last line counts the tests. `-- --update` writes the table to
 * docs/client.md, `-- --drivers` runs only the drivers of the SQLite store.
 */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { driverSteps } from "./drivers.mjs";
import { Projects } from "./project.mjs";
import { here, run } from "./run.mjs";
import { startSandbox } from "./sandbox.mjs";
import { sizesIn } from "./sizes.mjs";

const FILES = ["node", "bun", "deno", "workerd", "typescript", "vite", "react-native", "test-frameworks"];
const AT_ONCE = 2;

const manifest = JSON.parse(readFileSync(here("package.json"), "utf8"));
const pins = { ...manifest.dependencies, ...manifest.optionalDependencies };

const failures = [];
let passed = 0;
if (!process.argv.includes("--drivers")) await runConsumers();
for (const { step, failure } of await driverSteps()) {
  if (failure === undefined) passed++;
  else failures.push(`FAIL ${step}: ${failure}`);
}
for (const failure of failures) console.error(failure);
console.log(`${passed} passed, ${failures.length} failed`);
process.exitCode = failures.length === 0 ? 0 : 1;

/** Prints the table and the sizes. */
async function runConsumers() {
  const projects = new Projects();
  try {
    await projects.pack();
    await checkResolution(projects);
    const [plain, withWs] = [projects.create(), projects.create()];
    await Promise.all([plain.install(), withWs.install(`ws@${pins.ws}`)]);
    const sandbox = await startSandbox(withWs);
    try {
      const rows = await runAll({ projects, plain, withWs, access: sandbox.access });
      console.log(rows.join("\n"));
      checkPage(rows);
    } finally {
      sandbox.stop();
    }
    for (const { page, target, kb } of await sizesIn(plain)) {
      const reached = kb <= target ? "" : ": above the target";
      console.log(`${page}: ${kb.toFixed(2)} of ${target} kB, minified and gzipped${reached}`);
    }
  } finally {
    rmSync(projects.folder, { recursive: true, force: true });
  }
}

/** Every subpath resolves to the right types from ESM, CommonJS and bundlers. */
async function checkResolution({ folder, tarball }) {
  const attw = here("../../node_modules/@arethetypeswrong/cli/dist/index.js");
  try {
    await run(folder, [process.execPath, attw, tarball, "--no-emoji"]);
    passed++;
  } catch (error) {
    failures.push(`FAIL types of the subpaths (attw): ${error.message}`);
  }
}

/** Runs all consumers, some at once, and resolves to their rows in the order of the files. */
async function runAll(given) {
  const modules = await Promise.all(FILES.map((file) => import(`./runtimes/${file}.mjs`)));
  const waiting = modules.flatMap(({ consumers }) => consumers).entries();
  const rows = [];
  // All workers take from one iterator.
  const work = async () => {
    for (const [index, consumer] of waiting) rows[index] = await rowOf(consumer, given, index);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const head = "| runtime or tool | form | types | signs | places and follows | finds a lost order |";
  const merged = ["form", "version"].reduce(joined, rows);
  const lines = merged.map(({ name, version, form, cells }) => `| ${name} ${version} | ${form} | ${cells} |`);
  return [head, "| --- | --- | --- | --- | --- | --- |", ...lines];
}

/** Makes one row of those that differ in one member only, which then lists its values. */
function joined(rows, member) {
  const alike = new Map();
  for (const row of rows) {
    const key = JSON.stringify({ ...row, [member]: "" });
    const first = alike.get(key);
    alike.set(key, first === undefined ? row : { ...row, [member]: `${first[member]}, ${row[member]}` });
  }
  return [...alike.values()];
}

async function rowOf(consumer, given, index) {
  const { name, pin, form, types = false, leavesOut = [] } = consumer;
  const version = pins[pin].split("@").at(-1);
  const title = `${name} ${version}`;
  const started = performance.now();
  const access = { ...given.access, name: `consumer-${index}` };
  const steps = await consumer
    .run({ ...given, access })
    .catch((error) => [{ step: "runs", failure: error.message }]);
  if (types && !steps.some(({ step }) => step === "runs")) steps.unshift({ step: "types" });
  console.error(`${title}, ${form}: ${((performance.now() - started) / 1_000).toFixed(1)} s`);
  for (const { step, failure } of steps) {
    if (failure === undefined) passed++;
    else failures.push(`FAIL ${title}, ${form}: ${step}: ${failure}`);
  }
  const cell = (of) =>
    steps.some(({ step, failure }) => step === of && failure === undefined) ? "yes" : "no";
  const cells = ["signs", "places and follows", "finds a lost order"];
  const answers = cells.map((of) => (leavesOut.includes(of) ? "not run" : cell(of)));
  return { name, version, form, cells: [types ? cell("types") : "", ...answers].join(" | ") };
}

/** The page has the table of this run; `--update` writes it. */
function checkPage(rows) {
  const page = here("../../docs/client.md");
  const text = readFileSync(page, "utf8");
  const [begin, end] = [
    "<!-- Written by npm run program -- consumers --update. -->\n",
    "<!-- End of the table. -->",
  ];
  const [before, rest] = text.split(begin);
  const next = `${before}${begin}\n${rows.join("\n")}\n\n${end}${rest.split(end)[1]}`;
  if (process.argv.includes("--update")) writeFileSync(page, next);
  else if (next === text) passed++;
  else failures.push("FAIL docs/client.md is out of date: run npm run program -- consumers --update");
}
