import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { ConsoleFiles } from "../../src/sandbox/console-page.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Builds the console page from the present sources, where a sandbox that runs from them finds it. */
export function builtConsole(): ConsoleFiles {
  const { status, stderr } = spawnSync("node", ["test/program.mjs", "--build", "console"], {
    cwd: root,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`the console could not be built\n${stderr}`);
  return JSON.parse(readFileSync(`${root}node_modules/.cache/console.json`, "utf8")) as ConsoleFiles;
}
