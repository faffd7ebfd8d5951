import { CLIENT_STREAM_SUFFIXES } from "../../../src/requests/index.ts";
import { signBody, signQuery, signSocketParameters } from "../../../src/signing/index.ts";
import { textFrame } from "../load/frame-wire.ts";
import { httpPost } from "../load/http-wire.ts";
import { type Assault, type AttackTarget, assail, type Harm } from "./attack.ts";
import { BROKE, BUSY, HONEST, type SiegeKey } from "./keys.ts";
import type { Before } from "./server.ts";

/** An attack: its behavior and its parameters. */
export type Attack = Readonly<{
  name: string;
  /** Its own share of the usual number of connections; default 1. */
  times?: number;
  /** What the server has before. */
  before?: Before;
  assault: () => Assault;
}>;

const repeated = (piece: Buffer, times: number): Buffer =>
  Buffer.concat(Array.from({ length: times }, () => piece));

const get = (target: string): Buffer => Buffer.from(`GET ${target} HTTP/1.1\r\nHost: a\r\n\r\n`);

/** A message that must be read to its end before it can be refused. */
const LARGE = textFrame(
  JSON.stringify({ id: "1", method: "order.place", params: { symbol: "x".repeat(64_900) } }),
);

const UNKNOWN_METHOD = textFrame('{"id":"1","method":"nothing.at.all","params":{}}');

const STREAMS = textFrame(
  JSON.stringify({
    id: 1,
    method: "SUBSCRIBE",
    params: Array.from({ length: 1_024 }, (_, index) => `btcusd@${index % 2 === 0 ? "depth" : "trade"}`),
  }),
);

/** A stream of each kind of three markets, as often as a connection may name them. */
const EVERY_STREAM = textFrame(
  JSON.stringify({
    id: 1,
    method: "SUBSCRIBE",
    params: ["btcusd", "ethusd", "solusd"].flatMap((market) =>
      CLIENT_STREAM_SUFFIXES.map((suffix) => `${market}@${suffix}`),
    ),
  }),
);

const LIST = textFrame('{"id":1,"method":"LIST_SUBSCRIPTIONS"}');

/** A ping without a payload, with a mask of zeros. */
const PING = Buffer.from([0x89, 0x80, 0, 0, 0, 0]);

const HEAD_END = "\r\n\r\n";

const TO_H2C = Buffer.from(
  "GET /api/ping HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n",
);

const TO_H2C_WITH_MANY = Buffer.from(
  TO_H2C.toString().replace(HEAD_END, `\r\n${"a: b\r\n".repeat(1_100)}\r\n`),
);

/** The beginning of a request to the venue, with a signature that it has not made. The rest never comes. */
const HALF_SUBMIT = Buffer.from(
  `POST /v1/submit HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 1000${HEAD_END}{`,
);

/** The beginning of a TLS record with a ClientHello of 512 bytes. The rest never comes. */
const HALF_HELLO = Buffer.from([0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3]);

type Terms = Readonly<Record<string, string | number | boolean>>;

/** Signed placements of one account on each connection, each with its own client id. */
const placements =
  ({ apiKey, secret }: SiegeKey, terms: Terms, count: number) =>
  (connection: number) =>
    Array.from({ length: count }, (_, index) => {
      const name = `${terms["type"]}-${connection}-${index}`;
      const query = `nonce=${name}`;
      const parameters = { ...terms, newClientOrderId: `siege-${name}` };
      const { body, signature } = signBody({ secret, query, parameters });
      return httpPost(`/api/order?${query}`, { headers: { "X-MBX-APIKEY": apiKey, signature }, body });
    });

const SCHEDULE = { symbol: "BTC/USD", side: "BUY", interval: 60_000, quantity: "100000" };

const VWAP = {
  ...{ ...SCHEDULE, type: "VWAP", intervalCount: 10_000 },
  volumeProfile: Array.from({ length: 10_000 }, () => "1").join(","),
};

/** The same as fields of an order in process. */
const LONG_VWAP = { ...VWAP, type: "VWAP", side: "BUY" } as const;

const TWAP = { ...SCHEDULE, type: "TWAP", interval: 1_000, intervalCount: 1_000 };

const RESTING = {
  symbol: "BTC/USD",
  side: "BUY",
  type: "SYNTHETIC_LIMIT",
  quantity: "0.125",
  price: "4000.25",
} as const;

const TRADE = { symbol: "BTC/USD", side: "BUY", type: "MARKET", quantity: "1" };

const POV = {
  symbol: "BTC/USD",
  side: "BUY",
  type: "POV",
  quantity: "100",
  participationBips: 1_000,
} as const;

/** POV orders of two accounts that would take the volume of each other's children for that of others, and trades. */
const FOLLOWERS = (connection: number): readonly Buffer[] => [
  Buffer.concat(
    placements(connection % 2 === 0 ? BUSY : HONEST, { ...POV, participationBips: 6_000 }, 20)(connection),
  ),
  ...placements(BUSY, TRADE, 20)(connection),
];

const PAGE = { apiManaged: "true", limit: 1_000 };

/** Pages of the busy account, as HTTP requests. */
const pages = ({ apiKey, secret }: SiegeKey, count: number): readonly Buffer[] =>
  Array.from({ length: count }, () => {
    const parameters = { ...PAGE, timestamp: Date.now(), nonce: `page-${Math.random()}` };
    const target = `/api/v3/openOrders?${signQuery({ secret, parameters })}`;
    return Buffer.from(`GET ${target} HTTP/1.1\r\nHost: a\r\nX-MBX-APIKEY: ${apiKey}\r\n\r\n`);
  });

/** What a client sends that follows its orders, after each break of its connection. */
const following = ({ apiKey, secret }: SiegeKey): Buffer => {
  const message = (id: string, method: string, terms: Terms): Buffer => {
    const parameters = { apiKey, timestamp: Date.now(), nonce: `${id}-${Math.random()}`, ...terms };
    return textFrame(JSON.stringify({ id, method, params: signSocketParameters({ secret, parameters }) }));
  };
  return Buffer.concat([
    message("1", "userDataStream.subscribe.signature", {}),
    message("2", "openOrders.status", { ...PAGE, apiManaged: true }),
  ]);
};

/** A cancel of all open orders, as an HTTP request. */
const cancelAll = ({ apiKey, secret }: SiegeKey): Buffer => {
  const parameters = { timestamp: Date.now(), apiManaged: "true" };
  const target = `/api/v3/openOrders?${signQuery({ secret, parameters })}`;
  return Buffer.from(`DELETE ${target} HTTP/1.1\r\nHost: a\r\nX-MBX-APIKEY: ${apiKey}\r\n\r\n`);
};

/** Every attack of the siege. */
export const ATTACKS: readonly Attack[] = [
  {
    name: "messages of 64 kB, 990 on a connection",
    assault: () => ({ socketPath: "/ws/listenKey", pieces: () => [LARGE], rounds: 990 }),
  },
  {
    name: "unknown methods",
    assault: () => ({
      socketPath: "/ws/listenKey",
      pieces: () => [repeated(UNKNOWN_METHOD, 45)],
      perSecond: 20,
    }),
  },
  {
    name: "messages of /ws/liquidity",
    assault: () => ({ socketPath: "/ws/liquidity", pieces: () => [repeated(STREAMS, 45)], perSecond: 20 }),
  },
  {
    name: "280 connections with every stream of three markets",
    times: 1.4,
    assault: () => ({ socketPath: "/stream", pieces: () => [EVERY_STREAM], rounds: 1 }),
  },
  {
    name: "pings",
    assault: () => ({ socketPath: "/ws/liquidity", pieces: () => [repeated(PING, 45)], perSecond: 20 }),
  },
  { name: "unknown paths", assault: () => ({ pieces: () => [repeated(get("/nothing"), 50)] }) },
  {
    name: "/openapi.json and /asyncapi.json",
    assault: () => ({
      pieces: () => [repeated(Buffer.concat([get("/openapi.json"), get("/asyncapi.json")]), 25)],
    }),
  },
  {
    name: "connections of one address, one request each",
    times: 50,
    assault: () => ({ pieces: () => [get("/api/ping")], rounds: 1, address: () => "127.0.0.2" }),
  },
  {
    name: "HTTP readers that do not read",
    times: 5,
    assault: () => ({ pieces: () => [get("/openapi.json")], rounds: 30, deaf: true }),
  },
  {
    name: "WebSocket readers that do not read",
    assault: () => ({
      ...{ socketPath: "/ws/liquidity", deaf: true, perSecond: 1 },
      pieces: () => [Buffer.concat([STREAMS, repeated(LIST, 900)])],
    }),
  },
  { name: "Upgrade: h2c, over and over", assault: () => ({ pieces: () => [TO_H2C], rounds: 1_000 }) },
  {
    name: "Upgrade: h2c with 1,100 headers",
    assault: () => ({ pieces: () => [TO_H2C_WITH_MANY], rounds: 1_000 }),
  },
  {
    name: "pages of 1,000 orders, eight at once",
    ...{ times: 0.04, before: { open: { count: 1_000, terms: RESTING } } },
    assault: () => ({ pieces: () => pages(BUSY, 200), perSecond: 10 }),
  },
  {
    name: "pages of 139 VWAPs of 10,000 weights, eight at once",
    ...{ times: 0.04, before: { open: { count: 139, terms: LONG_VWAP } } },
    assault: () => ({ pieces: () => pages(BUSY, 200), perSecond: 10 }),
  },
  {
    name: "followers of 1,000 orders that connect at once",
    ...{ before: { open: { count: 1_000, terms: RESTING } } },
    assault: () => ({ socketPath: "/ws/listenKey", pieces: () => [following(BUSY)], rounds: 1 }),
  },
  {
    name: "300 connections to the venue's port, half a request each",
    ...{ times: 1.5, before: { venueApart: true } },
    assault: () => ({ pieces: () => [HALF_SUBMIT], rounds: 1 }),
  },
  {
    name: "1,000 connections to the link of a node that never finish their handshake, half of them from one address",
    ...{ times: 5, before: { forwarded: true } },
    assault: () => ({
      ...{ pieces: () => [HALF_HELLO], rounds: 1 },
      address: (connection) =>
        connection % 2 === 0 ? "127.0.0.2" : `127.1.${connection >> 8}.${connection & 255}`,
    }),
  },
  {
    name: "VWAPs of 10,000 weights by one account",
    assault: () => ({ pieces: placements(HONEST, VWAP, 15), rounds: 1 }),
  },
  {
    name: "TWAPs of an account without money",
    assault: () => ({ pieces: placements(BROKE, TWAP, 15), rounds: 1 }),
  },
  {
    name: "a cancel-all of 10,000 orders",
    ...{ times: 0, before: { open: { count: 10_000, terms: RESTING } } },
    assault: () => ({ pieces: () => [cancelAll(BUSY)], rounds: 1, untilAnswered: true }),
  },
  {
    name: "1,000 POV orders of one account, 20 trades a second",
    times: 0.1,
    assault: () => ({
      pieces: (connection) => [
        Buffer.concat(placements(BUSY, POV, 50)(connection)),
        ...placements(BUSY, TRADE, 100)(connection),
      ],
      ...{ rounds: 1, perSecond: 1 },
    }),
  },
  {
    name: "POV orders of 60 % of two accounts, a trade a second",
    times: 0.1,
    assault: () => ({ pieces: FOLLOWERS, rounds: 1, perSecond: 1 }),
  },
];

/** Runs one attack. */
export async function runAttack(attacked: AttackTarget): Promise<Harm> {
  const attack = ATTACKS.find(({ name }) => name === attacked.name);
  if (attack === undefined) throw new Error(`no attack ${attacked.name}`);
  return await assail(attacked, attack.assault());
}
