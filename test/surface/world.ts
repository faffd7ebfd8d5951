import { createMemoryRateLimiter } from "../../src/adapters/memory/index.ts";
import { createNodeServer, createSystemClock } from "../../src/adapters/node/index.ts";
import type { Instrument } from "../../src/model/index.ts";
import type { RateLimiter } from "../../src/ports/index.ts";
import type { RouteDescriptor } from "../../src/requests/index.ts";
import { encodeQuery, type RequestParameters } from "../../src/signing/index.ts";
import { type JsonObject, readJson, writeJson } from "../../src/wire/index.ts";
import { withFronts } from "../support/front-threads.ts";
import { messageOf, type SocketAttack } from "../support/hostile-socket.ts";
import { type Attack, attack } from "../support/hostile-world.ts";
import { openPaperNative, placeNative } from "../support/native-world.ts";
import { type RawAnswer, type RawRequest, sendRaw } from "../support/raw-http.ts";
import {
  type Credentials,
  KEYS,
  openWorld,
  place,
  placeList,
  type ServiceWorld,
  START_MS,
  type WorldOptions,
} from "../support/service-world.ts";
import { SocketClient } from "../support/socket-client.ts";

/** Client ids of a managed and a native order in every world. */
export const NAMES = { managed: "surface-managed", native: "surface-native" } as const;

/** Keys with one permission, and with none. */
export const PERMITTED: Readonly<Record<"READ" | "TRADE" | "none", Credentials>> = {
  READ: KEYS.reader,
  TRADE: KEYS.trader,
  none: { apiKey: "key-of-idle", secret: "secret-of-idle" },
};

const HALTED: Instrument = {
  id: 9,
  symbol: "SOL/USD",
  aliases: ["SOLUSD"],
  baseAsset: "SOL",
  quoteAsset: "USD",
  name: "SOL",
  kind: "liquidity",
  status: "HALT",
};

/** Differences of a world from the default, which serves everything and refuses nothing for its rate. */
export type SurfaceOptions = Pick<WorldOptions, "engine" | "limits" | "service"> &
  Readonly<{ native?: false }>;

/** A service with a market at 7,400 to 7,500, on a port. */
export type SurfaceWorld = ServiceWorld &
  Readonly<{
    port: number;
    /** Managed id of the order {@link NAMES}.managed. */
    orderId: number;
    /** Makes the host's rate limiter fail from now on. */
    failLimiter: () => void;
    /** Counts a weight of 1 for the address of the tests, without the service; returns the refused limit. */
    weigh: () => Promise<"limit" | "ban" | undefined>;
    /** Returns a new number. */
    next: () => number;
    rest: (request: RawRequest) => Promise<RawAnswer>;
    close: () => Promise<void>;
  }>;

const PLENTY = { weightPerMinute: 1_000_000, ordersPer10s: 100_000 } as const;

/** Opens a world. */
export async function openSurface(options: SurfaceOptions = {}): Promise<SurfaceWorld> {
  const requestToken = (token: string): number | undefined => (token === "token-1" ? 1 : undefined);
  const sockets = { realClock: createSystemClock(), requestToken };
  let broken = false;
  let limiter: RateLimiter | undefined;
  const breakable: RateLimiter = {
    get limits() {
      return limiter?.limits;
    },
    weigh: (request) => {
      if (broken || limiter === undefined) throw new Error("the limiter is gone");
      return limiter.weigh(request);
    },
    takeOrders: (placement) => limiter?.takeOrders(placement) ?? Promise.reject(new Error("no limiter")),
    returnOrders: (placement) => limiter?.returnOrders(placement) ?? Promise.reject(new Error("no limiter")),
  };
  const world = await openWorld({
    ...(options.engine && { engine: options.engine }),
    ...(options.native !== false && { native: async (clock) => (await openPaperNative(clock)).native }),
    instruments: [HALTED],
    service: { rateLimiter: breakable, sockets, ...options.service },
  });
  limiter = createMemoryRateLimiter({ clock: world.clock, ...PLENTY, ...options.limits });
  world.accounts.put({
    account: { accountId: 9, userId: 1, enableDataSharing: true, delegates: [], restricted: false },
    keys: [{ ...PERMITTED.none, userId: 1, accountId: 9, permissions: [], ipAllowlist: [] }],
  });
  world.engine.market.quote({ symbol: "BTC/USD", bid: "7400", ask: "7500" });
  await world.engine.idle();
  const placed = await place(world, { newClientOrderId: NAMES.managed });
  await placeNative(world, { newClientOrderId: NAMES.native });
  await placeList(world, "oco", {
    listClientOrderId: "surface-list",
    aboveClientOrderId: "surface-above",
    belowClientOrderId: "surface-below",
  });
  const server = createNodeServer({
    ...{ service: world.service, sockets: world.service.sockets },
    ...withFronts(),
  });
  const { port } = await server.listen({ host: "127.0.0.1", port: 0 });
  let count = 0;
  return {
    ...world,
    port,
    orderId: Number(placed.body.orderId ?? 0),
    failLimiter: () => {
      broken = true;
    },
    weigh: async () => (await breakable.weigh({ address: "127.0.0.1", weight: 1 })).refused?.kind,
    next: () => ++count,
    rest: (request) => sendRaw(port, request),
    close: () => server.close({ graceMs: 200 }),
  };
}

/** Differences of a request's bytes from a valid one. */
export type Forge = Readonly<{
  key?: Credentials;
  /** Replaces the valid signature; "" leaves it out. */
  signature?: string;
  /** Offset from the service's clock, in milliseconds. */
  stampMs?: number;
  /** Appended to the parameters of a query, and inserted into a JSON object. */
  raw?: Readonly<{ query: string; json: string }>;
  /** Replaces the body, or a message's params. */
  body?: string;
  headers?: readonly string[];
  method?: string;
}>;

/** A request before it is encoded for REST or as a message. */
export type SurfaceRequest = Readonly<{ fields: RequestParameters; forge?: Forge }>;

/** The request of a route. */
export function requestOf(
  world: SurfaceWorld,
  route: RouteDescriptor,
  { fields, forge = {} }: SurfaceRequest,
): Attack {
  const { key = KEYS.owner, headers = [], raw = { query: "", json: "" } } = forge;
  const method = forge.method ?? route.method;
  const stamp = { nonce: `n${world.next()}`, timestamp: START_MS + (forge.stampMs ?? 0) };
  const inBody = route.method === "POST";
  const query = encodeQuery({ ...(inBody ? {} : fields), ...(route.access === "PUBLIC" ? {} : stamp) });
  const rest = {
    query: [query, ...(inBody || raw.query === "" ? [] : [raw.query])].filter(Boolean).join("&"),
  };
  const body = forge.body ?? (inBody ? withRaw(writeJson(fields), raw.json) : "");
  if (route.access === "PUBLIC") {
    return { method, target: rest.query === "" ? route.path : `${route.path}?${rest.query}`, headers, body };
  }
  const signed = forge.signature === "" ? { place: "nowhere" as const } : signatureIn(forge);
  return attack(method, route.path, { key, headers, body, ...rest, ...signed });
}

const signatureIn = ({ signature }: Forge): { signature?: string } =>
  signature === undefined ? {} : { signature };

function withRaw(json: string, raw: string): string {
  if (raw === "") return json;
  return json === "{}" ? `{${raw}}` : `${json.slice(0, -1)},${raw}}`;
}

/** The same as a message. */
export function textOf(method: string, { fields, forge = {} }: SurfaceRequest, id: string): string {
  const { key = KEYS.owner, signature, stampMs, raw = { query: "", json: "" } } = forge;
  if (forge.body !== undefined)
    return `{"id":${id},"method":${JSON.stringify(method)},"params":${forge.body}`;
  const sent: SocketAttack = {
    method,
    key,
    json: withRaw(writeJson(fields), raw.json),
    ...(stampMs !== undefined && { timestamp: String(START_MS + stampMs) }),
    ...(signature !== undefined && { signature: signature === "" ? undefined : JSON.stringify(signature) }),
  };
  return messageOf(sent, id);
}

/** A connection for one message at a time. */
export type Line = Readonly<{
  ask: (method: string, requested: SurfaceRequest) => Promise<JsonObject>;
  /** The same; resolves to the unparsed reply. */
  askText: (method: string, requested: SurfaceRequest) => Promise<string>;
  close: () => void;
}>;

/** Opens a connection to the private interface. */
export async function openLine(world: SurfaceWorld): Promise<Line> {
  const client = await SocketClient.connect(`ws://127.0.0.1:${world.port}/ws/listenKey`);
  const next = async (method: string, requested: SurfaceRequest): Promise<number> => {
    const before = client.messages.length;
    client.socket.send(textOf(method, requested, String(world.next())));
    await client.until(() => client.messages.length > before);
    return before;
  };
  return {
    ask: async (method, requested) => client.messages[await next(method, requested)] ?? {},
    askText: async (method, requested) => client.texts[await next(method, requested)] ?? "",
    close: () => client.close(),
  };
}

/** Parses a body as JSON. */
export const bodyOf = ({ body }: RawAnswer): JsonObject => readJson(body) as JsonObject;
