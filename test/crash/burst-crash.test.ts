import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { expect, it } from "vitest";
import type { BurstReport, BurstTask } from "./burst-child.ts";

/** `ORDERS=20000` is the long form. */
const ORDERS = Number(process.env.ORDERS ?? 4_000);
const root = fileURLToPath(new URL("../../", import.meta.url));
const bundle = join(root, "node_modules/.cache/burst-child.mjs");

function run(task: BurstTask): Readonly<{ signal: string | null; output: string }> {
  const { signal, stdout } = spawnSync(process.execPath, [bundle, JSON.stringify(task)], {
    stdio: ["ignore", "pipe", "inherit"],
    encoding: "utf8",
    maxBuffer: 1e8,
  });
  return { signal, output: stdout };
}

it(`I21, I53: a SIGKILL in the middle of ${ORDERS} fires of one quote: nothing is sent twice, and the journal makes the state`, {
  timeout: 180_000,
}, async () => {
  await build({
    entryPoints: [join(root, "test/crash/burst-child.ts")],
    outfile: bundle,
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
    alias: { "#hmac": join(root, "src/signing/hmac-node.ts") },
    logLevel: "warning",
  });
  const folder = mkdtempSync(join(tmpdir(), "managed-orders-burst-crash-"));
  try {
    expect(run({ folder, orders: ORDERS, dieAfter: Math.ceil(ORDERS / 3) })).toEqual({
      signal: "SIGKILL",
      output: "",
    });
    const { signal, output } = run({ folder, orders: ORDERS });
    expect(signal).toBeNull();
    const { equal, open, sent } = JSON.parse(output) as BurstReport;
    expect({ equal, open, sent: sent.length, once: new Set(sent).size }).toEqual({
      ...{ equal: true, open: 0 },
      ...{ sent: ORDERS, once: ORDERS },
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
