import { spawnSync } from "node:child_process";
import { cpus } from "node:os";
import { benchPlacements, benchResting } from "./placements.ts";
import { benchQuotes } from "./quotes.ts";

/** Memory is measured in a process of its own, so that nothing else rests in it. */
if (process.argv[2] === "resting") {
  await benchResting();
} else {
  console.log(
    `Node ${process.version}, ${cpus().length} cores. Ratios hold within this run; figures alone do not.`,
  );
  benchQuotes();
  await benchPlacements();
  const self = process.argv[1] ?? "";
  const { status } = spawnSync(process.execPath, ["--expose-gc", self, "resting"], { stdio: "inherit" });
  process.exitCode = status ?? 1;
}
