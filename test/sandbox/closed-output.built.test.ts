import { spawnSync } from "node:child_process";
import { closeSync, existsSync, openSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { startSandboxProcess } from "../support/sandbox-process.ts";

it("a sandbox whose output nobody reads any more goes on, also when it has something to say", async () => {
  const sandbox = await startSandboxProcess({ STORE: "memory:", MARKET: "manual" });
  onTestFinished(() => sandbox.kill());
  sandbox.process.stdout?.destroy();
  sandbox.process.stderr?.destroy();
  await sandbox.control("POST", "faults", { store: { mode: "fail", count: 1 } });
  const fields = { symbol: "BTC/USD", side: "BUY", type: "SYNTHETIC_LIMIT", quantity: "20", price: "1" };
  // The failure and the recovery of the store are one sentence each on standard error.
  expect(await sandbox.signed("POST", "/api/order", fields)).toMatchObject({ status: 503 });
  expect(await sandbox.signed("POST", "/api/order", fields)).toMatchObject({ status: 200 });
});

const FULL = "/dev/full";

it.runIf(existsSync(FULL))("a command whose output cannot be written fails, and says so", () => {
  const cli = fileURLToPath(new URL("../../dist/sandbox/cli.js", import.meta.url));
  const full = openSync(FULL, "w");
  onTestFinished(() => closeSync(full));
  const { status, stderr } = spawnSync(process.execPath, [cli, "--help"], {
    ...{ stdio: ["ignore", full, "pipe"], encoding: "utf8" },
  });
  expect([status, stderr]).toEqual([1, "managed-orders: the output cannot be written (ENOSPC)\n"]);
});
