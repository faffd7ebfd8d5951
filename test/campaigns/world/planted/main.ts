import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { BUGS, type Bug } from "./bugs.ts";

const { SEED = "1", MOST = "100000", ONLY = "" } = process.env;

/** Longest time for one bug. */
const LONGEST_MS = 600_000;
const COPIED = ["src", "test", "package.json", "tsconfig.json"];
const BUNDLE = "--bundle --platform=node --format=esm --packages=external --log-level=error";

/** Plants one bug after the other in a copy of the sources and runs the seeded world to find it. */
const scratch = mkdtempSync(join(tmpdir(), "managed-orders-planted-"));
try {
  for (const name of COPIED) cpSync(name, join(scratch, name), { recursive: true });
  symlinkSync(resolve("node_modules"), join(scratch, "node_modules"));
  const chosen = BUGS.filter(({ name }) => name.includes(ONLY));
  console.log("| bug | named by | steps | seed |\n| --- | --- | --- | --- |");
  const missed = chosen.filter((bug) => !hunt(bug));
  process.exitCode = missed.length > 0 ? 1 : 0;
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

type HuntResult = Readonly<{ steps?: number; seed?: number; invariant?: string; seen?: string }>;

/** Plants a bug, searches for it and removes it; returns whether it was found. */
function hunt({ name, edits, world, test }: Bug): boolean {
  const before = new Map(edits.map(({ file }) => [file, readFileSync(join(scratch, file), "utf8")]));
  for (const { file, before: text, after } of edits) {
    const source = readFileSync(join(scratch, file), "utf8");
    if (!source.includes(text)) throw new RangeError(`${name}: ${file} does not say ${text}`);
    writeFileSync(
      join(scratch, file),
      source.replace(text, () => after),
    );
  }
  const found = test === undefined ? look(world) : runTests(test);
  for (const [file, source] of before) writeFileSync(join(scratch, file), source);
  const { steps, seed, invariant = "nobody" } = found;
  console.log(`| ${name} | ${invariant} | ${steps ?? ""} | ${seed ?? ""} |`);
  if (found.seen !== undefined && ONLY !== "") console.log(found.seen);
  return found.invariant !== undefined;
}

/** Runs a file of tests, of which one must fail. */
function runTests(file: string): HuntResult {
  const report = join(scratch, "tests.json");
  const parameters = [
    "run",
    "--config",
    "test/vitest.config.ts",
    "--reporter=json",
    `--outputFile=${report}`,
  ];
  const vitest = join(scratch, "node_modules", ".bin", "vitest");
  spawnSync(vitest, [...parameters, file], { cwd: scratch, timeout: LONGEST_MS });
  const { numFailedTests } = JSON.parse(readFileSync(report, "utf8")) as { numFailedTests: number };
  return numFailedTests > 0 ? { invariant: file } : {};
}

function look(world: Bug["world"] = undefined): HuntResult {
  const bundle = `test/campaigns/world/planted/hunt.ts ${BUNDLE} --alias:#hmac=./src/signing/hmac-node.ts --outfile=hunt.mjs`;
  run(join("node_modules", ".bin", "esbuild"), bundle.split(" "));
  return JSON.parse(
    run(process.execPath, ["hunt.mjs", ...(world === undefined ? [] : [world])]),
  ) as HuntResult;
}

function run(command: string, parameters: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(command, parameters, {
    cwd: scratch,
    encoding: "utf8",
    env: { ...process.env, SEED, MOST },
    timeout: LONGEST_MS,
  });
  if (status !== 0) throw new Error(`${command}: ${stderr}`);
  return stdout;
}
