import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

it("the reference builds from the doc comments without a warning", () => {
  const cwd = fileURLToPath(new URL("../../", import.meta.url));
  const run = spawnSync(process.execPath, ["node_modules/typedoc/bin/typedoc", "--emit", "none"], {
    cwd,
    encoding: "utf8",
  });
  expect(run.status, `${run.stdout}${run.stderr}`).toBe(0);
});
