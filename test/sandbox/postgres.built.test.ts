import { mkdtemp, rm } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, expect, it, onTestFinished } from "vitest";
import { type PGliteServer, startPGlite } from "../adapters/postgres/pglite-server.ts";
import { placesOn } from "../adapters/postgres/places.ts";
import { openSandboxProcess, type SandboxProcess, startSandboxProcess } from "../support/sandbox-process.ts";

let server: PGliteServer;

beforeAll(async () => {
  server = await startPGlite();
  return () => server.close();
});

async function environment(schema: string): Promise<Readonly<Record<string, string>>> {
  const folder = await mkdtemp(join(tmpdir(), "managed-orders-sandbox-postgres-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const STORE = `${server.url}?schema=${schema}`;
  return { STORE, VENUE_FOLDER: folder, MARKET: "manual", LEASE_TTL_MS: "1000" };
}

const healthOf = async ({ url }: Pick<SandboxProcess, "url">): Promise<readonly [number, unknown]> => {
  const reply = await fetch(`${url}/health`);
  return [reply.status, await reply.json()];
};

const refusalOf = (env: Readonly<Record<string, string>>): Promise<string> =>
  startSandboxProcess(env).then(
    () => "started",
    (error: Error) => error.message.trim(),
  );

it("a sandbox on Postgres is a standby while another one is active, answers 503, and takes its orders over after SIGKILL", async () => {
  const env = await environment("pair");
  const first = await startSandboxProcess(env);
  onTestFinished(() => first.kill());
  expect(await healthOf(first)).toEqual([200, { state: "active", reasons: [] }]);
  const order = { symbol: "BTC/USD", side: "BUY", quantity: "1", price: "100", type: "SYNTHETIC_LIMIT" };
  const placed = await first.signed("POST", "/api/order", { ...order, newClientOrderId: "kept" });
  expect(placed.status).toBe(200);
  const second = await openSandboxProcess(env).ready;
  onTestFinished(() => second.kill());
  await expect.poll(() => healthOf(second)).toEqual([503, { state: "ready", reasons: [] }]);
  const refused = await fetch(`${second.url}/api/ping`);
  expect([refused.status, ((await refused.json()) as { code: number }).code]).toEqual([503, -1001]);
  expect(await second.control("GET", "health")).toEqual({ ok: true, state: "ready", reasons: [] });
  await expect(second.control("GET", "metrics")).rejects.toThrow("503");
  await first.kill();
  await expect.poll(async () => (await healthOf(second).catch(() => [0]))[0]).toBe(200);
  const quote = { symbol: "BTC/USD", bid: "99", ask: "100" };
  await second.control("POST", "quotes", [quote, quote]);
  const found = await second.signed("GET", "/api/v2/order", {
    symbol: "BTC/USD",
    origClientOrderId: "kept",
  });
  expect(found).toMatchObject({ status: 200, body: { status: "FILLED" } });
  expect(await second.control("GET", "verify")).toMatchObject({ equal: true });
});

/** Asks from another address of the loopback interface. Resolves to the status. */
const statusFrom = (localAddress: string, url: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const requesting = request(url, { localAddress, agent: false }, (reply) => {
      reply.resume();
      resolve(reply.statusCode ?? 0);
    });
    requesting.on("error", reject).end();
  });

it("orders of the day and a ban hold at the sandbox that takes over after SIGKILL", async () => {
  const env = { ...(await environment("limits")), RATE_LIMITS: "weight=300,orders1d=3" };
  const first = await startSandboxProcess(env);
  onTestFinished(() => first.kill());
  const order = { symbol: "BTC/USD", side: "BUY", quantity: "1", price: "100", type: "SYNTHETIC_LIMIT" };
  const place = async (at: SandboxProcess, newClientOrderId: string): Promise<unknown> => {
    const { status, body } = await at.signed("POST", "/api/order", { ...order, newClientOrderId });
    return body.code ?? status;
  };
  expect([await place(first, "a"), await place(first, "b")]).toEqual([200, 200]);
  // 300 of weight, and then ten refusals.
  const stranger = "127.0.0.2";
  for (let n = 0; n < 30; n++) await statusFrom(stranger, `${first.url}/api/exchangeInfo`);
  const second = await openSandboxProcess(env).ready;
  onTestFinished(() => second.kill());
  const database = placesOn(server.url);
  const written = (): Promise<unknown> =>
    database.execute(
      `SELECT (SELECT sum(split_part(substr(value, 9), ' ', 1)::int8) FROM limits.entry WHERE key LIKE 'orders %'),
        (SELECT max(substr(key, 5)) FROM limits.entry WHERE key LIKE 'ban %')`,
    );
  await expect.poll(written).toEqual([["2", stranger]]);
  await database.close();
  await first.kill();
  await expect.poll(async () => (await healthOf(second).catch(() => [0]))[0]).toBe(200);
  expect(await statusFrom(stranger, `${second.url}/api/exchangeInfo`)).toBe(429);
  expect(await statusFrom("127.0.0.3", `${second.url}/api/exchangeInfo`)).toBe(200);
  expect([await place(second, "c"), await place(second, "d")]).toEqual([200, -1015]);
});

it("a database that cannot be used is one sentence and exit code 2", async () => {
  const env = await environment("pair");
  const away = "postgres://orders:secret@127.0.0.1:1/exchange";
  expect(await refusalOf({ ...env, STORE: away })).toBe(
    "the sandbox ended with 2: managed-orders: database exchange on 127.0.0.1:1 cannot be reached (ECONNREFUSED): no server listens there: start it, or correct host and port of the URL",
  );
  expect(await refusalOf({ ...env, STORE: `${server.url}?schema=information_schema` })).toContain(
    "ended with 2: managed-orders: the schema information_schema of database postgres on 127.0.0.1",
  );
});
