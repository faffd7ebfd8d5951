import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { bundleProgram } from "../support/bundle-program.ts";
import { root } from "./markdown.ts";

it("examples/parameter-sweep prints its expected.txt, and its progress to standard error", async () => {
  const [program] = await Promise.all(
    ["main", "strategy"].map((name) =>
      bundleProgram(`examples/parameter-sweep/${name}.ts`, `parameter-sweep/${name}`),
    ),
  );
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [program ?? ""]);
  await expect(stdout).toMatchFileSnapshot(`${root}examples/parameter-sweep/expected.txt`);
  expect(stderr.split("\n").at(-2)).toBe("sweep: 6 of 6 sets (100 %)");
});
