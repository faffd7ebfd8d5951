import { createNodeServer, createSystemClock } from "../../../src/adapters/node/index.ts";
import { encodeQuery, sign } from "../../../src/signing/index.ts";
import { messageOf } from "../../support/hostile-socket.ts";
import { openConnection, rawBytes } from "../../support/raw-http.ts";
import {
  type Credentials,
  KEYS,
  openWorld,
  type ServiceWorld,
  START_MS,
} from "../../support/service-world.ts";
import { SocketClient } from "../../support/socket-client.ts";
import { compare, reportOf, type Samples } from "./samples.ts";

/** Pairs of requests that are measured for each comparison, and pairs before that for the warm-up. */
const PAIRS = Number(process.argv[2] ?? 20_000);
const WARM_UP = 2_000;

/** A request that is refused: its credentials, and the code of its answer. */
type Stranger = Readonly<{ kind: string; key: Credentials; code: string }>;

/** Sends one request and resolves to the time until its answer, in nanoseconds. */
type Send = (stranger: Stranger, count: number) => Promise<bigint>;

const WRONG_SIGNATURE: Stranger = {
  kind: "wrong signature",
  key: { apiKey: KEYS.silent.apiKey, secret: KEYS.nobody.secret },
  code: "-1022",
};

/** An unknown key, as long as the known one with which it is compared. */
const unknownLike = ({ apiKey, secret }: Credentials): Stranger => ({
  kind: "unknown key",
  key: { apiKey: `${apiKey.slice(0, -1)}#`, secret },
  code: "-2015",
});

/** Refusals that may not be told apart by their times. The keys of the last two have made a valid signature. */
const COMPARED: readonly (readonly [Stranger, Stranger])[] = [
  [unknownLike(KEYS.silent), WRONG_SIGNATURE],
  [{ kind: "wrong address", key: KEYS.elsewhere, code: "-2015" }, unknownLike(KEYS.elsewhere)],
  [{ kind: "no permission", key: KEYS.trader, code: "-2015" }, unknownLike(KEYS.trader)],
];

function demand({ kind, code }: Stranger, answer: string): void {
  if (!answer.includes(code)) throw new Error(`${kind} was answered with ${answer}`);
}

/** By REST over one persistent connection; everything but the answer is prepared before the measurement. */
async function restSender(port: number): Promise<Readonly<{ send: Send; close: () => void }>> {
  const connection = await openConnection(port);
  const send: Send = async (stranger, count) => {
    const { apiKey, secret } = stranger.key;
    const query = encodeQuery({ symbol: "BTC/USD", orderId: -256 - count, timestamp: START_MS });
    const headers = ["X-MBX-APIKEY", apiKey, "signature", sign({ secret, payload: query })];
    const bytes = rawBytes({ method: "GET", target: `/api/v2/order?${query}`, headers });
    const start = process.hrtime.bigint();
    connection.write(bytes);
    const { body } = await connection.answer();
    const took = process.hrtime.bigint() - start;
    demand(stranger, body);
    return took;
  };
  return { send, close: () => connection.close() };
}

async function socketSender(port: number): Promise<Readonly<{ send: Send; close: () => void }>> {
  const client = await SocketClient.connect(`ws://127.0.0.1:${port}/ws/listenKey`);
  const send: Send = async (stranger, count) => {
    const json = `{"symbol":"BTC/USD","orderId":${-256 - count}}`;
    const text = messageOf({ method: "order.status", json, key: stranger.key });
    client.messages.length = 0;
    client.texts.length = 0;
    const start = process.hrtime.bigint();
    client.socket.send(text);
    await client.until(() => client.texts.length > 0);
    const took = process.hrtime.bigint() - start;
    demand(stranger, client.texts[0] ?? "");
    return took;
  };
  return { send, close: () => client.close() };
}

/** Measures pairs in turn; which of the two comes first changes from pair to pair. */
async function measure(
  name: string,
  send: Send,
  [first, second]: readonly [Stranger, Stranger],
): Promise<void> {
  const [ofFirst, ofSecond]: [bigint[], bigint[]] = [[], []];
  for (let pair = -WARM_UP; pair < PAIRS; pair++) {
    const turn = [
      { stranger: first, took: ofFirst },
      { stranger: second, took: ofSecond },
    ];
    for (const { stranger, took } of pair % 2 === 0 ? turn : turn.reverse()) {
      const time = await send(stranger, Math.abs(pair));
      if (pair >= 0) took.push(time);
    }
  }
  const samples: Samples = [
    { kind: first.kind, took: ofFirst },
    { kind: second.kind, took: ofSecond },
  ];
  console.log(reportOf(name, samples, compare(samples)));
}

async function serve(): Promise<Readonly<{ world: ServiceWorld; port: number; close: () => Promise<void> }>> {
  const settings = { maxFramesPerSecond: 1_000_000 };
  const world = await openWorld({ service: { sockets: { realClock: createSystemClock(), settings } } });
  const server = createNodeServer({ service: world.service, sockets: world.service.sockets });
  const { port } = await server.listen({ host: "127.0.0.1", port: 0 });
  return { world, port, close: () => server.close({ graceMs: 100 }) };
}

/**
 * Median time of one signature over a usual payload: the difference that would show if an unknown key were refused
 * without it.
 */
function signatureMicros(): number {
  const payload = encodeQuery({ symbol: "BTC/USD", orderId: -256, timestamp: START_MS });
  const took = Array.from({ length: 20_000 }, () => {
    const start = process.hrtime.bigint();
    sign({ secret: KEYS.silent.secret, payload });
    return Number(process.hrtime.bigint() - start) / 1_000;
  });
  return took.sort((a, b) => a - b)[took.length >> 1] ?? Number.NaN;
}

console.log(
  `Node ${process.version}. Refusals of strangers, ${PAIRS} pairs in turns, over one connection each.`,
);
console.log(`For scale: the signature that an unknown key must cost takes ${signatureMicros().toFixed(2)}.`);
const { port, close } = await serve();
for (const [name, open] of [
  ["REST", restSender],
  ["WebSocket", socketSender],
] as const) {
  const sender = await open(port);
  for (const compared of COMPARED) await measure(name, sender.send, compared);
  sender.close();
}
await close();
