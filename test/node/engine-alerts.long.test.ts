import { createServer } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import {
  createMemoryHost,
  createMemoryRateLimiter,
  type MemoryHost,
} from "../../src/adapters/memory/index.ts";
import { createNodeMount, createNodeServer } from "../../src/adapters/node/index.ts";
import { type Engine, openEngine } from "../../src/engine/index.ts";
import type { Telemetry } from "../../src/ports/index.ts";
import { createService, type Service } from "../../src/service/index.ts";
import { FRONT_THREADS, withFronts } from "../support/front-threads.ts";
import { createScriptedVenue } from "../support/scripted-venue.ts";
import { standardError } from "../support/standard-error.ts";

type Received = Partial<Readonly<{ telemetry: Telemetry }>>;
type Running = Readonly<{ port: number; end: () => Promise<unknown> }>;
type World = Readonly<{ clock: MemoryHost["clock"]; engine: Engine; service: Service }>;

const HOUR_MS = 3_600_000;
const STEPPED = { level: "warn", event: "clock.stepped", stepMs: HOUR_MS };

const stderr = standardError();
const open: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

/** An engine and a service, without a telemetry unless it is given. */
async function opened(engineReceives: Received = {}): Promise<World> {
  const { telemetry: _, ...host } = createMemoryHost({ symbols: ["BTC/USD"], startMs: 0 });
  const { clock } = host;
  const engine = await openEngine({ ...host, ...engineReceives, venue: createScriptedVenue() });
  open.push(() => engine.close());
  const accounts = { ...host.accounts, key: () => Promise.reject(new Error("the directory is down")) };
  const service = createService({
    ...{ engine, clock, accounts },
    ...{ instruments: host.instruments, entropy: host.entropy },
    rateLimiter: createMemoryRateLimiter({ clock }),
  });
  return { clock, engine, service };
}

/** Sets the wall clock by an hour, which is an alert of the engine. Resolves when it has been raised. */
async function alarm({ clock, engine }: World): Promise<void> {
  clock.stepWall(HOUR_MS);
  await engine.idle();
}

async function serverOf(
  { service }: World,
  received: Received = {},
  threads = FRONT_THREADS,
): Promise<Running> {
  const server = createNodeServer({ service, sockets: service.sockets, ...received, ...withFronts(threads) });
  open.push(() => server.close({ graceMs: 200 }));
  const { port } = await server.listen({ host: "127.0.0.1", port: 0 });
  return { port, end: () => server.close() };
}

async function mountOf({ service }: World, received: Received = {}): Promise<Running> {
  const mount = createNodeMount({ service, ...received });
  const server = createServer((request, response) => void mount.answer(request, response));
  open.push(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return { port, end: () => mount.drain() };
}

const FORMS: readonly (readonly [string, (world: World, received?: Received) => Promise<Running>])[] = [
  ["createNodeServer", serverOf],
  ["createNodeServer with front threads", (world, received) => serverOf(world, received, 2)],
  ["createNodeMount", mountOf],
];

describe.each(FORMS)("%s, with an engine without telemetry", (_form, run) => {
  it("writes an alert to standard error, once, and none after the end", async () => {
    const world = await opened();
    const { end } = await run(world);
    await alarm(world);
    expect(stderr.take()).toEqual([STEPPED]);
    await end();
    await alarm(world);
    expect(stderr.take()).toEqual([]);
  });

  it("leaves alerts to a host that listens for them, and writes other warnings and errors", async () => {
    const world = await opened();
    await run(world);
    const alerts: string[] = [];
    const unsubscribe = world.engine.events.on("alert", ({ alert }) => void alerts.push(alert));
    world.engine.events.on("quote", () => {
      throw new Error("a bug of the host");
    });
    await alarm(world);
    world.engine.market.quote({ symbol: "BTC/USD", bid: "1", ask: "2" });
    expect(alerts).toEqual(["CLOCK_STEPPED"]);
    const failed = { level: "error", event: "listener.failed", message: "Error: a bug of the host" };
    expect(stderr.take()).toEqual([failed]);
    unsubscribe();
    await alarm(world);
    expect(stderr.take()).toEqual([STEPPED]);
  });

  it("tells a telemetry of the host instead, whether the engine or the server has it", async () => {
    const reported: string[] = [];
    const telemetry: Telemetry = { event: (level, event) => void reported.push(`${level} ${event}`) };
    const [ofEngine, ofServer] = [await opened({ telemetry }), await opened()];
    await run(ofEngine);
    await run(ofServer, { telemetry });
    await alarm(ofEngine);
    await alarm(ofServer);
    expect([reported, stderr.lines]).toEqual([["warn clock.stepped", "warn clock.stepped"], []]);
  });

  it("writes a warning of a service without telemetry", async () => {
    const { port } = await run(await opened());
    const headers = { "X-MBX-APIKEY": "key", signature: "a".repeat(64) };
    const { status } = await fetch(`http://127.0.0.1:${port}/api/v3/openOrders?nonce=1`, { headers });
    expect(status).toBe(503);
    expect(stderr.take()).toContainEqual(expect.objectContaining({ level: "warn", event: "host.failed" }));
  });
});

it("several servers of one engine write an alert once; when one ends, the next writes", async () => {
  const world = await opened();
  const [first, mount] = [await serverOf(world), await mountOf(world)];
  await serverOf(world);
  await alarm(world);
  expect(stderr.take()).toEqual([STEPPED]);
  await first.end();
  await alarm(world);
  await mount.end();
  await alarm(world);
  expect(stderr.take()).toEqual([STEPPED, STEPPED]);
});
