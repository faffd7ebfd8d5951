import type { Random } from "../../src/common/random.ts";
import type { Instance } from "./instance.ts";
import type { WorldParts } from "./parts.ts";
import { turns } from "./world-time.ts";

/** With this chance, kills a process that has just been started in the middle of its opening. */
export function mayDieWhileOpening(
  { faults, situations, fleet, beside }: WorldParts,
  instance: Instance,
  { random, chance }: Readonly<{ random: Random; chance: number }>,
): void {
  const dies = faults.strikes("process is killed while it opens", random, chance);
  const after = random.below(3_000);
  if (!dies) return;
  const die = async (): Promise<void> => {
    await turns(after);
    if (instance.state !== "opening") return;
    situations.observe("killed while opening");
    fleet.kill(instance);
  };
  beside(die());
}
