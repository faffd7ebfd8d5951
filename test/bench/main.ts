import { spawnSync } from "node:child_process";
import { cpus } from "node:os";
import { benchBursts } from "./bursts.ts";
import { benchGrowth } from "./growth.ts";
import { benchLists, benchPlacements, benchResting } from "./placements.ts";
import { benchQuotes } from "./quotes.ts";
import { benchRates } from "./rates.ts";
import { benchSlots } from "./slots.ts";

/** Sections that can be asked for by name; memory is measured in a process where nothing else rests. */
const SECTIONS: Readonly<Record<string, () => void | Promise<void>>> = {
  quotes: benchQuotes,
  placements: benchPlacements,
  lists: benchLists,
  slots: benchSlots,
  bursts: benchBursts,
  growth: benchGrowth,
  rates: benchRates,
  resting: benchResting,
};

const [, self = "", ...asked] = process.argv;
if (asked.length > 0) {
  for (const name of asked) await SECTIONS[name]?.();
} else {
  console.log(
    `Node ${process.version}, ${cpus().length} cores. Ratios hold within this run; figures alone do not.`,
  );
  for (const [name, section] of Object.entries(SECTIONS)) if (name !== "resting") await section();
  const { status } = spawnSync(process.execPath, ["--expose-gc", self, "resting"], { stdio: "inherit" });
  process.exitCode = status ?? 1;
}
