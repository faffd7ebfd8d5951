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
 * Returns the self time by subfolder of the sources, by module of Node.js, and by V8's own work, as shares of the time
 * not idle.
 */
function sharesOf(profile: Profile, bundle: string): readonly (readonly [place: string, share: number])[] {
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
  const total = [...spent.values()].reduce((sum, us) => sum + us, 0);
  return [...spent].map(([place, us]) => [place, us / total] as const).sort((a, b) => b[1] - a[1]);
}

/** Shows where a line spends its time: runs one round under V8's profiler. */
export async function printFlame(name: string, line: Line, program: string): Promise<void> {
  const folder = benchFolder();
  try {
    const flags = ["--cpu-prof", `--cpu-prof-dir=${folder.path("profiles")}`];
    const process = await startLine(program, name, flags);
    for (let round = 0; round < 2; round++) await process.take(round);
    await process.close();
    const [file = ""] = readdirSync(folder.path("profiles"));
    const profile = JSON.parse(readFileSync(join(folder.path("profiles"), file), "utf8")) as Profile;
    const shares = sharesOf(profile, readFileSync(program, "utf8")).slice(0, SHOWN);
    printTable(
      `${line.work}: self time, %`,
      shares.map(([place, share]) => [place, (100 * share).toFixed(1)]),
    );
  } finally {
    folder.remove();
  }
}
