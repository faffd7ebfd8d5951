import { afterEach, expect, it } from "vitest";
import { type Sandbox, startSandbox } from "../../src/sandbox/sandbox.ts";
import { readSettings } from "../../src/sandbox/settings.ts";

const running: Sandbox[] = [];

afterEach(async () => {
  for (const sandbox of running.splice(0)) await sandbox.stop();
});

const USUAL = { PORT: "auto", CONTROL_PORT: "off", STORE: "memory:", MARKET: "manual" };

async function start(env: Readonly<Record<string, string>>): Promise<string> {
  const sandbox = await startSandbox(readSettings({ env: { ...USUAL, ...env }, argv: [] }));
  running.push(sandbox);
  return sandbox.url;
}

it("ALLOWED_ORIGINS admits scripts of these origins", async () => {
  const url = await start({ ALLOWED_ORIGINS: "https://desk.example.com,http://localhost:3000" });
  const headers = { Origin: "http://localhost:3000" };
  const preflight = await fetch(`${url}/api/order`, { method: "OPTIONS", headers });
  expect([preflight.status, preflight.headers.get("access-control-allow-origin")]).toEqual([
    204,
    headers.Origin,
  ]);
  const ping = await fetch(`${url}/api/ping`, { headers: { Origin: "https://evil.example.com" } });
  expect([ping.status, ping.headers.get("access-control-allow-origin")]).toEqual([200, null]);
});

it("TRUSTED_PROXIES makes their X-Forwarded-For count", async () => {
  const url = await start({ TRUSTED_PROXIES: "127.0.0.1,::1", RATE_LIMITS: "weight=1" });
  const status = async (client: string): Promise<number> =>
    (await fetch(`${url}/api/ping`, { headers: { "X-Forwarded-For": client } })).status;
  expect([await status("192.0.2.1"), await status("192.0.2.1"), await status("192.0.2.2")]).toEqual([
    200, 429, 200,
  ]);
});

it("GET_ALLOWLIST and POST_ALLOWLIST exclude every route that they do not name", async () => {
  const url = await start({ GET_ALLOWLIST: "ping,orderStatus", POST_ALLOWLIST: "getOrderStatus" });
  const status = async (method: string, path: string): Promise<number> =>
    (await fetch(`${url}${path}`, { method })).status;
  expect(await status("GET", "/api/ping")).toBe(200);
  expect(await status("GET", "/api/time")).toBe(404);
  expect(await status("GET", "/api/v2/orderStatus")).toBe(401);
  expect(await status("POST", "/api/v2/getOrderStatus")).toBe(401);
  expect(await status("POST", "/api/order")).toBe(404);
});

it("an origin that no browser sends stops the start and names the setting", async () => {
  await expect(start({ ALLOWED_ORIGINS: "https://Desk.example.com" })).rejects.toThrow(
    "createService.settings.allowedOrigins[0] must be * or an origin such as https://desk.example.com",
  );
});
