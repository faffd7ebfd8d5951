import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { probeMount } from "../../src/adapters/node/index.ts";
import { createMountProbe, type Service } from "../../src/service/index.ts";
import { encodeQuery, type RequestParameters, sign } from "../../src/signing/index.ts";
import { readJson, type WireRequest, type WireResponse } from "../../src/wire/index.ts";
import { openConnection, type RawAnswer, type RawRequest, rawBytes, sendRaw } from "./raw-http.ts";
import { FAR_LIMIT, KEYS, openWorld, type ServiceWorld, START_MS } from "./service-world.ts";
import { signed } from "./signed-raw.ts";
import { SocketClient } from "./socket-client.ts";

/** A service that is mounted and listens. */
export type MountHandle = Readonly<{
  port: number;
  /** Answers pending requests, tells WebSocket clients, and ends; after `graceMs` the rest is cut off. */
  close(options?: Readonly<{ graceMs?: number }>): Promise<void>;
}>;

/** Mounts a service and listens on a free port. */
export type OpenMount = (service: Service) => Promise<MountHandle>;

/** Differences of a mount. */
export type MountSuiteOptions = Readonly<{
  /** The host has its own routes: GET /health answers "well", POST /echo returns JSON. */
  ownRoutes: boolean;
}>;

/** A mounted world that records the requests and answers of its service. */
type World = ServiceWorld &
  MountHandle &
  Readonly<{ heard: WireRequest[]; answered: WireResponse[]; gate: Gate }>;

/** Blocks the service between `shut` and `open`; `reached` resolves once a request waits. */
class Gate {
  #wait: Promise<void> | undefined;
  #open: () => void = () => undefined;
  #reach: () => void = () => undefined;
  reached: Promise<void> = Promise.resolve();

  shut(): void {
    this.#wait = new Promise((resolve) => {
      this.#open = resolve;
    });
    this.reached = new Promise((resolve) => {
      this.#reach = resolve;
    });
  }

  open(): void {
    this.#open();
    this.#wait = undefined;
  }

  async pass(): Promise<void> {
    this.#reach();
    await this.#wait;
  }
}

async function mountWorld(open: OpenMount): Promise<World> {
  const world = await openWorld();
  const [heard, answered, gate] = [[] as WireRequest[], [] as WireResponse[], new Gate()];
  const handle = async (request: WireRequest): Promise<WireResponse> => {
    heard.push(request);
    await gate.pass();
    const answer = await world.service.handle(request);
    answered.push(answer);
    return answer;
  };
  const mounted = await open({ handle, sockets: world.service.sockets });
  return { ...world, ...mounted, heard, answered, gate };
}

const owner = KEYS.owner;

/** JSON of an order, with blanks at its end up to `bytes`. */
const orderText = (id: string, bytes = 0): string =>
  JSON.stringify({ ...FAR_LIMIT, newClientOrderId: id }).padEnd(bytes, " ");

const placing = (body: string, rest: Partial<RawRequest> = {}): RawRequest =>
  signed({ method: "POST", target: "/api/order?nonce=1", body, ...rest });

const codeOf = ({ status, body }: RawAnswer): readonly unknown[] => [
  status,
  (readJson(body) as { code?: number }).code,
];

const turn = (): Promise<void> => new Promise((next) => setImmediate(next));

/** The rules of every mount, whatever the host's framework. */
export function mountSuite(name: string, open: OpenMount, { ownRoutes }: MountSuiteOptions): void {
  let world: World;

  beforeEach(async () => {
    world = await mountWorld(open);
  });

  afterEach(async () => {
    world.gate.open();
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
      expect(world.heard.at(-1)?.target).toBe(target);
    });

    it.each([
      ["hostile 40: a plus is not a blank", "symbol=BTC+USD&origClientOrderId=a", -1121],
      ["decision 41: an empty pair", "symbol=BTC%2FUSD&&origClientOrderId=a", -1100],
      ["decision 41: a pair without =", "symbol=BTC%2FUSD&origClientOrderId", -1100],
      ["hostile 34: a parameter twice", "symbol=BTC%2FUSD&symbol=BTC%2FUSD&origClientOrderId=a", -1101],
    ])("%s: refused, with a valid signature", async (_what, query, code) => {
      const request = { method: "GET", target: `/api/v2/order?${query}&timestamp=${START_MS}` };
      expect(codeOf(await ask(signed(request)))).toEqual([400, code]);
    });

    it("contract, Version 3 REST: a JSON body is verified and kept as it was sent", async () => {
      const body = orderText("json-1").replace('"side"', '"s\\u0069de"').replaceAll(",", " ,\r\n\t");
      expect(await ask(placing(body))).toMatchObject({ status: 200 });
      expect(Buffer.from(world.heard.at(-1)?.body ?? []).toString()).toBe(body);
      const altered = { ...placing(body), body: body.replaceAll("\r\n", "") };
      expect(codeOf(await ask(altered))).toEqual([400, -1022]);
    });

    it("decision 43: a form body, and parameters in query and body", async () => {
      const { symbol, ...rest }: RequestParameters = { ...FAR_LIMIT, newClientOrderId: "form-1" };
      const type = "application/x-www-form-urlencoded";
      const target = `/api/order?nonce=1&${encodeQuery({ symbol: String(symbol) })}`;
      const answer = await ask(signed({ method: "POST", target, body: encodeQuery(rest), type }));
      expect(readJson(answer.body)).toMatchObject({ clientOrderId: "form-1" });
    });

    it("decision 40: a DELETE with a body", async () => {
      const id = await orderId("delete-1");
      const body = `{"symbol":"BTC/USD", "orderId": ${id}}`;
      const answer = await ask(signed({ method: "DELETE", target: "/api/v2/order?nonce=2", body }));
      expect(readJson(answer.body)).toMatchObject({ orderId: id, status: "CANCELED" });
    });

    it.each([false, true])(
      "hostile 51: 32,768 bytes are accepted, one more is not, chunked: %s",
      async (chunked) => {
        const taken = await ask(placing(orderText("large-1", 32_768), { chunked }));
        expect(readJson(taken.body)).toMatchObject({ clientOrderId: "large-1" });
        const refused = await ask(placing(orderText("large-2", 32_769), { chunked }));
        expect(codeOf(refused)).toEqual([413, -1101]);
      },
    );

    it.each([
      ["hostile 10: signature", "signature", -1022, 400],
      ["hostile 26: key", "x-mbx-apikey", -2014, 401],
      ["hostile 48: Content-Type", "content-type", -1101, 400],
    ])("repeated %s headers arrive as two", async (_what, header, code, status) => {
      const request = placing(orderText("twice-1"));
      const at = (request.headers ?? []).findIndex((text) => text.toLowerCase() === header);
      const again = [header, request.headers?.[at + 1] ?? ""];
      const answer = await ask({ ...request, headers: [...(request.headers ?? []), ...again] });
      expect(codeOf(answer)).toEqual([status, code]);
    });

    it.each([
      ["GET", "/api/nothing"],
      ["GET", "/compat/api/v3/nothing"],
      ["GET", "/api/v3/ping"],
      ["PUT", "/api/order"],
      ["TRACE", "/api/ping"],
      ["POST", "/api/"],
    ])("%s %s is the service's 404", async (method, target) => {
      expect(codeOf(await ask({ method, target }))).toEqual([404, -1099]);
    });

    it("hostile 47: a GET with a body is refused by the service", async () => {
      const request = signed({ method: "GET", target: `/api/v2/order?timestamp=${START_MS}`, body: "{}" });
      expect(codeOf(await ask(request))).toEqual([400, -1106]);
    });

    it("a HEAD is answered without a body", async () => {
      const connection = await openConnection(world.port);
      connection.write(rawBytes({ method: "HEAD", target: "/api/ping", headers: ["Connection", "close"] }));
      await connection.ended;
      const [head = "", body] = connection.received().split("\r\n\r\n");
      expect(head).toContain(` ${world.answered[0]?.status} `);
      expect(head).toContain("X-MBX-USED-WEIGHT-1M: ");
      expect(body).toBe("");
    });
  });

  describe(`${name}: connections`, () => {
    it("hostile 50: a client that asks before it sends its body is told to continue", async () => {
      const connection = await openConnection(world.port);
      const body = orderText("asks-1");
      const request = placing(body, { headers: ["Expect", "100-continue"] });
      const bytes = Buffer.from(rawBytes(request));
      const head = bytes.indexOf("\r\n\r\n") + 4;
      connection.write(bytes.subarray(0, head));
      while (!connection.received().startsWith("HTTP/1.1 100 Continue")) await turn();
      connection.write(bytes.subarray(head));
      expect(readJson((await connection.answer()).body)).toMatchObject({ clientOrderId: "asks-1" });
      connection.close();
    });

    it("a body that arrives in pieces is read completely", async () => {
      const connection = await openConnection(world.port);
      const bytes = rawBytes(placing(orderText("slow-1", 20_000)));
      for (let at = 0; at < 21_000; at += 7_000) {
        await ask({ method: "GET", target: "/api/ping" });
        connection.write(at < 14_000 ? bytes.subarray(at, at + 7_000) : bytes.subarray(at));
      }
      expect(readJson((await connection.answer()).body)).toMatchObject({ clientOrderId: "slow-1" });
      connection.close();
    });

    it("hostile 53: requests of one connection are answered in their order", async () => {
      const connection = await openConnection(world.port);
      const targets = ["/api/ping", "/api/nothing", "/api/time"];
      connection.write(Buffer.concat(targets.map((target) => rawBytes({ method: "GET", target }))));
      const statuses = [];
      for (const _ of targets) statuses.push((await connection.answer()).status);
      expect(statuses).toEqual([200, 404, 200]);
      connection.close();
    });

    it("a client that leaves during its body sends no request; one that leaves while it waits does no harm", async () => {
      const leaving = await openConnection(world.port);
      leaving.write(rawBytes(placing(orderText("leaves-1"))).subarray(0, -10));
      await ask({ method: "GET", target: "/api/ping" });
      leaving.close();
      await leaving.ended;
      world.gate.shut();
      const waiting = await openConnection(world.port);
      waiting.write(rawBytes(placing(orderText("leaves-2"))));
      await world.gate.reached;
      waiting.close();
      await waiting.ended;
      world.gate.open();
      while (world.answered.length < 2) await turn();
      await orderId("leaves-3");
      expect(world.heard.filter(({ method }) => method === "POST")).toHaveLength(2);
      expect(world.engine.metrics().openParents).toBe(2);
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

    it("decisions NA and NI: serves the prefix for existing clients, and its streams", async () => {
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
      expect(world.heard).toEqual([]);
    });

    it("drains: pending requests are answered, WebSockets are told, and then it ends", async () => {
      const client = await connect("/ws/listenKey");
      world.gate.shut();
      const connection = await openConnection(world.port);
      connection.write(rawBytes(placing(orderText("drain-1"))));
      await world.gate.reached;
      let over = false;
      const closing = world.close().then(() => {
        over = true;
      });
      expect(await client.closed).toEqual([1001, "the service stops"]);
      expect(over).toBe(false);
      world.gate.open();
      const answer = await connection.answer();
      expect(readJson(answer.body)).toMatchObject({ clientOrderId: "drain-1" });
      expect(answer.headers.get("connection")).toBe("close");
      await closing;
      await connection.ended;
      await expect(openConnection(world.port)).rejects.toThrow("ECONNREFUSED");
    });

    it("drains for at most the given time", async () => {
      world.gate.shut();
      const connection = await openConnection(world.port);
      connection.write(rawBytes(placing(orderText("drain-2"))));
      await world.gate.reached;
      await world.close({ graceMs: 1 });
      await connection.ended;
      expect(connection.received()).toBe("");
    });
  });
}
