import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ProbePoint } from "../../../src/engine/index.ts";
import { SNAPSHOT_POINTS, SUBMIT_POINTS } from "../../../src/sandbox/faults.ts";
import type { SandboxProcess } from "../../support/sandbox-process.ts";
import { checkRestart } from "./rest-checks.ts";
import { type CrashRun, createCrashRun, loadUntilDeath, startAgain } from "./rest-load.ts";

/** How often to kill: at random times, and at each named point of a loaded sandbox. */
export type Campaign = Readonly<{ seed: number; randomKills: number; timesPerPoint: number }>;

/** The observations of a campaign. */
export type CampaignResult = Readonly<{
  kills: number;
  acknowledged: number;
  lists: number;
  refused: number;
  uncertain: number;
}>;

/** Named points that a loaded sandbox passes. */
export const LOAD_POINTS: readonly ProbePoint[] = [...SUBMIT_POINTS, ...SNAPSHOT_POINTS];

/** Records between two snapshots: a load of a tenth of a second writes some snapshots. */
const SNAPSHOT_EVERY = "40";

/** Kills a loaded sandbox repeatedly on the same files and checks everything at each restart. */
export async function crashCampaign({ seed, randomKills, timesPerPoint }: Campaign): Promise<CampaignResult> {
  const folder = mkdtempSync(join(tmpdir(), "managed-orders-crash-"));
  const run = createCrashRun(folder, seed, { SNAPSHOT_EVERY });
  const points = LOAD_POINTS.flatMap((point) => Array.from({ length: timesPerPoint }, () => point));
  const kills = [...points, ...Array.from({ length: randomKills }, () => undefined)];
  try {
    for (const at of inRandomOrder(run, kills)) {
      await checked(run, (sandbox) => killUnderLoad(run, sandbox, at));
    }
    await checked(run, (sandbox) => sandbox.kill());
    const { acknowledged, lists, refused, uncertain } = run.ledger;
    return {
      kills: kills.length,
      acknowledged: acknowledged.size,
      lists: lists.size,
      refused: refused.size,
      uncertain: uncertain.size,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function inRandomOrder<T>({ random }: CrashRun, items: readonly T[]): readonly T[] {
  const left = [...items];
  return items.flatMap(() => left.splice(random.below(left.length), 1));
}

/** Starts a sandbox, checks its output, and runs `use` on it; stops it afterwards. */
async function checked(run: CrashRun, use: (sandbox: SandboxProcess) => Promise<void>): Promise<void> {
  const sandbox = await startAgain(run);
  try {
    await checkRestart(run, sandbox);
    await use(sandbox);
  } finally {
    await sandbox.kill();
  }
}

async function killUnderLoad(
  run: CrashRun,
  sandbox: SandboxProcess,
  at: ProbePoint | undefined,
): Promise<void> {
  if (at !== undefined) await sandbox.control("POST", "crash", { at, skip: run.random.below(6) });
  const load = loadUntilDeath(run, sandbox);
  if (at === undefined) setTimeout(() => void sandbox.kill(), 50 + run.random.below(400));
  await load;
  const how = await sandbox.ended;
  if (how !== "SIGKILL") throw new Error(`the sandbox ended with ${how} instead of being killed`);
}
