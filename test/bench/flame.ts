import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { benchFolder } from "./bench-folder.ts";
import type { Line } from "./line.ts";
import { startLine } from "./line-process.ts";
import { printTable } from "./measure.ts";

/** The part of a V8 CPU profile that is read here. */
type Profile = Readonly<{
  nodes: readonly Readonly<{
    id: number;
    callFrame: Readonly<{ functionName: string; url: string; lineNumber: number }>;
  }>[];
  samples: readonly number[];
  timeDeltas: readonly number[];
}>;

const SHOWN = 20;
/** Names under which V8 reports the time of its threads. */
const OWN_NAMES: readonly string[] = ["(idle)", "(program)", "(root)", "(garbage collector)"];

/** Finds where each source of a bundle begins: esbuild writes the path above it. */
function sourcesOf(bundle: string): readonly (readonly [line: number, source: string])[] {
  return bundle.split("\n").flatMap((text, line) => {
    const source = /^\/\/ ((?:src|test)\/\S+)$/.exec(text)?.[1];
    return source === undefined ? [] : [[line, source] as const];
  });
}

/**
 * Returns the self time in microseconds by subfolder of the sources, by module of Node.js, and by V8's own work, without the
 * time in which the thread was idle.
 */
function spentIn(profile: Profile, bundle: string): ReadonlyMap<string, number> {
  const sources = sourcesOf(bundle);
  const placeOf = ({ functionName, url, lineNumber }: Profile["nodes"][number]["callFrame"]): string => {
    if (OWN_NAMES.includes(functionName)) return functionName;
    if (url.startsWith("node:")) return url;
    if (url === "") return `native ${functionName}`;
    const source = sources.findLast(([line]) => line <= lineNumber)?.[1] ?? url;
    return source.split("/").slice(0, -1).join("/");
  };
  const places = new Map(profile.nodes.map(({ id, callFrame }) => [id, placeOf(callFrame)]));
  const spent = new Map<string, number>();
  for (const [index, id] of profile.samples.entries()) {
    const place = places.get(id) ?? "";
    if (place === "(idle)") continue;
    spent.set(place, (spent.get(place) ?? 0) + (profile.timeDeltas[index] ?? 0));
  }
  return spent;
}

/**
 * Runs two rounds of a line under V8's profiler. Returns the microseconds that one operation spends in each place; the time
 * of opening and of the peer is in it.
 */
export async function spentByPlace(name: string, program: string): Promise<ReadonlyMap<string, number>> {
  const folder = benchFolder();
  try {
    const flags = ["--cpu-prof", `--cpu-prof-dir=${folder.path("profiles")}`];
    const process = await startLine(program, name, flags);
    let operations = 0;
    for (let round = 0; round < 2; round++) operations += (await process.take(round)).ours?.operations ?? 0;
    await process.close();
    const [file = ""] = readdirSync(folder.path("profiles"));
    const profile = JSON.parse(readFileSync(join(folder.path("profiles"), file), "utf8")) as Profile;
    const spent = spentIn(profile, readFileSync(program, "utf8"));
    return new Map([...spent].map(([place, us]) => [place, us / Math.max(1, operations)]));
  } finally {
    folder.remove();
  }
}

/** Shows where a line spends its time. */
export async function printFlame(name: string, line: Line, program: string): Promise<void> {
  const spent = [...(await spentByPlace(name, program))].sort((a, b) => b[1] - a[1]);
  const total = spent.reduce((sum, [, us]) => sum + us, 0);
  printTable(
    `${line.work}: self time, %`,
    spent.slice(0, SHOWN).map(([place, us]) => [place, ((100 * us) / total).toFixed(1)]),
  );
}
