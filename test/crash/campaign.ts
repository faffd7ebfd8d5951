import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CrashRun, checkRestart, createCrashRun, loadUntilDeath, startAgain } from "./rest-load.ts";

/** Named points of the submit path at which the process kills itself. */
export const CRASH_POINTS = [
  "before-append",
  "after-append",
  "before-submit",
  "after-submit",
  "before-outcome-append",
] as const;

/** How often to crash, and how to report. */
export type Campaign = Readonly<{
  seed: number;
  randomKills: number;
  timesPerPoint: number;
  tell: (line: string) => void;
}>;

/** What a campaign saw. */
export type CampaignResult = Readonly<{
  crashes: number;
  acknowledged: number;
  lists: number;
  refused: number;
  uncertain: number;
}>;

/** Kills a loaded sandbox again and again on the same files and checks everything after each restart. */
export async function crashCampaign({
  seed,
  randomKills,
  timesPerPoint,
  tell,
}: Campaign): Promise<CampaignResult> {
  const folder = mkdtempSync(join(tmpdir(), "managed-orders-crash-"));
  const run = createCrashRun(folder, seed);
  let crashes = 0;
  try {
    for (let n = 0; n < randomKills; n++) {
      await crashOnce(run, undefined);
      crashes++;
      tell(
        `random kill ${n + 1} of ${randomKills}: ${run.ledger.acknowledged.size} orders, ${run.ledger.lists.size} lists acknowledged`,
      );
    }
    for (const at of CRASH_POINTS) {
      for (let n = 0; n < timesPerPoint; n++) {
        await crashOnce(run, at);
        crashes++;
      }
      tell(`${at}: ${timesPerPoint} crashes`);
    }
    const { acknowledged, lists, refused, uncertain } = run.ledger;
    return {
      crashes,
      acknowledged: acknowledged.size,
      lists: lists.size,
      refused: refused.size,
      uncertain: uncertain.size,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function crashOnce(run: CrashRun, at: (typeof CRASH_POINTS)[number] | undefined): Promise<void> {
  const sandbox = await startAgain(run);
  try {
    await checkRestart(run, sandbox);
    if (at !== undefined) await sandbox.control("POST", "crash", { at, skip: run.random.below(6) });
    const load = loadUntilDeath(run, sandbox);
    if (at === undefined) setTimeout(() => void sandbox.kill(), 50 + run.random.below(400));
    await load;
    const how = await sandbox.ended;
    if (how !== "SIGKILL") throw new Error(`the sandbox ended with ${how} instead of being killed`);
  } finally {
    await sandbox.kill();
  }
  const again = await startAgain(run);
  try {
    await checkRestart(run, again);
  } finally {
    await again.kill();
  }
}
