import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createRandom } from "../../../src/common/random.ts";
import { bundleProgram } from "../../support/bundle-program.ts";
import { seedOr } from "../../support/seed.ts";
import { headKey, LANES, logKey, openDriver, RECORDS, STEPS_KEPT, textOf } from "./storage-steps.ts";

const KILLS = Number(process.env.KILLS ?? 5);
const SEED = seedOr(20_261_130);

/** Runs a child on the file, kills it some time after its first commit, and returns the last step it told of each lane. */
async function killed(
  program: string,
  file: readonly string[],
  waitMs: number,
): Promise<Map<number, number>> {
  const child = spawn(process.execPath, [program, ...file], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "close");
  let reported = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    reported += text;
  });
  await Promise.race([once(child.stdout, "data"), ended]);
  // The moment of the kill is what the test is about: it is chosen by time, and nothing waits for it.
  const until = performance.now() + waitMs;
  while (performance.now() < until) await new Promise((resolve) => void setImmediate(resolve));
  child.kill("SIGKILL");
  expect((await ended)[1]).toBe("SIGKILL");
  expect(reported).not.toContain("refused");
  const lines = reported.split("\n").slice(0, -1);
  return new Map(lines.map((line) => line.split(" ").map(Number) as [number, number]));
}

/** Checks that the file has what was acknowledged, and of the steps of each lane all or nothing. Returns the heads. */
async function check(
  driver: string,
  path: string,
  acknowledged: ReadonlyMap<number, number>,
): Promise<number[]> {
  const storage = await openDriver(driver, path);
  const heads: number[] = [];
  for (let lane = 0; lane < LANES; lane++) {
    const [text] = await storage.get([headKey(lane)]);
    const head = Number(text ?? 0);
    expect(head, `lane ${lane}`).toBeGreaterThanOrEqual(acknowledged.get(lane) ?? 0);
    const [entries] = await storage.range([{ from: `log ${lane} `, before: `log ${lane} ~`, limit: 9_999 }]);
    const steps = Array.from({ length: head }, (_, n) => n + 1).slice(-STEPS_KEPT);
    const records = Array.from({ length: RECORDS }, (_, n) => n);
    const wanted = steps.flatMap((step) =>
      records.map((record) => [logKey(lane, step, record), textOf(lane, step, record)]),
    );
    expect(entries, `the records of lane ${lane} with head ${head}`).toEqual(wanted);
    heads.push(head);
  }
  await storage.close();
  return heads;
}

it.each(["lmdb", "jsonl"])(
  `after SIGKILL at random times, the storage %s has every acknowledged commit, and no part of any other (${KILLS} kills, SEED=${SEED})`,
  async (driver) => {
    const random = createRandom(SEED);
    const folder = mkdtempSync(join(tmpdir(), "managed-orders-storage-"));
    const path = join(folder, driver);
    const program = await bundleProgram("test/campaigns/crash/storage-child.ts", "storage-child");
    try {
      let heads: number[] = [];
      for (let kill = 0; kill < KILLS; kill++) {
        const acknowledged = await killed(program, [driver, path], random.below(150));
        const next = await check(driver, path, acknowledged);
        for (const [lane, head] of heads.entries()) expect(next[lane]).toBeGreaterThanOrEqual(head);
        heads = next;
      }
      console.log(`${driver}: ${KILLS} kills, steps of each lane: ${heads.join(", ")}`);
      expect(Math.min(...heads)).toBeGreaterThan(0);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
);
