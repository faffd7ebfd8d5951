import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Harm } from "./attack.ts";
import { ATTACKS, type Attack } from "./attacks.ts";
import { type Borne, HonestClient } from "./honest.ts";
import { type ServerProcess, startAttacker, startServer } from "./processes.ts";

/** The size of each attack. */
export type Extent = Readonly<{ connections: number; milliseconds: number }>;

/** The outcome of an attack. */
export type Outcome = Readonly<{
  name: string;
  /** How the process ended; undefined if it is alive. */
  ended: string | undefined;
  answers: number;
  failures: readonly string[];
  /** The 99th percentile before the attack. */
  calmMs: number;
  p50Ms: number;
  p99Ms: number;
  longestTurnMs: number;
  peakBytes: number;
  /** Memory held in addition to before, after the attackers have left. */
  retainedBytes: number;
  harm: Harm | undefined;
}>;

/** Longest answer at the 99th percentile. */
const MOST_P99_MS = 250;

/** Additional time on a machine with other load, where answers are slow even without an attack. */
const BUSY = 5;

/** Memory that may remain: caches, compiled code, and the honest client's orders. */
const MOST_RETAINED_BYTES = 48 * 1_048_576;

/** Longest measurement before the attack. */
const CALM_MS = 1_000;

/** How long a server may take to notice that its attackers have left. */
const LOOKS = 20;
const LOOK_EVERY_MS = 100;

/** Returns the failures of an outcome; none if the service withstood the siege. */
export function faultsOf({
  name,
  ended,
  failures,
  calmMs,
  p99Ms,
  longestTurnMs,
  retainedBytes,
}: Outcome): readonly string[] {
  return [
    ...(ended === undefined ? [] : [`${name}: the process ${ended}`]),
    ...(failures.length === 0 ? [] : [`${name}: ${failures.length} failures such as ${failures[0]}`]),
    ...(longestTurnMs < MOST_P99_MS ? [] : [`${name}: a turn of ${Math.round(longestTurnMs)} ms`]),
    ...(p99Ms < Math.max(MOST_P99_MS, BUSY * calmMs) ? [] : [`${name}: p99 of ${Math.round(p99Ms)} ms`]),
    ...(retainedBytes < MOST_RETAINED_BYTES
      ? []
      : [`${name}: ${Math.round(retainedBytes / 1_048_576)} MB are kept`]),
  ];
}

/** Runs every attack whose name contains `only`, each against a separate server. */
export async function besiege(
  program: string,
  { only = "", report, ...extent }: Extent & Readonly<{ only?: string; report: (outcome: Outcome) => void }>,
): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const attack of ATTACKS.filter(({ name }) => name.includes(only))) {
    const outcome = await endure(program, attack, extent);
    report(outcome);
    outcomes.push(outcome);
  }
  return outcomes;
}

async function endure(program: string, attack: Attack, extent: Extent): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), "managed-orders-siege-"));
  const server = await startServer(program, folder, attack.name);
  try {
    const calmMs = await calmOf(server, extent);
    const before = (await server.state()).heldBytes;
    const client = new HonestClient(server.port);
    const harm = await harmBy(program, attack, {
      ...{ ...extent, port: server.attackedPort },
      begins: () => client.start(),
    });
    const borne = await client.stop();
    return { name: attack.name, harm, calmMs, ...figuresOf(borne), ...(await aftermath(server, before)) };
  } finally {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The 99th percentile of an honest client without an attack. */
async function calmOf({ port }: ServerProcess, { milliseconds }: Extent): Promise<number> {
  const client = new HonestClient(port);
  client.start();
  await new Promise((next) => setTimeout(next, Math.min(milliseconds, CALM_MS)));
  return figuresOf(await client.stop()).p99Ms;
}

async function harmBy(
  program: string,
  { name, times = 1 }: Attack,
  { port, connections, milliseconds, begins }: Extent & Readonly<{ port: number; begins: () => void }>,
): Promise<Harm | undefined> {
  const count = Math.max(1, Math.round(connections * times));
  try {
    return await startAttacker(program, { name, port, connections: count, milliseconds }, begins);
  } catch {
    return undefined;
  }
}

function figuresOf({
  latenciesMs,
  failures,
}: Borne): Pick<Outcome, "answers" | "failures" | "p50Ms" | "p99Ms"> {
  const sorted = [...latenciesMs].sort((a, b) => a - b);
  const at = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { answers: sorted.length - failures.length, failures, p50Ms: at(0.5), p99Ms: at(0.99) };
}

async function aftermath(
  server: ServerProcess,
  before: number,
): Promise<Pick<Outcome, "ended" | "longestTurnMs" | "peakBytes" | "retainedBytes">> {
  let [longestTurnMs, peakBytes, retainedBytes] = [0, Number.NaN, Number.NaN];
  try {
    for (let look = 0; look < LOOKS && !(retainedBytes < MOST_RETAINED_BYTES); look++) {
      const state = await server.state();
      [peakBytes, retainedBytes] = [state.peakBytes, state.heldBytes - before];
      longestTurnMs = Math.max(longestTurnMs, state.longestTurnMs);
      await new Promise((next) => setTimeout(next, LOOK_EVERY_MS));
    }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { ended: server.ended() ?? why, longestTurnMs, peakBytes, retainedBytes };
  }
  return { ended: server.ended(), longestTurnMs, peakBytes, retainedBytes };
}
