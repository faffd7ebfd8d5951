import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, expect, it, onTestFinished } from "vitest";
import { type PGliteServer, startPGlite } from "../adapters/postgres/pglite-server.ts";
import { CA, CERTIFICATES } from "../support/peer-certificates.ts";
import {
  openSandboxProcess,
  processAt,
  type Reply,
  type SandboxProcess,
} from "../support/sandbox-process.ts";

let server: PGliteServer;

beforeAll(async () => {
  server = await startPGlite();
  return () => server.close();
});

/** Settings of two sandboxes that share a store and know each other by certificates. */
async function pairOf(schema: string): Promise<readonly Readonly<Record<string, string>>[]> {
  const folder = await mkdtemp(join(tmpdir(), "managed-orders-forwarding-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, "ca.crt"), CA);
  const own = async (who: "node1" | "node2"): Promise<Readonly<Record<string, string>>> => {
    const [key, cert] = [join(folder, `${who}.key`), join(folder, `${who}.crt`)];
    await Promise.all([writeFile(key, CERTIFICATES[who].key), writeFile(cert, CERTIFICATES[who].cert)]);
    return {
      ...{ STORE: `${server.url}?schema=${schema}`, VENUE_FOLDER: folder, MARKET: "manual" },
      ...{ LEASE_TTL_MS: "1000", PEER_PORT: "auto", PEER_SECRET: "a secret of both sandboxes" },
      ...{ PEER_KEY: key, PEER_CERT: cert, PEER_CA: join(folder, "ca.crt") },
      PEER_NAMES: "node-1.test,node-2.test",
    };
  };
  return [await own("node1"), await own("node2")];
}

async function startPair(schema: string): Promise<readonly [SandboxProcess, SandboxProcess]> {
  const [first = {}, second = {}] = await pairOf(schema);
  const active = await openSandboxProcess(first).ready;
  onTestFinished(() => active.kill());
  const standby = await openSandboxProcess(second).ready;
  onTestFinished(() => standby.kill());
  return [active, standby];
}

const ORDER = { symbol: "BTC/USD", side: "BUY", quantity: "1", price: "100", type: "SYNTHETIC_LIMIT" };

const place = (node: SandboxProcess, newClientOrderId: string): Promise<Reply> =>
  node.signed("POST", "/api/order", { ...ORDER, newClientOrderId });

const find = (node: SandboxProcess, origClientOrderId: string): Promise<Reply> =>
  node.signed("GET", "/api/v2/order", { symbol: "BTC/USD", origClientOrderId });

const openOrders = async (node: SandboxProcess): Promise<unknown> =>
  (await node.signed("GET", "/api/v3/openOrders", { apiManaged: true, limit: 1000 })).body["orders"];

const health = async ({ url }: SandboxProcess): Promise<number> => {
  const reply = await fetch(`${url}/health`);
  return reply.status;
};

it("a request to a standby is executed by the active node, once", async () => {
  const [active, standby] = await startPair("forwarded");
  expect([await health(active), await health(standby)]).toEqual([200, 503]);
  const placed = await place(standby, "one");
  expect(placed.status).toBe(200);
  const other = await active.signed("POST", "/api/order", { ...ORDER, price: "99", newClientOrderId: "one" });
  expect(other.status).toBe(400);
  // A standby has no clock of an exchange.
  const requested = processAt({ ...standby, controlUrl: active.controlUrl }, standby);
  expect((await find(requested, "one")).body["orderId"]).toBe(placed.body["orderId"]);
  expect(await openOrders(standby)).toHaveLength(1);
  const ping = await fetch(`${standby.url}/api/ping`);
  expect([ping.status, ping.headers.get("x-request-id")?.length]).toEqual([200, 22]);
});

it("SIGKILL of the owner under forwarded load leaves no order that was refused, and none twice", async () => {
  const [active, standby] = await startPair("killed");
  const outcomes = new Map<string, string>();
  let sent = 0;
  let over = false;
  const client = async (): Promise<void> => {
    while (!over) {
      const id = `order-${++sent}`;
      const { status, body } = await place(standby, id);
      outcomes.set(id, status === 200 ? "placed" : `${status} ${body.code}`);
    }
  };
  const clients = Array.from({ length: 8 }, client);
  await expect.poll(() => outcomes.size).toBeGreaterThan(40);
  await active.kill();
  await expect.poll(() => health(standby)).toBe(200);
  const before = outcomes.size;
  await expect.poll(() => outcomes.size).toBeGreaterThan(before + 10);
  over = true;
  await Promise.all(clients);
  expect(new Set(outcomes.values())).not.toContain("429 -1003");
  const found = new Map<string, number>();
  for (const id of outcomes.keys()) found.set(id, (await find(standby, id)).status);
  for (const [id, outcome] of outcomes) {
    if (outcome === "placed") expect([id, found.get(id)]).toEqual([id, 200]);
    else if (outcome === "503 -1001") expect([id, found.get(id)]).toEqual([id, 400]);
    else expect([id, outcome]).toEqual([id, "500 -1006"]);
  }
  const { length } = [...found.values()].filter((status) => status === 200);
  expect(await openOrders(standby)).toHaveLength(length);
  expect(await standby.control("GET", "verify")).toMatchObject({ equal: true });
});
