import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { bundleProgram } from "../../support/bundle-program.ts";
import type { BurstReport, BurstTask } from "./burst-child.ts";

/** `ORDERS=20000` is the long form. */
const ORDERS = Number(process.env.ORDERS ?? 4_000);

function run(program: string, task: BurstTask): Readonly<{ signal: string | null; output: string }> {
  const { signal, stdout } = spawnSync(process.execPath, [program, JSON.stringify(task)], {
    stdio: ["ignore", "pipe", "inherit"],
    encoding: "utf8",
    maxBuffer: 1e8,
  });
  return { signal, output: stdout };
}

it(`I21, I53: after a SIGKILL in the middle of ${ORDERS} triggered orders, no child is sent twice and the journal restores the state`, async () => {
  const program = await bundleProgram("test/campaigns/crash/burst-child.ts", "burst-child");
  const folder = mkdtempSync(join(tmpdir(), "managed-orders-burst-crash-"));
  try {
    expect(run(program, { folder, orders: ORDERS, dieAfter: Math.ceil(ORDERS / 3) })).toEqual({
      signal: "SIGKILL",
      output: "",
    });
    const { signal, output } = run(program, { folder, orders: ORDERS });
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
