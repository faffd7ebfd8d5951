import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { expect, it } from "vitest";
import { blocksOf, root } from "./markdown.ts";

const MOST_LINES = 20;

it(`docs/simulation.md: a test of at most ${MOST_LINES} lines goes from a CSV file to an asserted result`, async () => {
  const blocks = blocksOf("docs/simulation.md");
  const [quotes] = blocks.filter(({ language }) => language === "csv");
  const [program, ...more] = blocks.filter(({ text }) => text.includes('from "node:test"'));
  expect(more).toEqual([]);
  const lines =
    program?.text
      .trim()
      .split("\n")
      .filter((line) => line !== "") ?? [];
  expect(lines.length).toBeLessThanOrEqual(MOST_LINES);
  expect(lines.length).toBeGreaterThan(0);
  const folder = await mkdtemp(join(tmpdir(), "managed-orders-test-"));
  try {
    await writeFile(join(folder, "quotes.csv"), quotes?.text ?? "");
    const outfile = join(folder, "trailing.test.mjs");
    await build({
      stdin: { contents: program?.text ?? "", resolveDir: root, loader: "ts" },
      ...{ outfile, bundle: true, platform: "node", format: "esm", logLevel: "warning" },
      alias: { "#hmac": `${root}src/signing/hmac-node.ts` },
    });
    const { stdout } = await promisify(execFile)(process.execPath, ["--test", outfile], { cwd: folder });
    expect(stdout).toMatch(/^# pass 1$/m);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
