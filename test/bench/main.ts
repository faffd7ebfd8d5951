import { spawnSync } from "node:child_process";
import { cpus } from "node:os";
import { benchGrowth } from "./growth.ts";
import { benchLists, benchPlacements, benchResting } from "./placements.ts";
import { benchQuotes } from "./quotes.ts";
import { benchSlots } from "./slots.ts";

/** Memory is measured in a process of its own, so that nothing else rests in it. */
if (process.argv[2] === "resting") {
  await benchResting();
} else if (process.argv[2] === "growth") {
  await benchGrowth();
} else {
  console.log(
    `Node ${process.version}, ${cpus().length} cores. Ratios hold within this run; figures alone do not.`,
  );
  benchQuotes();
  await benchPlacements();
  await benchLists();
  await benchSlots();
  const self = process.argv[1] ?? "";
  const { status } = spawnSync(process.execPath, ["--expose-gc", self, "resting"], { stdio: "inherit" });
  process.exitCode = status ?? 1;
}
