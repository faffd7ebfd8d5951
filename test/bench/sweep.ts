import { writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { createRandom } from "../../src/common/random.ts";
import { sweep } from "../../src/simulator/index.ts";
import { bundleProgram } from "../support/bundle-program.ts";
import { START_MS, SYMBOL } from "../support/world.ts";
import { benchFolder } from "./bench-folder.ts";
import type { Size } from "./line.ts";
import { figure, printTable } from "./measure.ts";

const SETS = 200;
/** A day of quotes, one each second. */
const QUOTES = 86_400;
const WORKERS = [1, 2];

/** Writes a random walk of quotes as CSV. */
function writeQuotes(path: string, count: number): void {
  const random = createRandom(3);
  let cents = 6_000_000;
  const lines = ["time,symbol,bid,bidQuantity,ask,askQuantity"];
  for (let n = 0; n < count; n++) {
    cents += random.below(201) - 100;
    const [bid, ask] = [(cents / 100).toFixed(2), ((cents + 1) / 100).toFixed(2)];
    lines.push(`${START_MS + n * 1_000},${SYMBOL},${bid},1.884838,${ask},33.353996`);
  }
  writeFileSync(path, `${lines.join("\n")}\n`);
}

/** Measures a sweep with one and with two workers: sets and quotes a second, and those of one core. */
export async function benchSweep({ of }: Size): Promise<void> {
  const module = pathToFileURL(await bundleProgram("test/bench/sweep-strategy.ts", "sweep-strategy-bench"));
  const folder = benchFolder();
  const [path, sets, quotes] = [folder.path("quotes.csv"), of(SETS), of(QUOTES)];
  writeQuotes(path, quotes);
  const parameters = Array.from({ length: sets }, (_, n) => ({ path, trailingBps: 10 + n }));
  const rows = [["workers", "seconds", "sets/s", "quotes/s", "CPU s", "quotes/s of CPU", "same rows"]];
  let first: string | undefined;
  for (const workers of WORKERS) {
    const [before, startMs] = [process.cpuUsage(), performance.now()];
    const result = await sweep({ module, parameters, workers, progress: false });
    const seconds = (performance.now() - startMs) / 1_000;
    const { user, system } = process.cpuUsage(before);
    const cpu = (user + system) / 1e6;
    const failed = result.find(({ failure }) => failure !== undefined)?.failure;
    if (failed !== undefined) throw new Error(failed.message);
    first ??= JSON.stringify(result);
    const same = JSON.stringify(result) === first ? "yes" : "no";
    const all = sets * quotes;
    rows.push([
      ...[String(workers), figure(seconds), figure(sets / seconds), figure(all / seconds)],
      ...[figure(cpu), figure(all / cpu), same],
    ]);
  }
  folder.remove();
  printTable(`A sweep of ${sets} sets over ${quotes} quotes of a CSV file`, rows);
}
