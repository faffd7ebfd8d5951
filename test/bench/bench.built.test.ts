import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { bundleProgram } from "../support/bundle-program.ts";
import { LINES } from "./lines/index.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** The short form of `npm run bench`; it compares no figure with a target. */
describe("the benchmarks", () => {
  let program: string;

  beforeAll(async () => {
    // Without the program of a front thread, the lines with front threads do not run.
    expect(spawnSync("node", ["test/program.mjs", "--build", "front"], { cwd: root }).status).toBe(0);
    program = await bundleProgram("test/bench/main.ts", "bench-smoke");
  });

  test("every line of the table runs", () => {
    const options = { cwd: root, encoding: "utf8" } as const;
    const { stdout, stderr, status } = spawnSync(
      process.execPath,
      ["--expose-gc", program, "--smoke"],
      options,
    );
    expect(status, stderr).toBe(0);
    expect(stdout.trim().split("\n")).toEqual(Object.keys(LINES).map((name) => `ran ${name}`));
  });
});
