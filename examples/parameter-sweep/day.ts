import { writeFile } from "node:fs/promises";

const START_MS = Date.UTC(2026, 0, 5);
const STEP_MS = 30_000;
const STEPS = 2_880;

/**
 * Writes an artificial day of quotes, one every thirty seconds: a walk of whole cents that rises and falls, the same each time.
 * Put a file of your own in its place; `csvMarket` names the formats.
 */
export async function recordDay(path: string): Promise<void> {
  const lines = ["time,symbol,bid,bidQuantity,ask,askQuantity"];
  let [state, walk] = [1, 0];
  for (let step = 0; step < STEPS; step++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    walk += (state >>> 24) - 127;
    const bid = 5_970_000 + walk * 4 + wave(step, 930) * 75 + wave(step, 2_000) * 60;
    const time = START_MS + step * STEP_MS;
    lines.push(`${time},BTC/USD,${(bid / 100).toFixed(2)},1.5,${((bid + 100) / 100).toFixed(2)},1.5`);
  }
  await writeFile(path, `${lines.join("\n")}\n`);
}

/** A line that rises from 0 to half the period and falls back. */
const wave = (step: number, period: number): number => period / 2 - Math.abs((step % period) - period / 2);
