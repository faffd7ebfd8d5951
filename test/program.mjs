/**
 * Builds a program of the tests and runs it: `npm run program -- NAME [arguments]`; without a name it lists them.
 * `node test/program.mjs --build NAMES` only builds programs, or parts of which a source is newer.
 */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, utimesSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const CACHE = "node_modules/.cache";

/** Returns the command that bundles a program from its sources. */
const bundle = (source, output, hmac = "node") => [
  ...["node_modules/.bin/esbuild", source, "--bundle", "--platform=node", "--format=esm"],
  ...["--packages=external", `--alias:#hmac=./src/signing/hmac-${hmac}.ts`, "--log-level=warning"],
  `--outfile=${output}`,
];

/**
 * What programs need, by name: the output, and the command that makes it. `{}` is a file beside the output, which replaces it
 * in one step: a simultaneous reader gets the old or the new one. Without `{}` the command writes the output as its last step.
 */
const PARTS = {
  package: ["dist/index.d.cts", ["npm", "run", "--silent", "build"]],
  front: [`${CACHE}/front-thread.mjs`, bundle("src/adapters/node/front/thread.ts", "{}")],
  writer: [`${CACHE}/store-writer.mjs`, bundle("src/adapters/sqlite/store-writer.ts", "{}")],
  console: [`${CACHE}/console.json`, ["node", "test/support/build-console.mjs", "{}"]],
  sandbox: [`${CACHE}/sandbox.mjs`, bundle("src/sandbox/cli.ts", "{}")],
};

/** The sandbox from the sources, with its threads and its page. */
const SANDBOX = ["front", "writer", "console", "sandbox"];

/**
 * Programs: the folder whose packages are installed first, the parts that are built first, and the TypeScript source that is
 * bundled, or the script that runs as it is.
 */
const PROGRAMS = {
  bench: { parts: ["front", "writer"], source: "test/bench/main.ts", flags: ["--expose-gc"] },
  browser: { folder: "test/console", parts: SANDBOX, script: "test/console/main.mjs" },
  clients: { folder: "test/existing-clients", parts: SANDBOX, script: "test/existing-clients/main.mjs" },
  cluster: { folder: "test/postgres", parts: ["package"], source: "test/campaigns/cluster/main.ts" },
  consumers: { folder: "test/consumers", parts: ["package"], script: "test/consumers/main.mjs" },
  count: { script: "test/style/count.mjs" },
  crash: { parts: ["package", "writer"], source: "test/campaigns/crash/main.ts" },
  fuzz: { parts: ["front"], source: "test/campaigns/fuzz/main.ts" },
  golden: { source: "test/golden/make.ts" },
  lifetime: { source: "test/campaigns/lifetime/main.ts" },
  load: { parts: ["front", "writer"], source: "test/campaigns/load/main.ts" },
  "market-day": { parts: ["package"], source: "test/campaigns/market-day/main.ts" },
  // Its packages were not made for this version of Vitest.
  mutate: {
    folder: "test/campaigns/mutation",
    install: ["--legacy-peer-deps"],
    script: "test/campaigns/mutation/main.mjs",
  },
  planted: { source: "test/campaigns/world/planted/main.ts" },
  postgres: { folder: "test/postgres", parts: ["package"], source: "test/postgres/main.ts" },
  readers: { source: "test/requests/readers/main.ts" },
  search: { source: "test/campaigns/search/main.ts" },
  siege: { parts: ["front"], source: "test/campaigns/siege/main.ts" },
  signing: {
    folder: "test/existing-clients",
    ...{ source: "test/bench/signing-table.ts", portable: "src/signing/index.ts" },
    ...{ script: "test/existing-clients/signing.mjs", flags: ["--expose-gc"] },
  },
  timing: { source: "test/campaigns/timing/main.ts" },
  world: { source: "test/campaigns/world/main.ts" },
};

/** Runs a command; throws an Error if it fails. */
function run([command, ...words]) {
  const { status, error } = spawnSync(command, words, { cwd: root, stdio: "inherit" });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${command} ended with ${status}`);
}

function newestSource() {
  const entries = readdirSync(join(root, "src"), { recursive: true, withFileTypes: true });
  // Folders too: they show that files were deleted.
  const inside = entries.map((entry) => join(entry.parentPath, entry.name));
  const all = [...inside, join(root, "src"), join(root, "package.json"), join(root, "tsconfig.json")];
  return Math.max(...all.map((path) => statSync(path).mtimeMs));
}

function buildPart(name) {
  const [place, command] = PARTS[name];
  const output = join(root, place);
  if (existsSync(output) && statSync(output).mtimeMs > newestSource()) return;
  const beside = join(dirname(output), `.${process.pid}-${Date.now()}`);
  mkdirSync(dirname(output), { recursive: true });
  const startedAt = new Date();
  try {
    run(command.map((word) => word.replace("{}", beside)));
    // A file that changed during the build is newer than the output.
    utimesSync(existsSync(beside) ? beside : output, startedAt, startedAt);
    if (existsSync(beside)) renameSync(beside, output);
  } finally {
    rmSync(beside, { force: true });
  }
}

/** Installs and builds what a program needs. Returns its path. */
function prepared(name, { folder, install = [], parts = [], source, portable, script }) {
  const quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--silent"];
  if (folder !== undefined) run(["npm", "ci", "--prefix", folder, ...quiet, ...install]);
  for (const part of parts) buildPart(part);
  const output = `${CACHE}/${name}.mjs`;
  if (source !== undefined) run(bundle(source, output));
  if (portable !== undefined) run(bundle(portable, `${CACHE}/${name}-portable.mjs`, "portable"));
  return join(root, script ?? output);
}

const [first, ...rest] = process.argv.slice(2);
const program = PROGRAMS[first];
if (first === "--build")
  for (const name of rest) name in PARTS ? buildPart(name) : prepared(name, PROGRAMS[name]);
else if (program === undefined) {
  console.log(`programs: ${Object.keys(PROGRAMS).join(", ")}`);
  process.exitCode = first === undefined ? 0 : 1;
} else {
  const child = spawn(process.execPath, [...(program.flags ?? []), prepared(first, program), ...rest], {
    stdio: "inherit",
  });
  // Of a signal to the whole group, such as an interrupt, the program decides.
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => child.kill(signal));
  child.on("exit", (code) => {
    process.exitCode = code ?? 1;
  });
}
