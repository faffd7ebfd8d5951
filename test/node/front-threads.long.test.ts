import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, expect, it } from "vitest";
import { createNodeServer, type NodeServerOptions } from "../../src/adapters/node/index.ts";
import type { WireRequest } from "../../src/wire/index.ts";
import { withFronts } from "../support/front-threads.ts";
import { attack, order } from "../support/hostile-world.ts";
import { openConnection, type RawAnswer, type RawRequest, rawBytes, sendRaw } from "../support/raw-http.ts";
import {
  FAR_LIMIT,
  KEYS,
  openWorld,
  type ServiceWorld,
  START_MS,
  type WorldOptions,
} from "../support/service-world.ts";
import { SocketClient } from "../support/socket-client.ts";

const open: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

type Running = ServiceWorld & Readonly<{ port: number; reported: string[]; connections: () => number }>;

/** A service behind two front threads, or with other options of its server. */
async function run(options: WorldOptions = {}, server: Partial<NodeServerOptions> = {}): Promise<Running> {
  const world = await openWorld(options);
  const reported: string[] = [];
  const telemetry = { event: (_level: string, name: string) => void reported.push(name) };
  const { service } = world;
  const running = createNodeServer({
    ...{ service, sockets: service.sockets, telemetry, ...withFronts(2), ...server },
  });
  open.push(() => running.close({ graceMs: 200 }));
  const { port } = await running.listen({ host: "127.0.0.1", port: 0 });
  return { ...world, port, reported, connections: running.connections };
}

/** Enough connections that each of two threads almost certainly accepts some. */
const MANY = 16;

/** Sends the same requests, each on a separate connection, all open at once; returns their answers. */
async function onMany(port: number, requests: readonly RawRequest[]): Promise<readonly RawAnswer[]> {
  const connections = await Promise.all(requests.map(() => openConnection(port)));
  for (const connection of connections) open.push(() => connection.close());
  requests.forEach((request, index) => void connections[index]?.write(rawBytes(request)));
  return await Promise.all(connections.map((connection) => connection.answer()));
}

const repeated = (request: RawRequest): readonly RawRequest[] => Array<RawRequest>(MANY).fill(request);
const codeOf = ({ body }: RawAnswer): unknown => JSON.parse(body).code;
const turn = (): Promise<void> => new Promise((next) => setImmediate(next));

it("one placement over many connections of all threads is one order", async () => {
  const { port, engine } = await run();
  const body = JSON.stringify({ ...FAR_LIMIT, newClientOrderId: "once" });
  const answers = await onMany(port, repeated(order(body)));
  const ids = answers.map((answer) => [answer.status, JSON.parse(answer.body).orderId]);
  expect(new Set(ids.map(String)).size).toBe(1);
  expect([ids[0]?.[0], engine.metrics().openParents]).toEqual([200, 1]);
});

it("a signature used for a query on one thread is valid for queries on every thread, and for no placement", async () => {
  const { port } = await run();
  const query = "apiManaged=true&nonce=1";
  const [first] = await onMany(port, [attack("GET", "/api/v3/openOrders", { query })]);
  expect(first?.status).toBe(200);
  const others = await onMany(port, repeated(attack("POST", "/api/v3/orderList/oco", { query })));
  expect(new Set(others.map(codeOf))).toEqual(new Set([-1022]));
  const pages = await onMany(port, repeated(attack("GET", "/api/v3/openOrders", { query })));
  const lists = await onMany(port, repeated(attack("GET", "/api/v3/allOrderList", { query })));
  expect(new Set(pages.map(codeOf))).toEqual(new Set([undefined]));
  expect(new Set(lists.map(codeOf))).toEqual(new Set([-1104]));
});

it("an address has one weight, whichever threads accepted its connections", async () => {
  const { port } = await run({ limits: { weightPerMinute: 5 } });
  const answers = await onMany(port, repeated({ method: "GET", target: "/api/ping" }));
  const counts = [200, 429].map((status) => answers.filter((answer) => answer.status === status).length);
  expect([counts[0], (counts[0] ?? 0) + (counts[1] ?? 0)]).toEqual([5, MANY]);
});

it("connections of an address are counted over all threads", async () => {
  const { port, connections } = await run({ service: { traffic: { connectionsPerAddress: 5 } } });
  const answers = await onMany(port, repeated({ method: "GET", target: "/api/ping" }));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
  expect(answers.filter((answer) => codeOf(answer) === -1003)).toHaveLength(MANY - 5);
  while (connections() > 5) await turn();
});

it("a front thread verifies with the host's present secret: a changed or revoked one is refused", async () => {
  const { port, accounts } = await run();
  const { apiKey, secret } = KEYS.owner;
  const account = { accountId: 1, userId: 1, enableDataSharing: true, delegates: [], restricted: false };
  const key = { apiKey, userId: 1, accountId: 1, permissions: ["READ" as const], ipAllowlist: [] };
  let nonces = 0;
  const requested = (by: string): RawRequest => {
    const query = `apiManaged=true&nonce=${++nonces}`;
    return attack("GET", "/api/v3/openOrders", { query, key: { apiKey, secret: by } });
  };
  const codes = async (by: string): Promise<ReadonlySet<unknown>> =>
    new Set(
      (
        await onMany(
          port,
          Array.from({ length: MANY }, () => requested(by)),
        )
      ).map(codeOf),
    );
  // The second time the threads know the secret.
  for (let time = 0; time < 2; time++) expect(await codes(secret)).toEqual(new Set([undefined]));
  accounts.put({ account, keys: [{ ...key, secret: "another" }] });
  expect(await codes(secret)).toEqual(new Set([-1022]));
  for (let time = 0; time < 2; time++) expect(await codes("another")).toEqual(new Set([undefined]));
  accounts.put({ account, keys: [] });
  expect(await codes("another")).toEqual(new Set([-2015]));
});

it("events of an account are numbered in one order for connections of all threads", async () => {
  const { port } = await run();
  const clients = await Promise.all(
    Array.from({ length: 6 }, () => SocketClient.connect(`ws://127.0.0.1:${port}/ws/listenKey`)),
  );
  for (const client of clients) open.push(() => client.close());
  const placed = Array.from({ length: MANY }, (_, n) =>
    order(JSON.stringify({ ...FAR_LIMIT, newClientOrderId: `n-${n}` })),
  );
  for (const client of clients) {
    const fields = { timestamp: START_MS, recvWindow: 5_000 - clients.indexOf(client) };
    const requested = await client.signed(KEYS.owner, "userDataStream.subscribe.signature", fields);
    expect(requested.status).toBe(200);
  }
  await onMany(port, placed);
  for (const client of clients) await client.until(() => client.events.length === MANY);
  const [first, ...others] = clients.map(({ events }) => JSON.stringify(events));
  expect(new Set(others)).toEqual(new Set([first]));
  expect(clients[0]?.events.map(({ sequence }) => sequence)).toEqual(
    Array.from({ length: MANY }, (_, n) => n + 1),
  );
});

/** The program of a front thread that ends when a certain path is requested. */
function mortalProgram(): URL {
  const folder = mkdtempSync(join(tmpdir(), "managed-orders-front-"));
  open.push(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "mortal.mjs");
  writeFileSync(
    file,
    `import { subscribe } from "node:diagnostics_channel";
    subscribe("http.server.request.start", ({ request }) => { if (request.url === "/die") process.exit(7); });
    await import(${JSON.stringify(withFronts(1).frontProgram?.href)});`,
  );
  return pathToFileURL(file);
}

it("when a front thread dies its connections end, the engine continues, and no order is lost or duplicated", async () => {
  const started: (() => void)[] = [];
  const world = await openWorld();
  const { handle, sockets } = world.service;
  const held = async (request: WireRequest, front?: Parameters<typeof handle>[1]) => {
    if (request.method === "POST" && started.length === 0) {
      await new Promise<void>((resolve) => started.push(resolve));
    }
    return await handle(request, front);
  };
  const reported: string[] = [];
  const running = createNodeServer({
    ...{
      service: { ...world.service, handle: held },
      sockets,
      frontThreads: 1,
      frontProgram: mortalProgram(),
    },
    telemetry: { event: (_level, name) => void reported.push(name) },
  });
  open.push(() => running.close({ graceMs: 200 }));
  const { port } = await running.listen({ host: "127.0.0.1", port: 0 });
  const placement = order(JSON.stringify({ ...FAR_LIMIT, newClientOrderId: "survives" }));
  const [requesting, killing] = [await openConnection(port), await openConnection(port)];
  const follower = await SocketClient.connect(`ws://127.0.0.1:${port}/ws/liquidity`);
  requesting.write(rawBytes(placement));
  while (started.length === 0) await turn();
  killing.write(rawBytes({ method: "GET", target: "/die" }));
  await Promise.all([requesting.ended, killing.ended, follower.closed]);
  await expect(requesting.answer()).rejects.toThrow("the connection ended");
  started[0]?.();
  const again = await untilServed(port, placement);
  expect([again.status, JSON.parse(again.body).clientOrderId]).toEqual([200, "survives"]);
  expect([world.engine.metrics().openParents, reported.includes("front.ended")]).toEqual([1, true]);
  expect(running.connections()).toBeLessThanOrEqual(1);
});

it("a server that is closed while it replaces a thread listens no more", async () => {
  const { service } = await openWorld();
  const reported: string[] = [];
  const running = createNodeServer({
    ...{ service, frontThreads: 1, frontProgram: mortalProgram() },
    telemetry: { event: (_level, name) => void reported.push(name) },
  });
  const { port } = await running.listen({ host: "127.0.0.1", port: 0 });
  const killing = await openConnection(port);
  killing.write(rawBytes({ method: "GET", target: "/die" }));
  while (!reported.includes("front.ended")) await turn();
  await running.close();
  await expect(openConnection(port)).rejects.toThrow("ECONNREFUSED");
});

/** Repeats a request until a thread answers. */
async function untilServed(port: number, request: RawRequest): Promise<RawAnswer> {
  for (;;) {
    const answer = await sendRaw(port, request).catch(() => undefined);
    if (answer !== undefined) return answer;
    await turn();
  }
}

it("a port in use, a missing program and an invalid number are reported at once", async () => {
  const { port } = await run();
  const service = { handle: () => Promise.reject(new Error("nobody")) };
  const second = createNodeServer({ service, ...withFronts(2) });
  await expect(second.listen({ host: "127.0.0.1", port })).rejects.toThrow("EADDRINUSE");
  const lost = createNodeServer({ service, frontThreads: 1, frontProgram: new URL("file:///nowhere.mjs") });
  await expect(lost.listen({ host: "127.0.0.1", port: 0 })).rejects.toThrow("nowhere");
  for (const frontThreads of [-1, 1.5, 65, Number.NaN]) {
    expect(() => createNodeServer({ service, frontThreads })).toThrow(RangeError);
  }
});
