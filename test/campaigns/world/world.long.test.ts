import { describe, expect, it } from "vitest";
import { drawPlan, FAULTS, type Fault, runWorld, SITUATIONS } from "../../world/index.ts";
import { addWorld, commandOf, GIVEN, noProgress, type Progress } from "./campaign.ts";
import { brokenBy, RETAINED } from "./stored-seeds.ts";

/** Worlds of a short run, and the steps of each. */
const SHORT = { worlds: 6, steps: 400 };

/** Kept seeds of at most this many steps run here; `npm run world` runs all of them. */
const SHORT_SEED = 1_200;

describe("a seeded world", () => {
  it("is reproducible: the same seed makes the same journal, to the byte", async () => {
    const first = await runWorld({ seed: 7, steps: 400, ...GIVEN });
    const second = await runWorld({ seed: 7, steps: 400, ...GIVEN });
    expect(first.broken?.message).toBeUndefined();
    expect(second).toEqual(first);
    expect(first.records).toBeGreaterThan(100);
  });

  it("I01-I06, I10-I16, I20-I26, I30-I34, I40-I44, I50-I55, I60, I62-I63, I70-I72 hold under all faults", async () => {
    const progress = noProgress(1);
    while (progress.worlds < SHORT.worlds) await addWorld(progress, SHORT.steps, () => performance.now());
    expect(progress.failures.map((failure) => `${failure.invariant}: ${commandOf(failure)}`)).toEqual([]);
    console.log(tableOf(progress));
    const { situations } = progress;
    expect(Object.keys(situations).length).toBeGreaterThan(60);
  });

  it("worlds whose records leave are among them, in memory and in a file with an archive", () => {
    const seeds = Array.from({ length: SHORT.worlds }, (_, index) => index + 1);
    const forgetting = seeds.filter((seed) => drawPlan(seed, SHORT.steps).forgets);
    expect(forgetting.filter((seed) => seed % 3 !== 0).length).toBeGreaterThan(0);
    expect(forgetting.filter((seed) => seed % 3 === 0).length).toBeGreaterThan(0);
  });

  const short = RETAINED.filter(({ steps, cuts }) => (cuts.steps ?? steps) <= SHORT_SEED);
  it.each(short)("seed $seed holds: $cause", async (stored) => {
    expect(await brokenBy(stored)).toBeUndefined();
  });

  it("names at least sixty rare situations, each once", () => {
    expect(SITUATIONS.length).toBeGreaterThanOrEqual(60);
    expect(new Set(SITUATIONS).size).toBe(SITUATIONS.length);
  });

  it("keeps its plan when faults, steps or orders are cut off", async () => {
    const without: readonly Fault[] = ["process is killed", "store is slow"];
    const whole = await runWorld({ seed: 11, steps: 120, ...GIVEN });
    const cut = await runWorld({ seed: 11, steps: 120, cuts: { steps: 100, without, orders: 5 }, ...GIVEN });
    const { clients, markets, settings } = whole.plan;
    expect(cut.plan).toMatchObject({ clients, markets, settings, steps: 100, orders: 5 });
    for (const fault of without) expect(cut.faults[fault]).toBeUndefined();
    expect(cut.orders).toBeLessThanOrEqual(15);
  });
});

/** Formats a run in three lines: steps, faults, situations. */
function tableOf({ steps, worlds, ms, faults, situations }: Progress): string {
  const perSecond = Math.round((1_000 * steps) / ms);
  return [
    "| | in all | kinds |",
    "| --- | --- | --- |",
    `| steps (${perSecond} a second) | ${steps} | ${worlds} worlds |`,
    `| faults | ${sumOf(faults)} | ${Object.keys(faults).length} of ${FAULTS.length} |`,
    `| rare situations | ${sumOf(situations)} | ${Object.keys(situations).length} of ${SITUATIONS.length} |`,
  ].join("\n");
}

const sumOf = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);
