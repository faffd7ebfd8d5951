import { cpus } from "node:os";
import { serve } from "../campaigns/load/serve.ts";
import { benchBursts } from "./bursts.ts";
import { benchDrivers } from "./drivers.ts";
import { printFlame } from "./flame.ts";
import { baseCommit, benchOf, passesGate } from "./gate.ts";
import { benchGrowth } from "./growth.ts";
import type { Size } from "./line.ts";
import { serveLine, sizeOf } from "./line-process.ts";
import { LINES } from "./lines/index.ts";
import { benchPostgres } from "./postgres.ts";
import { benchRates } from "./rates.ts";
import { benchScale } from "./scale/scale.ts";
import { benchSlots } from "./slots.ts";
import { benchSweep } from "./sweep.ts";
import { printLines } from "./table.ts";
import { benchTakeover } from "./takeover.ts";

/** Separate tables, by the names that the command takes. */
const TABLES: Readonly<Record<string, (size: Size) => Promise<void>>> = {
  bursts: benchBursts,
  growth: benchGrowth,
  slots: benchSlots,
  rates: benchRates,
  sweep: benchSweep,
  takeover: benchTakeover,
};

/** Separate sections that take minutes and gigabytes, or need another Node.js or a server; they run only on request. */
const LARGE: Readonly<Record<string, () => void | Promise<void>>> = {
  scale: benchScale,
  drivers: () => benchDrivers(size),
  postgres: () => benchPostgres(size),
};

const SMOKE_SCALE = 0.0005;

const [, program = "", ...requested] = process.argv;
const { SCALE = "1", ROUNDS = "5", LEAST = "0.95", BEFORE } = process.env;
const size = sizeOf(Number(SCALE));

/** Runs every line once at the smallest size, in this process, to check that it works. */
async function smoke(): Promise<void> {
  for (const [name, line] of Object.entries(LINES)) {
    const opened = await line.open(sizeOf(SMOKE_SCALE));
    await opened.take(0);
    await opened.close();
    console.log(`ran ${name}`);
  }
}

/** Prints the table of all lines or of the requested ones. */
async function table(names: readonly string[]): Promise<void> {
  console.log(
    `Node ${process.version}, ${cpus().length} cores. Ratios hold within this run; figures alone do not.`,
  );
  const before = BEFORE === undefined ? undefined : await benchOf(BEFORE);
  await printLines({ names, rounds: Number(ROUNDS), program, before });
}

/** Shows where these lines spend their time. */
async function flames(names: readonly string[]): Promise<void> {
  for (const name of names) {
    const line = LINES[name];
    if (line !== undefined) await printFlame(name, line, program);
  }
}

/** Fails if a line needs more processor time than at a commit. */
async function gate(commit: string, names: readonly string[]): Promise<void> {
  const known = commit === "base" ? baseCommit() : commit;
  if (known === undefined) return console.log("There is no earlier commit to compare with.");
  const options = { pairs: Number(ROUNDS), least: Number(LEAST), program };
  if (!(await passesGate(known, names, options))) process.exitCode = 1;
}

const [first, second = ""] = requested;
const ofTables = requested.filter((name) => name in TABLES);
const large = LARGE[first ?? ""];
// The request lines start this program again as their server.
if (first === "server") await serve(second, requested[2] ?? "{}");
else if (first === "--line") await serveLine(second, size);
else if (first === "--smoke") await smoke();
else if (large !== undefined) await large();
else if (first === "--gate") await gate(second, requested.slice(2));
else if (first === "--flame") await flames(requested.slice(1));
else if (requested.length === 0) {
  await table(Object.keys(LINES));
  for (const run of Object.values(TABLES)) await run(size);
} else {
  const names = requested.filter((name) => !(name in TABLES));
  if (names.length > 0) await table(names);
  for (const name of ofTables) await TABLES[name]?.(size);
}
