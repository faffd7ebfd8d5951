import { afterEach, expect, it } from "vitest";
import { type SandboxProcess, startSandboxProcess } from "../support/sandbox-process.ts";

const running: SandboxProcess[] = [];

afterEach(async () => {
  for (const sandbox of running.splice(0)) await sandbox.kill();
});

it.each(["0", "2"])("the package serves the console page, with %s front threads", async (FRONT_THREADS) => {
  const sandbox = await startSandboxProcess({ STORE: "memory:", MARKET: "manual", FRONT_THREADS });
  running.push(sandbox);
  const [page, script, style] = await Promise.all(
    ["/", "/console.js", "/console.css"].map((path) => fetch(sandbox.url + path)),
  );
  expect([page?.status, script?.status, style?.status]).toEqual([200, 200, 200]);
  expect(await page?.text()).toContain(`content="${sandbox.controlUrl}/control"`);
  const head = await fetch(`${sandbox.url}/`, { method: "HEAD" });
  expect([head.status, head.headers.get("content-type"), await head.text()]).toEqual([
    200,
    "text/html; charset=utf-8",
    "",
  ]);
  expect((await fetch(`${sandbox.url}/`, { method: "POST" })).status).toBe(404);
});
