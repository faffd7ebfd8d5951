import { writeSync } from "node:fs";
import type { CommitPart, Entry } from "../../../src/ports/index.ts";
import { headKey, LANES, logKey, openDriver, RECORDS, STEPS_KEPT, textOf } from "./storage-steps.ts";

const [driver = "", path = ""] = process.argv.slice(2);
const storage = await openDriver(driver, path);

/** Returns step `step` of a lane: its records, the new head, and the deletion of the oldest step. */
function partOf(lane: number, step: number): CommitPart {
  const records = Array.from(
    { length: RECORDS },
    (_, n): Entry => [logKey(lane, step, n), textOf(lane, step, n)],
  );
  const old = step - STEPS_KEPT;
  return {
    conditions: [[headKey(lane), step === 1 ? undefined : String(step - 1)]],
    puts: [[headKey(lane), String(step)], ...records],
    deletes: old > 0 ? records.map((_, n) => logKey(lane, old, n)) : [],
  };
}

/** Commits step after step until the process is killed, and tells each one that is acknowledged. */
async function run(lane: number): Promise<void> {
  const [head] = await storage.get([headKey(lane)]);
  for (let step = Number(head ?? 0) + 1; ; step++) {
    const [isWritten] = await storage.commit([partOf(lane, step)]);
    writeSync(1, isWritten === true ? `${lane} ${step}\n` : `${lane} refused\n`);
  }
}

await Promise.all(Array.from({ length: LANES }, (_, lane) => run(lane)));
