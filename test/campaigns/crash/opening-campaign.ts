import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { openSandboxProcess, type SandboxProcess } from "../../support/sandbox-process.ts";
import { checkRestart } from "./rest-checks.ts";
import { type CrashRun, createCrashRun, loadUntilDeath } from "./rest-load.ts";

/** How far an opening had come when it was killed: at a named point, or at a time between two. */
export type OpeningPhase =
  | "before the store was taken over"
  | "after-take-over"
  | "while loading"
  | "after-load"
  | "after ready";

/** All phases; a campaign aims at one after the other. */
export const PHASES: readonly OpeningPhase[] = [
  "before the store was taken over",
  "after-take-over",
  "while loading",
  "after-load",
  "after ready",
];

/** How often to kill an opening, and the smallest number of records in its journal. */
export type OpeningCampaign = Readonly<{ seed: number; kills: number; records: number }>;

/** The observations of a campaign. */
export type OpeningResult = Readonly<{
  phases: Readonly<Record<OpeningPhase, number>>;
  records: number;
  acknowledged: number;
  /** Children with an unknown outcome at the start of an opening that completed, as a total. */
  unknown: number;
}>;

/** Most kills in a row: an opening that is killed leaves a store for the next one. */
const IN_A_ROW = 3;
/** How long after the ready line a kill may come. */
const AFTER_READY_MS = 40;
const LOAD_MS = 120;

/** When an opening took the store over and when it was ready, in milliseconds since its start. */
type Pace = Readonly<{ takenMs: number; readyMs: number }>;

type Run = CrashRun & Readonly<{ storePath: string }>;

/**
 * Loads a sandbox and kills it with open orders and children in flight, then repeatedly kills the sandboxes that open
 * its files, at every phase of the opening, and checks everything at the next start that completes.
 */
export async function openingCampaign(campaign: OpeningCampaign): Promise<OpeningResult> {
  const { seed, kills } = campaign;
  const folder = mkdtempSync(join(tmpdir(), "managed-orders-opening-"));
  const run: Run = { ...createCrashRun(folder, seed), storePath: `${folder}/orders.db` };
  const phases = noPhases();
  let unknown = 0;
  try {
    let { sandbox, pace } = await open(run);
    for (let done = 0; ; ) {
      const records = await loadAndKill(run, sandbox, done === 0 ? campaign.records : 0);
      for (const end = Math.min(done + 1 + run.random.below(IN_A_ROW), kills); done < end; done++) {
        phases[await killOpening(run, PHASES[done % PHASES.length] ?? "while loading", pace)]++;
      }
      const opened = await open(run);
      ({ pace, sandbox } = opened);
      unknown += opened.unknown;
      await checkRestart(run, sandbox);
      if (done < kills) continue;
      await sandbox.kill();
      return { phases, records, acknowledged: run.ledger.acknowledged.size, unknown };
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A count for every phase. */
export const noPhases = (): Record<OpeningPhase, number> => ({
  "before the store was taken over": 0,
  "after-take-over": 0,
  "while loading": 0,
  "after-load": 0,
  "after ready": 0,
});

/** Formats the counts for a reader. */
export const inWords = (phases: Readonly<Record<OpeningPhase, number>>): string =>
  PHASES.map((phase) => `${phases[phase]} ${phase}`).join(", ");

/** Starts a sandbox and lets it run; returns how long its opening took and how many children it found in flight. */
async function open(run: Run): Promise<Readonly<{ sandbox: SandboxProcess; pace: Pace; unknown: number }>> {
  const before = epochOf(run);
  const startedAt = performance.now();
  const opening = openSandboxProcess(run.env);
  let takenMs: number | undefined;
  const watch = setInterval(() => {
    if (takenMs === undefined && epochOf(run) > before) takenMs = performance.now() - startedAt;
  }, 5);
  try {
    const sandbox = await opening.ready;
    const readyMs = Math.round(performance.now() - startedAt);
    const { unknown, inFlight } = await sandbox.control<{ unknown: number; inFlight: number }>(
      "GET",
      "metrics",
    );
    return {
      sandbox,
      pace: { takenMs: Math.round(takenMs ?? readyMs * 0.7), readyMs },
      unknown: unknown + inFlight,
    };
  } finally {
    clearInterval(watch);
  }
}

/** Kills an opening approximately in the given phase; returns the phase that was hit. */
async function killOpening(run: Run, aim: OpeningPhase, pace: Pace): Promise<OpeningPhase> {
  if (aim !== "after-take-over" && aim !== "after-load") return await killInTime(run, aim, pace);
  const opening = openSandboxProcess({ ...run.env, CRASH_AT: aim });
  if ((await opening.ended) !== "SIGKILL") throw new Error(`an opening passed ${aim}`);
  return aim;
}

async function killInTime(run: Run, aim: OpeningPhase, { takenMs, readyMs }: Pace): Promise<OpeningPhase> {
  const before = epochOf(run);
  const opening = openSandboxProcess(run.env);
  let isReady = false;
  opening.ready.then(
    () => {
      isReady = true;
    },
    () => undefined,
  );
  if (aim === "after ready") {
    await opening.ready;
    await pause(run.random.below(AFTER_READY_MS));
  } else if (aim === "before the store was taken over") {
    await pause(run.random.below(takenMs));
  } else {
    while (!isReady && epochOf(run) === before) await pause(1);
    await pause(run.random.below(Math.max(readyMs - takenMs, 1)));
  }
  const wasReady = isReady;
  await opening.kill();
  if ((await opening.ended) !== "SIGKILL") throw new Error(`an opening ended with ${await opening.ended}`);
  if (wasReady) return "after ready";
  return epochOf(run) > before ? "while loading" : "before the store was taken over";
}

/**
 * Loads a sandbox until it has at least the given number of records, and kills it; resolves to the number of records.
 */
async function loadAndKill(run: Run, sandbox: SandboxProcess, records: number): Promise<number> {
  // The answers of some children are lost, so that an opening finds them in flight.
  const mode = run.random.pick(["timeout-before", "timeout-after"]);
  const load = loadUntilDeath(run, sandbox);
  let sequence = 0;
  do {
    await pause(LOAD_MS + run.random.below(LOAD_MS));
    const health = await sandbox.control<{ journalSequence: number }>("GET", "health");
    sequence = health.journalSequence;
  } while (sequence < records);
  await sandbox.control("POST", "faults", { venue: { mode } });
  await pause(LOAD_MS + run.random.below(LOAD_MS));
  await sandbox.kill();
  await load;
  return sequence;
}

/** Returns the epoch of the store, which rises at every takeover; 0 before the first. */
function epochOf({ storePath }: Run): number {
  try {
    const database = new Database(storePath, { readonly: true, fileMustExist: true });
    try {
      const read = database.prepare<[], string>("SELECT substr(value, 9) FROM heads WHERE key = 'head 000'");
      return Number.parseInt(read.pluck().get() ?? "0", 10);
    } finally {
      database.close();
    }
  } catch {
    // There is no file, or it is being created.
    return 0;
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
