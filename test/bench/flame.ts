import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { benchFolder } from "./bench-folder.ts";
import type { Line } from "./line.ts";
import { startLine } from "./line-process.ts";
import { printTable } from "./measure.ts";

/** What of a CPU profile of V8 is read here. */
type Profile = Readonly<{
  nodes: readonly Readonly<{
    id: number;
    callFrame: Readonly<{ functionName: string; url: string; lineNumber: number }>;
  }>[];
  samples: readonly number[];
  timeDeltas: readonly number[];
}>;

const SHOWN = 20;
/** What V8 gives the threads' own times as. */
const OWN_NAMES: readonly string[] = ["(idle)", "(program)", "(root)", "(garbage collector)"];

/** Where each source of a bundle begins: esbuild writes its path above it. */
function sourcesOf(bundle: string): readonly (readonly [line: number, source: string])[] {
  return bundle.split("\n").flatMap((text, line) => {
    const source = /^\/\/ ((?:src|test)\/\S+)$/.exec(text)?.[1];
    return source === undefined ? [] : [[line, source] as const];
  });
}

/** Self time by room of the sources, by module of Node.js, and by what V8 does itself, in shares of the time not idle. */
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

/** Where the time of a line goes: one round of it under the profiler of V8. */
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
