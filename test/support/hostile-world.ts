import { expect } from "vitest";
import { createNodeServer, createSystemClock, type NodeServerLimits } from "../../src/adapters/node/index.ts";
import type { RateLimiter } from "../../src/ports/index.ts";
import type { ListForm } from "../../src/requests/index.ts";
import { sign } from "../../src/signing/index.ts";
import { encodeParent, type JsonObject, readJson } from "../../src/wire/index.ts";
import { withFronts } from "./front-threads.ts";
import { jsonOfQuery, messageOf, methodOf, type SocketAttack, sendText } from "./hostile-socket.ts";
import { type RawAnswer, type RawRequest, sendRaw } from "./raw-http.ts";
import {
  type Credentials,
  KEYS,
  LISTS,
  openWorld,
  place,
  SECRETS,
  type ServiceWorld,
  type WorldOptions,
} from "./service-world.ts";

/** Client id of an order in every hostile world: account 1, {@link BASE_ORDER}. */
export const BASE_ID = "hostile-base";

/** The fields of that order, as JSON text and in this order. */
export const BASE_ORDER: string = `{"symbol":"BTC/USD","side":"BUY","type":"SYNTHETIC_LIMIT","quantity":"0.01","price":"7000","newClientOrderId":"${BASE_ID}"}`;

/** The expected refusal. */
export type Refusal = Readonly<{ status: number; code: number }>;

/** 400 with a code, as most refusals are. */
export const refusal = (code: number): Refusal => ({ status: 400, code });

/** A request as REST sends it, and as a message if there is such a method. */
export type Attack = RawRequest & Readonly<{ socket?: SocketAttack }>;

/** A service on a real socket, and checks that an attack has no effect. */
export type HostileWorld = ServiceWorld &
  Readonly<{
    port: number;
    /** Managed id of the order named {@link BASE_ID}. */
    orderId: number;
    send(request: RawRequest): Promise<RawAnswer>;
    /**
     * Sends a request that must be refused: with this error, without a change of any order, without a secret, a
     * signature or a stack in the answer, and without stopping the server.
     */
    refuses(request: RawRequest, expected: Refusal): Promise<void>;
    /** Sends a request that must be accepted and returns its answer. */
    accepts(request: RawRequest): Promise<JsonObject>;
    /** The same for a message of the private WebSocket, as text or before it is signed. */
    refusesMessage(message: string | SocketAttack, expected: Refusal): Promise<void>;
    /** Sends a message that must be accepted and returns its result. */
    acceptsMessage(message: string | SocketAttack): Promise<JsonObject>;
    /**
     * Sends a request by REST and as a message; both must be refused, in the same words unless the message has its own
     * error.
     */
    bothRefuse(request: Attack, expected: Refusal, ofTheMessage?: Refusal): Promise<void>;
    /**
     * Everything that a request could have changed: orders, counts against limits, the length of the journal, children.
     */
    state(): Promise<readonly unknown[]>;
    close(): Promise<void>;
  }>;

/** Counts orders and refuses nothing: a refused request must leave no count behind. */
type OrderCounter = RateLimiter & Readonly<{ counted: () => number }>;

function createOrderCounter(): OrderCounter {
  const counts = { per10s: 0, perDay: 0 };
  const add = (count: number): typeof counts => {
    counts.per10s += count;
    counts.perDay += count;
    return { ...counts };
  };
  return {
    limits: undefined,
    weigh: () => ({ used: 0 }),
    takeOrders: ({ count }) => ({ counts: add(count), takenAtMs: 0 }),
    returnOrders: ({ count }) => add(-count),
    counted: () => counts.perDay,
  };
}

/** Opens a world, listens on a free port for REST and WebSocket and places the base order. */
export async function openHostileWorld(
  options: WorldOptions = {},
  limits: NodeServerLimits = {},
): Promise<HostileWorld> {
  const rateLimiter = createOrderCounter();
  const sockets = { realClock: createSystemClock(), ...options.service?.sockets };
  const world = await openWorld({ ...options, service: { rateLimiter, ...options.service, sockets } });
  const server = createNodeServer({
    ...{ service: world.service, sockets: world.service.sockets, limits },
    ...withFronts(),
  });
  const { port } = await server.listen({ host: "127.0.0.1", port: 0 });
  const placed = await place(world, { newClientOrderId: BASE_ID });
  const send = (request: RawRequest): Promise<RawAnswer> => sendRaw(port, request);
  const state = async () => [rateLimiter.counted(), ...(await stateOf(world))];
  /** Runs an action that must change nothing, then checks that another request is served. */
  const unchanged = async (act: () => Promise<JsonObject>): Promise<JsonObject> => {
    const before = await state();
    const body = await act();
    expect(await state()).toEqual(before);
    expect((await send({ method: "GET", target: "/api/ping" })).status).toBe(200);
    return body;
  };
  const refused = (request: RawRequest, { status, code }: Refusal): Promise<JsonObject> =>
    unchanged(async () => {
      const answer = await send(request);
      const body = readJson(answer.body) as JsonObject;
      expect({ status: answer.status, ...body }).toMatchObject({ status, code });
      expect(Object.keys(body)).toEqual(["code", "msg", "error"]);
      expectNothingReported([...answer.headers.values(), answer.body].join("\n"));
      return body;
    });
  const reply = (message: string | SocketAttack) =>
    sendText(port, typeof message === "string" ? message : messageOf(message));
  const refusedMessage = (message: string | SocketAttack, { status, code }: Refusal): Promise<JsonObject> =>
    unchanged(async () => {
      const { message: body, text } = await reply(message);
      expect(body).toMatchObject({ status, error: { code } });
      expect(Object.keys(body).slice(0, 3)).toEqual(["id", "status", "error"]);
      expectNothingReported(text);
      return body.error as JsonObject;
    });
  return {
    ...world,
    port,
    orderId: placed.body.orderId as number,
    send,
    state,
    refuses: async (request, expected) => void (await refused(request, expected)),
    refusesMessage: async (message, expected) => void (await refusedMessage(message, expected)),
    async accepts(request) {
      const answer = await send(request);
      const body = readJson(answer.body) as JsonObject;
      expect({ status: answer.status, code: body.code }).toEqual({ status: 200, code: undefined });
      expectNothingReported([...answer.headers.values(), answer.body].join("\n"));
      return body;
    },
    async acceptsMessage(message) {
      const { message: body, text } = await reply(message);
      expect(body).toMatchObject({ status: 200 });
      expectNothingReported(text);
      return body.result as JsonObject;
    },
    async bothRefuse({ socket, ...request }, expected, ofTheMessage = expected) {
      if (socket === undefined) throw new Error(`${request.method} ${request.target} has no method`);
      const { code, msg } = await refused(request, expected);
      const { field: _field, error, ...reported } = await refusedMessage(socket, ofTheMessage);
      // The remedy may differ: a query has no quotes that could be wrong.
      expect(error).toEqual(expect.stringContaining(String(reported.msg)));
      if (ofTheMessage === expected) expect(reported).toEqual({ code, msg });
    },
    close: () => server.close({ graceMs: 1_000 }),
  };
}

/**
 * Everything that a request could have changed: every order and leg of every account, the journal's length, the
 * children.
 */
async function stateOf({ engine, venue }: ServiceWorld): Promise<readonly unknown[]> {
  const pages = [1, 2, 3, 4].map((accountId) =>
    engine.page({ accountId, includeHistory: true, newestFirst: false, limit: 1_000, afterOrderId: 0 }),
  );
  const orders = (await Promise.all(pages)).flatMap((page) => page.orders.map(encodeParent));
  return [orders, engine.metrics().records, venue.submitted.length];
}

/** Fails if an answer contains a secret, a key, a signature or a part of a stack. */
export function expectNothingReported(reported: string): void {
  for (const secret of SECRETS) expect(reported).not.toContain(secret);
  expect(reported).not.toMatch(/[0-9a-f]{64}|X-MBX-APIKEY: |key-of-|\bat .*:[0-9]+:[0-9]+|node_modules/i);
}

/** Differences of an attack from a correctly signed request. */
export type AttackOptions = Readonly<{
  key?: Credentials;
  /** Raw query, without the question mark. */
  query?: string;
  body?: string | Uint8Array;
  /** Signed in place of query and body. */
  payload?: string;
  /** Replaces the right signature. */
  signature?: string;
  /** The place of the signature; default the header. "nowhere": it is left out. */
  place?: "header" | "query" | "nowhere";
  /** Empty: the header is left out. */
  contentType?: string;
  /** Additional headers, name and value in turn. */
  headers?: readonly string[];
  chunked?: boolean;
}>;

/** The right signature of an attack's query and body, or of its payload. */
export function signatureOf(options: AttackOptions): string {
  const { key = KEYS.owner, query = "", body = "" } = options;
  const bytes = Buffer.concat([Buffer.from(query), Buffer.from(body)]);
  return sign({ secret: key.secret, payload: options.payload ?? bytes });
}

/** A request that is signed as the options say; all its bytes are sent exactly as written. */
export function attack(method: string, path: string, options: AttackOptions = {}): Attack {
  const { key = KEYS.owner, query = "", body = "", place: where = "header", chunked = false } = options;
  const signature = options.signature ?? signatureOf(options);
  const pair = where === "query" ? [`signature=${signature}`] : [];
  const sent = [...(query === "" ? [] : [query]), ...pair].join("&");
  const signed = where === "header" ? ["signature", signature] : [];
  const { contentType = "application/json" } = options;
  const typed = body.length === 0 || contentType === "" ? [] : ["Content-Type", contentType];
  return {
    method,
    target: sent === "" ? path : `${path}?${sent}`,
    headers: ["X-MBX-APIKEY", key.apiKey, ...signed, ...typed, ...(options.headers ?? [])],
    body,
    chunked,
    ...asMessage(methodOf(method, path)?.name, options),
  };
}

/** The same request as a message, with the same key: the content of the body, else of the query. */
function asMessage(
  method: string | undefined,
  { key = KEYS.owner, query = "", body = "" }: AttackOptions,
): Pick<Attack, "socket"> {
  if (method === undefined || typeof body !== "string") return {};
  return { socket: { method, key, json: body === "" ? jsonOfQuery(query) : body } };
}

/** POST /api/order with this JSON text, signed in the header. */
export function order(body: string | Uint8Array, options: AttackOptions = {}): Attack {
  return attack("POST", "/api/order", { query: "nonce=1", body, ...options });
}

/** JSON text of fields by name; undefined leaves a field out. */
export type JsonFields = Readonly<Record<string, string | undefined>>;

/** A flat JSON object with some members replaced, added or left out. */
function jsonWith(base: Readonly<Record<string, unknown>>, fields: JsonFields): string {
  const usual = Object.entries(base).map(([name, value]) => [name, JSON.stringify(value)]);
  const members = Object.entries({ ...Object.fromEntries(usual), ...fields });
  const sent = members.filter(([, text]) => text !== undefined);
  return `{${sent.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(",")}}`;
}

/** {@link BASE_ORDER} with some fields replaced, added (JSON text) or, with undefined, left out. */
export function orderWith(fields: JsonFields): Attack {
  return order(jsonWith(JSON.parse(BASE_ORDER), { newClientOrderId: undefined, ...fields }));
}

let lists = 0;

/** A valid body of a list of a kind, with some fields replaced, added or left out. */
export function listBody(form: ListForm, fields: JsonFields = {}): string {
  return jsonWith({ listClientOrderId: `hostile-list-${++lists}`, ...LISTS[form].fields }, fields);
}

/** POST of {@link listBody} to the route of its kind. */
export function listWith(form: ListForm, fields: JsonFields = {}): Attack {
  return attack("POST", LISTS[form].path, { query: "nonce=1", body: listBody(form, fields) });
}
