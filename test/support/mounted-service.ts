import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { probeMount } from "../../src/adapters/node/index.ts";
import type { MountSubject, OpenMount } from "../../src/conformance/index.ts";
import { createMountProbe } from "../../src/service/index.ts";
import { encodeQuery, type RequestParameters, sign } from "../../src/signing/index.ts";
import { readJson, type WireRequest, type WireResponse } from "../../src/wire/index.ts";
import { type RawAnswer, type RawRequest, sendRaw } from "./raw-http.ts";
import { FAR_LIMIT, KEYS, openWorld, type ServiceWorld, START_MS } from "./service-world.ts";
import { signed } from "./signed-raw.ts";
import { SocketClient } from "./socket-client.ts";

/** A mounted world that records the answers of its service. */
type World = ServiceWorld & OpenMount & Readonly<{ answered: WireResponse[] }>;

async function mountWorld(open: MountSubject["open"]): Promise<World> {
  const world = await openWorld();
  const answered: WireResponse[] = [];
  const handle = async (request: WireRequest): Promise<WireResponse> => {
    const answer = await world.service.handle(request);
    answered.push(answer);
    return answer;
  };
  const mounted = await open({ handle, sockets: world.service.sockets });
  return { ...world, ...mounted, answered };
}

const owner = KEYS.owner;

const orderText = (id: string): string => JSON.stringify({ ...FAR_LIMIT, newClientOrderId: id });

const placing = (body: string): RawRequest => signed({ method: "POST", target: "/api/order?nonce=1", body });

const codeOf = ({ status, body }: RawAnswer): readonly unknown[] => [
  status,
  (readJson(body) as { code?: number }).code,
];

/**
 * What every mount does with a real service, whatever the host's framework. `ownRoutes`: GET /health answers "well",
 * POST /echo returns JSON. The rules of the mount itself are those of `testMount`.
 */
export function testMountedService({ name, open, supports: { ownRoutes } }: MountSubject): void {
  let world: World;

  beforeEach(async () => {
    world = await mountWorld(open);
  });

  afterEach(async () => {
    await world.close({ graceMs: 0 });
  });

  /** Sends a request whose answer must be the service's, byte for byte. */
  async function ask(request: RawRequest): Promise<RawAnswer> {
    const before = world.answered.length;
    const answer = await sendRaw(world.port, request);
    expect(world.answered.length, answer.body).toBe(before + 1);
    const due = world.answered[before];
    expect([answer.status, answer.body]).toEqual([due?.status, due?.body]);
    for (const [header, value] of Object.entries(due?.headers ?? {}))
      expect([header, answer.headers.get(header.toLowerCase())]).toEqual([header, value]);
    expect(answer.headers.get("content-length")).toBe(String(Buffer.byteLength(due?.body ?? "")));
    return answer;
  }

  const orderId = async (id: string): Promise<unknown> => {
    const answer = await ask(placing(orderText(id)));
    expect(answer.status, answer.body).toBe(200);
    return (readJson(answer.body) as { orderId: number }).orderId;
  };

  const connect = (path: string): Promise<SocketClient> =>
    SocketClient.connect(`ws://127.0.0.1:${world.port}${path}`);

  const askSocket = async (
    client: SocketClient,
    method: string,
    params: RequestParameters,
  ): Promise<unknown> => (await client.signed(owner, method, { timestamp: START_MS, ...params })).status;

  describe(`${name}: requests`, () => {
    it("the probe finds nothing", async () => {
      const probe = createMountProbe();
      const mounted = await open({ ...probe.service, sockets: world.service.sockets });
      const findings = await probeMount(probe, { url: `http://127.0.0.1:${mounted.port}` });
      await mounted.close({ graceMs: 0 });
      expect(findings).toEqual([]);
    });

    it("contract, Version 2 GET: the query is verified as it was sent, including odd encodings", async () => {
      await orderId("odd.id-1");
      const query = `symbol=BTC%2fUSD&origClientOrderId=%6fdd%2Eid%2d1&timestamp=${START_MS}`;
      const signature = sign({ secret: owner.secret, payload: query });
      const target = `/api/v2/order?${query}&signature=${signature}`;
      const answer = await ask({ method: "GET", target, headers: ["X-MBX-APIKEY", owner.apiKey] });
      expect(readJson(answer.body)).toMatchObject({ clientOrderId: "odd.id-1" });
    });

    it("contract, Version 3 REST: a JSON body is verified and kept as it was sent", async () => {
      const body = orderText("json-1").replace('"side"', '"s\\u0069de"').replaceAll(",", " ,\r\n\t");
      expect(await ask(placing(body))).toMatchObject({ status: 200 });
      const altered = { ...placing(body), body: body.replaceAll("\r\n", "") };
      expect(codeOf(await ask(altered))).toEqual([400, -1022]);
    });

    it("a form body, and parameters in query and body", async () => {
      const { symbol, ...rest }: RequestParameters = { ...FAR_LIMIT, newClientOrderId: "form-1" };
      const type = "application/x-www-form-urlencoded";
      const target = `/api/order?nonce=1&${encodeQuery({ symbol: String(symbol) })}`;
      const answer = await ask(signed({ method: "POST", target, body: encodeQuery(rest), type }));
      expect(readJson(answer.body)).toMatchObject({ clientOrderId: "form-1" });
    });

    it("a DELETE with a body", async () => {
      const id = await orderId("delete-1");
      const body = `{"symbol":"BTC/USD", "orderId": ${id}}`;
      const answer = await ask(signed({ method: "DELETE", target: "/api/v2/order?nonce=2", body }));
      expect(readJson(answer.body)).toMatchObject({ orderId: id, status: "CANCELED" });
    });
  });

  describe(`${name}: the same server`, () => {
    it("serves WebSockets: an order placed there is read by REST", async () => {
      const client = await connect("/ws/listenKey");
      const fields = { ...FAR_LIMIT, newClientOrderId: "socket-1" };
      expect(await askSocket(client, "order.place", fields)).toBe(200);
      const target = `/api/v2/order?symbol=BTC%2FUSD&origClientOrderId=socket-1&timestamp=${START_MS}`;
      const answer = await ask(signed({ method: "GET", target }));
      expect(readJson(answer.body)).toMatchObject({ clientOrderId: "socket-1" });
      client.close();
    });

    it("serves the prefix for existing clients, and its streams", async () => {
      expect((await ask({ method: "GET", target: "/compat/api/v3/ping" })).status).toBe(200);
      for (const path of [
        "/compat/stream",
        "/compat/ws/0",
        "/ws/btcusd@trade",
        "/stream?streams=btcusd@trade",
      ])
        (await connect(path)).close();
    });

    it("other WebSocket paths open no connection, and the server continues", async () => {
      await expect(connect("/ws/other")).rejects.toThrow("404");
      await ask({ method: "GET", target: "/api/ping" });
    });

    const itsOwn = ownRoutes ? it : () => undefined;
    itsOwn("keeps the host's own routes, with their body parser", async () => {
      expect(await sendRaw(world.port, { method: "GET", target: "/health" })).toMatchObject({ status: 200 });
      const body = '{"own": [1, {"deep": "é"}]}';
      const echoed = await sendRaw(world.port, {
        ...{ method: "POST", target: "/echo", body },
        headers: ["Content-Type", "application/json", "Connection", "close"],
      });
      expect(echoed.status).toBe(200);
      expect((await sendRaw(world.port, { method: "GET", target: "/nothing" })).status).toBe(404);
      expect(world.answered).toEqual([]);
    });
  });
}
