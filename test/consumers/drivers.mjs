/**
 * Runs the SQLite store on node:sqlite, and on one file with both drivers: a part of `npm run program -- consumers`, and alone
 * `npm run program -- consumers --drivers`. better-sqlite3 runs in the Node.js that npm installed it for, node:sqlite in those from npm.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { build } from "esbuild";
import { here, installed, run } from "./run.mjs";

/** The oldest Node.js with node:sqlite and the newest; then better-sqlite3 13, which needs 22. */
const SUITES = [
  { node: "node-22.13", driver: "node:sqlite" },
  { node: "node-26", driver: "node:sqlite" },
  { node: "node-24", driver: "better-sqlite3" },
];

/** Tests of processes that die, of a full disk and of a store in use, in the Node.js of most hosts. */
const COMMON = { node: "node-24", driver: "node:sqlite" };
const PROCESSES = [
  "campaigns/crash/engine-crash.long.test.ts",
  "sandbox/full-disk.built.test.ts",
  "sandbox/store-in-use.built.test.ts",
];

const ROOT = here("../..");
const KILLS = Number(process.env.KILLS ?? 4);
const PROGRAM = join(ROOT, "node_modules/.cache/driver-child.mjs");

/** Returns the Node.js of a driver. */
const nodeOf = (driver) => (driver === "better-sqlite3" ? process.execPath : installed("node-24/bin/node"));
const OTHER = { "better-sqlite3": "node:sqlite", "node:sqlite": "better-sqlite3" };
const DRIVERS = Object.keys(OTHER);

/** Resolves to the steps; one that failed has `failure`. */
export async function driverSteps() {
  await bundle();
  const steps = [];
  const take = async (step, work) => {
    const started = performance.now();
    const failure = await work().then(
      () => undefined,
      (error) => error.message,
    );
    console.error(`${step}: ${((performance.now() - started) / 1_000).toFixed(1)} s`);
    steps.push({ step, failure });
  };
  for (const each of SUITES) await take(`the tests of the SQLite store, ${nameOf(each)}`, () => suite(each));
  await take(`crashes, full disk and store in use, ${nameOf(COMMON)}`, () => suite(COMMON, PROCESSES));
  await take(`each driver continues after SIGKILL what the other wrote, ${KILLS} kills`, () =>
    inFolder(kills),
  );
  for (const driver of DRIVERS) {
    await take(`a store that ${driver} holds is refused to ${OTHER[driver]}`, () =>
      inFolder((folder) => locked(folder, driver)),
    );
  }
  await take("damage is refused in the same words by both drivers", () => inFolder(damaged));
  return steps;
}

async function bundle() {
  await build({
    entryPoints: [here("drivers/child.ts")],
    outfile: PROGRAM,
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
    alias: { "#hmac": join(ROOT, "src/signing/hmac-node.ts") },
    logLevel: "warning",
  });
}

const nameOf = ({ node, driver }) => `${driver} in ${node.replace("node-", "Node.js ")}`;

/** Runs tests in a Node.js from npm, which finds better-sqlite3 13 or none. */
async function suite({ node, driver }, tests = ["adapters/sqlite/order-store", "adapters/sqlite/backup"]) {
  const vitest = join(ROOT, "node_modules/vitest/vitest.mjs");
  const words = [vitest, "run", "--config", "test/vitest.config.ts", "--reporter=dot", ...tests];
  await run(ROOT, [installed(`${node}/bin/node`), ...words], {
    HOME: tmpdir(),
    BETTER_SQLITE3: driver === "better-sqlite3" ? here("node_modules/better-sqlite3") : "",
    NODE_OPTIONS: `--require=${here("drivers/better-sqlite3.cjs")}`,
  });
}

async function inFolder(work) {
  const folder = mkdtempSync(join(tmpdir(), "managed-orders-drivers-"));
  try {
    await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Starts a task of the child. */
function start(task, path, driver) {
  const words = [PROGRAM, task, path, driver];
  const child = spawn(nodeOf(driver), words, { stdio: ["ignore", "pipe", "inherit"], cwd: ROOT });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async next() {
      const { value, done } = await lines.next();
      if (done) throw new Error(`${task} with ${driver} ended without an answer`);
      return JSON.parse(value);
    },
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
    },
  };
}

/** Runs a task to its first answer. */
async function answerOf(task, path, driver) {
  const child = start(task, path, driver);
  try {
    return await child.next();
  } finally {
    await child.kill();
  }
}

/** The writers alternate; each is killed under load, and both drivers must read the same with all that was durable. */
async function kills(folder) {
  const path = join(folder, "orders.db");
  for (let kill = 0; kill < KILLS; kill++) {
    const writer = DRIVERS[kill % 2];
    const durable = await writeUntilKilled(path, writer, 30 + ((kill * 13) % 40));
    const readings = [await answerOf("read", path, OTHER[writer]), await answerOf("read", path, writer)];
    const [first, second] = readings.map((reading) => JSON.stringify(reading));
    if (first !== second) throw new Error(`the drivers read differently: ${first} and ${second}`);
    const { sequence = -1, count, prints } = readings[0];
    if (sequence < durable) throw new Error(`record ${durable} was durable; the store ends with ${first}`);
    if (sequence / 5 !== count || prints !== count) throw new Error(`half a batch was stored: ${first}`);
  }
}

/** Resolves to the last record of which the writer said that it is durable. */
async function writeUntilKilled(path, driver, batches) {
  const child = start("write", path, driver);
  let durable = 0;
  for (let batch = 0; batch < batches; batch++) {
    const answer = await child.next();
    if (answer.durable === undefined) throw new Error(`${driver} cannot write: ${JSON.stringify(answer)}`);
    durable = answer.durable;
  }
  await child.kill();
  return durable;
}

async function locked(folder, driver) {
  const path = join(folder, "orders.db");
  const holder = start("hold", path, driver);
  try {
    const held = await holder.next();
    if (held.held !== true) throw new Error(`${driver} cannot open: ${JSON.stringify(held)}`);
    const refused = await answerOf("read", path, OTHER[driver]);
    if (refused.code !== "EBUSY" || !refused.refused.includes("is in use by another process"))
      throw new Error(`not refused: ${JSON.stringify(refused)}`);
  } finally {
    await holder.kill();
  }
  const after = await answerOf("read", path, OTHER[driver]);
  if (after.sequence !== 0) throw new Error(`not free after the kill: ${JSON.stringify(after)}`);
}

/** Ways to damage a store, and the words of its refusal. */
const DAMAGES = {
  "is not a SQLite database": (path) => writeFileSync(path, "symbol,price\n".repeat(2_000)),
  "is damaged": (path) => truncateSync(path, 20_480),
  "it is a directory": (path) => {
    rmSync(path);
    mkdirSync(path);
  },
};

async function damaged(folder) {
  const whole = join(folder, "whole.db");
  await writeUntilKilled(whole, DRIVERS[0], 400);
  const read = await answerOf("read", whole, DRIVERS[0]); // moves the write-ahead log into the file
  if (read.refused !== undefined) throw new Error(`a whole store is refused: ${read.refused}`);
  for (const [words, damage] of Object.entries(DAMAGES)) {
    const answers = [];
    for (const driver of DRIVERS) {
      const place = mkdtempSync(join(folder, "damaged-"));
      const path = join(place, "orders.db");
      copyFileSync(whole, path);
      damage(path);
      answers.push(JSON.stringify(await answerOf("read", path, driver)));
    }
    if (answers[0] !== answers[1] || !answers[0].includes(words))
      throw new Error(`${words}: ${answers.join(" and ")}`);
  }
}
