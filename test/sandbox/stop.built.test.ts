import { expect, it, onTestFinished } from "vitest";
import { startSandboxProcess } from "../support/sandbox-process.ts";

it("sandbox.md: SIGTERM ends with exit code 0 within ten seconds, even if a store waits for a clock that stands still", async () => {
  const sandbox = await startSandboxProcess({ STORE: "memory:", MARKET: "manual", CLOCK: "manual" });
  onTestFinished(() => sandbox.kill());
  await sandbox.control("POST", "faults", { store: { mode: "slow" } });
  const fields = { symbol: "BTC/USD", side: "BUY", type: "SYNTHETIC_LIMIT", quantity: "20", price: "1" };
  const unanswered = sandbox.signed("POST", "/api/order", fields).catch(() => "cut off");
  while ((await sandbox.control<{ pendingCommands: number }>("GET", "metrics")).pendingCommands === 0);
  const startedMs = performance.now();
  sandbox.process.kill("SIGTERM");
  expect(await sandbox.ended).toBe(0);
  expect(performance.now() - startedMs).toBeLessThan(60_000);
  expect(await unanswered).toBe("cut off");
});
