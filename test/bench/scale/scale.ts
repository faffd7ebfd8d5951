import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { figure } from "../measure.ts";
import { type Plan, planOf } from "./plan.ts";
import { buildStore } from "./store.ts";
import { runTask, type Said, type Task } from "./task.ts";

/**
 * V8 does not report marking in small steps. With marking in one step, all garbage collection is visible and counted
 * separately.
 */
const FLAGS = ["--expose-gc", "--no-incremental-marking", "--max-old-space-size=8192"];

function spawnTask(task: Task): string | null {
  const { stdout, signal } = spawnSync(process.execPath, [...FLAGS, process.argv[1] ?? "", "scale"], {
    env: { ...process.env, SCALE_TASK: JSON.stringify(task) },
    stdio: ["ignore", "pipe", "inherit"],
    encoding: "utf8",
    maxBuffer: 1e8,
  });
  for (const line of stdout.split("\n").filter(Boolean)) print(JSON.parse(line) as Said);
  return signal;
}

function print({ name, figures }: Said): void {
  const answer = Object.entries(figures).map(
    ([what, value]) => `${what} ${typeof value === "number" ? figure(value) : value}`,
  );
  console.log(`  ${name.padEnd(24)}${answer.join("  ")}`);
}

async function take(plan: Plan): Promise<void> {
  const { open, ended, instruments, fires } = plan;
  console.log(
    `\nScale: ${figure(open)} open, ${figure(ended)} ended, ${figure(instruments)} instruments, ${figure(fires)} fires; ms`,
  );
  const path = join(plan.folder, "orders.db");
  if (!existsSync(path)) {
    const start = Date.now();
    await buildStore(plan, path);
    print({ name: "building the store", figures: { seconds: (Date.now() - start) / 1e3 } });
  }
  if (process.env.PART === "build") return;
  const signal = spawnTask({ plan, part: "until-kill" });
  console.log(`  ended by ${signal ?? "itself"}`);
  spawnTask({ plan, part: "after-kill" });
}

/**
 * Builds a store of `SIZE` open parents (1,000,000) and `ENDED` ended ones (ten times as many) with the store's own
 * writer, and opens an engine on it: opening, placements, pages, a burst with a SIGKILL in the middle, reopening,
 * verify. `FOLDER` names the place of the store, which is then kept; `PART=build` only builds it.
 */
export async function benchScale(): Promise<void> {
  const { SIZE = 1_000_000, ENDED, FOLDER, SCALE_TASK } = process.env;
  if (SCALE_TASK !== undefined) return await runTask(JSON.parse(SCALE_TASK) as Task);
  const folder = FOLDER ?? mkdtempSync(join(tmpdir(), "managed-orders-scale-"));
  mkdirSync(folder, { recursive: true });
  try {
    await take(planOf(folder, Number(SIZE), ENDED === undefined ? undefined : Number(ENDED)));
  } finally {
    if (FOLDER === undefined) rmSync(folder, { recursive: true, force: true });
  }
}
