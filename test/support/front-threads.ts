import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { NodeServerOptions } from "../../src/adapters/node/index.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/**
 * Number of front threads of the servers in this run: `FRONT_THREADS=2 npx vitest run ...` runs the same tests with
 * two.
 */
export const FRONT_THREADS: number = Number(process.env["FRONT_THREADS"] ?? "0");

let program: URL | undefined;

/** The program of a front thread, built from the present sources. */
function frontProgram(): URL {
  if (program !== undefined) return program;
  const { status, stderr } = spawnSync("node", ["test/program.mjs", "--build", "front"], {
    cwd: root,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`the front thread could not be built\n${stderr}`);
  program = new URL("../../node_modules/.cache/front-thread.mjs", import.meta.url);
  return program;
}

/** Additional options of a test's server, for that number of front threads. */
export function withFronts(
  frontThreads: number = FRONT_THREADS,
): Pick<NodeServerOptions, "frontThreads" | "frontProgram"> {
  return frontThreads === 0 ? {} : { frontThreads, frontProgram: frontProgram() };
}
