import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SHARD_COUNT } from "../../../src/model/index.ts";
import { runWeek } from "./week.ts";

/** A simulated week of a store with journal lifetime and archive: `RECORDS` records (5,000,000) over `DAYS` days (7). */
const records = Number(process.env.RECORDS ?? 5_000_000);
const days = Number(process.env.DAYS ?? 7);
const folder = mkdtempSync(join(tmpdir(), "managed-orders-lifetime-"));
const startMs = performance.now();
const say = (line: string): void =>
  console.log(`${((performance.now() - startMs) / 1_000).toFixed(0).padStart(5)} s  ${line}`);
try {
  const { longestStepMs, equal, whole, restoredEqual, restoredWhole } = await runWeek({
    records,
    days,
    shards: SHARD_COUNT,
    folder,
    say,
  });
  say(`longest step of the deletion: ${longestStepMs.toFixed(1)} ms`);
  say(`verify ${equal ? "equal" : "NOT EQUAL"}; journal with archive ${whole ? "whole" : "NOT WHOLE"}`);
  say(
    `restored backup: verify ${restoredEqual ? "equal" : "NOT EQUAL"}, ${restoredWhole ? "whole" : "NOT WHOLE"}`,
  );
  process.exitCode = equal && whole && restoredEqual && restoredWhole ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
